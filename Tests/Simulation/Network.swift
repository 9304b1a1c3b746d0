import TableModel
import TableSync

/// A publication: about a table, or about presence.
enum News {
    case publication(Publication)
    case presence(Presence)
}

/// A request on its way, and how its sender tells the answer.
struct Sent {
    var request: Request
    var tag: UInt64 = 0
    /// The life of the sender's process.
    var life: UInt64 = 0
}

/// A reply on its way.
struct Answered {
    var reply: Reply
    var tag: UInt64
    var life: UInt64
}

/// One direction of one connection: what is not lost arrives late, and in order. Links are late
/// by themselves, so that the order across them is any.
struct Link<Message> {
    private var queue: [(atMs: UInt64, message: Message)] = []

    /// Beyond `capacity` what comes is dropped, as libzmq does at the high-water mark.
    mutating func send(
        _ message: Message, nowMs: UInt64, delayMs: Int, capacity: Int = 4_096
    ) {
        guard queue.count < capacity else { return }
        let arrival = max(nowMs + UInt64(delayMs), queue.last?.atMs ?? 0)
        queue.append((arrival, message))
    }

    /// Takes the messages that have arrived by now.
    mutating func receive(nowMs: UInt64) -> [Message] {
        let count = queue.prefix { $0.atMs <= nowMs }.count
        defer { queue.removeFirst(count) }
        return queue.prefix(count).map(\.message)
    }

    /// The messages that have arrived, left where they are.
    func arrived(nowMs: UInt64) -> [Message] {
        queue.prefix { $0.atMs <= nowMs }.map(\.message)
    }

    /// The connection broke: only the first ones still get through.
    mutating func cut(_ dice: Dice) {
        queue.removeLast(dice.below(queue.count + 1))
    }
}

/// The connections of one client.
struct Wires {
    var requests = Link<Sent>()
    var replies = Link<Answered>()
    var news = Link<News>()
    var subscriptions = Link<Bool>()
    /// The daemon has its subscription.
    var isSubscribed = false
    var wantsSubscription = false
    /// Until then nothing goes through.
    var cutOffUntilMs: UInt64 = 0
    /// Until then the client reads nothing.
    var stalledUntilMs: UInt64 = 0

    /// The daemon or the network is gone: what was under way is, in part.
    mutating func disconnect(_ dice: Dice) {
        isSubscribed = false
        requests.cut(dice)
        replies.cut(dice)
        news.cut(dice)
        _ = subscriptions.receive(nowMs: .max)
    }

    /// Connections come back by themselves, and subscriptions with them.
    mutating func reconnect(nowMs: UInt64, delayMs: Int) {
        guard wantsSubscription else { return }
        subscriptions.send(true, nowMs: nowMs, delayMs: delayMs)
    }
}

/// A message that a client wants to be sent.
struct ToSend {
    var requests: [Sent] = []
    var subscribes = false

    mutating func add(_ other: ToSend) {
        requests += other.requests
        subscribes = subscribes || other.subscribes
    }
}

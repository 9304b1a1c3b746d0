public import TableModel

/// A command sender's end of the protocol. It numbers commands and sends them again, the same bytes
/// under the same number, until each is answered. The daemon carries each out once.
public final class Writer {
    /// The writer's id: new for each writer, and practically unique. It takes another one when the
    /// daemon has forgotten it.
    public private(set) var client: ID
    /// The person's name.
    public var name: ID?
    /// The seconds that the time of day of the requests to come is ahead of UTC.
    public var zoneSeconds = 0
    private var nextNumber: UInt64 = 1
    private var opened: UInt64?
    /// It has another id, which needs a `hello` before anything new is sent.
    public private(set) var needsHello = false
    /// Nothing is sent, not again either: whether the daemon is one to be asked is not known yet.
    public var isHeld = false
    private let another: (() -> ID)?
    private var pending: [UInt64: Pending] = [:]
    private let retryMs: UInt64
    /// So many numbers are under way at most: the daemon remembers no more answers, and that to the
    /// oldest might be let go before it was heard.
    public private(set) var window: UInt64

    private struct Pending {
        var request: Request
        /// When it was last sent; nil: it is due.
        var sentMs: UInt64?
        /// How many copies were sent under its client id, without those that `notLeader` answered.
        var timesSent = 0
    }

    /// `retryMs`: how long an answer may take before the command is sent again. `limits`: those of
    /// the daemon, as far as they are known before its `hello`. `another` makes the id that it takes when
    /// the daemon has forgotten it; nil: its owner begins another writer.
    public init(
        client: ID, retryMs: UInt64 = 1_000, limits: Limits = Limits(), another: (() -> ID)? = nil
    ) {
        self.client = client
        self.retryMs = retryMs
        self.another = another
        window = Self.window(limits)
    }

    /// Takes the journal position of the id's first `hello`. Later ones change nothing, because the
    /// id is in use since then.
    public func opened(at position: UInt64) {
        if opened == nil { (opened, needsHello) = (position, false) }
    }

    /// Keeps to the limits of the daemon's latest `hello`. With a smaller window what is under way beyond it
    /// stays under way, but is not sent again before it is in the window.
    public func keep(to limits: Limits) { window = Self.window(limits) }

    /// A daemon that remembers none is one that remembers one: else nothing could be sent.
    private static func window(_ limits: Limits) -> UInt64 {
        UInt64(max(1, limits.answersOfOneClient))
    }

    /// The request for a verb that changes something, to be sent where there `hasRoom` for it; else
    /// `due` gives it when there is.
    public func request(_ verb: Request.Verb, table: TableID?, nowMs: UInt64) -> Request {
        let number = nextNumber
        var request = Request(
            client: client, number: number, opened: opened, table: table, name: name, verb)
        request.zoneSeconds = zoneSeconds
        let isSent = hasRoom(for: number)
        pending[number] = Pending(
            request: request, sentMs: isSent ? nowMs : nil, timesSent: isSent ? 1 : 0)
        nextNumber += 1
        return request
    }

    /// Takes a command back that was never sent.
    public func withdraw(_ number: UInt64) { pending[number] = nil }

    /// Another command goes out under the number of one that has no answer yet. The daemon decides it instead, if it
    /// lets the other one wait (`next`).
    public func replace(_ number: UInt64, by verb: Request.Verb) {
        pending[number]?.request.verb = verb
        pending[number]?.sentMs = nil
    }

    /// Takes an answer. True: it is the end of a command. False: nobody waits for it, because it is
    /// the second one, or the command is sent again.
    public func answered(_ reply: Reply) -> Bool {
        guard let number = reply.number, let one = pending[number],
            one.request.client == reply.client
        else { return false }
        if case .refused(let rejection) = reply.answer {
            // This answer is not remembered: another copy may be carried out when there is room.
            if rejection.code == .diskFull, one.timesSent > 1 { return false }
            // A command that was sent before may have been carried out then. Its end is not known.
            if rejection.code == .unknown, one.timesSent < 2, goesOn(number) { return false }
        }
        pending[number] = nil
        return true
    }

    /// The daemon has forgotten this client. A command that it never saw keeps its number, and goes
    /// out under another id. False: there is no other id.
    private func goesOn(_ number: UInt64) -> Bool {
        guard let another, var one = pending[number] else { return false }
        if one.request.client == client { (client, opened, needsHello) = (another(), nil, true) }
        one.request.client = client
        (one.sentMs, one.timesSent) = (nil, 0)
        pending[number] = one
        return true
    }

    /// The requests to send now, for the first time or again, in the order of their numbers.
    public func due(nowMs: UInt64) -> [Request] {
        guard !isHeld, let oldest = pending.keys.min() else { return [] }
        let late = pending.filter { number, one in
            number - oldest < window && nowMs >= one.sentMs.map { $0 &+ retryMs } ?? 0
                && (one.timesSent > 0 || !needsHello)
        }.keys.sorted()
        return late.compactMap { number in
            guard var one = pending[number] else { return nil }
            // The id may be another one than when it got its number.
            if one.timesSent == 0 { (one.request.client, one.request.opened) = (client, opened) }
            (one.sentMs, one.timesSent) = (nowMs, one.timesSent + 1)
            pending[number] = one
            return one.request
        }
    }

    /// Whether a number, the next one if none is given, may be under way.
    public func hasRoom(for number: UInt64? = nil) -> Bool {
        if needsHello || isHeld { return false }
        guard let oldest = pending.keys.min() else { return true }
        return (number ?? nextNumber) - oldest < window
    }

    /// Whether this may be the answer to a command that has none yet.
    public func isWaiting(for reply: Reply) -> Bool {
        guard let one = reply.number.flatMap({ pending[$0] }) else { return false }
        return one.request.client == reply.client
    }

    /// All that is under way is due after so long: whoever was to answer is not asked any more.
    public func again(inMs: UInt64 = 0, nowMs: UInt64) {
        for number in pending.keys where pending[number]?.sentMs != nil {
            let elapsed = retryMs - min(retryMs, inMs)
            pending[number]?.sentMs = inMs == 0 ? nil : nowMs - min(nowMs, elapsed)
        }
    }

    /// A copy of a command was refused, and is nowhere carried out: another daemon writes (`notLeader`).
    public func copyRefused(_ number: UInt64) {
        guard let sent = pending[number]?.timesSent, sent > 0 else { return }
        pending[number]?.timesSent = sent - 1
    }

    /// How many commands wait for an answer.
    public var waitingCount: Int { pending.count }
}

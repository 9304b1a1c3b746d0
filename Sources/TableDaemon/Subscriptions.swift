import CPeerGuard
import TableModel
import TableSync
import TableTransport
import TableTurn

/// The viewers' side of the inbox: the XPUB socket hands over subscriptions, and topics come of them.
final class Subscriptions {
    var topics = Topics()
    /// Whether the socket may have something to hand over.
    var isReady = false
    private let socket: Endpoints
    private let connections: Connections
    /// Whether a principal may read a table; nil: all tables, also those that are made later.
    private let mayRead: (Principal, TableID?) -> Bool
    private var message = Frames(limit: 1)
    /// The count of what had arrived at the last turn.
    private var arrivedBefore: UInt64 = 0
    /// libzmq means other connections than it says, until nothing is left of what viewers have sent.
    private var isShifted = false

    init(
        _ sockets: Endpoints, _ connections: Connections,
        mayRead: @escaping (Principal, TableID?) -> Bool
    ) { (socket, self.connections, self.mayRead) = (sockets, connections, mayRead) }

    /// Those who have subscribed since the last turn. A welcome goes to all who have the topic: however many
    /// ask for it in a turn, it is one.
    func newcomers() throws -> [Newcomer] {
        let arrived = PeerGuard.Inbox.subscriptions.arrived
        defer { arrivedBefore = arrived }
        guard isReady else {
            // The rest of what had arrived at the turn before was pongs, which are not handed on.
            PeerGuard.Inbox.subscriptions.drained(of: arrivedBefore)
            return []
        }
        var newcomers: Set<Newcomer> = []
        // Bounded, so that a flood of subscriptions does not keep commands waiting.
        for _ in 0..<1_000 {
            guard try socket.publications.receive(into: &message) else {
                PeerGuard.Inbox.subscriptions.drained(of: arrived)
                isShifted = false
                break
            }
            PeerGuard.Inbox.subscriptions.took(frames: 1, bytes: message.byteCount(at: 0))
            guard message.count > 0, let target = try admitted() else { continue }
            newcomers.insert(
                Newcomer(table: target.table, form: target.form, isPresence: target.isPresence))
        }
        return Array(newcomers)
    }

    /// Takes in a message: 1 or 0, then the topic. Returns whom to welcome.
    private func admitted() throws -> Topics.Target? {
        let event = message.bytes(at: 0)
        guard let kind = event.first, kind <= 1, message.count + message.excess == 1 else {
            // For each message libzmq takes one connection from its list, and those that are no
            // subscriptions have none there: from here on it means another connection than it says.
            // A viewer that is not admitted now subscribes again (docs/decisions/0028).
            isShifted = true
            peer_guard_end_viewer(message.descriptor(at: 0))
            return nil
        }
        let topic = Array(event.dropFirst())
        let connection = message.property(Authenticator.connection, at: 0).flatMap { UInt64($0) }
        // The socket means the connection whose message was received last. libzmq 4.3.4 does so even when
        // that one has ended and its memory is another's.
        let descriptor = message.descriptor(at: 0)
        let isOpen = connection.map { PeerGuard.isOpen(descriptor, number: $0) } ?? false
        if isOpen, connections.areSealed, let connection {
            let count = UInt32(clamping: topic.count)
            peer_guard_took_topic(descriptor, connection, kind == 1, topic, count)
        }
        let isThere = !isShifted && isOpen
        if kind == 0 {
            topics.unsubscribed(topic, by: connection, isOpen: PeerGuard.isOpen)
            // The socket has forgotten the topics of a connection that has ended.
            if isThere { try socket.publications.unsubscribe(from: topic) }
            return nil
        }
        topics.subscribed(topic, by: connection ?? 0, at: descriptor)
        guard isThere else { return nil }
        let target = Topics.parse(topic[...])
        let sender = connections.visitors.sender(of: message, at: 0).principal
        // A prefix is for all tables, also those that are made later.
        guard mayRead(sender, target?.table) else { return nil }
        try socket.publications.subscribe(to: topic)
        return target
    }
}

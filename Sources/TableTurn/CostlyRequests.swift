import TableModel
package import TableSync

/// Requests that take milliseconds to read or to answer. They wait until nothing else has arrived, so
/// that whoever changes a row does not wait for somebody's page of history.
///
/// What a sender sends after such a request waits behind it: the requests of one sender are decided in
/// the order in which they arrived. Users take turns, and so do the connections of a user.
package struct CostlyRequests<Work> {
    /// Who sends, by which connection. A gateway's one connection has many children.
    package struct Sender: Hashable {
        let user: Principal.Proof
        let child: ProvenID
        let connection: [UInt8]

        /// A principal, on the connection with this routing id.
        package init(_ principal: Principal, connection: [UInt8]) {
            user = principal.proof
            child = principal.provenIdentity
            self.connection = connection
        }
    }

    /// How many wait at most, and how many bytes: beyond it nothing more is taken from the socket.
    package static var most: Int { 1_024 }
    private static var mostBytes: Int { 16 << 20 }

    /// In the order of their turns.
    private var senders: [Sender] = []
    private var waiting: [Sender: [(work: Work, bytes: Int)]] = [:]
    private var lastUser: Principal.Proof?
    /// How many wait. Stored, since it is asked for in each turn.
    package private(set) var count = 0
    private var bytes = 0

    /// Nobody waits.
    package init() {}

    /// Whether no more may wait.
    package var isFull: Bool { count >= Self.most || bytes >= Self.mostBytes }

    /// Whether something of this sender waits.
    package func hasAny(of sender: Sender) -> Bool { waiting[sender] != nil }

    /// Lets a request wait behind those of the same sender.
    package mutating func add(_ work: Work, bytes size: Int, from sender: Sender) {
        if waiting[sender] == nil { senders.append(sender) }
        waiting[sender, default: []].append((work, size))
        count += 1
        bytes += size
    }

    /// The one whose turn it is, and its bytes.
    package mutating func next() -> (work: Work, bytes: Int)? {
        let other = senders.firstIndex { $0.user != lastUser }
        guard let place = other ?? senders.indices.first else { return nil }
        let sender = senders.remove(at: place)
        lastUser = sender.user
        guard let first = waiting[sender]?.removeFirst() else { return nil }
        if waiting[sender]?.isEmpty == false {
            senders.append(sender)
        } else {
            waiting[sender] = nil
        }
        count -= 1
        bytes -= first.bytes
        return first
    }
}

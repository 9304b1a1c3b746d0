import TableModel
package import TableSync

/// The sender of requests and its connection. A gateway's one connection has many children.
package struct RequestSender: Hashable {
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

/// Requests that take milliseconds to read or to answer. They wait until nothing else has arrived, so
/// that whoever changes a row does not wait for somebody's page of history.
///
/// What a sender sends after such a request waits behind it: the requests of one sender are decided in
/// the order in which they arrived. Users take turns, and so do the connections of a user.
package struct CostlyRequests<Work> {
    package typealias Sender = RequestSender

    /// How many wait at most, and how many bytes. Beyond it the user of whom most waits loses the latest of
    /// the connection of which most waits.
    package static var most: Int { 1_024 }
    package static var mostBytes: Int { 16 << 20 }

    /// The waiting requests of a connection, of a user, or of all: their number and bytes.
    private struct Load {
        var count = 0
        var bytes = 0

        var isTooMuch: Bool { count > most || bytes > mostBytes }
        /// As a part of what may wait: each of them counts as the bytes that it may have where all wait.
        var share: Int { bytes + count * (mostBytes / most) }

        static func += (load: inout Load, bytes: Int) {
            load.count += 1
            load.bytes += bytes
        }

        static func -= (load: inout Load, bytes: Int) {
            load.count -= 1
            load.bytes -= bytes
        }
    }

    /// The waiting requests of a connection, in their order.
    private struct Queue {
        private(set) var requests: [(work: Work, bytes: Int)] = []
        private(set) var load = Load()

        mutating func append(_ work: Work, bytes: Int) {
            requests.append((work, bytes))
            load += bytes
        }

        mutating func putBack(_ request: (work: Work, bytes: Int)) {
            requests.insert(request, at: 0)
            load += request.bytes
        }

        mutating func removeFirst() -> (work: Work, bytes: Int) {
            load -= requests[0].bytes
            return requests.removeFirst()
        }

        mutating func removeLast() -> (work: Work, bytes: Int) {
            load -= requests[requests.count - 1].bytes
            return requests.removeLast()
        }
    }

    /// In the order of their turns.
    private var senders: [Sender] = []
    private var waiting: [Sender: Queue] = [:]
    private var lastUser: Principal.Proof?
    private var all = Load() { didSet { count = all.count } }
    private var ofUsers: [Principal.Proof: Load] = [:]
    /// How many have been let wait so far.
    package private(set) var taken: UInt64 = 0

    /// Nobody waits.
    package init() {}

    /// How many wait. Stored: each request asks for it, and to compute it would copy all of this.
    package private(set) var count = 0

    /// Whether something of this sender waits.
    package func hasAny(of sender: Sender) -> Bool { waiting[sender] != nil }

    /// Lets a request wait behind those of the same sender. Returns those for which there is no room: this
    /// one, or the latest of a user, or of a connection of the same user, of whom more waits.
    package mutating func add(_ work: Work, bytes size: Int, from sender: Sender) -> [Work] {
        var whole = all
        whole += size
        var load = waiting[sender]?.load ?? Load()
        load += size
        let share = load.share
        var turnedAway: [Work] = []
        while whole.isTooMuch {
            var own = ofUsers[sender.user] ?? Load()
            own += size
            let most = ofUsers.max { $0.value.share < $1.value.share }
            let isOthers = most.map { $0.key != sender.user && $0.value.share > own.share } ?? false
            // Of one user's connections it is that of which most waits. Whoever has more than others on
            // average is turned away without a search, since all that arrives may be so.
            let user = isOthers ? most?.key : sender.user
            guard isOthers || share * senders.count <= whole.share, let largest = largest(of: user),
                isOthers || largest.share > share, let latest = removeLatest(of: largest.sender)
            else {
                turnedAway.append(work)
                return turnedAway
            }
            turnedAway.append(latest)
            whole = all
            whole += size
        }
        if waiting[sender] == nil { senders.append(sender) }
        waiting[sender, default: Queue()].append(work, bytes: size)
        all = whole
        ofUsers[sender.user, default: Load()] += size
        taken += 1
        return turnedAway
    }

    /// Takes a request back whose turn it was: it stays before the others of its sender.
    package mutating func putBack(_ request: (work: Work, bytes: Int), from sender: Sender) {
        if waiting[sender] == nil { senders.append(sender) }
        waiting[sender, default: Queue()].putBack(request)
        all += request.bytes
        ofUsers[sender.user, default: Load()] += request.bytes
    }

    private func largest(of user: Principal.Proof?) -> (sender: Sender, share: Int)? {
        var largest: (sender: Sender, share: Int)?
        for sender in senders where sender.user == user {
            let share = waiting[sender]?.load.share ?? 0
            if share > largest?.share ?? -1 { largest = (sender, share) }
        }
        return largest
    }

    private mutating func removeLatest(of sender: Sender) -> Work? {
        guard let last = waiting[sender]?.removeLast() else { return nil }
        if waiting[sender]?.requests.isEmpty == true {
            waiting[sender] = nil
            senders.removeAll { $0 == sender }
        }
        discount(last.bytes, of: sender.user)
        return last.work
    }

    private mutating func discount(_ bytes: Int, of user: Principal.Proof) {
        all -= bytes
        ofUsers[user]? -= bytes
        if ofUsers[user]?.count == 0 { ofUsers[user] = nil }
    }

    /// Takes out all that waits of a user: on all its connections, and of all its children.
    package mutating func removeAll(of user: Principal.Proof) -> [Work] {
        var removed: [Work] = []
        for sender in senders where sender.user == user {
            for request in waiting.removeValue(forKey: sender)?.requests ?? [] {
                removed.append(request.work)
                discount(request.bytes, of: user)
            }
        }
        senders.removeAll { $0.user == user }
        return removed
    }

    /// The one whose turn it is, and its bytes.
    package mutating func next() -> (work: Work, bytes: Int)? {
        let other = senders.firstIndex { $0.user != lastUser }
        guard let place = other ?? senders.indices.first else { return nil }
        let sender = senders.remove(at: place)
        lastUser = sender.user
        guard let first = waiting[sender]?.removeFirst() else { return nil }
        if waiting[sender]?.requests.isEmpty == false {
            senders.append(sender)
        } else {
            waiting[sender] = nil
        }
        discount(first.bytes, of: sender.user)
        return first
    }
}

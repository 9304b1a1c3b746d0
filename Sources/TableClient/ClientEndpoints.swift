import TableModel
import TableSync
import TableTransport
import TableWire

// A service of several daemons has several endpoints. A client is connected to one of them at a time. It
// goes to the next when that one does not answer, and to the one that writes when it is told which. A
// command keeps its number and its bytes, so it is carried out once, whoever answers.

/// Where a client may connect, and how it is with the one that it is connected to.
struct ClientEndpoints {
    let all: [String]
    private(set) var place = 0
    /// How often it has gone to another one.
    private(set) var changes = 0
    /// When the oldest request was sent that no answer has followed.
    var waitingSinceMs: UInt64?
    /// So many have failed, one after the other, without an answer between.
    var failures = 0

    /// A daemon that does not answer for so long is left.
    static let patienceMs: UInt64 = 1_000
    /// Nobody writes yet: to be asked again after so long.
    static let restMs: UInt64 = 200

    /// From a list with commas.
    init(_ list: String) {
        let parts = list.split(separator: ",").map { word in
            String(word.drop { $0 == " " })
        }
        all = parts.isEmpty ? [list] : parts
    }

    var present: String { all[place] }
    var areSeveral: Bool { all.count > 1 }

    /// Another one: the named one if it is in the list, else the next.
    mutating func turn(to names: [String]) {
        let named = names.compactMap { all.firstIndex(of: $0) }.first
        place = named ?? (place + 1) % all.count
        changes += 1
        waitingSinceMs = nil
    }
}

extension Client {
    /// Where it may connect.
    public var endpoints: [String] { places.all }

    /// Goes to another daemon. What was under way is sent again there, after a rest.
    func turn(to names: [String] = [], restMs: UInt64 = 0) throws {
        guard places.areSeveral else { return }
        let before = places.present
        places.turn(to: names)
        writer.again(inMs: restMs, nowMs: monotonicMs())
        forgetDaemon()
        guard places.present != before else { return }
        try requests.disconnect(before)
        try requests.connect(places.present)
    }

    /// The daemon is silent, though something was asked: another may answer. True: it has gone there.
    func turnIfSilent() throws -> Bool {
        guard places.areSeveral, let since = places.waitingSinceMs,
            monotonicMs() >= since + ClientEndpoints.patienceMs
        else { return false }
        try turn()
        return true
    }

    /// Whether this says that another daemon writes; then the command is sent there. `isDue`: at once.
    func isElsewhere(_ reply: Reply) throws -> (Bool, isDue: Bool) {
        guard places.areSeveral, case .refused(let rejection) = reply.answer,
            rejection.code == .notLeader, writer.isWaiting(for: reply), let number = reply.number
        else { return (false, false) }
        writer.copyRefused(number)
        // The answer to a request that was sent before it went elsewhere says nothing new.
        guard rejection.endpoints.isEmpty || !rejection.endpoints.contains(places.present) else {
            return (true, false)
        }
        // Nobody writes yet: it is not asked in a tight loop.
        let isKnown = !rejection.endpoints.isEmpty
        try turn(to: rejection.endpoints, restMs: isKnown ? 0 : ClientEndpoints.restMs)
        return (true, isKnown)
    }

    /// Whether what was asked, and is no command, goes to another daemon: this one does not write. Where
    /// nobody is known to, it rests first.
    func goesElsewhere(_ reply: Reply, by deadline: Deadline) throws -> Bool {
        guard places.areSeveral, !deadline.hasPassed,
            case .refused(let rejection) = reply.answer, rejection.code == .notLeader
        else { return false }
        let names = rejection.endpoints
        if !places.all.contains(where: { $0 != places.present && names.contains($0) }) {
            let rest = Deadline(inMilliseconds: ClientEndpoints.restMs)
            while try receive(before: rest, and: deadline) != nil {}
        }
        if !names.isEmpty, !names.contains(places.present) { try turn(to: names) }
        return true
    }

    /// Nobody listens there: another may. When nobody does anywhere it is as with one endpoint.
    func isRefused(_ refused: String) throws {
        guard refused == endpoint else { return }
        places.failures += 1
        if !hasConnected, places.failures >= places.all.count {
            try meet(Obstacle.find(on: endpoint))
        }
        // Where nobody listens anywhere, libzmq's pause before its next attempt is ours too.
        if places.failures % places.all.count != 0 { try turn() }
    }

    /// What was known of the daemon is not true of another one.
    func forgetDaemon() {
        (known, greetedMs, helloAgain) = (nil, nil, nil)
    }
}

import TableModel
import TableSync
import TableTransport

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
    /// The question whether a silent daemon is there at all, and when it was asked.
    var probe: (number: UInt64, sentMs: UInt64)?
    /// Whether there is a connection to the present one.
    private(set) var isConnected = false
    /// The number of endpoints that have failed in a row.
    var failures = 0
    /// The endpoints that were left since the last answer was settled: a request is not sent back to them.
    private var left: Set<Int> = []
    /// Until then nothing is sent again.
    private(set) var restsUntilMs: UInt64 = 0
    /// Why what was asked is not settled: in the words of the daemon that refused it last, or ours.
    private(set) var refusal: String?
    /// The newest term that a daemon of the service has named.
    private(set) var term: UInt64 = 0
    /// When the present one was found to be of an older term; nil: it was not. A standby was promoted, and it may not
    /// have heard of that: whoever wrote there would be the second writer's.
    private var outdatedMs: UInt64?

    /// A daemon that does not answer for so long is left, after half of it was asked whether it is there.
    static let patienceMs: UInt64 = 1_000
    /// Nobody is known to write: to be asked again after so long.
    static let restMs: UInt64 = 200

    init(_ list: String) {
        let parts = list.split(separator: ",").map { word in String(word.drop { $0 == " " }) }
        all = parts.isEmpty ? [list] : parts
    }

    var present: String { all[place] }
    var areSeveral: Bool { all.count > 1 }

    /// Another one: the named one if it is in the list, else the next.
    mutating func turn(to names: [String]) {
        let before = place
        left.insert(place)
        place = named(in: names) ?? (place + 1) % all.count
        changes += 1
        (waitingSinceMs, probe, outdatedMs) = (nil, nil, nil)
        if place != before { isConnected = false }
    }

    mutating func connected(_ endpoint: String) {
        if endpoint == present { isConnected = true }
    }

    /// Notes a refusal because one of these daemons leads. True: the request may be sent there at once. Else it
    /// rests: whoever follows may name one that has ended until the lease of that is over.
    mutating func refused(_ rejection: Rejection, nowMs: UInt64) -> Bool {
        refusal = rejection.message
        let named = named(in: rejection.endpoints)
        if let named, named != place, !left.contains(named) { return true }
        restsUntilMs = nowMs + Self.restMs
        return false
    }

    /// The request has its answer, from a daemon that may give it.
    mutating func settled() { (left, restsUntilMs, refusal) = ([], 0, nil) }

    /// Whether the present one is of an older term than another.
    var isOutdated: Bool { outdatedMs != nil }

    /// Takes the term that the present one names; 0: it names none. False: nothing is asked of it.
    mutating func isTaken(inTerm found: UInt64, nowMs: UInt64) -> Bool {
        guard found > 0, found < term else {
            if isOutdated { refusal = nil }
            (term, outdatedMs) = (max(term, found), nil)
            return true
        }
        outdatedMs = nowMs
        refusal =
            "\(present) was written in term \(found), and a standby was promoted to term \(term): nothing is asked of it"
        return false
    }

    /// Whether one of an older term was let alone for long enough. If there is no other, it is asked once more then.
    mutating func hasRested(nowMs: UInt64) -> Bool {
        guard let since = outdatedMs, nowMs >= since + Self.restMs else { return false }
        outdatedMs = nowMs
        return true
    }

    private func named(in names: [String]) -> Int? {
        names.lazy.compactMap { name in all.firstIndex(of: name) }.first
    }
}

extension Client {
    /// Where it may connect.
    public var endpoints: [String] { places.all }

    /// Goes to another daemon. What was under way is sent again there, after a rest if that is due.
    func turn(to names: [String] = []) throws {
        guard places.areSeveral else { return }
        let before = places.present
        places.turn(to: names)
        let now = monotonicMs()
        writer.again(inMs: max(places.restsUntilMs, now) - now, nowMs: now)
        // A daemon that a promoted one has replaced may not know it. So it says its term before it gets anything.
        writer.isHeld = places.term > 1
        forgetDaemon()
        guard places.present != before else { return }
        isGivenUp = false
        try requests.disconnect(before)
        try requests.connect(places.present)
    }

    /// The daemon is silent, though something was asked: another may answer. True: it has gone there.
    /// What was asked may also take long, so before that it is asked what each daemon answers soon.
    func turnIfSilent() throws -> Bool {
        guard places.areSeveral, !isExchanging, let since = places.waitingSinceMs
        else { return false }
        let (now, patienceMs) = (monotonicMs(), ClientEndpoints.patienceMs)
        guard now >= since + patienceMs / 2 else { return false }
        guard let probe = places.probe else {
            let question = readRequest(.health, about: nil)
            places.probe = question.number.map { ($0, now) }
            try send(question)
            return false
        }
        guard now >= max(since + patienceMs, probe.sentMs + patienceMs / 2) else { return false }
        // Another one would have to do again what this one is doing.
        if isPatient, places.isConnected { return false }
        try turn()
        return true
    }

    /// Whether the answer is about the daemon that gave it. `isLeft`: another daemon is to be asked at once.
    func isAboutPlace(_ reply: Reply) throws -> (Bool, isLeft: Bool) {
        guard places.areSeveral else { return (false, false) }
        if let probe = places.probe, reply.client == nil, reply.number == probe.number {
            return (true, isLeft: try isOutOfTouch(reply))
        }
        guard case .refused(let rejection) = reply.answer, rejection.code == .notLeader else {
            places.failures = 0
            // Any daemon answers what reads.
            if reply.client != nil { places.settled() }
            return (false, false)
        }
        guard writer.isWaiting(for: reply), let number = reply.number else { return (false, false) }
        writer.copyRefused(number)
        // The answer to a request that was sent before it went elsewhere says nothing new.
        guard !rejection.endpoints.contains(places.present) else { return (true, false) }
        let isDue = places.refused(rejection, nowMs: monotonicMs())
        try turn(to: rejection.endpoints)
        return (true, isDue)
    }

    /// Takes the answer of a silent daemon. A daemon that is out of touch answers nothing else, so it is left.
    private func isOutOfTouch(_ reply: Reply) throws -> Bool {
        places.probe = nil
        // What takes long is still waited for, and the daemon may go meanwhile.
        if isPatient { places.waitingSinceMs = monotonicMs() }
        guard case .health(let health) = reply.answer, health.cluster?.isOutOfTouch == true
        else { return false }
        try turn()
        return true
    }

    /// Whether a question goes to another daemon, because this one does not write; if no leader is known, after a rest.
    func goesElsewhere(_ reply: Reply, by deadline: Deadline) throws -> Bool {
        guard places.areSeveral, !deadline.hasPassed,
            case .refused(let rejection) = reply.answer, rejection.code == .notLeader
        else { return false }
        let names = rejection.endpoints
        if !places.refused(rejection, nowMs: monotonicMs()) {
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

    func forgetDaemon() { (known, helloAsked) = (nil, nil) }
}

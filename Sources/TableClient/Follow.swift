import TableDecisions
public import TableModel
public import TableSync
import TableTransport
import TableWire

/// Keeps a replica up to date with the daemon's table: the socket work for `Replica`.
public final class Follower {
    /// The replica, to read.
    public let replica: Replica
    private let client: Client
    private let publications: Socket
    private var monitor: SocketMonitor
    private var poller = Poller(capacity: 2 + Follower.mostWaking)
    private var waking: [Poller.Entry] = []
    private static let mostWaking = 6
    private var incoming = Frames(limit: 2)
    /// The replica's questions by their numbers, with its tags.
    private var questions: [UInt64: (tag: UInt64, sentMs: UInt64)] = [:]
    /// The number of the question whether the table may be read; nil: nothing is asked.
    private var probe: UInt64?
    /// When it last asked something.
    private var askedMs: UInt64 = 0
    private let topic: [UInt8]
    /// Where the publications come from.
    private var published: Source?
    /// The daemon did not know the key, so libzmq has given the publications up for good.
    private var isGivenUp = false
    private var hasStarted = false
    /// The daemon has answered, and the publications are connected.
    public private(set) var hasConnected = false
    /// The people at the table, if `attends`.
    public var people = People()
    /// Tells the daemon that it is here, and hears who else is.
    private let attends: Bool
    /// The client whose id and name others see.
    private let attendant: Client
    private var attendsAgainMs: UInt64 = 0
    private var peopleChanged = false

    private struct Source {
        var endpoint: String
        /// Which daemon of several that is.
        var change: Int
        /// Which start of it said so.
        var epoch: ID128?
        /// By which connection it was asked.
        var connection: Int
    }

    /// Pause between two `attend` requests: the daemon forgets a viewer after five seconds.
    private static let attendMs: UInt64 = 2_000

    /// A follower that does not wait for the daemon: once the daemon answers, `next` connects to
    /// its publications. Nobody else may use `client` meanwhile. With `attends`, others see the
    /// viewer under the client's name, and it sees them. A viewer that commands by another connection attends as
    /// that one's client: what it drags and holds ends with it, which the daemon knows by the id.
    public init(
        _ table: TableID, client: Client, attends: Bool = false, as attendant: Client? = nil
    ) throws {
        self.client = client
        self.attends = attends
        self.attendant = attendant ?? client
        var generator = SystemRandomNumberGenerator()
        replica = Replica(table) { Double.random(in: 0..<1, using: &generator) }
        let letter = client.form == .binary ? "b" : "j"
        topic = Array("\(letter)/\(table.text)/".utf8)
        publications = try Socket(.subscribe, in: client.context, options: client.socketOptions)
        monitor = try SocketMonitor(publications)
        _ = poller.add(publications)
        _ = poller.add(monitor)
    }

    /// A follower that waits until the daemon has answered.
    public convenience init(
        _ table: TableID, client: Client, attends: Bool = false, by deadline: Deadline
    ) throws {
        _ = try client.hello(by: deadline)
        try self.init(table, client: client, attends: attends)
        _ = try hasBegun()
    }

    /// Whether the daemon has answered; connects the publications when it has.
    private func hasBegun() throws -> Bool {
        if let published, try isLeft(published) {
            try publications.disconnect(published.endpoint)
            self.published = nil
            (hasConnected, isGivenUp) = (false, false)
            (questions, probe) = ([:], nil)
        }
        if hasConnected { return true }
        guard let hello = try client.greeting() else { return false }
        replica.heartbeatMs = UInt64(clamping: hello.heartbeatMs)
        guard let endpoint = client.publishEndpoint(of: hello.publish) else {
            throw ClientError.protocolMismatch("no endpoint for publications")
        }
        try publications.connect(endpoint)
        published = Source(
            endpoint: endpoint, change: client.places.changes, epoch: client.knownEpoch,
            connection: client.connections)
        hasConnected = true
        try askWhetherItMayBeRead()
        return true
    }

    /// Whether the table is published elsewhere: by another daemon, or at another endpoint since a restart.
    private func isLeft(_ source: Source) throws -> Bool {
        if source.change != client.places.changes { return true }
        // Nobody publishes at the old endpoint that there is a new one.
        if source.connection != client.connections {
            published?.connection = client.connections
            try client.askHello()
            // A daemon that lets requests in lets publications in too.
            if isGivenUp { return true }
        }
        guard let known = client.known else { return false }
        replica.heartbeatMs = UInt64(clamping: known.heartbeatMs)
        if client.knownEpoch == source.epoch { return false }
        published?.epoch = client.knownEpoch
        return client.publishEndpoint(of: known.publish) != source.endpoint
    }

    /// A subscription that is refused hears nothing, and the replica asks only after some silence.
    /// So this is asked at once: what costs the daemon least of all that takes the right to read.
    private func askWhetherItMayBeRead() throws {
        let nothing = ID128(high: 0, low: 0)
        let request = client.readRequest(
            .offer(history: nothing, revision: 0, digest: 0), about: replica.name)
        probe = request.number
        askedMs = monotonicMs()
        try client.send(request)
    }

    /// The pause before it looks for answers again, since the poller does not watch their socket.
    var pauseMs: Int {
        let isSoon = monotonicMs() &- askedMs < Self.soonMs
        let waits = !questions.isEmpty || probe != nil || client.helloAsked != nil
        return isSoon && waits ? 2 : 100
    }

    private static let soonMs: UInt64 = 1_000
    /// Nothing takes so long that the replica still waits for it.
    private static let lostMs: UInt64 = 120_000

    /// Time from the newest published commit to its arrival here, in milliseconds. It compares the
    /// clocks of two machines. Nil: nothing was published yet.
    public private(set) var lagMs: Int?

    private var daemonClock = DaemonClock()
    /// Something that was published has told the daemon's time.
    public private(set) var knowsDaemonTime = false

    /// The daemon's time, in milliseconds since 1970 (UTC); this machine's as long as that is unknown.
    public var daemonMs: UInt64 { UInt64(clamping: Int64(clamping: wallClockMs()) &- clockAheadMs) }

    /// How far this machine's clock is ahead of the daemon's, in milliseconds, as publications tell; 0: none has come.
    public var clockAheadMs: Int64 {
        daemonClock.aheadMs(wallMs: wallClockMs(), monotonicMs: monotonicMs())
    }

    /// Makes `next` return early when a descriptor becomes readable. At most six, with the clients.
    public func wake(on descriptor: Int32) {
        if waking.count < Self.mostWaking { waking.append(poller.add(descriptor: descriptor)) }
    }

    /// Makes `next` return early when another client gets an answer.
    public func wake(on client: Client) {
        if waking.count < Self.mostWaking { waking.append(poller.add(client.requests)) }
    }

    /// Waits at most so long for something to happen; returns what happened, in order.
    ///
    /// Returns early, with nothing, when `people` has changed. Throws `refused` if this can be no name of
    /// a table, or the table may not be read: such a subscription is never live, so the follower asks when
    /// it begins, and again after some seconds of silence.
    public func next(withinMilliseconds timeout: Int) throws -> [Replica.Step] {
        var happened: [Replica.Step] = []
        peopleChanged = false
        let pause = Deadline(inMilliseconds: UInt64(max(0, timeout)))
        guard try hasBegun() else {
            _ = try poller.wait(milliseconds: pause.milliseconds(atMost: 100))
            return []
        }
        if !hasStarted {
            hasStarted = true
            try carryOut(replica.start(nowMs: monotonicMs()), &happened)
        }
        repeat {
            try takePublications(&happened)
            try takeReplies(&happened)
            try takeEvents(&happened)
            try carryOut(replica.tick(nowMs: monotonicMs()), &happened)
            try attendIfDue()
            if peopleChanged { break }
            if happened.isEmpty {
                _ = try poller.wait(milliseconds: pause.milliseconds(atMost: pauseMs))
                if waking.contains(where: { poller.isReady($0) }) { break }
            }
        } while happened.isEmpty && !pause.hasPassed
        return happened
    }

    /// A sentence for people about the diff that was applied last, such as:
    /// ada moved "Table 7" after "Table 4". Programs read `Diff.ops`.
    public func sentence(about diff: Diff) -> String {
        guard let table = replica.table else { return diff.cause.verb }
        return Story(PastChange(diff: diff, inverse: nil), on: table).text
    }

    /// How fresh the replica is now.
    public var freshness: Replica.Freshness { replica.freshness(nowMs: monotonicMs()) }

    private func attendIfDue() throws {
        // Without a table there is no revision to tell.
        guard attends, replica.table != nil, monotonicMs() >= attendsAgainMs else { return }
        attendsAgainMs = monotonicMs() + Self.attendMs
        try attend(isLeaving: false)
    }

    /// Tells the daemon that this viewer leaves; it would find out by itself later.
    public func leave() throws {
        if attends, hasConnected { try attend(isLeaving: true) }
    }

    private func attend(isLeaving: Bool) throws {
        let revision = replica.table?.revision ?? 0
        var request = client.readRequest(
            .attend(revision: revision, isLeaving: isLeaving), about: replica.name)
        attendant.identify(&request)
        try client.send(request)
    }

    private func takePublications(_ happened: inout [Replica.Step]) throws {
        // Bounded, so that a flood of publications does not keep the screen from being drawn.
        for _ in 0..<256 {
            guard try publications.receive(into: &incoming) else { return }
            guard incoming.count == 2 else { continue }
            if incoming.bytes(at: 0).first == UInt8(ascii: "p") {
                takePresence()
                continue
            }
            let publication = incoming.withBytes(at: 1) {
                try? Decode.publication($0, form: client.form)
            }
            guard let publication else { continue }
            // It may be read.
            probe = nil
            if let timeMs = publication.timeMs, !publication.diffs.isEmpty {
                lagMs = Int(clamping: Int64(clamping: wallClockMs()) - Int64(clamping: timeMs))
            }
            if let timeMs = publication.timeMs {
                knowsDaemonTime = true
                daemonClock.heard(timeMs, monotonicMs: monotonicMs())
            }
            try carryOut(replica.received(publication, nowMs: monotonicMs()), &happened)
        }
    }

    private func takePresence() {
        let presence = incoming.withBytes(at: 1) { try? Decode.presence($0, form: client.form) }
        guard let presence else { return }
        people.update(presence)
        peopleChanged = true
    }

    private func takeReplies(_ happened: inout [Replica.Step]) throws {
        let now = Deadline(inMilliseconds: 0)
        while let reply = try client.receive(before: now, and: now) {
            guard let number = reply.number else { continue }
            if number == probe {
                probe = nil
                if let error = reply.hopeless { throw error }
            }
            guard let asked = questions.removeValue(forKey: number) else { continue }
            if let error = reply.hopeless { throw error }
            try carryOut(replica.answered(reply, tag: asked.tag, nowMs: monotonicMs()), &happened)
        }
    }

    private func takeEvents(_ happened: inout [Replica.Step]) throws {
        while let event = try monitor.next() {
            switch event.kind {
            case .disconnected:
                try carryOut(replica.connection(isUp: false, nowMs: monotonicMs()), &happened)
            case .handshakeFailed(let isRefused): isGivenUp = isGivenUp || isRefused
            case .connected:
                try carryOut(replica.connection(isUp: true, nowMs: monotonicMs()), &happened)
            default: break
            }
        }
    }

    /// Does what the replica asks for; the other steps go to the caller.
    private func carryOut(_ steps: [Replica.Step], _ happened: inout [Replica.Step]) throws {
        for step in steps {
            switch step {
            case .subscribe:
                // There may be fewer heartbeats than there were.
                if replica.table != nil { try client.askHello() }
                // libzmq sends the daemon only a subscription that it does not have yet.
                try publications.unsubscribe(from: topic)
                try publications.subscribe(to: topic)
                guard attends else { break }
                try publications.unsubscribe(from: [UInt8(ascii: "p")] + topic)
                try publications.subscribe(to: [UInt8(ascii: "p")] + topic)
            case .ask(let verb, let tag):
                askedMs = monotonicMs()
                questions = questions.filter { askedMs - $0.value.sentMs < Self.lostMs }
                let request = client.readRequest(verb, about: replica.name)
                if let number = request.number { questions[number] = (tag, askedMs) }
                try client.send(request)
            default: happened.append(step)
            }
        }
    }
}

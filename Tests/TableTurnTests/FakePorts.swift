import JournalPort
import TableModel
import TableSync
import TableTurn
import TableWire

// Ports that a test holds in its hand.

/// A time that goes on when it is told to.
final class FakeClock: Clock {
    var nowMs: UInt64 = 10_000
    /// The date at the beginning of the monotonic clock.
    var dateMs: UInt64 = 1_700_000_000_000
    var wallMs: UInt64 { dateMs + nowMs }
    var monotonicMs: UInt64 { nowMs }
    var elapsedMs: UInt64 { nowMs }
    /// Each look at the finer clock takes so long.
    var lookNs: UInt64 = 0
    private var lookedNs: UInt64 = 0
    var monotonicNs: UInt64 {
        lookedNs += lookNs
        return nowMs * 1_000_000 + lookedNs
    }
    var processorNs: UInt64 { monotonicNs }
}

/// A journal in memory: what is submitted is there when the test says so.
final class FakeJournal: Journal {
    /// What is there.
    var stored: [[UInt8]] = []
    /// What was submitted since `settle`, with its position and term.
    var submitted: [(entry: [UInt8], position: UInt64, term: UInt64)] = []
    var isPrompt: Bool
    var term: UInt64? = 1
    var durable: UInt64 = 0
    var next = JournalNews.underWay
    var covered: UInt64?
    /// Bytes of entries that it has beside what is stored here.
    var grown: UInt64 = 0
    var checkpoints = 0
    var abandoned = 0
    /// The calls of `forgetEarlier`.
    var forgotten: [Bool] = []
    /// Of which `compact` removes one after the other.
    var removable = 0
    var isCheckpointDue: Bool?
    /// Asked so often, a checkpoint is not durable yet.
    var pending = 0
    /// Of the latest one.
    var parts: [[UInt8]] = []
    /// Of a journal that others write too.
    var isFollowed = false
    var isCurrent = true
    var leaders: [String] = []
    /// So often it cannot be read, and after that so often it is shortened meanwhile.
    var silences = 0
    var shortenings = 0

    init(isPrompt: Bool = false) {
        self.isPrompt = isPrompt
    }

    func submit(_ entry: [UInt8], position: UInt64, term: UInt64) {
        submitted.append((entry, position, term))
        if isPrompt { settle() }
    }

    /// All that was submitted is durable.
    func settle() {
        stored += submitted.map(\.entry)
        submitted = []
        durable = UInt64(stored.count)
    }

    func news() -> JournalNews {
        defer { next = .underWay }
        return next
    }

    func entries(
        after position: UInt64, _ body: (UInt64, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        for (index, entry) in stored.enumerated() where UInt64(index) >= position {
            try entry.withUnsafeBytes { try body(UInt64(index) + 1, $0) }
        }
        durable = UInt64(stored.count)
    }

    var figures: JournalFigures {
        let bytes = stored.dropFirst(Int(covered ?? 0)).reduce(0) { $0 + $1.count }
        return JournalFigures(
            position: UInt64(stored.count), entries: UInt64(stored.count),
            checkpoint: covered, bytesSinceCheckpoint: UInt64(bytes) + grown, bytesOnDisk: 0,
            commits: 0, isCheckpointDue: isCheckpointDue)
    }

    func recover(_ body: (Recovered) throws -> Void) throws -> JournalSummary {
        if silences > 0 {
            silences -= 1
            throw JournalUnavailable("nobody answers")
        }
        for (index, entry) in stored.enumerated() {
            try entry.withUnsafeBytes { try body(.entry(position: UInt64(index) + 1, $0)) }
        }
        if shortenings > 0 {
            shortenings -= 1
            throw JournalMoved()
        }
        durable = UInt64(stored.count)
        return JournalSummary()
    }

    func beginCheckpoint() { (checkpoints, parts) = (checkpoints + 1, []) }
    func appendToCheckpoint(_ part: [UInt8]) { parts.append(part) }
    func finishCheckpoint() -> Bool {
        if pending > 0 {
            pending -= 1
            return false
        }
        covered = durable
        return true
    }
    func abandonCheckpoint() { abandoned += 1 }
    func forgetEarlier(beginsAnew: Bool) { forgotten.append(beginsAnew) }
    func compact(before position: UInt64, atMost: Int) -> Int {
        guard removable > 0 else { return 0 }
        removable -= 1
        return 1
    }
    func close() {}
}

/// Both ends of the network.
final class FakeNetwork: Inbox, Outbox {
    /// What sending publications costs elsewhere.
    var sending: UInt64 = 0
    /// What has arrived.
    var arrived: [Request] = []
    /// Those verbs wait until nothing else has arrived.
    var postpones: Set<String> = []
    private var postponed: [Request] = []
    var subscribed: [Newcomer] = []
    /// What was said, in its order.
    var said: [Said] = []
    var forgotten: [Route] = []
    var recoveries = 0
    /// What the audit was told.
    var audited: [AuditEntry] = []
    private var route = 0
    /// What happens meanwhile.
    var whileReceiving = {}
    /// What happens between that and the answers that come late.
    var whileWelcoming = {}

    enum Said {
        case publication(Publication)
        case presence(Presence)
        case reply(Route, Reply)
    }

    func sendingNs() -> UInt64 { sending }

    func begin(monotonicNs: UInt64, processorNs: UInt64) {}

    func receive(into server: Server) -> Received? {
        guard !arrived.isEmpty else { return nil }
        defer { whileReceiving() }
        let request = arrived.removeFirst()
        let isPrepared = server.isPrepared(request, requestHash: request.number ?? 0)
        if postpones.contains(request.verb.name) || !isPrepared {
            postponed.append(request)
            return .postponed
        }
        hand(request, to: server)
        return .decided(bytes: 10, isSlow: false)
    }

    var hasPostponed: Bool { !postponed.isEmpty }

    func receivePostponed(into server: Server) -> Int? {
        guard let first = postponed.first else { return nil }
        guard server.isPrepared(first, requestHash: first.number ?? 0) else { return nil }
        hand(postponed.removeFirst(), to: server)
        return 10
    }

    private func hand(_ request: Request, to server: Server) {
        route += 1
        server.receive(request, requestHash: request.number ?? 0, from: route)
    }

    /// The routes whose senders have gone.
    var gone: Set<Route> = []
    func isThere(_ route: Route) -> Bool { !gone.contains(route) }

    func newcomers() -> [Newcomer] {
        defer { subscribed = [] }
        whileWelcoming()
        return subscribed
    }

    func publish(_ publication: Publication, encoded: EncodedDiffs) {
        var publication = publication
        // As those who read the bytes have it.
        publication.diffs = encoded.compactMap { WireCodec().decodeDiff($0) }
        said.append(.publication(publication))
    }

    func publish(_ presence: Presence) { said.append(.presence(presence)) }

    func welcome(_ publication: Publication, form: Form) { said.append(.publication(publication)) }

    func note(_ audited: [AuditEntry]) { self.audited += audited }

    /// Who the sender of any request is by now; nil: who it was.
    var signer: Principal?

    func sign(_ request: inout Request, _ route: Route) {
        if let signer { request.sender = signer }
    }

    func origin(of route: Route) -> String { "route:\(route)" }

    func reply(_ answer: Ready.Answer, in entry: [UInt8]) {
        switch answer.body {
        case .reply(let reply), .replay(let reply, _): said.append(.reply(answer.route, reply))
        case .recorded(let place): remembered(entry[place], answer.route)
        case .remembered(let bytes): remembered(bytes[...], answer.route)
        case .forDaemon, .text: break
        }
    }

    private func remembered(_ bytes: ArraySlice<UInt8>, _ route: Route) {
        if let reply = WireCodec().decodeReply(bytes) { said.append(.reply(route, reply)) }
    }

    /// What `health` and `stats` tell.
    var tables = 0

    func answer(to request: Request, _ route: Route) -> Reply.Answer? {
        if request.verb == .hello {
            var hello = Hello()
            hello.opened = 9
            return .hello(hello)
        }
        if request.verb == .stats {
            var stats = Stats()
            stats.gauges = ["tables": UInt64(tables), "rows": 7]
            return .stats(stats)
        }
        var health = Health()
        (health.tables, health.rows, health.position) = (tables, 7, 9)
        return .health(health)
    }

    func forget(_ route: Route) { forgotten.append(route) }

    func hasRecovered(_ server: Server) { recoveries += 1 }

    // MARK: What was said

    var publications: [Publication] {
        said.compactMap { if case .publication(let one) = $0 { one } else { nil } }
    }
    var diffs: [Diff] { publications.flatMap(\.diffs) }
    var heartbeats: [Publication] { publications.filter { $0.heartbeat != nil } }
    var presences: [Presence] {
        said.compactMap { if case .presence(let one) = $0 { one } else { nil } }
    }
    var replies: [Reply] {
        said.compactMap { if case .reply(_, let one) = $0 { one } else { nil } }
    }
    func forgetSaid() { said = [] }
}

/// A turn over those ports, and a writer.
final class Rig {
    let clock = FakeClock()
    let journal: FakeJournal
    let network = FakeNetwork()
    let turn: Turn
    private var number: UInt64 = 0

    init(
        isPrompt: Bool = false, bounds: Turn.Bounds = .init(), checkpointAfter: UInt64 = 1 << 30,
        limits: Limits = Limits()
    ) throws {
        let journal = FakeJournal(isPrompt: isPrompt)
        self.journal = journal
        var (epochs, ids): (UInt64, UInt64) = (0, 1)
        turn = try Turn(
            journal: journal, clock: clock, heartbeatMs: 1_000,
            checkpointAfterBytes: checkpointAfter, bounds: bounds
        ) { journal, _ in
            epochs += 1
            let server = Server(
                epoch: ID128(high: 7, low: epochs), limits: limits, codec: WireCodec(),
                makeID: {
                    ids += 1
                    return ID128(high: 1, low: ids)
                })
            try Recovery.bring(server, upTo: journal)
            return server
        }
        // The first heartbeat is due at once.
        try run()
        network.forgetSaid()
    }

    func run(afterMs: UInt64 = 1) throws {
        clock.nowMs += afterMs
        try turn.run(network, network, plannedMs: afterMs)
    }

    /// A numbered request, or one that only asks.
    func send(
        _ verb: Request.Verb, table: String = "t", isNumbered: Bool = true, by client: ID = "ada"
    ) {
        var request = Request(client: client, table: ID(table), name: client, verb)
        if isNumbered {
            number += 1
            request.number = number
            request.opened = 0
        }
        network.arrived.append(request)
    }

    func add(_ id: RowID) {
        let content = Row.Content(title: "T")
        send(.command(Command(.add(.init(id: id, content, section: nil, at: .bottom)))))
    }

    /// A table that is durable, and of which nothing waits.
    func makeTable() throws {
        send(.create)
        try run()
        journal.settle()
        try run()
        network.forgetSaid()
    }
}

public import TableModel

/// The daemon's end of the protocol. It does no input or output: requests go in, `Ready` comes out.
/// Recovery replays the journal's records by the same `apply` that viewers use.
public final class Server {
    /// New at each start of the daemon.
    public let epoch: ID128
    /// The bounds on input and memory; `change` changes them while serving. No other part keeps a copy.
    @inlinable public var limits: Limits { sharedLimits.limits }
    /// The limits as one reference, for readers of only some of them.
    public private(set) var sharedLimits: SharedLimits
    /// The bounds on remembered answers.
    private(set) var sessionBounds: Sessions.Bounds
    /// How much is kept of each table's diffs; the same.
    public private(set) var retention: Retention
    /// Requests may name the time to decide at: for tests, and for sessions that are replayed.
    public var hasVirtualClock = false
    let codec: any Codec
    /// Makes histories, and ids that nobody can guess.
    let makeID: () -> ID128

    /// Tables by name, each with its latest diffs.
    public internal(set) var tables: [TableID: LiveTable] = [:] {
        didSet { (latest, logWeight) = (nil, nil) }
    }
    /// The weight of the logs of all tables; nil: it has to be added up.
    var logWeight: Int?
    /// The table of the latest request: as a rule the next one is about it too.
    private var latest: LiveTable?

    /// The table of this name.
    func liveTable(_ name: TableID) -> LiveTable? {
        if let latest, latest.table.name == name { return latest }
        guard let found = tables[name] else { return nil }
        latest = found
        return found
    }
    /// The remembered answers, by principal and client.
    public internal(set) var sessions: SessionBook
    /// Where the request came from that is received, for the audit: asked only where it is noted.
    public var origin: () -> String = { "" }
    /// Bytes of memory that the process may still take; nil: as many as there are. Only a restore asks.
    public var memoryLeft: () -> Int? = { nil }
    /// Whether viewers read a table's diffs as JSON: they are written in that form when they are made.
    public var isReadAsText: (TableID) -> Bool = { _ in false }
    /// The guest list; nil: every sender may do everything.
    public var guests: GuestList? {
        didSet { access = AccessCache() }
    }
    /// Position of the newest journal entry; each commit adds 1.
    public internal(set) var position: UInt64 = 0
    /// The disk has no room: every change is refused (`diskFull`).
    public var isReadOnly = false
    /// Why, where it is not the disk.
    public var refusesBecause: String?
    /// Only what makes the tables less is changed.
    public var takesOnlyLess = false
    /// In a service of several daemons: what this one may do.
    public var duty = Duty.writer
    /// Refusals by code.
    public internal(set) var rejections: [Rejection.Code: UInt64] = [:]
    /// Requests by verb.
    public var requests: [ID: UInt64] { verbCounts.byName }
    private var verbCounts = VerbCounts()

    /// Some table may have swipes that drags of another daemon have closed.
    var mayHaveAbandoned = false
    /// How many requests of this turn only the daemon can answer.
    public internal(set) var daemonRequests = 0
    /// Rows of the tables that were asked for in this turn: each is encoded after the turn's end, and
    /// others wait meanwhile.
    public private(set) var rowsAsked = 0
    /// Bytes, about, of this turn's other answers that are encoded after its end, and those of the past
    /// that were decoded for them.
    public internal(set) var answerBytes = 0

    var access = AccessCache()
    /// How long large presences wait for each other.
    var presencePause = PresencePause()
    var ready: Ready
    /// The records of this turn: one entry of the journal.
    let records: any EntryWriter
    /// Beyond it a turn takes in nothing more, and ends nothing more. One request adds a multiple at most,
    /// and a journal takes more than both.
    private static let mostRecordBytes = 16 << 20

    /// Whether this turn may record more.
    public var hasRoomInEntry: Bool { records.byteCount < Self.mostRecordBytes }

    var snapshots: Snapshots
    var backups: Backups
    var restoring: Restoring?
    /// The journal has parts of a restore that was given up. A checkpoint removes them.
    public var hasStaleParts = false
    var handlers = Handlers()
    /// Monotonic time of this turn.
    var monotonicMs: UInt64 = 0
    private var hasBegun = false
    /// When remembered answers were last swept: an hour apart, as `SessionBook.sweep` wants it.
    private var sweptMs: UInt64 = 0
    private static let sweepMs: UInt64 = 3_600_000
    /// By which diffs get old.
    var aging = AgingDate()

    /// A live table and its latest diffs. It is an object so that nobody holds a second reference
    /// to the log: the next append would copy a run of it then.
    public final class LiveTable {
        /// The newest state.
        public let table: Table
        var log: DiffLog
        var ephemeral = Ephemeral()
        /// The swipes that drags of another daemon have closed.
        var abandoned: [ClosedSwipe] = []
        var underWay: UnderWay
        /// Whose the claims and held invocations are.
        public internal(set) var owners = Owners()
        let codec: any Codec

        /// A table whose diffs are kept from now on.
        init(table: Table, codec: any Codec) {
            self.table = table
            self.codec = codec
            log = DiffLog(from: table.revision, digest: table.digest)
            underWay = UnderWay(table, Owners())
        }

        /// How many of the latest diffs are kept.
        public var keptDiffs: Int { log.kept.count }

        /// The latest diffs, oldest first, up to the one that led to this revision.
        public func capturedDiffs(upTo revision: UInt64) -> [CapturedPiece] {
            log.captured(upTo: revision)
        }

        /// The table's head.
        public var state: Head {
            Head(revision: table.revision, digest: table.digest, oldest: log.oldest)
        }

        /// The table's summary for a list.
        public var summary: TableSummary {
            TableSummary(
                table: table.name, history: table.history, revision: table.revision,
                rows: table.count, sections: table.sections.count, digest: table.digest,
                oldest: log.oldest)
        }
    }

    /// A server without tables. `makeID` gives 128 random bits: this module has no randomness.
    public init(
        epoch: ID128, limits: Limits, codec: any Codec, retention: Retention = Retention(),
        makeID: @escaping () -> ID128
    ) {
        self.epoch = epoch
        sharedLimits = SharedLimits(limits)
        sessionBounds = Sessions.Bounds(limits)
        self.codec = codec
        self.retention = retention
        self.makeID = makeID
        sessions = SessionBook()
        snapshots = Snapshots(makeID: makeID)
        backups = Backups(epoch: epoch)
        ready = Ready(timeMs: 0)
        records = codec.makeEntryWriter()
    }

    /// Other limits from now on, between two turns.
    ///
    /// Where one is smaller than what is there, what is there stays, and more of it is refused by
    /// name; of answers, diffs and removed places the oldest go as new ones come.
    public func change(limits: Limits, retention: Retention) {
        sessions.promised(sessionBounds, until: position)
        sharedLimits = SharedLimits(limits)
        sessionBounds = Sessions.Bounds(limits)
        self.retention = retention
        for held in tables.values { held.table.keepRemovedPlaces(limits.removedPlaces) }
    }

    /// Serves a table, whose diffs are kept from now on.
    func hold(_ table: Table) {
        table.keepRemovedPlaces(limits.removedPlaces)
        tables[table.name] = LiveTable(table: table, codec: codec)
    }

    // MARK: One turn

    /// Begins a turn of the loop. `monotonicMs` never goes back; `nowMs` may.
    public func begin(nowMs: UInt64, monotonicMs: UInt64? = nil) {
        self.monotonicMs = monotonicMs ?? nowMs
        ready.begin(timeMs: nowMs)
        records.removeAll()
        daemonRequests = 0
        rowsAsked = 0
        answerBytes = 0
        if !hasBegun {
            hasBegun = true
            handlers.begin(with: tables.values.map(\.table))
            restoring?.beganMs = self.monotonicMs
            restoring?.usedMs = self.monotonicMs
        }
    }

    /// Decides on one request. `finish` returns the results.
    ///
    /// `requestHash` is the hash of the request's bytes.
    public func receive(_ request: Request, requestHash: UInt64, from route: Route) {
        verbCounts.add(request)
        if isBounded(request.sender), let rejection = refusal(of: request) {
            note(request, refusedAs: rejection.code)
            return reply(to: request, route, .refused(rejection))
        }
        if !duty.isWriter, turnsAway(request, route) { return }
        if let client = request.client { handlers.heard(from: client, request.sender.provenName) }
        if let atMs = request.atMs {
            guard hasVirtualClock else {
                let rejection = Rejection(
                    .badValue, "This daemon uses its own clock.", field: "atMs")
                return reply(to: request, route, .refused(rejection))
            }
            ready.timeMs = atMs
        }
        // Nearly all are one, and whoever looks into a verb's parts copies them.
        if request.isCommand { return change(request, requestHash: requestHash, route) }
        switch request.verb {
        case .create, .drop, .command, .batch, .drag(.drop), .restore:
            change(request, requestHash: requestHash, route)
        case .hello, .health, .stats, .check, .audit, .stepDown:
            daemonRequests += 1
            answer(.forDaemon(request), to: route)
        case .tables: reply(to: request, route, .tables(summaries(for: request.sender)))
        case .backup(let id, let chunk): backup(id: id, chunk: chunk, request, route)
        case .renew: renew(request, route)
        case .kinds:
            read(request, route) { live in
                .kinds(live.table.kinds.values.sorted { $0.id < $1.id }, live.table.settings)
            }
        case .snapshot(let id, let chunk):
            read(request, route) { live in
                // A chunk has no more rows than that.
                rowsAsked += min(live.table.count, 1_024)
                return snapshot(id: id, chunk: chunk, of: live.table)
            }
        case .replay(let history, let since):
            replay(request, history: history, since: since, route)
        case .offer(let history, let revision, let digest):
            read(request, route) { live in
                let relation = relation(
                    of: live, history: history, revision: revision, digest: digest)
                return .standing(Standing(relation, head: live.state))
            }
        case .who:
            read(request, route) { live in
                let attendants = live.ephemeral.attendants(head: live.table.revision)
                return .who(attendants, live.ephemeral.sortedLeases)
            }
        case .history(let filter): read(request, route) { history(filter, $0) }
        case .rewind(let history, let since, let to):
            read(request, route) { rewind(history: history, since: since, to: to, $0) }
        case .drag(let step): drag(request, step, route)
        case .attend(let revision, let isLeaving):
            attend(request, revision: revision, isLeaving: isLeaving, route)
        case .explain(let change): explain(change, request, route)
        }
    }

    /// Answers a request that could not be read.
    public func refuse(
        _ rejection: Rejection, client: ID?, number: UInt64?, from route: Route
    ) {
        rejections[rejection.code, default: 0] += 1
        let reply = Reply(client: client, number: number, epoch: epoch, .refused(rejection))
        answer(.reply(reply), to: route)
    }

    /// Ends the turn; returns the work to do now, in its order.
    public func finish() -> Ready {
        if !records.isEmpty {
            position += 1
            let (entry, shift) = records.finish(timeMs: ready.timeMs)
            ready.rebase(onto: entry, by: shift)
        }
        ready.position = position
        return ready
    }

    /// The tables by name, in the order of their names.
    public var summaries: [TableSummary] {
        tables.keys.sorted().compactMap { tables[$0]?.summary }
    }

    /// Replies to a request, with the table's present state.
    public func reply(to request: Request, _ route: Route, _ answer: Reply.Answer) {
        self.answer(.reply(makeReply(request, answer)), to: route)
    }

    /// An answer that is written after the intake.
    func answer(_ body: Ready.Answer.Body, to route: Route) {
        let answer = Ready.Answer(route: route, body: body)
        answerBytes += answer.weight
        ready.replies.append(answer)
    }

    /// A reply to this request, with the table's present state.
    public func makeReply(_ request: Request, _ answer: consuming Reply.Answer) -> Reply {
        let table = mayKnowTable(request) ? request.table.flatMap { liveTable($0)?.table } : nil
        return makeReply(request, answer, about: table)
    }

    func makeReply(
        _ request: Request, _ answer: consuming Reply.Answer, about table: Table?
    ) -> Reply {
        if case .refused(let rejection) = answer { rejections[rejection.code, default: 0] += 1 }
        return Reply(
            client: request.client, number: request.number, table: request.table,
            history: table?.history, epoch: epoch, revision: table?.revision, answer)
    }

    // MARK: Publications that no command caused

    /// Diffs that go with one heartbeat, of all tables: some milliseconds.
    private static let mostTrimmed = 20_000

    /// The answer to a subscription to a table's topic.
    public func welcome(to name: TableID) -> Publication {
        let live = tables[name]
        return Publication(
            table: name, history: live?.table.history, epoch: epoch, welcome: live?.state,
            isWelcome: true)
    }

    /// Lets go of snapshots that nobody takes, and of diffs that are too old. With each heartbeat.
    ///
    /// - Parameters:
    ///   - nowMs: the date, which may jump.
    ///   - elapsedMs: never goes back, and goes on while the machine sleeps.
    public func tidy(nowMs: UInt64, elapsedMs: UInt64) {
        if monotonicMs >= sweptMs + Self.sweepMs {
            sessions.sweep()
            sweptMs = monotonicMs
        }
        snapshots.expire(nowMs: monotonicMs)
        let captured = snapshots.tables
        for (name, live) in tables where !captured.contains(name) { live.table.noteNoneCaptured() }
        backups.expire(nowMs: monotonicMs)
        var left = Self.mostTrimmed
        let (keptMs, isMore) = retention.seconds.multipliedReportingOverflow(by: 1_000)
        let date = aging.look(
            nowMs: nowMs, elapsedMs: elapsedMs, keptMs: isMore ? .max : keptMs)
        for live in tables.values {
            live.log.trim(
                nowMs: date, within: retention, rows: live.table.count, atMost: &left)
        }
        logWeight = nil
        boundLogs(atMost: &left)
    }

    /// The next turn is as the first after a start.
    func beginAnew() {
        handlers = Handlers()
        hasBegun = false
    }

    /// Takes the place of a server whose state was thrown away: what was set and counted goes on.
    public func takeOver(from old: Server) {
        sessions.keepPromises(of: old.sessions)
        hasVirtualClock = old.hasVirtualClock
        guests = old.guests
        (origin, memoryLeft) = (old.origin, old.memoryLeft)
        isReadAsText = old.isReadAsText
        (isReadOnly, refusesBecause) = (old.isReadOnly, old.refusesBecause)
        takesOnlyLess = old.takesOnlyLess
        duty = old.duty
        (verbCounts, rejections) = (old.verbCounts, old.rejections)
        aging = old.aging
    }
}

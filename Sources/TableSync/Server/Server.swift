public import TableModel

/// The daemon's end of the protocol. It does no input or output: requests go in, `Ready` comes out.
/// Recovery replays the journal's records by the same `apply` that viewers use.
public final class Server {
    /// New at each start of the daemon, and when a standby begins to write.
    public internal(set) var epoch: ID128
    /// The bounds on input and memory; `change` changes them while serving. No other part keeps a copy.
    public private(set) var bounds: Bounds
    /// The limits in force.
    @inlinable public var limits: Limits { bounds.shared.limits }
    let codec: any Codec
    /// Makes histories, and ids that nobody can guess.
    let makeID: () -> ID128

    /// The tables, with their latest diffs.
    public var tables: LiveTables
    /// The remembered answers, by principal and client.
    public internal(set) var sessions = SessionBook()
    /// The rights of senders.
    public var admission = Admission()
    /// Position of the newest journal entry; each commit adds 1.
    public internal(set) var position: UInt64 = 0
    /// The changes that may be made at present.
    public var room = Room()
    /// In a service of several daemons: what this one may do.
    public var duty = Duty.leader
    /// Requests and refusals since the start.
    public internal(set) var counts = Counts()

    /// The present turn.
    public internal(set) var ready = Ready()
    /// The records of this turn: one entry of the journal.
    let records: any EntryWriter
    /// Beyond it a turn takes in nothing more, and ends nothing more. One request adds a multiple at most,
    /// and a journal takes more than both.
    private static let mostRecordBytes = 16 << 20

    /// Whether this turn may record more.
    var hasRoomInEntry: Bool { records.byteCount < Self.mostRecordBytes }

    /// Whether this turn takes in nothing more: what it has taken in is work enough for after the intake.
    public var isTurnFull: Bool { ready.load.isFull || !hasRoomInEntry }

    /// Snapshots, backups and the restore that are under way.
    public var copies: Copies
    var handlers = Handlers()

    /// A server without tables. `makeID` gives 128 random bits: this module has no randomness.
    public init(
        epoch: ID128, limits: Limits, codec: any Codec, retention: Retention = Retention(),
        makeID: @escaping () -> ID128
    ) {
        self.epoch = epoch
        bounds = Bounds(limits)
        self.codec = codec
        self.makeID = makeID
        tables = LiveTables(retention)
        copies = Copies(epoch: epoch, makeID: makeID)
        records = codec.makeEntryWriter()
    }

    /// Other limits from now on, between two turns.
    ///
    /// Where one is smaller than what is there, what is there stays, and more of it is refused by
    /// name; of answers, diffs and removed places the oldest go as new ones come.
    public func change(limits: Limits, retention: Retention) {
        sessions.promised(bounds.sessions, until: position)
        bounds = Bounds(limits)
        tables.retention = retention
        for held in tables.values { held.table.keepRemovedPlaces(limits.removedPlaces) }
    }

    /// Serves a table, whose diffs are kept from now on.
    func hold(_ table: Table) {
        table.keepRemovedPlaces(limits.removedPlaces)
        tables.add(LiveTable(table: table, codec: codec))
    }

    // MARK: One turn

    /// Begins a turn of the loop. `monotonicMs` never goes back; `nowMs` may.
    public func begin(nowMs: UInt64, monotonicMs: UInt64? = nil) {
        ready.begin(timeMs: nowMs, monotonicMs: monotonicMs ?? nowMs)
        handlers.waiting.latest = nil
        records.removeAll()
        if !handlers.hasBegun {
            handlers.begin(with: tables.values.map(\.table))
            copies.restoring?.begin(nowMs: ready.monotonicMs)
        }
    }

    /// Decides on one request. `finish` returns the results.
    ///
    /// `requestHash` is the hash of the request's bytes.
    public func receive(_ request: Request, requestHash: UInt64, from route: Route) {
        counts.verbs.add(request)
        if let rejection = admission.refusal(of: request) {
            note(request, refusedAs: rejection.code)
            return reply(to: request, route, .refused(rejection))
        }
        if !duty.isLeader, turnsAway(request, route) { return }
        if let client = request.client { handlers.heard(from: client, request.sender.provenName) }
        if let atMs = request.atMs {
            guard admission.takesTimes else {
                let rejection = Rejection(
                    .badValue, "This daemon uses its own clock.", field: "atMs")
                return reply(to: request, route, .refused(rejection))
            }
            ready.timeMs = atMs
        }
        // Nearly all are one, and whoever looks into a verb's parts copies them.
        if request.isCommand { return change(request, requestHash: requestHash, route) }
        switch request.verb {
        case .create, .drop, .forget, .command, .batch, .drag(.drop), .restore:
            change(request, requestHash: requestHash, route)
        case .hello, .health, .stats, .check, .audit, .stepDown, .connections, .endConnection,
            .replicate, .promote:
            handOn(request, route)
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
                ready.load.rowsAsked += min(live.table.count, 1_024)
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
        case .query: if table(of: request, route) != nil { handOn(request, route) }
        }
    }

    /// Answers a request that could not be read.
    public func refuse(_ rejection: Rejection, client: ID?, number: UInt64?, from route: Route) {
        counts.rejections[rejection.code, default: 0] += 1
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

    /// Replies to a request, with the table's present state.
    public func reply(to request: Request, _ route: Route, _ answer: Reply.Answer) {
        self.answer(.reply(makeReply(request, answer)), to: route)
    }

    /// An answer that is written after the intake.
    func answer(_ body: Ready.Answer.Body, to route: Route) {
        let answer = Ready.Answer(route: route, body: body)
        ready.load.answerBytes += answer.weight
        ready.replies.append(answer)
    }

    /// A request that only the daemon around the server can answer.
    func handOn(_ request: Request, _ route: Route) {
        ready.load.daemonRequests += 1
        answer(.forDaemon(request), to: route)
    }

    /// A reply to this request, with the table's present state.
    public func makeReply(_ request: Request, _ answer: consuming Reply.Answer) -> Reply {
        let table =
            admission.mayKnowTable(request) ? request.table.flatMap { tables.live($0)?.table } : nil
        return makeReply(request, answer, about: table)
    }

    func makeReply(
        _ request: Request, _ answer: consuming Reply.Answer, about table: Table?
    ) -> Reply {
        if case .refused(let rejection) = answer {
            counts.rejections[rejection.code, default: 0] += 1
        }
        return Reply(
            client: request.client, number: request.number, table: request.table,
            history: table?.history, epoch: epoch, revision: table?.revision, answer)
    }

    // MARK: Publications that no command caused

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
        sessions.sweep(nowMs: ready.monotonicMs)
        copies.expire(nowMs: ready.monotonicMs)
        let captured = copies.snapshots.tables
        for (name, live) in tables where !captured.contains(name) { live.table.noteNoneCaptured() }
        // By a virtual clock nothing gets old: a replay has the dates of then.
        tables.trim(nowMs: admission.takesTimes ? 0 : nowMs, elapsedMs: elapsedMs)
    }

    /// Takes the place of a server whose state was thrown away: what was set and counted goes on.
    public func takeOver(from old: Server) {
        sessions.keepPromises(of: old.sessions)
        (admission, room, duty, counts) = (old.admission, old.room, old.duty, old.counts)
        copies.memoryLeft = old.copies.memoryLeft
        handlers.waiting.forsake(old.handlers.waiting)
        tables.aging = old.tables.aging
        tables.isReadAsText = old.tables.isReadAsText
    }
}

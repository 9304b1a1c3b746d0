public import TableModel

/// The daemon's end of the protocol, without any input or output: requests go in, `Ready` comes
/// out. Recovery feeds it the journal's records by the same `apply` that viewers use.
public final class Server {
    /// New at each start of the daemon.
    public let epoch: ID128
    /// May change while serving.
    public var limits: Limits
    /// Requests may name the time to decide at: for tests, and for sessions that are replayed.
    public var hasVirtualClock = false
    let codec: any Codec
    let retention: Retention
    /// Makes histories.
    let makeID: () -> ID128

    /// Tables by name, each with its latest diffs.
    public internal(set) var tables: [TableID: Held] = [:]
    /// The answers that are remembered, by client.
    public internal(set) var sessions: Sessions
    /// Of the newest journal entry; the next commit makes it one more.
    public internal(set) var position: UInt64 = 0
    /// Whether the disk has no room: what would change something is refused as `diskFull`.
    public var isReadOnly = false
    /// Refusals by code.
    public internal(set) var rejections: [Rejection.Code: UInt64] = [:]
    /// Requests by verb.
    public internal(set) var requests: [String: UInt64] = [:]

    /// Of this turn, those that only the daemon can answer.
    public private(set) var daemonRequests = 0
    /// Rows of the tables that were asked for in this turn: each is encoded after the turn's end, and
    /// others wait meanwhile.
    public private(set) var rowsAsked = 0

    var ready: Ready
    var snapshots: Snapshots
    var backups: Backups
    var restoring: Restoring?
    /// There are parts in the journal of a restore that was let go: a checkpoint rids it of them.
    public var hasStaleParts = false
    var handlers = Handlers()
    /// Of this turn; never goes back.
    var monotonicMs: UInt64 = 0
    /// Makes leases' ids.
    var liftCount: UInt64 = 0
    private var hasBegun = false

    /// A table and its latest diffs. An object, so that nobody comes to have a second reference to
    /// the log, which the next append would then copy.
    public final class Held {
        /// The newest state.
        public let table: Table
        var log: DiffLog
        var passing = Passing()
        let codec: any Codec

        /// A table whose diffs are kept from now on.
        init(table: Table, limit: Retention, codec: any Codec) {
            self.table = table
            self.codec = codec
            log = DiffLog(from: table.revision, digest: table.digest, limit: limit)
        }

        /// Its latest diffs, oldest first.
        public var keptDiffs: ArraySlice<DiffLog.Entry> { log.kept }

        /// Its state in short.
        public var state: Head {
            Head(revision: table.revision, digest: table.digest, oldest: log.oldest)
        }

        /// Its line in a list.
        public var summary: TableSummary {
            TableSummary(
                table: table.name, history: table.history, revision: table.revision,
                rows: table.count, sections: table.sections.count, digest: table.digest,
                oldest: log.oldest)
        }
    }

    /// No tables. `makeID` gives 128 random bits: this module has no randomness of its own.
    public init(
        epoch: ID128, limits: Limits, codec: any Codec, retention: Retention = Retention(),
        makeID: @escaping () -> ID128
    ) {
        self.epoch = epoch
        self.limits = limits
        self.codec = codec
        self.retention = retention
        self.makeID = makeID
        sessions = Sessions(limits: limits)
        snapshots = Snapshots(epoch: epoch)
        backups = Backups(epoch: epoch)
        ready = Ready(timeMs: 0)
    }

    // MARK: One turn

    /// Begins a turn of the loop. `monotonicMs` never goes back; `nowMs` may.
    public func begin(nowMs: UInt64, monotonicMs: UInt64? = nil) {
        self.monotonicMs = monotonicMs ?? nowMs
        var next = Ready(timeMs: nowMs)
        // A turn is much like the one before it.
        next.records.reserveCapacity(ready.records.count)
        next.replies.reserveCapacity(ready.replies.count)
        ready = next
        daemonRequests = 0
        rowsAsked = 0
        if !hasBegun {
            hasBegun = true
            handlers.begin(with: tables.values.map(\.table))
            restoring?.beganMs = self.monotonicMs
            restoring?.usedMs = self.monotonicMs
        }
    }

    /// Decides on one request. What it leads to stands in what `finish` returns.
    ///
    /// `requestHash` is that of the request's bytes.
    public func receive(_ request: Request, requestHash: UInt64, from route: Route) {
        requests[request.verb.name, default: 0] += 1
        if let client = request.client { handlers.heard(from: client) }
        if let atMs = request.atMs {
            guard hasVirtualClock else {
                let rejection = Rejection(
                    .badValue, "This daemon goes by its own clock.", field: "atMs")
                return reply(to: request, route, .refused(rejection))
            }
            ready.timeMs = atMs
        }
        switch request.verb {
        case .create, .drop, .command, .batch, .drag(.drop), .restore:
            change(request, requestHash: requestHash, route)
        case .hello, .health, .stats, .check:
            daemonRequests += 1
            ready.replies.append(.init(route: route, body: .forDaemon(request)))
        case .tables: reply(to: request, route, .tables(summaries))
        case .backup(let id, let chunk): backup(id: id, chunk: chunk, request, route)
        case .renew: renew(request, route)
        case .kinds, .snapshot, .replay, .offer, .who, .history, .rewind:
            if case .snapshot = request.verb {
                rowsAsked += request.table.flatMap { tables[$0]?.table.count } ?? 0
            }
            read(request, route)
        case .drag(let step): drag(request, step, route)
        case .attend(let revision, let isLeaving):
            attend(request, revision: revision, isLeaving: isLeaving, route)
        case .explain(let verb): explain(verb, request, route)
        }
    }

    /// Answers a request that could not be read.
    public func refuse(
        _ rejection: Rejection, client: ID?, number: UInt64?, from route: Route
    ) {
        rejections[rejection.code, default: 0] += 1
        let reply = Reply(client: client, number: number, epoch: epoch, .refused(rejection))
        ready.replies.append(.init(route: route, body: .reply(reply)))
    }

    /// Ends the turn: what is to be done now, in its order.
    public func finish() -> Ready {
        if !ready.records.isEmpty { position += 1 }
        return ready
    }

    /// The tables by name, in the order of their names.
    public var summaries: [TableSummary] {
        tables.values.map(\.summary).sorted { $0.table < $1.table }
    }

    /// Fills in what every reply about this request says.
    public func reply(to request: Request, _ route: Route, _ answer: Reply.Answer) {
        ready.replies.append(.init(route: route, body: .reply(makeReply(request, answer))))
    }

    /// A reply to this request, with the table's present state.
    public func makeReply(_ request: Request, _ answer: Reply.Answer) -> Reply {
        makeReply(request, answer, about: request.table.flatMap { tables[$0]?.table })
    }

    func makeReply(_ request: Request, _ answer: Reply.Answer, about table: Table?) -> Reply {
        if case .refused(let rejection) = answer { rejections[rejection.code, default: 0] += 1 }
        return Reply(
            client: request.client, number: request.number, table: request.table,
            history: table?.history, epoch: epoch, revision: table?.revision, answer)
    }

    // MARK: Publications that no command caused

    /// The answer to a subscription to a table's topic.
    public func welcome(to name: TableID) -> Publication {
        let held = tables[name]
        return Publication(
            table: name, history: held?.table.history, epoch: epoch, welcome: held?.state,
            isWelcome: true)
    }

    /// A heartbeat for each table, and an end to snapshots that nobody takes and to diffs that are
    /// too old.
    public func heartbeats(nowMs: UInt64) -> [Publication] {
        snapshots.expire(nowMs: nowMs)
        backups.expire(nowMs: monotonicMs)
        giveUpRestoring()
        return tables.values.map { held in
            held.log.trim(nowMs: nowMs)
            return Publication(
                table: held.table.name, history: held.table.history, epoch: epoch,
                heartbeat: held.state)
        }
    }
}

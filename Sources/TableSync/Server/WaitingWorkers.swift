import TableModel

/// Workers that wait for a row: their commands `next` have got nothing yet. They are served in the order in which they
/// came (rule B11).
///
/// Nothing of it is kept on disk. A worker sends its command again until it is answered. So a worker that is gone is
/// forgotten, and after a restart or a change of the leader those that are there wait again.
struct WaitingWorkers {
    /// A command that waits.
    struct Worker {
        let request: Request
        let requestHash: UInt64
        /// Where its answer goes.
        var route: Route
        /// When the command came last, in monotonic milliseconds.
        var heardMs: UInt64
        /// When it is answered though there is nothing.
        let endMs: UInt64
        /// The changes of the table that it was held against: a change has a number.
        var seen = 0
        /// Time may free a row for it without a revision: what was pressed a moment ago, or has a guard.
        var waitsForTime: Bool

        /// Whether this is a copy of its command.
        func isAgain(_ other: Request) -> Bool {
            request.number == other.number && request.client == other.client
                && request.sender.provenIdentity == other.sender.provenIdentity
        }
    }

    /// The workers of a table, the first one in front.
    struct Line {
        /// The table's history: another table may have its name.
        var history: ID128?
        var workers: [Worker] = []
        /// The rows that have changed, the latest last: such a row may be free now.
        var changed: [RowID] = []
        /// The number of the first of them. A worker that was held against fewer changes is held against the table.
        var first = 1
        /// Whether rows have changed since the latest look.
        var hasNews = false
        /// How many rows were lifted at the latest look. A row that is put down is free without a revision.
        var lifted = 0

        /// The number of the next change.
        var end: Int { first + changed.count }

        /// More is held against the whole table.
        private static let mostChanged = 4_096

        mutating func note(_ rows: some Sequence<RowID>) {
            hasNews = true
            changed += rows
            if changed.count > Self.mostChanged { noteAll() }
        }

        /// Any row may be free now.
        mutating func noteAll() {
            hasNews = true
            first = end + 1
            changed.removeAll(keepingCapacity: true)
        }

        /// Forgets the changes that all were held against.
        mutating func forgetSeen() {
            guard workers.allSatisfy({ $0.seen >= end }) else { return }
            first = end
            changed.removeAll(keepingCapacity: true)
        }
    }

    private(set) var lines: [TableID: Line] = [:]
    private(set) var count = 0
    private var conditionBytes = 0
    /// The routes of commands that nobody answers any more.
    private var forsaken: [Route] = []
    /// When the first of them is answered though there is nothing, or looked for, in monotonic milliseconds.
    var dueMs = UInt64.max
    /// A turn ended before all were served.
    var isOwed = false
    /// The route of the command that came last in this turn.
    var latest: Route?

    /// One more is answered at once, and asks again. A condition that was read is many times as large as its text.
    static let most = (workers: 1_024, conditionBytes: 256 << 10)

    /// A turn looks at so many values for all of them; it goes on with the next one of them in the next turn.
    static let mostLookedAt = 20_000

    /// The pause after which those that are gone are looked for.
    static let sweepMs: UInt64 = 1_000

    /// Whether nobody waits, and nothing is to be forgotten.
    @inline(__always)
    var isEmpty: Bool { count == 0 && forsaken.isEmpty }

    /// Whether one more may wait, whatever condition it has.
    var hasRoom: Bool {
        count < Self.most.workers
            && conditionBytes + Limits.conditionBytes <= Self.most.conditionBytes
    }

    /// Adds a worker at the end of its line. `isNew`: it was not held against the table yet.
    mutating func add(_ worker: Worker, to table: TableID, of history: ID128?, isNew: Bool) {
        if lines[table] == nil { lines[table] = Line(history: history) }
        change(table) { line in
            line.workers.append(worker)
            if isNew {
                line.hasNews = true
            } else {
                line.workers[line.workers.count - 1].seen = line.end
            }
        }
        count += 1
        conditionBytes += worker.conditionBytes
        dueMs = min(dueMs, worker.endMs, worker.heardMs + Self.sweepMs)
    }

    mutating func remove(at index: Int, of table: TableID) {
        guard let worker = lines[table]?.workers.remove(at: index) else { return }
        count -= 1
        conditionBytes -= worker.conditionBytes
        if lines[table]?.workers.isEmpty == true { lines[table] = nil }
    }

    /// The worker at this place of a line; nil: the line has no more.
    func worker(at index: Int, of table: TableID) -> Worker? {
        guard let workers = lines[table]?.workers, index < workers.count else { return nil }
        return workers[index]
    }

    /// The worker was held against all that has changed. `waitsForTime`: whether rows fit, and it got none; nil: not
    /// all rows were looked at.
    mutating func noteSeen(at index: Int, of table: TableID, waitsForTime: Bool?) {
        change(table) {
            $0.workers[index].seen = $0.end
            if let waitsForTime, $0.workers[index].request.next?.action != nil {
                $0.workers[index].waitsForTime = waitsForTime
            }
        }
    }

    /// Changes a line that is there.
    mutating func change(_ table: TableID, _ body: (inout Line) -> Void) {
        guard let place = lines.index(forKey: table) else { return }
        body(&lines.values[place])
    }

    /// Notes what a revision changes, before it does.
    mutating func note(_ ops: [Op], on table: Table) {
        change(table.name) { line in
            for op in ops {
                switch op.effect {
                case .changesInvocation(let id), .ends(let id):
                    line.note(CollectionOfOne(table.invocations[id]?.row).compactMap { $0 })
                case .changesAll, .ofSection, .ofTable: line.noteAll()
                case .inserts, .removes, .moves, .swaps, .changes, .claims, .begins, .news:
                    line.note(op.rows)
                }
            }
        }
    }

    /// A revision changes very many rows of a table.
    mutating func noteAll(of table: TableID) { change(table) { $0.noteAll() } }

    /// Nobody is answered any more: all send their commands again, here or elsewhere.
    mutating func forsake() {
        forsaken += lines.values.flatMap { $0.workers.map(\.route) }
        (lines, count, conditionBytes, isOwed) = ([:], 0, 0, false)
    }

    /// Takes over the routes of a server whose state was thrown away.
    mutating func forsake(_ old: WaitingWorkers) {
        var old = old
        old.forsake()
        forsaken += old.forsaken
    }

    mutating func takeForsaken() -> [Route] {
        defer { forsaken = [] }
        return forsaken
    }
}

extension WaitingWorkers.Worker {
    fileprivate var conditionBytes: Int { request.next?.condition?.text.utf8.count ?? 0 }
}

extension Server {
    /// How many commands may wait, for whoever keeps their routes.
    public static var mostWaitingWorkers: Int { WaitingWorkers.most.workers }

    /// Milliseconds from this turn until workers are looked at though no row has changed; nil: none waits.
    public var untilWorkers: UInt64? {
        if handlers.waiting.isEmpty { return nil }
        if handlers.waiting.isOwed || handlers.waiting.dueMs <= ready.monotonicMs { return 0 }
        return handlers.waiting.dueMs - ready.monotonicMs
    }

    /// How many wait.
    public var waitingWorkers: Int { handlers.waiting.count }

    /// Whether this command waits for a row.
    public func isWaiting(_ route: Route) -> Bool { handlers.waiting.latest == route }

    /// Lets a command wait that has got nothing; where too many wait, it is answered with that.
    @inline(never)  // Without this each command is copied for it.
    func letWait(_ request: Request, _ requestHash: UInt64, _ route: Route) {
        guard handlers.waiting.hasRoom, let name = request.table, let next = request.next else {
            _ = conclude(request, requestHash: requestHash, route, waits: false)
            return
        }
        line(up: request, requestHash, route, next, on: name, isNew: false)
    }

    /// Where others wait, a `next` comes after them: it waits for the end of the turn at least. A copy of a command
    /// that waits takes its place. A `take`, or another `next`, under its number ends the waiting, and is decided instead.
    @inline(never)  // Without this each command is copied for it.
    func linesUp(_ request: Request, _ requestHash: UInt64, _ route: Route) -> Bool {
        guard request.next != nil || request.isTake, let name = request.table,
            let line = handlers.waiting.lines[name]
        else { return false }
        if let index = line.workers.firstIndex(where: { $0.isAgain(request) }) {
            ready.unanswered.append(line.workers[index].route)
            if line.workers[index].requestHash == requestHash {
                keepPlace(at: index, of: name, route)
                return true
            }
            handlers.waiting.remove(at: index, of: name)
        }
        // Nobody has checked the command yet: one that is out of bounds is refused at once.
        guard let next = request.next, handlers.waiting.lines[name] != nil,
            handlers.waiting.hasRoom,
            (0...Command.Next.mostWaitSeconds).contains(next.waitSeconds),
            (next.condition?.text.utf8.count ?? 0) <= Limits.conditionBytes
        else { return false }
        self.line(up: request, requestHash, route, next, on: name, isNew: true)
        return true
    }

    /// A copy of a command that waits has come.
    private func keepPlace(at index: Int, of name: TableID, _ route: Route) {
        handlers.waiting.change(name) {
            $0.workers[index].route = route
            $0.workers[index].heardMs = ready.monotonicMs
            if $0.workers[index].waitsForTime { ($0.workers[index].seen, $0.hasNews) = (0, true) }
        }
        handlers.waiting.latest = route
    }

    /// The client was forgotten while its command waited. Once an answer to this command is remembered, nobody could
    /// tell a copy of an earlier one from a new one: so it waits no longer, and its worker asks under another id.
    @inline(never)  // Without this each command is copied for it.
    func stopWaiting(_ request: Request) {
        guard let name = request.table, let line = handlers.waiting.lines[name],
            let index = line.workers.firstIndex(where: { $0.isAgain(request) })
        else { return }
        ready.unanswered.append(line.workers[index].route)
        handlers.waiting.remove(at: index, of: name)
    }

    private func line(
        up request: Request, _ requestHash: UInt64, _ route: Route, _ next: Command.Next,
        on name: TableID, isNew: Bool
    ) {
        let endMs = ready.monotonicMs + UInt64(next.waitSeconds * 1_000)
        let worker = WaitingWorkers.Worker(
            request: request, requestHash: requestHash, route: route, heardMs: ready.monotonicMs,
            endMs: endMs, waitsForTime: next.action != nil)
        let history = tables[name]?.table.history
        handlers.waiting.add(worker, to: name, of: history, isNew: isNew)
        handlers.waiting.latest = route
    }

    /// Serves the workers that wait, in their order, after the intake of a turn. `isThere` tells whether the sender of
    /// a command is still connected: a row must not go to one that is gone.
    public func serveWaiting(
        isThere: (Route) -> Bool, sign: (inout Request, Route) -> Void
    ) {
        if handlers.waiting.isEmpty { return }
        ready.unanswered += handlers.waiting.takeForsaken()
        let nowMs = ready.monotonicMs
        let sweeps = nowMs >= handlers.waiting.dueMs
        handlers.waiting.isOwed = false
        var left = WaitingWorkers.mostLookedAt
        for name in handlers.waiting.lines.keys.sorted() {
            lookAgain(at: name)
            guard let hasNews = handlers.waiting.lines[name]?.hasNews, sweeps || hasNews
            else { continue }
            handlers.waiting.change(name) { $0.hasNews = false }
            serve(name, atMost: &left, isThere, sign)
            handlers.waiting.change(name) { $0.forgetSeen() }
            // A worker that was served may have freed a row for those before it.
            if handlers.waiting.lines[name]?.hasNews == true { handlers.waiting.isOwed = true }
        }
        if sweeps {
            let ends = handlers.waiting.lines.values.flatMap { $0.workers.map(\.endMs) }
            handlers.waiting.dueMs = min(ends.min() ?? .max, nowMs + WaitingWorkers.sweepMs)
        }
    }

    /// Notes what no revision tells.
    private func lookAgain(at name: TableID) {
        let live = tables[name]
        let (history, lifted) = (live?.table.history, live?.ephemeral.lifted.count ?? 0)
        handlers.waiting.change(name) {
            if $0.history != history || lifted < $0.lifted { $0.noteAll() }
            ($0.history, $0.lifted) = (history, lifted)
        }
    }

    private func serve(
        _ name: TableID, atMost left: inout Int, _ isThere: (Route) -> Bool,
        _ sign: (inout Request, Route) -> Void
    ) {
        let nowMs = ready.monotonicMs
        let patienceMs = UInt64(clamping: limits.holderTimeoutMs)
        var index = 0
        while let worker = handlers.waiting.worker(at: index, of: name) {
            // Each turn serves one worker at least, whatever its condition takes.
            guard left > 0, !isTurnFull else {
                handlers.waiting.change(name) { $0.hasNews = true }
                return handlers.waiting.isOwed = true
            }
            let isOver = worker.endMs <= nowMs
            let isUnheard = nowMs > worker.heardMs + patienceMs
            let isServed: Bool
            let look =
                isUnheard || isOver
                ? (mayGet: true, isWhole: false) : look(for: worker, in: name, &left)
            if look.mayGet {
                if isUnheard || !isThere(worker.route) {
                    ready.unanswered.append(worker.route)
                    isServed = true
                } else {
                    isServed = answer(worker, waits: !isOver, sign)
                }
            } else {
                isServed = false
            }
            if isServed {
                handlers.waiting.remove(at: index, of: name)
            } else {
                handlers.waiting.noteSeen(
                    at: index, of: name,
                    waitsForTime: look.mayGet ? true : look.isWhole ? false : nil)
                index += 1
            }
        }
    }

    /// Carries the command out by the rights and the room of now. False: there was no row, and it waits on.
    private func answer(
        _ worker: WaitingWorkers.Worker, waits: Bool, _ sign: (inout Request, Route) -> Void
    ) -> Bool {
        var request = worker.request
        sign(&request, worker.route)
        if let rejection = admission.refusal(of: request) {
            note(request, refusedAs: rejection.code)
            reply(to: request, worker.route, .refused(rejection))
        } else if case .refused(let rejection) = verdict(of: request, worker.requestHash) {
            reply(to: request, worker.route, .refused(rejection))
        } else if !room.takes(request) {
            reply(to: request, worker.route, .refused(room.rejection))
        } else {
            return conclude(
                request, requestHash: worker.requestHash, worker.route, waits: waits)
        }
        return true
    }

    /// Whether something may be free for it, as far as what has changed tells, or all rows, where it was not held
    /// against them yet; `left` is how many more values may be looked at.
    private func look(
        for worker: WaitingWorkers.Worker, in name: TableID, _ left: inout Int
    ) -> (mayGet: Bool, isWhole: Bool) {
        guard let table = tables[name]?.table, let next = worker.request.next,
            let line = handlers.waiting.lines[name]
        else { return (true, false) }
        if worker.seen >= line.end { return (false, false) }
        if table.hasWaiting(for: next) { return (true, false) }
        if worker.seen < line.first {
            let (rows, looked) = table.freeRows(for: next, atMost: 1)
            left -= looked + 1
            // The command is refused where too many had to be looked at.
            return (!rows.isEmpty || looked >= Limits.freeRowsLookedAt, true)
        }
        let changed = line.changed[(worker.seen - line.first)...]
        let isAny = changed.contains { id in
            // The command itself looks then, and is refused where that takes too much.
            if left <= 0 { return true }
            left -= table.row(id).flatMap { next.condition?.cost(of: $0) } ?? 1
            return table.isFree(id, for: next)
        }
        return (isAny, false)
    }
}

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
        /// When time alone may free a row for it, in monotonic milliseconds; `.max`: nobody knows, or one before it in the
        /// line asks for the same.
        var againMs = UInt64.max

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
        /// How many drags had ended at the latest look. A row that is put down is free without a revision.
        var endedDrags = 0
        /// The place of the worker at which the turn before ended.
        var stoppedAt = 0

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
    private(set) var conditionBytes = 0
    /// The routes of commands that nobody answers any more.
    private var forsaken: [Route] = []
    /// When the first of them is answered though there is nothing, or looked for, in monotonic milliseconds.
    var dueMs = UInt64.max
    /// A turn ended before all were served.
    var isOwed = false
    /// The table at which it ended: the next turn begins with the one behind it.
    var stoppedAt: TableID?
    /// The latest command to get nothing has changed the table: its action has failed on rows.
    var hasFailed = false
    /// The route of the command that came last in this turn.
    var latest: Route?

    /// One more is answered at once, and asks again. A condition that was read is many times as large as its text.
    static let most = (workers: 1_024, conditionBytes: 256 << 10)

    /// A turn looks at so many values for all of them; it goes on with the next one of them in the next turn.
    static let mostLookedAt = 20_000

    /// The pause after which those that are gone are looked for.
    static let sweepMs: UInt64 = 1_000

    /// The shortest pause before a worker is looked at again though no row has changed.
    static let shortestPauseMs: UInt64 = 50

    /// Whether nobody waits, and nothing is to be forgotten.
    @inline(__always)
    var isEmpty: Bool { count == 0 && forsaken.isEmpty }

    /// How many of a user's commands wait, and the bytes of their conditions.
    func share(of user: Principal) -> (count: Int, bytes: Int) {
        lines.values.lazy.flatMap(\.workers).reduce(into: (0, 0)) {
            guard $1.request.sender.proof == user.proof else { return }
            $0 = ($0.0 + 1, $0.1 + $1.conditionBytes)
        }
    }

    /// The tables at which workers wait. The one behind the table at which the turn before stopped comes first.
    mutating func tablesInTurn() -> [TableID] {
        let names = lines.keys.sorted()
        guard let last = stoppedAt else { return names }
        stoppedAt = nil
        return names.filter { $0 > last } + names.filter { $0 <= last }
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

    /// A turn ends before this worker was looked at: the next one begins with it.
    mutating func stop(at index: Int, of table: TableID) {
        change(table) { ($0.hasNews, $0.stoppedAt) = (true, index) }
        stoppedAt = stoppedAt ?? table
        isOwed = true
    }

    /// The place with which a turn begins.
    mutating func takePlace(in table: TableID) -> Int {
        var place = 0
        change(table) { (place, $0.stoppedAt) = ($0.stoppedAt, 0) }
        return place
    }

    /// Holds a worker against the whole table once more.
    mutating func lookAnew(at index: Int, of table: TableID) {
        change(table) { ($0.workers[index].seen, $0.hasNews) = (0, true) }
    }

    mutating func remove(at index: Int, of table: TableID) {
        guard let worker = lines[table]?.workers.remove(at: index) else { return }
        count -= 1
        conditionBytes -= worker.conditionBytes
        passOn(worker, from: index, of: table)
        change(table) { if index < $0.stoppedAt { $0.stoppedAt -= 1 } }
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

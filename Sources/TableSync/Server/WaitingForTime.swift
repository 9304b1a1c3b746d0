import TableModel
import TablePredicate

// Workers for whom time alone frees a row: the guard of an action comes to hold, or what was performed a moment ago may
// be performed again. The first of those that ask for the same is looked at again at that moment, and when it leaves the
// line, the next one is.

extension WaitingWorkers.Worker {
    fileprivate func asksForTheSame(as other: Self) -> Bool {
        guard let one = request.next, let two = other.request.next else { return false }
        return one.action == two.action && one.section == two.section
            && one.condition == two.condition
    }
}

extension WaitingWorkers {
    /// The outcome of a look for a worker.
    struct Look {
        /// Something may be free for it.
        var mayGet: Bool
        /// All rows were looked at.
        var isWhole = false
        /// All rows are to be looked at then, in monotonic milliseconds: another row of a group has changed.
        var againMs = UInt64.max
    }

    /// In a table of so many rows, or fewer, all are looked at at once when one of a group has changed. In a larger one
    /// that is done after a pause, and nobody has to wait for it.
    static let mostInGroups = 2_000

    /// Whether a worker before this one asks for the same, and has a moment.
    func hasMoment(before index: Int, of table: TableID) -> Bool {
        guard let workers = lines[table]?.workers, index < workers.count else { return false }
        return workers[..<index].contains {
            $0.againMs != .max && $0.asksForTheSame(as: workers[index])
        }
    }

    /// The worker is looked at again then, though no row has changed; `.max`: it is not.
    mutating func look(again atMs: UInt64, at index: Int, of table: TableID) {
        change(table) { $0.workers[index].againMs = atMs }
        dueMs = min(dueMs, atMs)
    }

    /// A worker has left this place of the line.
    mutating func passOn(_ moment: Worker, from index: Int, of table: TableID) {
        guard moment.againMs != .max, let behind = lines[table]?.workers[index...],
            let heir = behind.firstIndex(where: { $0.asksForTheSame(as: moment) })
        else { return }
        look(again: min(behind[heir].againMs, moment.againMs), at: heir, of: table)
    }
}

extension Server {
    /// Finds when time alone may free a row for a worker that got none.
    func setMoment(at index: Int, of name: TableID) {
        guard let next = handlers.waiting.worker(at: index, of: name)?.request.next,
            next.action != nil, let table = tables[name]?.table
        else { return }
        var atMs = UInt64.max
        if !handlers.waiting.hasMoment(before: index, of: name),
            let momentMs = table.momentToDo(next, nowMs: ready.timeMs)
        {
            // A guard may change each millisecond.
            let leftMs = momentMs - min(momentMs, ready.timeMs)
            atMs = ready.monotonicMs + max(leftMs, WaitingWorkers.shortestPauseMs)
        }
        handlers.waiting.look(again: atMs, at: index, of: name)
    }

    /// Whether something may be free for it, as far as what has changed tells, or all rows, where it was not held
    /// against them yet; `left` is how many more values may be looked at.
    func look(
        for worker: WaitingWorkers.Worker, in name: TableID, _ left: inout Int
    ) -> WaitingWorkers.Look {
        guard let table = tables[name]?.table, let next = worker.request.next,
            let line = handlers.waiting.lines[name]
        else { return .init(mayGet: true) }
        let isDue = worker.againMs <= ready.monotonicMs
        if worker.seen >= line.end, !isDue { return .init(mayGet: false) }
        let waiting = table.lookForWaiting(for: next)
        left -= waiting.looked
        if waiting.isAny { return .init(mayGet: true) }
        let isOfGroup = next.action.map { table.hasGuardOfGroup($0) } ?? false
        if next.action != nil { left -= table.kinds.count }
        if worker.seen < line.first || isDue
            || isOfGroup && table.count <= WaitingWorkers.mostInGroups
        {
            let (rows, looked) = table.freeRows(for: next, atMost: 1)
            left -= looked + 1
            // The command is refused where too many had to be looked at.
            return .init(mayGet: !rows.isEmpty || looked >= Limits.freeRowsLookedAt, isWhole: true)
        }
        let changed = line.changed[(worker.seen - line.first)...]
        let isAny = changed.contains { id in
            // The command itself looks then, and is refused where that takes too much.
            if left <= 0 { return true }
            left -= table.row(id).flatMap { next.condition?.cost(of: $0) } ?? 1
            return table.isFree(id, for: next)
        }
        let pauses = UInt64(table.count / WaitingWorkers.mostInGroups + 1)
        return .init(
            mayGet: isAny,
            againMs: isOfGroup ? ready.monotonicMs + pauses * WaitingWorkers.shortestPauseMs : .max)
    }
}

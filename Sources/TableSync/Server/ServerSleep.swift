import TableDecisions
import TableModel

extension Server {
    /// Wakes the rows of a table whose time has come: so many as one command may name. The others follow in the
    /// next turn, so no turn gets long.
    func wakeRows(of live: LiveTable) {
        if room.isReadOnly || live.wakes.isEmpty { return }
        let rows = live.wakingRows(nowMs: ready.timeMs, atMost: limits.batchCommands)
        if rows.isEmpty { return }
        let plan = reduce(waking: rows, on: live.table, limits: limits, nowMs: ready.timeMs)
        _ = apply(plan, cause: Cause(verb: "expire", timeMs: ready.timeMs), on: live)
    }

    /// Milliseconds until the first row wakes; nil: none sleeps, or none can be woken at present.
    public var untilWake: UInt64? {
        if room.isReadOnly { return nil }
        let next = tables.values.lazy.compactMap { $0.wakes.nextEnd() }.min()
        return next.map { $0 - min($0, ready.timeMs) }
    }
}

extension Server.LiveTable {
    /// This row sleeps from now on, until another time, or no more.
    func note(_ sleep: Row.Sleep?, of row: RowID) {
        if let sleep {
            wakes.set(row, to: sleep.untilMs)
        } else if !wakes.isEmpty {
            wakes.remove(row)
        }
    }

    /// Rows whose time has come, at most so many, in the order in which they wake.
    fileprivate func wakingRows(nowMs: UInt64, atMost most: Int) -> [RowID] {
        wakes.over(at: nowMs, atMost: most).map { ($0, wakes[$0] ?? 0) }
            .sorted { ($0.1, $0.0) < ($1.1, $1.0) }.map(\.0)
    }
}

public import TableModel

// Rows sleep until a time, and the daemon wakes them.

extension Decision {
    func snooze(_ ids: Few<RowID>, _ snooze: Command.Snooze?) throws(Rejection) -> Plan {
        try checkDistinct(ids, field: "rows")
        var sleep: Row.Sleep?
        if let snooze { sleep = try self.sleep(until: snooze) }
        var ops: [Op] = []
        for id in ids where try row(id, field: "rows").sleep != sleep {
            ops.append(.sleep(id, sleep))
        }
        return Plan(ops, rows: ids)
    }

    private func sleep(until snooze: Command.Snooze) throws(Rejection) -> Row.Sleep {
        let (untilMs, field): (UInt64, String)
        switch snooze.end {
        case .at(let timeMs): (untilMs, field) = (timeMs, "untilMs")
        case .after(let passMs):
            (untilMs, field) = (nowMs &+ min(passMs, limits.timeMs), "forMs")
        }
        try require(
            untilMs > nowMs, or: .badNumber,
            "A row sleeps until a time to come: this one is \(Self.past(nowMs - untilMs)) past.",
            field: field)
        try require(
            untilMs <= limits.timeMs, or: .badNumber,
            "A row sleeps until the end of the year 9999 at most.", field: field)
        return Row.Sleep(untilMs: untilMs, isToTop: snooze.isToTop)
    }

    private static func past(_ milliseconds: UInt64) -> String {
        let seconds = milliseconds / 1_000
        switch seconds {
        case 0: return "just"
        case ..<60: return "\(seconds) s"
        default: return Age.text(seconds: seconds)
        }
    }

    fileprivate func wake(_ ids: [RowID]) -> Plan {
        let asleep = ids.filter { table.row($0)?.sleep != nil }
        // Rows that stay where they stand need no trial, which is most of the work.
        if !asleep.contains(where: { table.row($0)?.sleep?.isToTop == true }) {
            return Plan(asleep.map { .sleep($0, nil) })
        }
        return wakeInOrder(asleep)
    }

    private func wakeInOrder(_ ids: [RowID]) -> Plan {
        table.onTrial { trial in
            var plan = Plan([])
            for id in ids {
                let isToTop = table.row(id)?.sleep?.isToTop == true
                var ops = [Op.sleep(id, nil)]
                // A row that cannot come to the top wakes where it is.
                if isToTop, let section = table.position(of: id)?.section,
                    let move = try? move(.one(id), section: section, .top, .rebase, by: .action)
                {
                    ops += move.ops
                }
                trial.apply(ops)
                plan.ops += ops
            }
            return plan
        }
    }
}

/// Decides on waking these rows, in their order. Those that come to the top come there one after the other, so the
/// last of them stands first.
public func reduce(waking ids: [RowID], on table: Table, limits: Limits, nowMs: UInt64) -> Plan {
    let decision = Decision(
        table: table, limits: limits, context: DecisionContext(nowMs: nowMs))
    return decision.wake(ids)
}

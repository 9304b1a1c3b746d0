public import TableModel

// A failed attempt of an invocation is followed by a pause and the next one, or it is the end (rule A21).

extension Decision {
    /// An attempt has failed. Without `pauses` the next one may begin at once.
    func fail(_ invocation: Invocation, _ reason: String, pauses: Bool = true) -> Plan {
        let (id, used) = (invocation.id, invocation.attemptsSoFar)
        let most = invocation.retries.attempts ?? 1
        guard used < most else {
            return end(invocation, .failed(reason), invocation.retries.otherwise)
        }
        let pauseMs = pauses ? invocation.retries.pauseMs(after: used) : 0
        var ops: [Op] = [.rest(id, Invocation.Failure(reason, dueMs: nowMs &+ pauseMs))]
        if pauseMs == 0 { ops.append(.rest(id, nil)) }
        let seconds = Self.seconds(Double(pauseMs) / 1_000)
        let due = pauseMs == 0 ? "now" : "in \(seconds) s"
        var saying = Saying(
            pauseMs == 0 ? "attempt.now" : "attempt.later",
            ["attempt": "\(used)", "most": "\(most)"])
        if pauseMs > 0 { saying.values.append(Row.Field("seconds", seconds)) }
        return Plan(
            ops, rows: .one(invocation.row),
            note: Note("Attempt \(used) of \(most) failed. The next one is due \(due).", saying))
    }

    /// Its holder has it no longer. The job may have run, so where attempts are bounded it was one.
    func giveBack(_ invocation: Invocation, _ reason: String) -> Plan {
        if invocation.retries.attempts != nil { return fail(invocation, reason, pauses: false) }
        return Plan([.release(invocation.id)], rows: .one(invocation.row))
    }

    /// The plan for an invocation whose time has come.
    fileprivate func expire(_ invocation: Invocation, _ end: Expiry) -> Plan {
        switch end {
        case .due: return Plan(invocation.isResting ? [.rest(invocation.id, nil)] : [])
        case .lost:
            guard let holder = invocation.holder else { return Plan([]) }
            return giveBack(invocation, OwnReason.lost.text(holder.text))
        case .late:
            let seconds = Self.seconds(invocation.deadlineSeconds)
            return fail(invocation, OwnReason.late.text(seconds))
        }
    }

    private static func seconds(_ seconds: Double) -> String {
        Int(exactly: seconds).map { "\($0)" } ?? "\(seconds)"
    }

    // MARK: By hand

    /// An action that has failed is performed again; one that rests need not wait any longer.
    func retry(_ id: RowID, _ action: ID?, _ item: ID?) throws(Rejection) -> Plan {
        let row = try row(id, field: "row")
        let failed = row.performed.filter { one in
            guard action == nil || one.action == action, item == nil || one.item == item else {
                return false
            }
            guard case .pending(let id) = one.state else { return one.state.isFailed }
            return table.invocations[id]?.isResting == true
        }
        guard let first = failed.first else {
            let what = action.map { "\"\($0.text)\" has not" } ?? "Nothing has"
            throw Rejection(
                .notFailed, "\(what) failed on row \"\(id.text)\".",
                field: action == nil ? "row" : "action")
        }
        guard failed.count == 1 else {
            let names = Set(failed.map(\.action.text)).sorted().joined(separator: ", ")
            let field = Set(failed.map(\.action)).count == 1 ? "item" : "action"
            throw Rejection(.badValue, "Several have failed, so say which: \(names).", field: field)
        }
        if case .pending(let id) = first.state {
            return Plan([.rest(id, nil)], rows: .one(row.id), invocations: [id])
        }
        let act = Command.Act(first.action, on: id, item: first.item, isConfirmed: true)
        return try self.act(act, seen: row.version, isRetry: true)
    }
}

/// An end that time, and no command, brings about for an invocation.
public enum Expiry: Sendable {
    /// The attempt has taken too long.
    case late
    /// Its handler is lost.
    case lost
    /// Its pause is over.
    case due
}

/// The daemon's own decision about invocations. Missing ones are skipped, and those for which there is no time are left
/// for the next one.
public func reduce(
    expiring ends: [(id: InvocationID, end: Expiry)], on table: Table, limits: Limits,
    _ context: DecisionContext, _ meter: LookupMeter = LookupMeter()
) -> Plan {
    var decision = Decision(table: table, limits: limits, context: context)
    decision.meter = meter
    return table.onTrial { [decision] trial in
        var ops: [Op] = []
        for (id, end) in ends {
            guard let invocation = table.invocations[id] else { continue }
            if meter.isSpent { break }
            let plan = decision.expire(invocation, end)
            trial.apply(plan.ops)
            ops += plan.ops
        }
        return Plan(ops)
    }
}

import TableModel
import TablePredicate

// A worker asks for the next rows that nobody works on.

extension Decision {
    func next(_ next: Command.Next) throws(Rejection) -> Plan {
        try check(next)
        guard let action = next.action else { return try claimNext(next) }
        return try performNext(action, next)
    }

    private func check(_ next: Command.Next) throws(Rejection) {
        try require(
            (1...limits.takenInvocations).contains(next.most), or: .badNumber,
            "1 to \(limits.takenInvocations) can be taken at once.", field: "most")
        try require(
            (0...Command.Next.mostWaitSeconds).contains(next.waitSeconds), or: .badNumber,
            "An answer waits for a day at most, in seconds.", field: "wait")
        if let action = next.action { try checkID(action, field: "action") }
        if let section = next.section {
            try checkID(section, field: "section")
            // A worker that waits at a misspelt name would wait for ever.
            guard table.section(section) != nil else { throw .noSection(section, field: "section") }
        }
        guard let condition = next.condition else { return }
        try bound(
            "bytes of a condition", condition.text.utf8.count, by: Limits.conditionBytes,
            field: "where")
        if let fault = condition.fault {
            throw Rejection(
                .badValue, "At character \(fault.offset + 1): \(fault.message).", field: "where")
        }
    }

    private func claimNext(_ next: Command.Next) throws(Rejection) -> Plan {
        let found = free(next, atMost: next.most)
        try check(found)
        let rows = found.rows
        let claim = try claim(of: next, on: rows.count)
        return Plan(rows.map { .claim($0, claim) }, rows: Few(rows))
    }

    /// The claim that `next` puts on so many rows.
    private func claim(of next: Command.Next, on rows: Int) throws(Rejection) -> Claim {
        guard let actor = context.actor else {
            throw Rejection(
                .malformed, "Only a client with a name or an id can claim rows.", field: "client")
        }
        try checkClaim(note: next.note, next.ttlSeconds)
        // A limit that became smaller must not refuse what claims nothing.
        if rows > 0 { try check(table.claimedRows.count + rows, of: .claimedRows, field: "most") }
        return Claim(holder: actor, note: next.note, ttlSeconds: next.ttlSeconds, sinceMs: nowMs)
    }

    private func performNext(_ action: ID, _ next: Command.Next) throws(Rejection) -> Plan {
        guard let client else {
            throw Rejection(
                .malformed, "Only a client with an id can take invocations.", field: "client")
        }
        // Invocations that a handler has let go of were begun earlier, so they come first.
        var (taken, bytes): ([InvocationID], Int) = ([], 0)
        let most = Limits.freeRowsLookedAt / max(1, next.condition?.lookups ?? 1)
        for id in table.waiting(for: action, atMost: most) {
            guard taken.count < next.most, let invocation = table.invocations[id] else { break }
            guard next.fits(invocation) else { continue }
            bytes += invocation.weight
            if bytes > Limits.takenBytes, !taken.isEmpty { break }
            taken.append(id)
        }
        var plan = Plan([])
        if bytes <= Limits.takenBytes {
            do throws(Rejection) {
                plan = try press(action, next, after: taken.count, bytes)
            } catch {
                // Edit mode is over soon: a worker that waits stays in its line.
                guard error.code == .editing, next.waitSeconds > 0 else { throw error }
            }
        }
        plan.rows = Few(taken.compactMap { table.invocations[$0]?.row } + plan.rows.array)
        plan.invocations = taken + plan.invocations
        // The presses come first, so that a record of it is repeated by presses and a `take`.
        plan.ops += plan.invocations.map { .take($0, by: client) }
        return plan
    }

    /// Rows on which the action did not begin.
    private struct Unfit {
        var failed: [(row: RowID, reason: String)] = []
        /// Something that passes is in the way there: a drag, or a guard that an earlier press has made false.
        var passed: Set<RowID> = []
        /// The refusal of the first row whose action a person has to confirm.
        var toConfirm: Rejection?

        var count: Int { failed.count + passed.count }

        mutating func add(_ row: RowID, _ rejection: Rejection) {
            if rejection.code == .needsConfirmation { toConfirm = toConfirm ?? rejection }
            if rejection.isMomentary {
                passed.insert(row)
            } else {
                failed.append((row, rejection.message))
            }
        }
    }

    /// Presses the action on the next free rows. A row on which it cannot begin must not stop the queue: the action
    /// has failed there, as everybody sees, and the next row is tried.
    private func press(
        _ action: ID, _ next: Command.Next, after count: Int, _ bytes: Int
    ) throws(Rejection) -> Plan {
        let deed = Deed(action)
        var unfit = Unfit()
        var metered = self
        metered.meter = meter ?? LookupMeter()
        var looked = 0
        while true {
            let groups = Groups(table)
            let found = free(next, atMost: next.most - count) { row in
                // A press would be refused, as that of a second finger.
                table.recent.latest(deed, on: row.id, at: nowMs) == nil
                    && !unfit.passed.contains(row.id) && !unfit.failed.contains { $0.row == row.id }
                    && allows(action, on: row, groups)
            }
            looked += found.looked
            let before = unfit.count
            if before == 0 { try check(found) }
            var plan = try metered.press(action, on: found.rows, after: bytes, next, &unfit)
            guard plan.rows.isEmpty, unfit.count > before, unfit.count < Limits.lightOps,
                looked < Limits.freeRowsLookedAt, metered.meter?.isSpent == false
            else {
                plan.ops =
                    unfit.failed.map { .perform($0.row, Performance(action, .failed($0.reason))) }
                    + plan.ops
                if let refusal = unfit.toConfirm, plan.ops.isEmpty, count == 0 { throw refusal }
                return plan
            }
        }
    }

    /// Presses the action on rows, one after the other; stops where the answer would have too many bytes of rows.
    /// Where that leaves nothing to a handler, the row is claimed.
    private func press(
        _ action: ID, on rows: [RowID], after bytes: Int, _ next: Command.Next, _ unfit: inout Unfit
    ) throws(Rejection) -> Plan {
        let claim = try claim(of: next, on: rows.count)
        var these = unfit
        let result = table.onTrial { trial in
            Result { () throws(Rejection) in
                var (whole, bytes) = (Plan([]), bytes)
                for (index, id) in rows.enumerated() {
                    let row = try row(id, field: "action")
                    bytes += row.weight
                    let isFull = bytes > Limits.takenBytes || meter?.isSpent == true
                    if isFull, index > 0 { break }
                    var decision = Decision(
                        table: table, shared: shared, context: context, suffix: index)
                    decision.meter = meter
                    var plan: Plan
                    do throws(Rejection) {
                        plan = try decision.act(Command.Act(action, on: id), seen: row.version)
                    } catch {
                        if !error.isOfRow { throw error }
                        these.add(id, error)
                        continue
                    }
                    // A batch of the same presses is refused behind one that goes beyond the bound.
                    if index > 0, meter?.isSpent == true { break }
                    trial.apply(plan.ops)
                    if plan.invocations.isEmpty, table.has(id) {
                        plan.ops.append(.claim(id, claim))
                    }
                    whole.ops += plan.ops
                    for row in plan.rows { whole.rows.append(row) }
                    whole.invocations += plan.invocations
                    if let notes = plan.notes { whole.addNotes(notes) }
                }
                return whole
            }
        }
        let plan = try result.get()
        unfit = these
        return plan
    }

    private func allows(_ action: ID, on row: Row, _ groups: Groups) -> Bool {
        guard groups.looked <= Limits.groupValuesLookedAt,
            let (action, _) = try? find(Command.Act(action, on: row.id), in: row)
        else { return false }
        return table.allows(action, on: row.id, nowMs: nowMs, groups)
    }

    /// The first rows, at most so many, that nobody works on and that are asked for.
    private func free(
        _ next: Command.Next, atMost most: Int, where isFree: (Row) -> Bool = { _ in true }
    ) -> (rows: [RowID], looked: Int) {
        table.freeRows(for: next, atMost: most) { row in
            isFree(row) && (!context.isAnyLifted || context.lifted[row.id] == nil)
        }
    }

    /// The sender must know that not all rows were looked at.
    private func check(_ found: (rows: [RowID], looked: Int)) throws(Rejection) {
        guard found.rows.isEmpty, found.looked >= Limits.freeRowsLookedAt else { return }
        throw .tooLarge(
            "values of free rows of which none fits", found.looked,
            limit: Limits.freeRowsLookedAt, field: "where")
    }
}

extension Rejection {
    /// Whether a press was refused for what the row is, so that it may be taken on another row.
    fileprivate var isOfRow: Bool {
        switch code {
        // A limit of the table, such as that on invocations, is named by the action.
        case .tooLarge: field != "action"
        case .editing: false
        default: true
        }
    }

    /// Whether the row may be pressed later, though it stays as it is. Then the action has not failed on it.
    fileprivate var isMomentary: Bool {
        [.guarded, .leased, .paused, .claimed, .alreadyDone, .needsConfirmation].contains(code)
    }
}

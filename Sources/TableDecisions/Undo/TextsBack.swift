import TableModel

// The undo of a change: of one that is about nothing but texts as it is, of any other on trial.

extension Decision {
    /// The undo of a change of texts of rows, if its inverse fits as it is: nobody has changed these texts since, so that
    /// it is as if somebody set them. To try it out takes several times as long as to carry it out, and everybody waits
    /// meanwhile. Nil: it has to be tried out.
    func textsBack(_ inverse: [Op], of revision: UInt64, _ later: LaterChanges) -> Plan? {
        var ops = inverse.withoutSupersededTraces
        if ops.isEmpty || ops.count % 2 != 0 { return nil }
        var rows: [RowID] = []
        rows.reserveCapacity(ops.count / 2)
        let hasNewTraces = !later.content.isEmpty || !later.places.isEmpty
        for place in stride(from: 0, to: ops.count, by: 2) {
            // Each row has one op that restores its traces, so that none has two for its texts.
            guard case .set(let id, let changes) = ops[place],
                case .restore(id, let old) = ops[place + 1], let row = table.row(id),
                changes.arePlain(on: row.content, within: shared), old.performed.isEmpty,
                row.performed.isEmpty
            else { return nil }
            rows.append(id)
            if hasNewTraces {
                ops[place + 1] = .restore(id, later.merged(old, with: row, changedMs: nowMs))
            }
        }
        return Plan(ops, rows: Few(rows), undoes: revision)
    }

    /// The undo of a change, of which each op is tried out on what those before it leave; nil: nothing is left of it.
    func triedBack(
        _ change: PastChange, _ past: any Past, _ later: LaterChanges,
        _ dropped: LaterChanges.Dropped
    ) throws(Rejection) -> Plan? {
        let (revision, inverse) = (change.diff.revision, change.inverse ?? [])
        // Only what puts a row somewhere asks for them. Something is left of that, so that no change before it
        // is looked at: these are read once.
        let putsRows = inverse.contains { op in
            if case .swaps = op.effect { true } else { op.place != nil }
        }
        let newlyPinned = putsRows ? pinned(after: [revision], past, later)[revision] ?? [] : []
        return try table.onTrial { trial in
            var undo = UndoPlan(
                self, later, change, content: later.content.isEmpty ? [] : change.content,
                newlyPinned: newlyPinned)
            return Result { () throws(Rejection) -> Plan? in
                let left = inverse.withoutSupersededTraces.filter { !dropped.contains($0) }
                try left.forEachRun { run throws(Rejection) in try undo.step(run, &trial) }
                try undo.mend(&trial)
                // Where what else it did was replaced since, no more than this is left.
                if undo.ops.isEmpty || !dropped.isEmpty && undo.opensInVain { return nil }
                var plan = Plan(undo.ops, rows: Few(undo.rows), undoes: revision)
                plan.addNotes(undo.allNotes)
                return plan
            }
        }.get()
    }
}

// Undo, redo and recall: the inverse of an earlier revision as a new revision. Later changes by
// others stay, or the undo is refused and names them.

extension Decision {
    func undo(_ revision: UInt64?, mine: Bool) throws(Rejection) -> Plan {
        let past = try past()
        guard let revision else {
            return try takeBack(try latestChange(past, mine: mine), past)
        }
        guard revision <= past.head, revision > 0 else {
            throw Rejection(
                .badNumber, "The table is at revision \(past.head).", field: "revision")
        }
        guard revision > past.oldest else { throw .forgotten(revision, past) }
        let (top, isUndone) = past.top(of: revision)
        if isUndone {
            throw Rejection(
                .alreadyUndone, "Revision \(revision) was undone by revision \(top).",
                field: "revision")
        }
        return try takeBack(top, past)
    }

    func redo(mine: Bool) throws(Rejection) -> Plan {
        let past = try past()
        var revision = past.head
        while revision > past.oldest {
            let mark = past.mark(of: revision)
            let isMine = !mine || isMine(mark)
            if mark.undoes != nil, !mark.isRedo, mark.undoneBy == nil, isMine {
                return try takeBack(revision, past)
            }
            revision -= 1
        }
        throw Rejection(.nothingToUndo, "There is no undo to redo.")
    }

    /// The latest change that is not undone.
    private func latestChange(_ past: any Past, mine: Bool) throws(Rejection) -> UInt64 {
        var revision = past.head
        while revision > past.oldest {
            let mark = past.mark(of: revision)
            let isMine = !mine || isMine(mark)
            if mark.undoes == nil, mark.canUndo, isMine {
                let (top, isUndone) = past.top(of: revision)
                if !isUndone { return top }
            }
            revision -= 1
        }
        let whose = mine ? " of yours" : ""
        throw Rejection(
            .nothingToUndo,
            "There is no change\(whose) to undo: those after revision \(past.oldest) are kept.",
            field: "revision")
    }

    /// By the same actor, and by no other principal.
    private func isMine(_ mark: PastMark) -> Bool {
        mark.actor != nil && mark.actor == context.actor && !context.isForeign(mark.user)
    }

    private func past() throws(Rejection) -> any Past {
        guard let past = context.past else { throw .standsAlone }
        return past
    }

    // MARK: The inverse of one revision

    private func takeBack(_ revision: UInt64, _ past: any Past) throws(Rejection) -> Plan {
        guard let change = past.change(revision) else { throw .forgotten(revision, past) }
        guard let inverse = change.inverse else {
            throw Rejection(
                .notUndoable, "The inverse of revision \(revision) was too large to keep.",
                field: "revision")
        }
        try checkPrograms(change.diff, revision)
        let rows = Set((change.diff.ops + inverse).flatMap(\.rows))
        let anchors = inverse.compactMap(\.place).compactMap(\.row)
        let later = LaterChanges(revision, past, about: rows.union(anchors))
        let dropped = try later.conflicts(with: change, revision)
        var moved: [RowID] = []
        for case .row(let id, .place) in inverse.flatMap(\.touches) where table.row(id) != nil {
            moved.append(id)
        }
        try checkNotLifted(moved, field: "revision")
        return try table.onTrial { trial in
            var undo = UndoPlan(self, later, change)
            return Result { () throws(Rejection) in
                for op in inverse where !dropped.contains(op) {
                    try undo.step(op, &trial)
                }
                try undo.mend(&trial)
                guard !undo.ops.isEmpty else {
                    throw Rejection(
                        .conflict, "Nothing of revision \(revision) is left to undo.",
                        field: "revision")
                }
                return Plan(undo.ops, rows: undo.rows, note: undo.note, undoes: revision)
            }
        }.get()
    }

    /// What a program did outside cannot be undone.
    private func checkPrograms(_ diff: Diff, _ revision: UInt64) throws(Rejection) {
        for op in diff.ops {
            if op.isOfHandler {
                throw Rejection(
                    .notUndoable, "A handler made revision \(revision), not a person.",
                    field: "revision")
            }
            guard case .begins(let begun) = op.effect else { continue }
            guard let now = table.invocations[begun.id], now.attempts == 0 else {
                throw Rejection(
                    .notUndoable,
                    "A program ran for \"\(begun.action.text)\": recall the row, or change it.",
                    field: "revision")
            }
        }
    }

    // MARK: Recall

    func recall(_ ids: [RowID]) throws(Rejection) -> Plan {
        let past = try past()
        try checkDistinct(ids, field: "rows")
        guard ids.count <= limits.liftedRows else {
            throw .tooLarge("recalled rows", ids.count, limit: limits.liftedRows, field: "rows")
        }
        var removals: [Removal] = []
        // Rows that one revision removed share its inverse, which may be long.
        var changes: [UInt64: PastChange] = [:]
        for id in ids { removals.append(try removal(of: id, past, &changes)) }
        guard let first = removals.map(\.revision).min() else { return Plan([]) }
        let anchors = removals.flatMap(\.candidates).compactMap(\.row)
        let later = LaterChanges(first, past, about: Set(ids + anchors))
        return try table.onTrial { trial in
            Result { () throws(Rejection) in
                var plan = Plan([], rows: ids)
                for removal in removals {
                    var undo = UndoPlan(self, later, removal.change)
                    try undo.recall(removal, &trial)
                    try undo.mend(&trial)
                    plan.ops += undo.ops
                    plan.note = plan.note ?? undo.note
                }
                return plan
            }
        }.get()
    }

    /// How a row was removed.
    struct Removal {
        let row: RowID
        let revision: UInt64
        let change: PastChange
        /// The ops of the inverse that are about this row alone.
        let steps: [Op]
        /// The place behind its nearest neighbour above; if that is gone, behind the next, and so
        /// on.
        let candidates: [Place]
    }

    private func removal(
        of id: RowID, _ past: any Past, _ changes: inout [UInt64: PastChange]
    ) throws(Rejection) -> Removal {
        if table.row(id) != nil {
            throw Rejection(.exists, "There is a row \"\(id.text)\" already.", field: "rows")
        }
        guard let spot = table.removed[id] else {
            throw Rejection(
                .noSuchRow, "No removed row \"\(id.text)\" is remembered.", field: "rows")
        }
        guard spot.revision > past.oldest,
            let change = changes[spot.revision] ?? past.change(spot.revision),
            let inverse = change.inverse
        else { throw .forgotten(spot.revision, past, field: "rows") }
        changes[spot.revision] = change
        let steps = inverse.filter { $0.row == id }
        guard let index = inverse.firstIndex(where: { $0.row == id && $0.place != nil }) else {
            throw .forgotten(spot.revision, past, field: "rows")
        }
        let place = steps.last { $0.place != nil }?.place ?? .top(spot.section)
        // Rows that the same revision removed between the place and this row.
        let between = inverse[(index + 1)...].compactMap { op -> Place? in
            if case .inserts(let other, place) = op.effect { return .after(other.id) }
            return nil
        }
        return Removal(
            row: id, revision: spot.revision, change: change, steps: steps,
            candidates: between + [place])
    }
}

extension Past {
    /// The last of the revisions that undid and redid a revision in turn, and whether the revision
    /// is now undone.
    fileprivate func top(of revision: UInt64) -> (UInt64, isUndone: Bool) {
        var (top, isUndone) = (revision, false)
        while let next = mark(of: top).undoneBy {
            top = next
            isUndone.toggle()
        }
        return (top, isUndone)
    }
}

extension Place {
    var row: RowID? {
        if case .after(let row) = self { return row }
        return nil
    }
}

extension Rejection {
    fileprivate static func forgotten(
        _ revision: UInt64, _ past: any Past, field: String = "revision"
    ) -> Rejection {
        Rejection(
            .compacted,
            "Revision \(revision) is no longer kept: only revisions after \(past.oldest) are.",
            field: field)
    }
}

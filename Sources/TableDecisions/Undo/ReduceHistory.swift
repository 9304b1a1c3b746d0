package import TableModel

// Undo, redo and recall: the inverse of an earlier revision as a new revision. Later changes by
// others stay, or the undo is refused and names them.

extension Decision {
    func undo(_ revision: UInt64?, mine: Bool) throws(Rejection) -> Plan {
        let past = try past()
        guard let revision else { return try takeBackLatest(past, mine: mine) }
        try require(
            revision > 0, or: .badNumber, "There is no revision 0 to undo.", field: "revision")
        try require(
            revision <= past.head, or: .badNumber, "The table is at revision \(past.head).",
            field: "revision")
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
        throw Rejection(
            .nothingToUndo, "There is no undo to redo.", saying: Saying("nothingToRedo"))
    }

    /// Takes the latest change back that stands. One that later changes have replaced is passed over: it would
    /// be in the way of those before it for good.
    private func takeBackLatest(_ past: any Past, mine: Bool) throws(Rejection) -> Plan {
        var (latest, read) = (past.head, 0)
        while let revision = standing(upTo: latest, past, mine: mine) {
            switch try takingBack(revision, past) {
            case .planned(let plan): return plan
            case .replaced(let rejection, let bytes):
                // Everybody waits meanwhile.
                read += bytes
                guard read <= LaterChanges.mostBytes else { throw rejection }
            }
            latest = revision - 1
        }
        let whose = mine ? " of yours" : ""
        throw Rejection(
            .nothingToUndo,
            "There is no change\(whose) to undo: those after revision \(past.oldest) are kept.",
            field: "revision")
    }

    /// The latest change up to a revision that is not undone. One that was redone is as late as its redo.
    func standing(upTo latest: UInt64, _ past: any Past, mine: Bool) -> UInt64? {
        var revision = latest
        while revision > past.oldest {
            let mark = past.mark(of: revision)
            if mark.undoneBy == nil, mark.undoes == nil ? mark.isPickedForUndo : mark.isRedo,
                !mine || isMine(mark) && !mark.isLook
                    || (mark.isRedo && isMine(past.mark(of: past.origin(of: revision))))
            {
                return revision
            }
            revision -= 1
        }
        return nil
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

    /// How it comes out to take a revision back.
    enum TakingBack {
        case planned(Plan)
        /// Nothing is left of it, and why; and how many bytes it took to find out.
        case replaced(Rejection, bytes: Int)
    }

    private func takeBack(_ revision: UInt64, _ past: any Past) throws(Rejection) -> Plan {
        switch try takingBack(revision, past) {
        case .planned(let plan): return plan
        case .replaced(let rejection, _): throw rejection
        }
    }

    private func takingBack(_ revision: UInt64, _ past: any Past) throws(Rejection) -> TakingBack {
        guard let change = past.change(revision) else { throw .forgotten(revision, past) }
        return try takingBack(change, past)
    }

    /// Takes back a change of a revision, or a part of it.
    func takingBack(_ change: PastChange, _ past: any Past) throws(Rejection) -> TakingBack {
        let revision = change.diff.revision
        guard let inverse = change.inverse else {
            throw Rejection(
                .notUndoable,
                "Revision \(revision) cannot be taken back: its inverse was too large to keep. "
                    + "Name an earlier revision to take that one back.", field: "revision")
        }
        try checkNotOfHandler(change.diff, revision)
        // Most undos follow at once, and may be about ten thousand rows.
        let isLatest = revision == past.head
        let later = try LaterChanges(
            revision, past, about: isLatest ? [] : concerned(by: change.diff.ops, inverse))
        try checkPrograms(change.diff, later)
        let dropped = try later.conflicts(with: change, revision)
        let bytes = later.cost + past.size(of: revision)
        if let rejection = dropped.all { return .replaced(rejection, bytes: bytes) }
        if context.isAnyLifted {
            var moved: [RowID] = []
            for case .row(let id, .place) in inverse.flatMap(\.touches) where table.row(id) != nil {
                moved.append(id)
            }
            try checkNotLifted(moved, field: "revision")
        }
        // Later changes that pass may have touched these rows: they drop nothing of the texts.
        if dropped.isEmpty || !inverse.contains(where: dropped.contains),
            let plan = textsBack(inverse, of: revision, later)
        {
            return .planned(plan)
        }
        guard let plan = try triedBack(change, past, later, dropped) else {
            let rejection = Rejection(
                .conflict, "Nothing of revision \(revision) is left to undo.", field: "revision")
            return .replaced(rejection, bytes: bytes)
        }
        return .planned(plan)
    }

    /// The rows and invocations that a change and its inverse are about, and the rows behind which the
    /// inverse puts others.
    private func concerned(by ops: [Op], _ inverse: [Op]) -> Set<RowID> {
        var all = ended(among: inverse)
        all.reserveCapacity(all.count + ops.count)
        for op in [ops, inverse].joined() {
            if let row = op.row { all.insert(row) } else { all.formUnion(op.rows) }
            // A handler's op names an invocation, and no row.
            guard op.isOfInvocation else { continue }
            for case .invocation(let id) in op.touches { all.insert(ID(id.text)) }
        }
        for op in inverse {
            if let anchor = op.place?.row { all.insert(anchor) }
        }
        return all
    }

    /// Invocations that rows of an inverse wait for, and that are no more: how they ended is still to be found.
    private func ended(among inverse: [Op]) -> Set<RowID> {
        Set(inverse.awaited.lazy.filter { table.invocations[$0] == nil }.map { ID($0.text) })
    }

    private func checkNotOfHandler(_ diff: Diff, _ revision: UInt64) throws(Rejection) {
        guard diff.ops.contains(where: \.isOfHandler) else { return }
        throw Rejection(
            .notUndoable,
            diff.cause.verb == "batch"
                ? "Revision \(revision) has a handler's step in it."
                : "A handler made revision \(revision), not a person.", field: "revision")
    }

    /// Refuses to undo the work of a program outside.
    private func checkPrograms(_ diff: Diff, _ later: LaterChanges) throws(Rejection) {
        for begun in diff.ops.begun {
            let hasNotRun = table.invocations[begun.id].map { $0.attempts == 0 }
            guard hasNotRun ?? later.hasNotRun(begun.id) else {
                throw Rejection(
                    .notUndoable,
                    "A program ran for \"\(begun.action.text)\": recall the row, or change it.",
                    field: "revision", saying: Saying("sent", ["what": begun.action.text]))
            }
        }
    }

    // MARK: Recall

    func recall(_ ids: Few<RowID>) throws(Rejection) -> Plan {
        let past = try past()
        try checkDistinct(ids, field: "rows")
        try bound("recalled rows", ids.count, by: limits.liftedRows, field: "rows")
        var removals: [Removal] = []
        // Rows that one revision removed share its inverse, which may be long.
        var changes: [UInt64: Removals] = [:]
        for id in ids { removals.append(try removal(of: id, past, &changes)) }
        guard let first = removals.map(\.revision).min() else { return Plan([]) }
        let ended = ended(among: removals.flatMap(\.steps))
        let later = try LaterChanges(
            first, past, about: Set(ids).union(removals.rowsAbove).union(ended),
            upTo: changes.keys.max())
        let newlyPinned = pinned(after: changes.keys, past, later)
        let plan = try table.onTrial { trial in
            Result { () throws(Rejection) in
                var plan = Plan([], rows: ids)
                for removal in removals {
                    var undo = UndoPlan(
                        self, later, removal.change,
                        content: changes[removal.revision]?.content ?? [],
                        newlyPinned: newlyPinned[removal.revision] ?? [])
                    try undo.recall(removal, &trial)
                    try undo.mend(&trial)
                    plan.ops += undo.ops
                    plan.addNotes(undo.allNotes)
                }
                return plan
            }
        }.get()
        // Several ops have become one: a plan that does not fit would end the daemon, each time it is sent.
        guard table.fits(plan.ops) else {
            throw Rejection(.conflict, "The rows do not fit any more as they were.", field: "rows")
        }
        return plan
    }

    /// How a row was removed.
    struct Removal {
        let row: RowID
        let revision: UInt64
        let change: PastChange
        /// The ops of the inverse that are about this row alone.
        let steps: [Op]
        /// Its place before the revision.
        let place: Place
        /// The places of all rows that the revision removed or moved.
        let places: OldPlaces
    }

    /// A revision that removed rows. One may have removed thousands, so its inverse is gone through once.
    fileprivate struct Removals {
        let change: PastChange
        /// Rows whose content it changed.
        let content: Set<RowID>
        /// Where in the inverse the ops stand that are about one row alone.
        private var steps: [RowID: [Int]] = [:]
        private let places: OldPlaces

        init?(_ change: PastChange) {
            guard let inverse = change.inverse else { return nil }
            self.change = change
            content = change.content
            places = OldPlaces(before: inverse, of: change.diff.ops)
            for (index, op) in inverse.enumerated() {
                if let row = op.row { steps[row, default: []].append(index) }
            }
        }

        /// A batch may have added the row as well. Then there is none before the revision: it is brought back as
        /// it was when it was removed.
        private static func untilItIsThere(_ steps: [Op]) -> [Op] {
            guard let lastInsert = steps.lastIndex(where: { $0.place != nil }) else { return steps }
            let end = steps[lastInsert...].firstIndex {
                if case .removes = $0.effect { true } else { false }
            }
            return Array(steps[..<(end ?? steps.count)])
        }

        /// Nil: the revision did not remove the row.
        func removal(of id: RowID, _ spot: RemovedPlaces.Entry) -> Removal? {
            let inverse = change.inverse ?? []
            guard places.removed.contains(id), let place = places[id] else { return nil }
            return Removal(
                row: id, revision: spot.revision, change: change,
                steps: Self.untilItIsThere(steps[id, default: []].map { inverse[$0] }),
                place: place, places: places)
        }
    }

    private func removal(
        of id: RowID, _ past: any Past, _ changes: inout [UInt64: Removals]
    ) throws(Rejection) -> Removal {
        if table.row(id) != nil {
            throw Rejection(.exists, "There is a row \"\(id.text)\" already.", field: "rows")
        }
        guard let spot = table.removed[id] else {
            throw Rejection(
                .noSuchRow, "No removed row \"\(id.text)\" is remembered.", field: "rows")
        }
        if changes[spot.revision] == nil, spot.revision > past.oldest {
            changes[spot.revision] = past.change(spot.revision).flatMap { Removals($0) }
        }
        guard let removal = changes[spot.revision]?.removal(of: id, spot) else {
            throw .forgotten(spot.revision, past, field: "rows")
        }
        return removal
    }
}

extension [Decision.Removal] {
    /// The rows behind which theirs may come to stand.
    fileprivate var rowsAbove: Set<RowID> {
        var all: [UInt64: Set<RowID>] = [:]
        for removal in self {
            var place = removal.place
            // Above a row that was seen all were.
            while let row = place.row, all[removal.revision, default: []].insert(row).inserted,
                let higher = removal.places[row]
            {
                place = higher
            }
        }
        return all.values.reduce(into: []) { $0.formUnion($1) }
    }
}

extension Past {
    /// The last of the revisions that undid and redid a revision in turn, and whether the revision
    /// is now undone.
    func top(of revision: UInt64) -> (UInt64, isUndone: Bool) {
        var (top, isUndone) = (revision, false)
        while let next = mark(of: top).undoneBy {
            top = next
            isUndone.toggle()
        }
        return (top, isUndone)
    }

    /// The change that a redo did again.
    fileprivate func origin(of redo: UInt64) -> UInt64 {
        var origin = redo
        while let undone = mark(of: origin).undoes, undone < origin { origin = undone }
        return origin
    }
}

extension [Op] {
    /// The invocations that they begin, or bring back.
    package var begun: [Invocation] {
        compactMap { op in
            if case .invocation(_, let back) = op { return back }
            if case .begins(let begun) = op.effect { return begun }
            return nil
        }
    }

    /// The invocations that rows wait for which they bring back.
    fileprivate var awaited: [InvocationID] {
        var performed: [Performance] = []
        // An op that inserts a row may change its holder. This flag costs nothing, where the effect is made as a value.
        for op in self where op.facts.contains(.changesHolders) {
            if case .inserts(let row, _) = op.effect { performed += row.performed }
        }
        for case .restore(_, let traces) in self { performed += traces.performed }
        return performed.compactMap { one in
            if case .pending(let id) = one.state { id } else { nil }
        }
    }

    /// Without traces that a later op restores anew. Of an inverse that leaves the same, and an undo of an
    /// undo does not have more ops each time.
    var withoutSupersededTraces: [Op] {
        // An invocation looks at its row as it is between the others.
        if contains(where: \.isOfInvocation) { return self }
        var (restored, superseded): (Set<RowID>, Set<Int>) = ([], [])
        for place in indices.reversed() where self[place].facts.contains(.restoresTraces) {
            guard let row = self[place].row, !restored.insert(row).inserted else { continue }
            superseded.insert(place)
        }
        if superseded.isEmpty { return self }
        return indices.filter { !superseded.contains($0) }.map { self[$0] }
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

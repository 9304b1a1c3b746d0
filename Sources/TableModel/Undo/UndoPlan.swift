/// The later changes since a revision that are about some rows or the whole table, and that are not
/// undone by now.
struct LaterChanges {
    private(set) var changes: [PastChange] = []
    /// For each change, where the rows that it moved or removed were before.
    private var origins: [[RowID: Place]] = []
    /// Rows with changed content, and rows with a changed place.
    private(set) var content: Set<RowID> = []
    private(set) var places: Set<RowID> = []

    /// `ids` are the rows that count. If a later change moved or removed one of them, the row above
    /// its old place counts from then on.
    init(_ revision: UInt64, _ past: any Past, about ids: Set<RowID>) {
        var ids = ids
        for later in Self.standing(after: revision, past) {
            guard past.mayMention(ids, in: later), let change = past.change(later) else { continue }
            changes.append(change)
            origins.append(Self.origins(of: change))
            for case .row(let row, let aspect) in change.diff.touches {
                if aspect.isContent { content.insert(row) }
                if aspect == .place { places.insert(row) }
            }
            for op in change.inverse ?? [] {
                guard let anchor = op.place?.row, op.rows.contains(where: ids.contains) else {
                    continue
                }
                ids.insert(anchor)
            }
        }
    }

    /// The later revisions in order, without pairs that cancel each other.
    private static func standing(after revision: UInt64, _ past: any Past) -> [UInt64] {
        var cancelled: Set<UInt64> = []
        var standing: [UInt64] = []
        var later = past.head
        while later > revision {
            defer { later -= 1 }
            if cancelled.contains(later) { continue }
            if let undone = past.mark(of: later).undoes, undone > revision {
                cancelled.insert(undone)
            } else {
                standing.append(later)
            }
        }
        return standing.reversed()
    }

    /// The parts in which later changes win over the inverse. Throws if a later change is in the
    /// way.
    func conflicts(with change: PastChange, _ revision: UInt64) throws(Rejection) -> Dropped {
        var dropped = Dropped()
        let inverse = change.inverse ?? []
        let back = inverse.filter { !$0.facts.restoresTraces }
        let touched = Set(change.diff.touches + back.flatMap(\.touches))
        // Rows that the inverse removes: what others changed on them would be lost.
        let removed = Set(
            inverse.compactMap { op -> RowID? in
                if case .removes(let id) = op.effect { return id }
                return nil
            })
        var touchedRows: Set<RowID> = []
        for case .row(let id, _) in touched { touchedRows.insert(id) }
        let expands = touched.contains { if case .row(_, .expansion) = $0 { true } else { false } }
        for later in changes {
            for touch in later.diff.touches {
                switch touch {
                case .row(let id, let aspect) where aspect.passes:
                    dropped.touches.insert(.row(id, aspect))
                case .row(let id, .existence):
                    if touchedRows.contains(id) {
                        throw .inTheWay(later.diff, touch, of: revision)
                    }
                case .row(let id, let aspect):
                    if touched.contains(touch) || removed.contains(id) && aspect != .performed {
                        throw .inTheWay(later.diff, touch, of: revision)
                    }
                case .allExpansions:
                    dropped.allExpansions = dropped.allExpansions || expands
                case .section, .kind, .settings, .editing, .invocation:
                    if touched.contains(touch) { throw .inTheWay(later.diff, touch, of: revision) }
                }
            }
        }
        let isNothingLeft = !inverse.contains { !dropped.contains($0) }
        if isNothingLeft, let last = changes.last {
            let touch = last.diff.touches.first ?? .allExpansions
            throw .inTheWay(last.diff, touch, of: revision)
        }
        return dropped
    }

    /// Transient parts that changed again since: the later change stays.
    struct Dropped {
        fileprivate(set) var touches: Set<Touch> = []
        fileprivate(set) var allExpansions = false

        func contains(_ op: Op) -> Bool {
            let all = op.touches
            return !all.isEmpty
                && all.allSatisfy { touch in
                    if case .row(_, .expansion) = touch, allExpansions { return true }
                    return touches.contains(touch)
                }
        }
    }

    /// Where a place after `revision` is now.
    func now(_ place: Place, from revision: UInt64, in table: Table) -> (Place, note: String?) {
        guard case .after(let anchor) = place else { return (place, nil) }
        var place = place
        var wasMoved = false
        for (change, origins) in zip(changes, origins) where change.diff.revision > revision {
            // Bounded: in one change no row is behind itself.
            var steps = change.inverse?.count ?? 0
            while case .after(let id) = place, steps > 0, let old = origins[id] {
                if id == anchor, table.row(id) != nil {
                    wasMoved = wasMoved || !change.removes(id)
                }
                place = old
                steps -= 1
                if case .swaps = change.diff.ops.first?.effect { break }
            }
        }
        if place == .after(anchor) { return (place, nil) }
        // The row was removed and came back to its place.
        if table.row(anchor) != nil, !wasMoved { return (.after(anchor), nil) }
        let why = table.row(anchor) == nil ? "removed" : "moved"
        switch place {
        case .after(let id): return (place, "after \(id.text): \(anchor.text) was \(why)")
        case .top(let id): return (place, "top of \(id.text): \(anchor.text) was \(why)")
        }
    }

    /// Where each row that a change moved or removed was before: the first op about it counts.
    private static func origins(of change: PastChange) -> [RowID: Place] {
        var origins: [RowID: Place] = [:]
        func note(_ id: RowID, _ place: Place) {
            if origins[id] == nil { origins[id] = place }
        }
        for op in change.inverse ?? [] {
            switch op.effect {
            case .inserts(let row, let place): note(row.id, place)
            case .moves(let ids, var place):
                for id in ids {
                    note(id, place)
                    place = .after(id)
                }
            case .swaps(let a, let b):
                note(a, .after(b))
                note(b, .after(a))
            case .removes, .changes, .changesAll, .news, .defines, .edits: continue
            case .insertsSection, .removesSection, .renamesSection: continue
            case .begins, .changesInvocation, .ends: continue
            }
        }
        return origins
    }
}

extension PastChange {
    fileprivate func removes(_ id: RowID) -> Bool {
        diff.ops.contains { $0.effect == .removes(id) }
    }
}

extension Rejection {
    fileprivate static func inTheWay(
        _ diff: Diff, _ touch: Touch, of revision: UInt64
    ) -> Rejection {
        let who = diff.cause.actor.map { "\($0.text), " } ?? ""
        let what: String
        switch touch {
        case .row(let id, .existence): what = "removed or added row \"\(id.text)\""
        case .row(let id, let aspect): what = "changed row \"\(id.text)\": \(aspect.words)"
        case .section(let id): what = "changed section \"\(id.text)\""
        case .kind(let id): what = "changed kind \"\(id.text)\""
        case .settings: what = "changed the table's settings"
        case .editing: what = "changed edit mode"
        case .allExpansions: what = "expanded or collapsed all rows"
        case .invocation(let id): what = "changed invocation \(id.text)"
        }
        return Rejection(
            .conflict,
            "Revision \(diff.revision) (\(who)\(diff.cause.verb)) is in the way of revision "
                + "\(revision): it \(what).", field: "revision")
    }
}

/// The ops of an undo or a recall, in the form that fits the table as it is now.
struct UndoPlan {
    let decision: Decision
    private let later: LaterChanges
    private let change: PastChange
    /// Rows whose content the revision had changed.
    private let content: Set<RowID>
    private(set) var ops: [Op] = []
    private(set) var note: String?

    init(_ decision: Decision, _ later: LaterChanges, _ change: PastChange) {
        self.decision = decision
        self.later = later
        self.change = change
        var content: Set<RowID> = []
        for case .row(let id, let aspect) in change.diff.touches
        where aspect.isContent {
            content.insert(id)
        }
        self.content = content
    }

    private var table: Table { decision.table }

    /// The rows that the ops name, each once.
    var rows: [RowID] {
        var seen: Set<RowID> = []
        return ops.compactMap(\.row).filter { seen.insert($0).inserted }
    }

    // MARK: One op

    /// Adds an op of the old inverse in the form that fits now.
    mutating func step(
        _ op: Op, _ trial: inout Table.Trial
    ) throws(Rejection) {
        switch op {
        case .insert(let row, let place, let hint):
            let place = try landing(place, &trial)
            try append(.insert(row, place, hint: hint), &trial)
        case .move(let ids, let place):
            let place = try landing(place, &trial)
            try append(.move(ids, place), &trial)
        case .restore(let id, let traces):
            guard let row = table.row(id) else { return }
            try append(.restore(id, merged(traces, with: row)), &trial)
        case .item(let id, let step):
            guard let row = table.row(id) else { return }
            try append(.item(id, Self.fitting(step, row.content)), &trial)
        case .removeSection(let id):
            // Somebody has put rows there since.
            if table.section(id).map({ $0.count > 0 }) ?? true {
                note = note ?? "section \(id.text) stays: it has rows"
                return
            }
            try append(op, &trial)
        case .claim(let id, _):
            try decision.checkMayEndClaim(of: id)
            try append(op, &trial)
        case .remove, .set, .swipe, .expand, .swap, .scroll, .select, .mark, .perform,
            .insertSection, .setSection, .define, .edit, .expandAll,
            .invoke, .take, .release, .finish, .invocation:
            try append(op, &trial)
        }
    }

    mutating func append(
        _ op: Op, _ trial: inout Table.Trial
    ) throws(Rejection) {
        do throws(Mismatch) {
            try trial.tryToApply(op)
        } catch {
            let revision = change.diff.revision
            throw Rejection(
                .conflict, "Revision \(revision) can no longer be undone: \(error).",
                field: "revision")
        }
        ops.append(op)
    }

    /// Where an old place is now. If its section is gone, the section is made again.
    private mutating func landing(
        _ place: Place, _ trial: inout Table.Trial
    ) throws(Rejection) -> Place {
        var (place, note) = later.now(place, from: change.diff.revision, in: table)
        if case .after(let id) = place, table.row(id) == nil, let spot = table.removed[id] {
            place = .top(spot.section)
            note = "top of \(spot.section.text): \(id.text) was removed"
        }
        self.note = self.note ?? note
        if case .top(let id) = place, table.section(id) == nil {
            for op in try decision.newSection(id, title: title(of: id)) {
                try append(op, &trial)
            }
        }
        return place
    }

    private func title(of section: SectionID) -> String {
        for change in later.changes {
            for case .insertSection(section, let title, _) in change.inverse ?? [] { return title }
        }
        return section.text
    }

    /// The old traces, unless later changes have left newer ones.
    private func merged(_ old: Traces, with row: Row) -> Traces {
        var traces = old
        if later.content.contains(row.id) {
            traces.performed = row.performed
            traces.changedMs = content.contains(row.id) ? decision.nowMs : row.changedMs
        }
        if later.places.contains(row.id) { traces.movedMs = row.movedMs }
        return traces
    }

    /// Behind the item that the op named; if that is gone, at the end.
    private static func fitting(_ step: Item.Step, _ content: Row.Content) -> Item.Step {
        func place(_ after: ID?, without moved: [ID]) -> ID? {
            guard let after, content.index(of: after) == nil else { return after }
            return content.items.last { !moved.contains($0.id) }?.id
        }
        switch step {
        case .insert(let item, let after): return .insert(item, after: place(after, without: []))
        case .move(let ids, let after): return .move(ids, after: place(after, without: ids))
        case .remove, .set: return step
        }
    }

    // MARK: Recall

    /// Brings one row back as it was before the revision that removed it, but neither swiped open
    /// nor claimed: the holder of the claim may be long gone.
    mutating func recall(
        _ removal: Decision.Removal, _ trial: inout Table.Trial
    ) throws(Rejection) {
        let id = removal.row
        for op in removal.steps {
            let isLeft = op.touches.allSatisfy { touch in
                if case .row(_, let aspect) = touch { !aspect.isRecalled } else { false }
            }
            if isLeft { continue }
            guard case .inserts(let row, _) = op.effect else {
                try step(op, &trial)
                continue
            }
            let place = try nearest(removal, &trial)
            try append(
                .insert(row.with(swipe: nil).with(claim: nil).with(selection: nil), place), &trial)
        }
        // One op is enough: insert the finished row.
        guard let row = table.row(id) else { return }
        ops = ops.compactMap { op in
            if case .inserts(_, let place) = op.effect { return .insert(row, place) }
            return op.row == id ? nil : op
        }
    }

    private mutating func nearest(
        _ removal: Decision.Removal, _ trial: inout Table.Trial
    ) throws(Rejection) -> Place {
        for (index, candidate) in removal.candidates.enumerated() {
            let isLast = index == removal.candidates.count - 1
            // A missing row cannot be the anchor, so its history need not be followed.
            if !isLast, let row = candidate.row, table.row(row) == nil { continue }
            let (place, note) = later.now(candidate, from: removal.revision, in: table)
            guard isLast || (note == nil && place.row.map { table.row($0) != nil } ?? true) else {
                continue
            }
            if index > 0, note == nil, let first = removal.candidates[0].row {
                switch place {
                case .after(let id): self.note = "after \(id.text): \(first.text) was removed"
                case .top(let id): self.note = "top of \(id.text): \(first.text) was removed"
                }
            }
            return try landing(candidate, &trial)
        }
        preconditionFailure("a removed row stood somewhere")
    }
}

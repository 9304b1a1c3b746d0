import TableModel

/// The ops of an undo or a recall, in the form that fits the table as it is now.
struct UndoPlan {
    let decision: Decision
    let later: LaterChanges
    private let change: PastChange
    /// Rows whose content the revision had changed.
    private let content: Set<RowID>
    /// The deeds that it has begun, and those that its inverse begins anew.
    private lazy var begun = (by: change.diff.ops.begun, back: (change.inverse ?? []).begun)
    private(set) var ops: [Op] = []
    /// The rows that the ops name, each once.
    private(set) var rows: [RowID] = []
    private var named: Set<RowID> = []
    /// Those of them that were there before, as they were.
    private(set) var old: [RowID: Row] = [:]
    /// How much the table had of each `Amount` before, and its settings.
    let oldAmounts: [Int]
    let oldSettings: Settings
    /// Rows that were pinned where they are after the change.
    private let newlyPinned: Set<RowID>
    /// Why rows that it puts somewhere do not stand where they did.
    private var notes: [RowID: Note] = [:]
    /// A note beside that, which is about no row.
    private var note: Note?
    /// The notes of all rows that the ops name.
    var allNotes: [RowID: Note] {
        guard let note else { return notes }
        return notes.merging(rows.map { ($0, note) }) { own, _ in own }
    }

    /// - Parameters:
    ///   - content: the rows whose content the change had changed.
    ///   - newlyPinned: the rows that were pinned where they are after it.
    init(
        _ decision: Decision, _ later: LaterChanges, _ change: PastChange, content: Set<RowID>,
        newlyPinned: Set<RowID>
    ) {
        self.decision = decision
        self.later = later
        self.change = change
        self.content = content
        self.newlyPinned = newlyPinned
        oldAmounts = Amount.allCases.map { decision.table.amount(of: $0) }
        oldSettings = decision.table.settings
    }

    var table: Table { decision.table }

    /// Whether all that it does is to open rows that the mend has closed again.
    var opensInVain: Bool {
        let swipesOnly = ops.allSatisfy { if case .swipe = $0 { true } else { false } }
        return swipesOnly && rows.allSatisfy { table.row($0)?.swipe == old[$0]?.swipe }
    }

    // MARK: One op

    /// Adds ops of the old inverse that go together, in the form that fits now.
    mutating func step(_ run: Run, _ trial: inout Table.Trial) throws(Rejection) {
        guard case .item(let strip, _) = run[run.startIndex] else {
            for op in run { try step(op, &trial) }
            return
        }
        guard let row = table.row(strip) else { return }
        var items = row.content.items
        var fitting: [Op] = []
        for step in run.steps {
            let now = Self.fitting(step, items)
            fitting.append(.item(strip, now))
            // One that does not fit is found out below.
            guard (try? items.apply(now)) != nil else { break }
        }
        try append(fitting[...], &trial)
    }

    /// Adds an op of the old inverse in the form that fits now.
    mutating func step(_ op: Op, _ trial: inout Table.Trial) throws(Rejection) {
        switch op {
        case .insert(let row, let place, let hint):
            let place = cleared(try landing(place, &trial), for: row)
            try append(.insert(row, place, hint: hint), &trial)
        case .move(let ids, let place):
            let (place, note) = try landing(place, &trial)
            for id in ids { notes[id] = note }
            try decision.checkPassing(ids, backTo: place, newlyPinned)
            try append(.move(ids, place), &trial)
        case .swap(let a, let b):
            try decision.checkPassing(swappingBack: a, b, newlyPinned)
            try append(op, &trial)
        case .restore(let id, let traces):
            guard let row = table.row(id) else { return }
            try append(.restore(id, merged(traces, with: row)), &trial)
        case .item: try step([op][...], &trial)
        case .removeSection(let id):
            // Somebody has put rows there since.
            if table.section(id).map({ $0.count > 0 }) ?? true {
                note =
                    note
                    ?? Note(
                        "section \(id.text) stays: it has rows",
                        Saying("sectionStays", ["section": id.text]))
                return
            }
            try append(op, &trial)
        case .claim(let id, _):
            try decision.checkMayEndClaim(of: id)
            try append(op, &trial)
        case .remove, .set, .swipe, .expand, .scroll, .select, .mark, .came, .sleep, .perform,
            .insertSection, .setSection, .define, .edit, .expandAll,
            .invoke, .take, .release, .rest, .finish, .invocation:
            try append(op, &trial)
        }
    }

    mutating func append(
        _ op: Op, _ trial: inout Table.Trial
    ) throws(Rejection) { try append([op][...], &trial) }

    private mutating func append(_ run: Run, _ trial: inout Table.Trial) throws(Rejection) {
        for row in run[run.startIndex].rows where named.insert(row).inserted {
            rows.append(row)
            old[row] = table.row(row)
        }
        do throws(Mismatch) {
            try trial.tryToApply(run)
        } catch {
            let revision = change.diff.revision
            throw Rejection(
                .conflict, "Revision \(revision) can no longer be undone: \(error).",
                field: "revision")
        }
        ops += run
    }

    /// Where an old place is now, and why it is another one; nil: it is the same. If its section is
    /// gone, the section is made again.
    private mutating func landing(
        _ place: Place, _ trial: inout Table.Trial
    ) throws(Rejection) -> (Place, note: Note?) {
        let now = later.now(place, from: change.diff.revision, in: table)
        var (place, note) = (now.place, now.note)
        if case .after(let id) = place, table.row(id) == nil, let spot = table.removed[id] {
            place = decision.clear(
                .top(spot.section), of: spot.section, atTop: true, without: .none)
            note = Place.top(spot.section).note(.removed(id))
        }
        if case .top(let id) = place, table.section(id) == nil {
            for op in try decision.newSection(id, title: title(of: id)) { try append(op, &trial) }
        }
        return (place, note)
    }

    /// Where a row comes to stand that comes to a section: no row passes pinned ones that came meanwhile.
    private mutating func cleared(_ landing: (Place, note: Note?), for row: Row) -> Place {
        let (place, note) = landing
        notes[row.id] = note
        if table.kind(of: row)?.isPinned == true { return place }
        guard let inside = decision.placeInside(newlyPinned, for: place) else { return place }
        notes[row.id] = inside.note(.pinned)
        return inside
    }

    private func title(of section: SectionID) -> String {
        for change in later.changes {
            for case .insertSection(section, let title, _) in change.inverse ?? [] { return title }
        }
        return section.text
    }

    /// The old traces, unless later changes have left newer ones.
    private mutating func merged(_ old: Traces, with row: Row) -> Traces {
        let changedMs = content.contains(row.id) ? decision.nowMs : row.changedMs
        var traces = later.merged(old, with: row, changedMs: changedMs)
        if later.content.contains(row.id) {
            // Deeds of others stay, but not those that this revision began: they are taken back, or come back.
            let ours = begun.by.filter { $0.row == row.id }.map(\.deed)
            let back = begun.back.map { Performance.State.pending($0.id) }
            traces.performed =
                row.performed.filter { !ours.contains($0.deed) }
                + old.performed.filter { back.contains($0.state) }
        }
        return traces
    }

    /// Behind the item that the op named; if that is gone, at the end.
    private static func fitting(_ step: Item.Step, _ items: [Item]) -> Item.Step {
        func place(_ after: ID?, without moved: [ID]) -> ID? {
            guard let after, items.index(of: after) == nil else { return after }
            return items.last { !moved.contains($0.id) }?.id
        }
        switch step {
        case .insert(let item, let after): return .insert(item, after: place(after, without: []))
        case .move(let ids, let after): return .move(ids, after: place(after, without: ids))
        case .remove, .set: return step
        }
    }

    // MARK: Recall

    /// Brings one row back as it was before the revision that removed it, but neither swiped open
    /// nor claimed, nor asleep: the holder of the claim may be long gone, and who recalls it wants it now.
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
            let place = cleared(try nearest(removal, &trial), for: row)
            try append(
                .insert(
                    row.with(swipe: nil).with(claim: nil).with(selection: nil).with(sleep: nil),
                    place), &trial)
        }
        // One op is enough: insert the finished row. It may have come and gone before it came to stay.
        let places = ops.compactMap { op -> Place? in
            if case .inserts(let row, let place) = op.effect, row.id == id { place } else { nil }
        }
        guard let row = table.row(id), let place = places.last else {
            throw Rejection(
                .conflict, "Nothing of \"\(id.text)\" is left to bring back.", field: "rows")
        }
        ops = ops.filter { $0.row != id } + [.insert(row, place)]
    }

    /// The place behind its old neighbour, or behind the nearest above that is left, and why it is
    /// another one.
    private mutating func nearest(
        _ removal: Decision.Removal, _ trial: inout Table.Trial
    ) throws(Rejection) -> (Place, note: Note?) {
        var place = removal.place
        // Bounded: a row that came and went in one revision may be above itself.
        var steps = removal.places.count
        // Later changes tell the place of a row that the revision left where it was.
        while steps > 0, let row = place.row, let higher = removal.places[row],
            !isBack(row, removal)
        {
            place = higher
            steps -= 1
        }
        let (now, note) = try landing(place, &trial)
        guard note == nil, place != removal.place, let first = removal.place.row else {
            return (now, note)
        }
        return (now, now.note(table.row(first) == nil ? .removed(first) : .moved(first)))
    }

    /// Whether a row that the same revision removed stands again where it did, and is no other one
    /// of its name. One that it moved stands elsewhere.
    private func isBack(_ row: RowID, _ removal: Decision.Removal) -> Bool {
        guard removal.places.removed.contains(row),
            let section = table.position(of: row)?.section, section == oldSection(of: removal)
        else { return false }
        return later.now(.after(row), from: removal.revision, in: table).lost == nil
    }

    /// The section in which a row stood before the revision that removed it, which may have moved it before;
    /// nil: it is not known any more.
    private func oldSection(of removal: Decision.Removal) -> SectionID? {
        guard let top = removal.places.top(of: removal.row) else { return nil }
        switch later.now(top, from: removal.revision, in: table).place {
        case .top(let section): return section
        case .after(let row):
            return table.position(of: row)?.section ?? table.removed[row]?.section
        }
    }
}

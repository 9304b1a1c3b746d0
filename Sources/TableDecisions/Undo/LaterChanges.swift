import TableModel

/// The later changes since a revision that are about some rows or the whole table, and that are not
/// undone by now.
struct LaterChanges {
    private(set) var changes: [PastChange] = []
    /// Those that moved or removed rows: most did not.
    private var shifts: [Shift] = []
    private let found = FoundPlaces()
    /// Rows with changed content, and rows with a changed place.
    private(set) var content: Set<RowID> = []
    private(set) var places: Set<RowID> = []
    /// How invocations have ended.
    private(set) var outcomes: [InvocationID: Invocation.Outcome] = [:]
    /// Those that a handler took.
    private(set) var taken: Set<InvocationID> = []
    /// The bytes that were read to find them.
    private(set) var cost = 0

    /// A change that moved or removed rows.
    private struct Shift {
        let span: Range<UInt64>
        /// Where these rows were before.
        let origins: [RowID: Place]
        let removed: Set<RowID>
        /// How many steps lead from a place to the one before the change, at most.
        let steps: Int
        let isSwap: Bool

        /// Nil: no row was moved or removed.
        init?(_ change: PastChange) {
            origins = LaterChanges.origins(of: change)
            if origins.isEmpty { return nil }
            span = LaterChanges.span(of: change.diff)
            steps = origins.count
            var removed: Set<RowID> = []
            for case .removes(let id) in change.diff.ops.lazy.map(\.effect) { removed.insert(id) }
            self.removed = removed
            if case .swaps = change.diff.ops.first?.effect { isSwap = true } else { isSwap = false }
        }
    }

    /// To read all that is kept takes seconds, and everybody waits meanwhile. What is read comes to so
    /// many bytes at most, and each change counts as some besides its own: 40 ms.
    static let mostBytes = 4 << 20
    private static let bytesOfChange = 1 << 10
    /// To look at one that is not read costs as much as so many of them.
    private static let bytesOfLook = 16

    /// `ids` are the rows that count. If a later change moved or removed one of them, the row above
    /// its old place counts from then on. What is led back may be of any revision up to `latest`; nil: of this
    /// one alone. Throws if they are in more changes than can be read at once.
    init(
        _ revision: UInt64, _ past: any Past, about ids: Set<RowID>, upTo latest: UInt64? = nil
    ) throws(Rejection) {
        var ids = RowSearch(ids)
        var bytes = 0
        defer { cost = bytes + Int(past.head - revision) * Self.bytesOfLook }
        for later in Self.standing(after: revision, upTo: latest ?? revision, past) {
            guard past.mayMention(ids, in: later) else { continue }
            bytes += Self.bytesOfChange + past.size(of: later)
            guard bytes <= Self.mostBytes else { throw .tooFarBack(revision, changes.count) }
            guard let change = past.change(later) else { continue }
            changes.append(change)
            if let shift = Shift(change) { shifts.append(shift) }
            for case .row(let row, let aspect) in change.diff.touches {
                if aspect.isContent { content.insert(row) }
                if aspect == .place { places.insert(row) }
            }
            for case .finish(let id, let outcome) in change.diff.ops { outcomes[id] = outcome }
            for case .take(let id, _) in change.diff.ops { taken.insert(id) }
            for op in change.inverse ?? [] {
                let rows = op.rows
                guard let anchor = op.place?.row, rows.contains(where: ids.ids.contains) else {
                    continue
                }
                // Each of the rows stood behind the one before it.
                for row in rows + [anchor] { ids.insert(row) }
            }
        }
        changes = Self.withoutEndedDrags(changes)
    }

    /// Leaves out drags that were cancelled: the swipe that the lift closed is open again, as if nothing had been
    /// (E3). A session that is replayed has commands in their place. So whoever closes a swipe and opens it again has
    /// changed nothing.
    private static func withoutEndedDrags(_ changes: [PastChange]) -> [PastChange] {
        var left: [PastChange] = []
        for change in changes {
            if change.swipesOnly, let lift = left.lastIndex(where: { change.takesBack($0) }) {
                left.remove(at: lift)
            } else {
                left.append(change)
            }
        }
        return left
    }

    /// The old times of a row, unless later changes have left newer ones: `changedMs` where its content is another.
    func merged(_ old: Traces, with row: Row, changedMs: UInt64) -> Traces {
        var traces = old
        if content.contains(row.id) { traces.changedMs = changedMs }
        if places.contains(row.id) { traces.movedMs = row.movedMs }
        return traces
    }

    /// The later revisions in order, without pairs that cancel each other. Of a pair that may stand on both
    /// sides of a revision the undo stays.
    private static func standing(
        after revision: UInt64, upTo latest: UInt64, _ past: any Past
    ) -> [UInt64] {
        var cancelled: Set<UInt64> = []
        var standing: [UInt64] = []
        var later = past.head
        while later > revision {
            defer { later -= 1 }
            if cancelled.contains(later) { continue }
            if let undone = past.mark(of: later).undoes, undone > revision {
                cancelled.insert(undone)
                if undone > latest { continue }
            }
            standing.append(later)
        }
        return standing.reversed()
    }

    /// The revisions since which a change counts. An undo counts only for those that what it undid came
    /// before: since an earlier one the two cancel each other.
    private static func span(of diff: Diff) -> Range<UInt64> {
        let undone = diff.cause.undoes ?? 0
        return min(undone, diff.revision)..<diff.revision
    }

    /// Whether an invocation has ended, and no handler ever took it: no program ran for it.
    func hasNotRun(_ id: InvocationID) -> Bool { outcomes[id] != nil && !taken.contains(id) }

    /// The parts in which later changes win over the inverse. Throws if a later change is in the
    /// way.
    func conflicts(with change: PastChange, _ revision: UInt64) throws(Rejection) -> Dropped {
        var dropped = Dropped()
        // Most undos follow at once, and may be about ten thousand rows.
        if changes.isEmpty { return dropped }
        let inverse = change.inverse ?? []
        let back = inverse.filter { !$0.facts.contains(.restoresTraces) }
        let all = change.diff.touches + back.flatMap(\.touches)
        // Few of ten thousand rows have changed since.
        var changed: Set<RowID> = []
        for later in changes {
            for case .row(let id, _) in later.diff.touches { changed.insert(id) }
        }
        let touched = Set(
            all.filter { if case .row(let id, _) = $0 { changed.contains(id) } else { true } })
        // Rows that the inverse removes: what others changed on them would be lost.
        let removed = Set(
            inverse.compactMap { op -> RowID? in
                if case .removes(let id) = op.effect { return id }
                return nil
            })
        // The last that has replaced something, and what.
        var replacing: (Diff, Touch)?
        // The rows, and those of which it is not only what passes.
        var (touchedRows, firmRows): (Set<RowID>, Set<RowID>) = ([], [])
        for case .row(let id, let aspect) in touched {
            touchedRows.insert(id)
            if !aspect.passes { firmRows.insert(id) }
        }
        let expands = all.contains { if case .row(_, .expansion) = $0 { true } else { false } }
        for later in changes {
            for touch in later.diff.touches {
                switch touch {
                case .row(_, let aspect) where aspect.passes:
                    dropped.touches.insert(touch)
                    if touched.contains(touch) { replacing = (later.diff, touch) }
                case .row(let id, .existence):
                    if firmRows.contains(id) { throw .inTheWay(later.diff, touch, of: revision) }
                    guard touchedRows.contains(id) else { continue }
                    dropped.rows.insert(id)
                    replacing = (later.diff, touch)
                case .row(let id, let aspect):
                    if touched.contains(touch) || removed.contains(id) && aspect != .performed {
                        throw .inTheWay(later.diff, touch, of: revision)
                    }
                case .allExpansions:
                    guard expands else { continue }
                    dropped.allExpansions = true
                    replacing = (later.diff, touch)
                case .invocation(let id) where touched.contains(touch) && hasNotRun(id):
                    dropped.touches.insert(touch)
                    replacing = (later.diff, touch)
                // It ends by itself, which must be in nobody's way.
                case .editing where touched.contains(touch):
                    dropped.touches.insert(touch)
                    replacing = (later.diff, touch)
                case .editing: continue
                case .section, .kind, .settings, .invocation:
                    if touched.contains(touch) { throw .inTheWay(later.diff, touch, of: revision) }
                }
            }
        }
        if let (diff, touch) = replacing, !inverse.contains(where: { !dropped.contains($0) }) {
            dropped.all = .inTheWay(diff, touch, of: revision)
        }
        return dropped
    }

    /// Parts that pass and changed again since: the later change stays.
    struct Dropped {
        fileprivate(set) var touches: Set<Touch> = []
        fileprivate(set) var allExpansions = false
        /// The rows that were removed or added.
        fileprivate(set) var rows: Set<RowID> = []
        /// If nothing is left of the inverse: which change has replaced it.
        fileprivate(set) var all: Rejection?

        var isEmpty: Bool { touches.isEmpty && !allExpansions && rows.isEmpty }

        func contains(_ op: Op) -> Bool {
            if isEmpty { return false }
            let all = op.touches
            return !all.isEmpty
                && all.allSatisfy { touch in
                    if case .row(_, .expansion) = touch, allExpansions { return true }
                    if case .row(let id, _) = touch, rows.contains(id) { return true }
                    return touches.contains(touch)
                }
        }
    }

    /// Where a place was found, and why it is not the one that was meant.
    struct Landing {
        fileprivate(set) var place: Place
        /// The row that it was behind, if that is not to be said: it has not moved, or is back.
        fileprivate(set) var lost: RowID?
        fileprivate var isGone = false

        /// For people; nil: it is the place that was meant.
        var note: Note? {
            guard let lost else { return nil }
            return place.note(isGone ? .removed(lost) : .moved(lost))
        }
    }

    /// Where a place after `revision` is now.
    func now(_ place: Place, from revision: UInt64, in table: Table) -> Landing {
        guard case .after(let anchor) = place else { return Landing(place: place) }
        let (found, wasShifted) = followed(anchor, from: revision)
        if found == place { return Landing(place: place) }
        let isThere = table.row(anchor) != nil
        // The row was removed and came back to its place.
        if isThere, !wasShifted { return Landing(place: .after(anchor)) }
        return Landing(place: found, lost: anchor, isGone: !isThere)
    }

    /// Where the place behind a row is by now; and whether the row itself was moved from it, and not
    /// removed. Many rows that are recalled were behind the same ones: each is followed once.
    private func followed(_ anchor: RowID, from revision: UInt64) -> (Place, wasShifted: Bool) {
        if let known = found.places[revision]?[anchor] { return known }
        var place = Place.after(anchor)
        var wasShifted = false
        for shift in shifts where shift.span.contains(revision) {
            // Bounded: in one change no row is behind itself.
            var steps = shift.steps
            while case .after(let id) = place, steps > 0, let old = shift.origins[id] {
                if id == anchor, !shift.removed.contains(id) { wasShifted = true }
                place = old
                steps -= 1
                if shift.isSwap { break }
            }
        }
        found.places[revision, default: [:]][anchor] = (place, wasShifted)
        return (place, wasShifted)
    }

    /// Kinds whose rows were not pinned before.
    var newlyPinnedKinds: Spans<KindID> {
        var kinds = Spans<KindID>()
        for change in changes {
            let span = Self.span(of: change.diff)
            for case .ofTable(.defines(let old)) in (change.inverse ?? []).lazy.map(\.effect) {
                for kind in old.kinds where !kind.isPinned { kinds.insert(kind.id, span) }
            }
        }
        return kinds
    }

    /// Those of these rows that have come, or have another place or kind.
    func placed(among ids: Set<RowID>) -> Spans<RowID> {
        var rows = Spans<RowID>()
        for change in changes {
            let span = Self.span(of: change.diff)
            for case .row(let id, let aspect) in change.diff.touches
            where [.existence, .place, .kind].contains(aspect) && ids.contains(id) {
                rows.insert(id, span)
            }
        }
        return rows
    }

    /// Things that were changed, and the revisions since which that counts.
    struct Spans<Key: Hashable> {
        private var spans: [Key: [Range<UInt64>]] = [:]

        /// In the order of the changes.
        fileprivate mutating func insert(_ key: Key, _ span: Range<UInt64>) {
            // Most reach back to the beginning: then the latest says it all.
            while let last = spans[key]?.last, last.lowerBound >= span.lowerBound {
                spans[key]?.removeLast()
            }
            spans[key, default: []].append(span)
        }

        func contains(_ key: Key, since revision: UInt64) -> Bool {
            spans[key]?.contains { $0.contains(revision) } ?? false
        }
    }

    /// The places found so far: an object, since they are no part of the changes' value.
    private final class FoundPlaces {
        var places: [UInt64: [RowID: (Place, wasShifted: Bool)]] = [:]
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
            case .removes, .changes, .claims, .changesAll, .news: continue
            case .ofSection, .ofTable, .begins, .changesInvocation, .ends: continue
            }
        }
        return origins
    }
}

extension Rejection {
    fileprivate static func tooFarBack(_ revision: UInt64, _ count: Int) -> Rejection {
        Rejection(
            .compacted,
            "Revision \(revision) is too far back: more than \(count) later changes are about the "
                + "same rows, or the whole table.", field: "revision")
    }

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

extension PastChange {
    fileprivate var swipesOnly: Bool {
        diff.ops.allSatisfy { if case .swipe = $0 { true } else { false } }
    }

    /// Whether it opens the swipes that its actor had closed, and no other.
    fileprivate func takesBack(_ lift: PastChange) -> Bool {
        guard let inverse = lift.inverse, inverse.count == diff.ops.count, lift.swipesOnly,
            diff.cause.actor != nil, diff.cause.actor == lift.diff.cause.actor
        else { return false }
        return inverse.allSatisfy { op in
            if case .swipe(_, .some) = op { diff.ops.contains(op) } else { false }
        }
    }
}

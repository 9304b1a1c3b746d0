extension Table {
    /// The only way to change a table, for the daemon, for recovery and for every viewer.
    ///
    /// Throws `Mismatch` if the diff does not fit. After `base` nothing has changed. After the
    /// others, a viewer must not use the table any more.
    public func apply(_ diff: Diff) throws(Mismatch) {
        try applyUnchecked(diff)
        guard digest == diff.digest else { throw .digest(table: digest, diff: diff.digest) }
    }

    /// Applies one of several diffs. The caller compares the digest after the last.
    public func applyUnchecked(_ diff: Diff) throws(Mismatch) {
        guard diff.base == revision else { throw .base(table: revision, diff: diff.base) }
        try apply(diff.ops, timeMs: diff.cause.timeMs, takesBack: diff.cause.undoes != nil)
    }

    /// Applies the ops of one revision, without comparing a digest.
    package func apply(_ ops: [Op], timeMs: UInt64, takesBack: Bool = false) throws(Mismatch) {
        let (next, overflow) = revision.addingReportingOverflow(1)
        if overflow { throw .op("the revision cannot grow") }
        let moment = Moment(revision: next, timeMs: timeMs, takesBack: takesBack)
        changesMuch = isMuch(ops)
        defer { changesMuch = false }
        try ops.forEachRun { run throws(Mismatch) in try apply(run, at: moment) }
        revision = next
    }

    /// Whether the ops change several rows of each leaf, as far as their number tells.
    @inline(__always)
    func isMuch(_ ops: [Op]) -> Bool { ops.count > Limits.lightOps && ops.count > count / 16 }

    package func apply(_ op: Op, at moment: Moment) throws(Mismatch) {
        if moment.takesBack, !recent.isEmpty { takeBackDeeds(op) }
        switch op {
        case .insert(let row, let place, _):
            if slots[row.id] != nil { throw .op("\(row.id) is there already") }
            let isAsIs = moment.isInverse || row.version == moment.revision
            try put(isAsIs ? row : row.with(version: moment.revision), at: place)
            if !recent.isEmpty { recent.forget(row.id) }
        case .remove(let id, _): try removeRow(id, at: moment)
        case .move(let ids, let place): try move(ids, to: place, at: moment)
        case .set(let id, let changes):
            try update(id) { $0.set(changes, at: moment) }
            if !recent.isEmpty { recent.change(id) }
        case .swipe(let id, let edge): try change(id) { $0.swipe = edge }
        case .expand(let id, let state): try update(id) { $0.expand(to: state) }
        case .swap(let a, let b): try swap(a, b, at: moment)
        case .insertSection(let id, let title, let after):
            try insertSection(id, title: title, after: after)
        case .removeSection(let id): try removeSection(id)
        case .setSection(let id, let title): try setSection(id, title: title)
        case .define(let definitions): define(definitions)
        case .edit(let isOn): isEditing = isOn
        case .perform(let id, let performance):
            try change(id) { $0.perform(performance, at: moment) }
            recent.perform(performance.deed, on: id, at: moment)
        case .invoke(let invocation): try invoke(invocation)
        case .rest(let id, let failure): try rest(id, failure)
        case .take(let id, let holder): try changeInvocation(id, heldBy: holder)
        case .release(let id): try changeInvocation(id, heldBy: nil)
        case .finish(let id, let outcome): try finish(id, outcome, at: moment)
        case .invocation(let id, let old): restoreInvocation(id, old)
        case .expandAll(let isOpen): expandAll(isOpen)
        case .item(let id, let step): try apply([step], toItemsOf: id, at: moment)
        case .scroll(let id, let scroll):
            try change(id) { $0.changeExtras { $0.scroll = scroll } }
        case .select(let id, let item):
            _ = try slot(id)
            recent.perform(Deed(.tap, on: item), on: id, at: moment)
        case .claim(let id, let claim): try change(id) { $0.changeExtras { $0.claim = claim } }
        case .came(let id, let from): try change(id) { $0.changeExtras { $0.cameFrom = from } }
        case .sleep(let id, let sleep): try change(id) { $0.changeExtras { $0.sleep = sleep } }
        case .mark(let id, let what): try change(id) { $0.changeExtras { $0.selection = what } }
        case .restore(let id, let traces):
            let version = moment.isInverse ? traces.version : moment.revision
            try change(id) { $0.take(traces, version: version) }
        }
    }

    /// A deed that an undo takes back may be done again. A tap leaves no performance: whatever of its row is taken back may
    /// be what it did.
    private func takeBackDeeds(_ op: Op) {
        if case .restore(let id, let traces) = op {
            return recent.takeBack(id) { deed in traces.performed.contains { $0.deed == deed } }
        }
        for id in op.rows(in: self) { recent.takeBack(id) { $0.action != .tap } }
    }

    func slot(_ id: RowID) throws(Mismatch) -> Slot {
        guard let slot = slots[id] else { throw .op("\(id) is not there") }
        return slot
    }

    @inline(__always)
    private func within<Result>(
        _ slot: Slot, _ body: (Tree, Tree.Node, _ place: Int) -> Result
    ) throws(Mismatch) -> Result {
        guard let result = slot.lend(body) else { throw .op("a leaf without a tree") }
        return result
    }

    private func put(_ row: Row, at place: Place) throws(Mismatch) {
        switch place {
        case .after(let id):
            let slot = try slot(id)
            try within(slot) { tree, leaf, place in tree.insert(row, in: leaf, at: place + 1) }
        case .top(let id):
            guard let section = sectionsByID[id] else { throw .op("no section \(id)") }
            section.rows.insertFirst(row)
        }
        note(row)
    }

    private func detach(_ id: RowID) throws(Mismatch) -> Row {
        let row = try take(slot(id))
        slots.remove(id)
        return row
    }

    /// Takes a row out of its leaf. Who holds it keeps it until its slot names another, or is gone.
    private func take(_ slot: Slot) throws(Mismatch) -> Row {
        try within(slot) { tree, leaf, place in tree.remove(at: place, in: leaf) }
    }

    private func removeRow(_ id: RowID, at moment: Moment) throws(Mismatch) {
        let slot = try slot(id)
        if let section = section(of: slot) {
            let before = section.rows.predecessor(of: slot.row, in: slot.leaf)
            removed.append(
                .init(
                    row: id, section: section.id, after: before?.id,
                    performed: deeds(removing: slot.row, at: moment.revision),
                    revision: moment.revision))
        }
        var row = try detach(id)
        if isCaptured(&row) { noteSuperseded(row, isWhole: true) }
        forget(id)
    }

    @inline(__always)
    private func move(_ ids: Few<RowID>, to place: Place, at moment: Moment) throws(Mismatch) {
        if case .one(let id) = ids, case .after(let anchor) = place, id != anchor {
            return try move(id, after: anchor, at: moment)
        }
        try move(each: ids, to: place, at: moment)
    }

    private func move(each ids: Few<RowID>, to place: Place, at moment: Moment) throws(Mismatch) {
        var taken: [Row] = []
        for id in ids {
            var row = try detach(id)
            if isCaptured(&row) { noteSuperseded(row, isWhole: false) }
            taken.append(row)
        }
        var place = place
        for row in taken {
            try put(row.with { $0.move(at: moment) }, at: place)
            place = .after(row.id)
        }
    }

    /// Nearly every move is of this form. The row's slot is updated, not removed and made again.
    private func move(_ id: RowID, after anchor: RowID, at moment: Moment) throws(Mismatch) {
        let (spot, slot) = (try slot(anchor), try slot(id))
        var row = try within(slot) { tree, leaf, place in tree.take(at: place, in: leaf) }
        if isCaptured(&row) { noteSuperseded(row, isWhole: false) }
        let other = row.move(at: moment)
        try withExtendedLifetime(row) { () throws(Mismatch) in
            try within(spot) { tree, leaf, place in
                tree.insert(other ?? row, in: leaf, at: place + 1)
            }
        }
        // Only now, since the anchor may come to another leaf.
        slot.mend()
    }

    /// Puts a row in its place again, as it was before.
    func putBack(_ old: Row) throws(Mismatch) { try update(old.id) { _ in old } }

    /// Changes parts of a row: where it lies, if nobody else holds it.
    func change(_ id: RowID, _ change: (inout RowStore.Parts) -> Void) throws(Mismatch) {
        try update(id) { $0.change(change) }
    }

    @inline(__always)
    func update(_ id: RowID, _ change: (inout Row) -> Row?) throws(Mismatch) {
        try within(slot(id)) { tree, leaf, place in
            if changesMuch { leaf.willChangeMuch() }
            tree.change(at: place, in: leaf) { changed(&$0, change) }
        }
    }

    /// Changes a row where it lies, or makes another one that is to take its place. What the table knows of its rows
    /// is brought up to date.
    @inline(__always)
    func changed(_ row: inout Row, _ change: (inout Row) -> Row?) -> Row? {
        // If a snapshot holds it, it is not changed but replaced.
        let old = isCaptured(&row) ? row : nil
        let other = change(&row)
        if let old {
            let isWhole = (other ?? row).version != old.version
            noteSuperseded(old, isWhole: isWhole)
        }
        note(other ?? row)
        return other
    }

    /// Updates the sets of open, claimed, sleeping and pinned rows.
    @inline(__always)
    func note(_ row: Row) {
        let isAnyNoted =
            !openRows.isEmpty || !claimedRows.isEmpty || !selectedRows.isEmpty || hasPinnedKinds
            || !asleepRows.isEmpty
        if isAnyNoted || !row.isPlain { noteParts(of: row) }
    }

    private func noteParts(of row: Row) {
        func note(_ isOne: Bool, in rows: inout Set<RowID>) {
            if isOne {
                rows.insert(row.id)
            } else if !rows.isEmpty {
                rows.remove(row.id)
            }
        }
        note(row.swipe != nil, in: &openRows)
        note(row.claim != nil, in: &claimedRows)
        note(row.sleep != nil, in: &asleepRows)
        note(row.selection != nil, in: &selectedRows)
        guard hasPinnedKinds else { return }
        note(kinds[row.content.kind]?.isPinned == true, in: &pinnedRows)
    }

    private func forget(_ id: RowID) {
        if !openRows.isEmpty { openRows.remove(id) }
        if !claimedRows.isEmpty { claimedRows.remove(id) }
        if !asleepRows.isEmpty { asleepRows.remove(id) }
        if !selectedRows.isEmpty { selectedRows.remove(id) }
        if !pinnedRows.isEmpty { pinnedRows.remove(id) }
    }

    private func swap(_ a: RowID, _ b: RowID, at moment: Moment) throws(Mismatch) {
        let first = try slot(a)
        let second = try slot(b)
        if a == b { return }
        for slot in [first, second] where capturedAt > 0 { noteSuperseded(slot) }
        // Held until both slots name the moved rows.
        let (one, other) = (first.row, second.row)
        let moved = (
            one: one.with { $0.move(at: moment) }, other: other.with { $0.move(at: moment) }
        )
        try withExtendedLifetime((one, other)) { () throws(Mismatch) in
            try within(first) { tree, leaf, place in
                tree.change(at: place, in: leaf) { _ in moved.other }
            }
            try within(second) { tree, leaf, place in
                tree.change(at: place, in: leaf) { _ in moved.one }
            }
        }
    }

    private func insertSection(_ id: SectionID, title: String, after: SectionID?) throws(Mismatch) {
        if sectionsByID[id] != nil { throw .op("section \(id) is there already") }
        var index = 0
        if let after {
            guard let before = sections.firstIndex(where: { $0.id == after }) else {
                throw .op("no section \(after)")
            }
            index = before + 1
        }
        let section = makeSection(id, title: title)
        sections.insert(section, at: index)
        sectionsByID[id] = section
    }

    private func removeSection(_ id: SectionID) throws(Mismatch) {
        guard let section = sectionsByID[id], section.count == 0 else {
            throw .op("no empty section \(id)")
        }
        sections.removeAll { $0 === section }
        sectionsByID[id] = nil
    }

    private func setSection(_ id: SectionID, title: String) throws(Mismatch) {
        guard let section = sectionsByID[id] else { throw .op("no section \(id)") }
        section.title = title
    }

    private func define(_ definitions: Command.Definitions) {
        noteSuperseded(by: definitions)
        kindsBytes += growth(by: definitions)
        for kind in definitions.kinds { kinds[kind.id] = kind }
        for id in definitions.dropped { kinds[id] = nil }
        if let settings = definitions.settings { self.settings = settings }
        cachedDefinitionsHash = nil
        notePinned()
    }

    /// Recomputes which rows are pinned, after kinds have changed.
    func notePinned() {
        let pinned = Set(kinds.values.lazy.filter(\.isPinned).map(\.id))
        hasPinnedKinds = !pinned.isEmpty
        hasFixedKinds = kinds.values.contains(where: \.isFixed)
        hasLookingBack = kinds.values.contains(where: \.looksBack)
        pinnedRows = []
        if pinned.isEmpty { return }
        for row in rows where pinned.contains(row.content.kind) { pinnedRows.insert(row.id) }
    }
}

extension Table {
    /// By how many bytes the kinds of the table grow with these definitions.
    package func growth(by definitions: Command.Definitions) -> Int {
        var growth = 0
        for id in definitions.dropped { growth -= kinds[id]?.byteCount ?? 0 }
        for kind in definitions.kinds {
            growth += kind.byteCount - (kinds[kind.id]?.byteCount ?? 0)
        }
        return growth
    }
}

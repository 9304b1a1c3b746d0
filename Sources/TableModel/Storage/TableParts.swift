// Building a table from a snapshot or a checkpoint, part by part.

extension Table {
    /// An empty table at a revision, to be filled by `appendSection` and `appendRow`.
    public convenience init(
        restoring name: TableID, history: ID128, revision: UInt64, kinds: [Kind],
        settings: Settings, removedPlaces: Int = Limits().removedPlaces
    ) {
        self.init(name: name, history: history, removedPlaces: removedPlaces)
        self.revision = revision
        self.settings = settings
        self.kinds = [:]
        for kind in kinds { self.kinds[kind.id] = kind }
        hasPinnedKinds = kinds.contains(where: \.isPinned)
    }

    /// Adds a section behind all others, unless it is the last one already.
    public func appendSection(_ id: SectionID, title: String) throws(Mismatch) {
        if sections.last?.id == id { return }
        let step = Op.insertSection(id, title: title, after: sections.last?.id)
        try apply(step, at: Moment(revision: revision, timeMs: 0))
    }

    /// Adds a row, as it is, at the bottom of a section that is there.
    public func appendRow(_ row: Row, to section: SectionID) throws(Mismatch) {
        guard slots[row.id] == nil, let section = sectionsByID[section] else {
            throw .op("\(row.id) cannot be restored")
        }
        section.rows.append(row)
        note(row)
    }

    /// Adds rows, as they are, at the bottom of a section that is there. The table is of no further
    /// use where that is not possible.
    public func appendRows(_ rows: [Row], to section: SectionID) throws(Mismatch) {
        guard let section = sectionsByID[section] else {
            throw .op("rows of no section cannot be restored")
        }
        let before = slots.count
        section.rows.append(contentsOf: rows)
        guard slots.count == before + rows.count else {
            throw .op("a row stands twice and cannot be restored")
        }
        for row in rows { note(row) }
    }

    /// Goes into edit mode, or out of it.
    public func restoreEditing(_ isOn: Bool) { isEditing = isOn }

    /// Registers more kinds, before there are rows of them.
    public func restore(_ more: [Kind]) {
        for kind in more { kinds[kind.id] = kind.normalized }
        hasPinnedKinds = hasPinnedKinds || more.contains(where: \.isPinned)
        cachedDefinitionsHash = nil
    }

    /// What it is from now on is another history, at the revision that it has.
    public func begin(history: ID128) { self.history = history }

    /// Adds an invocation, as it is.
    public func restore(_ invocation: Invocation) { invocations.put(invocation) }

    /// Remembers where a removed row stood, oldest first.
    public func appendRemovedPlace(_ place: RemovedPlaces.Entry) {
        removed.append(place)
    }

    /// Makes room for so many rows at once; for no more than a table may have, since the number
    /// may come from outside.
    public func reserve(_ rows: Int) {
        slots.reserve(max(0, min(rows, Limits().rows)))
    }

    /// Another table with the same content, in memory of its own.
    public func copy() -> Table {
        let copy = Table(
            restoring: name, history: history, revision: revision, kinds: Array(kinds.values),
            settings: settings)
        copy.reserve(count)
        do {
            for section in sections {
                try copy.appendSection(section.id, title: section.title)
                for run in section.runs() {
                    for row in run { try copy.appendRow(row, to: section.id) }
                }
            }
        } catch {
            preconditionFailure("a table does not fit into its own copy: \(error)")
        }
        copy.removed = removed
        copy.isEditing = isEditing
        copy.invocations = invocations
        return copy
    }

    /// The digest, computed from every row's content anew: equal to `digest`, or something is broken.
    public func recomputedDigest() -> UInt64 {
        let fresh = Table(
            restoring: name, history: history, revision: revision, kinds: Array(kinds.values),
            settings: settings, removedPlaces: 0)
        do {
            for section in sections {
                try fresh.appendSection(section.id, title: section.title)
                for run in section.runs() {
                    for row in run {
                        try fresh.appendRow(row.with(version: row.version), to: section.id)
                    }
                }
            }
        } catch { return ~digest }
        fresh.isEditing = isEditing
        for invocation in invocations.all { fresh.restore(invocation) }
        return fresh.digest
    }

    /// Looks for what cannot be: for tests, and for `trestle check`. Nil when all is well.
    public func fault() -> String? {
        var seen = 0
        for section in sections {
            if let fault = section.rows.fault() { return "section \(section.id): \(fault)" }
            for run in section.runs() {
                for row in run {
                    seen += 1
                    guard let slot = slots[row.id], slot.row.isSame(as: row) else {
                        return "row \(row.id): its slot names another"
                    }
                    if let fault = fault(of: row) { return fault }
                }
            }
        }
        if let fault = slots.fault() { return fault }
        if seen != slots.count { return "\(slots.count) rows are known, \(seen) are in order" }
        return faultInSwipes
    }

    /// More rows open than may be.
    var faultInSwipes: String? {
        if settings.swipePolicy == .exclusive, openRows.count > 1 { return "two rows are open" }
        if isEditing, !openRows.isEmpty { return "a row is open in edit mode" }
        return nil
    }

    /// What cannot be about a row of this table, as it is now.
    func fault(of row: Row) -> String? {
        if kinds[row.content.kind] == nil { return "row \(row.id): unregistered kind" }
        for case .pending(let id) in row.performed.map(\.state)
        where invocations[id]?.row != row.id {
            return "row \(row.id): there is no invocation \(id.text)"
        }
        if (row.swipe != nil) != openRows.contains(row.id) {
            return "row \(row.id): its swipe is not noted"
        }
        if (row.claim != nil) != claimedRows.contains(row.id) {
            return "row \(row.id): its claim is not noted"
        }
        if kinds[row.content.kind]?.isPinned != pinnedRows.contains(row.id) {
            return "row \(row.id): whether it is pinned is not noted"
        }
        return nil
    }
}

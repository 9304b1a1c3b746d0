// Builds a table from a snapshot or a checkpoint, part by part.

extension Table {
    /// An empty table at a revision. `appendSection` and `appendRow` fill it.
    public convenience init(
        restoring name: TableID, history: ID128, revision: UInt64, kinds: [Kind],
        settings: Settings, removedPlaces: Int = Limits().removedPlaces
    ) {
        self.init(name: name, history: history, removedPlaces: removedPlaces)
        self.revision = revision
        self.settings = settings
        self.kinds = [:]
        for kind in kinds { self.kinds[kind.id] = kind }
        kindsBytes = self.kinds.values.reduce(0) { $0 + $1.byteCount }
        hasPinnedKinds = kinds.contains(where: \.isPinned)
        hasFixedKinds = kinds.contains(where: \.isFixed)
        hasLookingBack = kinds.contains(where: \.looksBack)
    }

    /// Adds a section behind all others, unless it is the last one already.
    public func appendSection(_ id: SectionID, title: String) throws(Mismatch) {
        if sections.last?.id == id { return }
        let step = Op.insertSection(id, title: title, after: sections.last?.id)
        try apply(step, at: Moment(revision: revision, timeMs: 0))
    }

    /// Adds a row, as it is, at the bottom of an existing section.
    public func appendRow(_ row: Row, to section: SectionID) throws(Mismatch) {
        guard slots[row.id] == nil, let section = sectionsByID[section] else {
            throw .op("\(row.id) cannot be restored")
        }
        section.rows.append(row)
        note(row)
    }

    /// Adds rows, as they are, at the bottom of an existing section. If it throws, the table must
    /// not be used any more.
    public func appendRows(_ rows: [Row], to section: SectionID) throws(Mismatch) {
        guard let section = sectionsByID[section] else {
            throw .op("rows cannot be restored: their section is missing")
        }
        let before = slots.count
        slots.fetch(rows)
        section.rows.append(contentsOf: rows)
        guard slots.count == before + rows.count else {
            throw .op("rows cannot be restored: an id occurs twice")
        }
        for row in rows { note(row) }
    }

    /// Sets edit mode.
    public func restoreEditing(_ isOn: Bool) { isEditing = isOn }

    /// Registers more kinds, before the rows of these kinds.
    public func restore(_ more: [Kind]) {
        for kind in more {
            let kind = kind.normalized
            let old = kinds.updateValue(kind, forKey: kind.id)
            kindsBytes += kind.byteCount - (old?.byteCount ?? 0)
        }
        hasPinnedKinds = hasPinnedKinds || more.contains(where: \.isPinned)
        hasFixedKinds = hasFixedKinds || more.contains(where: \.isFixed)
        hasLookingBack = hasLookingBack || more.contains(where: \.looksBack)
        cachedDefinitionsHash = nil
    }

    /// Starts another history at the current revision.
    public func begin(history: ID128) { self.history = history }

    /// Adds an invocation as it is.
    public func restore(_ invocation: Invocation) { invocations.put(invocation) }

    /// Remembers the place of a removed row. Call it for the oldest first.
    public func appendRemovedPlace(_ place: RemovedPlaces.Entry) { removed.append(place) }

    /// Makes room for this many rows at once, but at most for the limit: the number may come from
    /// outside.
    public func reserve(_ rows: Int) { slots.reserve(max(0, min(rows, Limits().rows))) }

    /// A copy in memory of its own.
    public func copy() -> Table {
        copy(count: count) { section, take in
            for run in section.runs() { for row in run { try take(row) } }
        }
    }

    /// A copy that has some rows only, in the order of their ids. What is tried out on it leaves the leaves of this table as
    /// they are.
    package func excerpt(of ids: [RowID]) -> Table {
        var (found, known): ([SectionID: [Row]], Set<RowID>) = ([:], [])
        for id in ids where known.insert(id).inserted {
            guard let row = row(id), let section = section(of: id) else { continue }
            found[section.id, default: []].append(row)
        }
        return copy(count: ids.count) { section, take in
            for row in found[section.id] ?? [] { try take(row) }
        }
    }

    private func copy(count: Int, rows: (Section, (Row) throws -> Void) throws -> Void) -> Table {
        let copy = Table(
            restoring: name, history: history, revision: revision, kinds: Array(kinds.values),
            settings: settings)
        copy.reserve(count)
        do {
            for section in sections {
                try copy.appendSection(section.id, title: section.title)
                try rows(section) { try copy.appendRow($0, to: section.id) }
            }
        } catch {
            preconditionFailure("a table does not fit into its own copy: \(error)")
        }
        copy.removed = removed
        copy.recent = recent
        copy.isEditing = isEditing
        copy.invocations = invocations
        return copy
    }

    /// Checks the whole table at once. `TableCheck` does the same in slices. Nil if all is well.
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

    /// Whether more rows are open than allowed.
    var faultInSwipes: String? {
        if settings.swipePolicy == .exclusive, openRows.count > 1 { return "two rows are open" }
        if isEditing, !openRows.isEmpty { return "a row is open in edit mode" }
        if selectedRows.count > (settings.selection == .shared ? 1 : 0) {
            return "too many rows are selected"
        }
        return nil
    }

    /// The fault of a row of this table as it is now; nil: there is none.
    func fault(of row: Row) -> String? {
        guard let kind = kinds[row.content.kind] else { return "row \(row.id): unregistered kind" }
        if let name = kind.missingItemKind(of: row.content) {
            return "row \(row.id): unregistered item kind \(name)"
        }
        for case .pending(let id) in row.performed.map(\.state)
        where invocations[id]?.row != row.id {
            return "row \(row.id): there is no invocation \(id.text)"
        }
        if (row.swipe != nil) != openRows.contains(row.id) {
            return "row \(row.id): its swipe is not noted"
        }
        if (row.selection != nil) != selectedRows.contains(row.id) {
            return "row \(row.id): its selection is not noted"
        }
        if (row.claim != nil) != claimedRows.contains(row.id) {
            return "row \(row.id): its claim is not noted"
        }
        if (row.sleep != nil) != asleepRows.contains(row.id) {
            return "row \(row.id): its sleep is not noted"
        }
        if kinds[row.content.kind]?.isPinned != pinnedRows.contains(row.id) {
            return "row \(row.id): whether it is pinned is not noted"
        }
        return nil
    }
}

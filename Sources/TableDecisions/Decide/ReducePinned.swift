import TableModel

// Pinned rows do not move, and no row moves past them.

extension Decision {
    /// Where rows land at an end of a section: below the pinned rows at its top, or above those at
    /// its bottom. If all rows are pinned, below them.
    func clear(
        _ place: Place, of section: SectionID, atTop: Bool, without moving: Few<RowID>
    ) -> Place {
        guard !table.pinnedRows.isEmpty, let section = table.section(section), section.count > 0
        else { return place }
        let isPinned = { (index: Int) in
            section.row(at: index).map { table.pinnedRows.contains($0.id) } ?? false
        }
        let top = (0..<section.count).first { !isPinned($0) } ?? section.count
        if atTop || top == section.count {
            guard top > 0 else { return place }
            return section.row(at: top - 1).map { .after($0.id) } ?? place
        }
        guard case .after(let id) = place, table.pinnedRows.contains(id),
            let last = (top..<section.count).last(where: { !isPinned($0) })
        else { return place }
        // Above the pinned rows at the bottom. One that stands above rows that are moved is not at the bottom.
        let leaving = Set(moving)
        let above = (0...last).last { index in
            section.row(at: index).map { !leaving.contains($0.id) } ?? false
        }
        guard let above else { return .top(section.id) }
        return section.row(at: above).map { .after($0.id) } ?? place
    }

    /// Checks that rows, existing or new, do not move past a pinned row to a named place.
    func checkPassing(
        _ ids: Few<RowID>, to place: Place, isNew: Bool = false, field: String
    ) throws(Rejection) {
        guard !table.pinnedRows.isEmpty, let section = section(of: place) else { return }
        let pinned = ranks(of: table.pinnedRows, in: section)
        guard !pinned.isEmpty else { return }
        let target = segment(of: place, among: pinned)
        for id in ids {
            let position = isNew ? nil : table.position(of: id)
            if let position, position.section == section {
                let segment = pinned.count { $0 < position.index }
                if segment != target { throw .passing(id, field: field) }
            } else if !isInside(place, of: section, pinned) {
                throw .passing(id, field: field)
            }
        }
    }

    /// Checks that two rows do not move past a pinned row when they are swapped.
    func checkPassing(swapping a: RowID, _ b: RowID) throws(Rejection) {
        if isAny(of: table.pinnedRows, between: a, b) { throw .passing(a, field: "b") }
    }

    /// Whether one of some rows is one of these two, or stands between them.
    private func isAny(of rows: Set<RowID>, between a: RowID, _ b: RowID) -> Bool {
        guard !rows.isEmpty, let first = table.position(of: a), let second = table.position(of: b),
            first.section == second.section
        else { return false }
        let between = min(first.index, second.index)...max(first.index, second.index)
        return ranks(of: rows, in: first.section).contains(where: between.contains)
    }

    // MARK: Undo

    /// The rows that are pinned, or pinned where they are, only since each of these revisions. An undo leads rows
    /// back to where they stood, perhaps above a row that was pinned already: only these are new to them.
    func pinned(
        after revisions: some Collection<UInt64>, _ past: any Past, _ later: LaterChanges
    ) -> [UInt64: Set<RowID>] {
        let rows = table.pinnedRows.compactMap { table.row($0) }
        guard !rows.isEmpty, let first = revisions.min() else { return [:] }
        let kinds = later.newlyPinnedKinds
        let changed = Set(rows.lazy.filter { $0.version > first }.map(\.id))
        // Perhaps only their titles are others. It is read once for all revisions, of which there may be 256:
        // everybody waits meanwhile. Where there is too much to read, all that changed count as new. A row may
        // then come back below a pinned one that it stood above, with a note, or a move is not taken back; but
        // no row passes one that was pinned meanwhile.
        var placed: LaterChanges.Spans<RowID>?
        if !changed.isEmpty {
            let last = revisions.max()
            placed = try? LaterChanges(first, past, about: changed, upTo: last)
                .placed(among: changed)
        }
        var pinned: [UInt64: Set<RowID>] = [:]
        for revision in revisions {
            let new = rows.filter { row in
                kinds.contains(row.content.kind, since: revision)
                    || row.version > revision && placed?.contains(row.id, since: revision) ?? true
            }
            pinned[revision] = Set(new.map(\.id))
        }
        return pinned
    }

    /// Checks that an undo moves no pinned row, and no row past those that were pinned meanwhile.
    func checkPassing(
        _ ids: Few<RowID>, backTo place: Place, _ newlyPinned: Set<RowID>
    ) throws(Rejection) {
        guard !table.pinnedRows.isEmpty else { return }
        for id in ids { try checkNotPinned(id) }
        guard !newlyPinned.isEmpty, let section = section(of: place) else { return }
        let pinned = ranks(of: newlyPinned.intersection(table.pinnedRows), in: section)
        guard !pinned.isEmpty else { return }
        let target = segment(of: place, among: pinned)
        for id in ids {
            if let position = table.position(of: id), position.section == section {
                guard pinned.count(where: { $0 < position.index }) == target else {
                    throw .passing(id, field: "revision")
                }
            } else if placeInside(newlyPinned, for: place) != nil {
                throw .passing(id, field: "revision")
            }
        }
    }

    /// Refuses an undo that would swap two rows back past a pinned one.
    func checkPassing(
        swappingBack a: RowID, _ b: RowID, _ newlyPinned: Set<RowID>
    ) throws(Rejection) {
        guard !table.pinnedRows.isEmpty else { return }
        for id in [a, b] { try checkNotPinned(id) }
        if isAny(of: newlyPinned.intersection(table.pinnedRows), between: a, b) {
            throw .passing(a, field: "revision")
        }
    }

    private func checkNotPinned(_ id: RowID) throws(Rejection) {
        guard table.pinnedRows.contains(id) else { return }
        throw Rejection(.pinned, "Row \"\(id.text)\" is pinned by now.", field: "revision")
    }

    /// Where a row from elsewhere comes to stand if the place is beyond one of these at an end of the section:
    /// below the pinned rows at its top, or above those at its bottom. Nil: the place is none such.
    func placeInside(_ newlyPinned: Set<RowID>, for place: Place) -> Place? {
        guard !newlyPinned.isEmpty, let id = section(of: place), let section = table.section(id)
        else { return nil }
        let isOne = { (index: Int, rows: Set<RowID>) in
            section.row(at: index).map { rows.contains($0.id) } ?? false
        }
        let isPinned = { (index: Int) in isOne(index, table.pinnedRows) }
        let isNew = { (index: Int) in isPinned(index) && isOne(index, newlyPinned) }
        let index = place.row.flatMap { table.position(of: $0) }.map { $0.index + 1 } ?? 0
        let top = (0..<section.count).first { !isPinned($0) } ?? section.count
        if index < top {
            guard (index..<top).contains(where: isNew) else { return nil }
            return clear(place, of: id, atTop: true, without: .none)
        }
        guard top < section.count, let last = (top..<section.count).last(where: { !isPinned($0) }),
            index > last + 1, (last + 1..<index).contains(where: isNew)
        else { return nil }
        return clear(place, of: id, atTop: false, without: .none)
    }

    /// Whether a place is neither above the pinned rows at the top nor below those at the bottom.
    private func isInside(_ place: Place, of section: SectionID, _ pinned: [Int]) -> Bool {
        guard let rows = table.section(section)?.count, rows > pinned.count else { return true }
        switch place {
        case .top: return !pinned.contains(0)
        case .after(let id):
            guard let index = table.position(of: id)?.index else { return true }
            let isPinned = Set(pinned)
            if isPinned.contains(index), !(index..<rows).contains(where: { !isPinned.contains($0) })
            {
                return false
            }
            // The place is between two of the pinned rows at the top.
            return
                !(isPinned.contains(index + 1) && !(0...index).contains { !isPinned.contains($0) })
        }
    }

    private func ranks(of ids: Set<RowID>, in section: SectionID) -> [Int] {
        ids.compactMap { id in
            table.position(of: id).flatMap { $0.section == section ? $0.index : nil }
        }.sorted()
    }

    private func segment(of place: Place, among pinned: [Int]) -> Int {
        guard case .after(let id) = place, let index = table.position(of: id)?.index else {
            return 0
        }
        return pinned.count { $0 <= index }
    }

    /// Checks that one more row may be of this kind.
    func checkRoomForPinned(_ kind: Kind) throws(Rejection) {
        guard kind.isPinned else { return }
        try check(table.pinnedRows.count + 1, of: .pinnedRows, field: "kind")
    }

    /// Checks the number of pinned rows if these kinds are redefined.
    func checkPinned(_ kinds: [Kind]) throws(Rejection) {
        let pinning = Set(
            kinds.lazy.filter { $0.isPinned && table.kinds[$0.id]?.isPinned == false }.map(\.id))
        if pinning.isEmpty { return }
        let count = table.rows.count { pinning.contains($0.content.kind) }
        try check(table.pinnedRows.count + count, of: .pinnedRows, field: "kinds")
    }
}

extension Rejection {
    fileprivate static func passing(_ id: RowID, field: String) -> Rejection {
        Rejection(.pinned, "Row \"\(id.text)\" cannot be placed beyond a pinned row.", field: field)
    }
}

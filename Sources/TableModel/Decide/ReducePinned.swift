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
            section.rows.element(at: index).map { table.pinnedRows.contains($0.id) } ?? false
        }
        let top = (0..<section.count).first { !isPinned($0) } ?? section.count
        if atTop || top == section.count {
            guard top > 0 else { return place }
            return section.rows.element(at: top - 1).map { .after($0.id) } ?? place
        }
        guard case .after(let id) = place, table.pinnedRows.contains(id),
            let last = (top..<section.count).last(where: { !isPinned($0) })
        else { return place }
        // Above the pinned rows at the bottom. One that stands above rows that are moved is not at the bottom.
        let leaving = Set(moving)
        let above = (0...last).last { index in
            section.rows.element(at: index).map { !leaving.contains($0.id) } ?? false
        }
        guard let above else { return .top(section.id) }
        return section.rows.element(at: above).map { .after($0.id) } ?? place
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
        guard !table.pinnedRows.isEmpty, let first = table.position(of: a),
            let second = table.position(of: b), first.section == second.section
        else { return }
        let between = min(first.index, second.index)...max(first.index, second.index)
        let pinned = ranks(of: table.pinnedRows, in: first.section)
        if pinned.contains(where: between.contains) { throw .passing(a, field: "b") }
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
                !(isPinned.contains(index + 1)
                && !(0...index).contains { !isPinned.contains($0) })
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
        Rejection(
            .pinned, "Row \"\(id.text)\" cannot be placed beyond a pinned row.",
            field: field)
    }
}

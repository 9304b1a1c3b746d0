import TableModel

// How far rows are open, and which rows an accordion closes (design rules C1–C4, C9).

extension Decision {
    func expand(_ id: RowID, _ target: Expansion?) throws(Rejection) -> Plan {
        let row = try row(id, field: "row")
        let kind = try kind(row.content.kind).fitted(to: row.content)
        let state = target ?? kind.state(after: row.expansion)
        try checkState(state, of: kind, field: "to")
        if state == row.expansion { return Plan([], rows: .one(id)) }
        let step = Op.expand(id, state)
        if table.settings.expandPolicy == .independent { return Plan([step], rows: .one(id)) }
        let closing = closing(where: [(row, to: section(of: id))], to: state)
        return Plan(closing.then(step), rows: .one(id))
    }

    /// Expand-all and collapse-all (C9): one op, however many rows.
    func expandAll(_ isOpen: Bool) throws(Rejection) -> Plan {
        if isOpen, table.settings.expandPolicy != .independent {
            throw Rejection(
                .notAllowed, "In an accordion only one row can be expanded.", field: "open",
                saying: Saying("onlyOneOpen"))
        }
        var states = AllExpansions(isOpen, of: table)
        let isChanging = table.sections.contains { section in
            section.runs().contains { run in run.contains { states.next(of: $0) != nil } }
        }
        return Plan(isChanging ? [.expandAll(isOpen)] : [])
    }

    // MARK: Accordions

    /// The rows that an accordion closes when these rows open, or arrive open in another section.
    func closing(where rows: [(Row, to: SectionID?)], to state: Expansion? = nil) -> [Op] {
        let policy = table.settings.expandPolicy
        guard policy != .independent else { return [] }
        var ops: [Op] = []
        var closed = Set(rows.map(\.0.id))
        for (row, section) in rows where (state ?? row.expansion) != .collapsed {
            let scope = policy == .accordionSection ? section : nil
            if policy == .accordionSection, section == nil { continue }
            for other in open(in: scope) where closed.insert(other.id).inserted {
                ops.append(.expand(other.id, .collapsed))
            }
        }
        return ops
    }

    /// If rows arrive in a section together, the first open one stays open.
    func closingCompanions(of ids: Few<RowID>, in section: SectionID) -> [Op] {
        guard table.settings.expandPolicy == .accordionSection else { return [] }
        let coming = ids.compactMap { table.row($0) }.filter { $0.expansion != .collapsed }
        guard let first = coming.first else { return [] }
        return closing(where: [(first, to: section)]).filter { op in
            if case .expand(let id, _) = op { return !ids.contains(id) }
            return true
        } + coming.dropFirst().filter(canCollapse).map { .expand($0.id, .collapsed) }
    }

    /// Closes all open rows but the first, of the table or of each section.
    func closingAllButFirst(under policy: Settings.ExpandPolicy) -> [Op] {
        switch policy {
        case .independent: return []
        case .accordionTable:
            return open(in: nil).dropFirst().map { .expand($0.id, .collapsed) }
        case .accordionSection:
            return table.sections.flatMap { section in
                open(in: section.id).dropFirst().map { .expand($0.id, .collapsed) }
            }
        }
    }

    /// The open rows that can be closed, in order; nil: of the whole table.
    private func open(in section: SectionID?) -> [Row] {
        table.sections.filter { section == nil || $0.id == section }
            .flatMap { $0.openRows }
            .filter(canCollapse)
    }

    /// Whether an accordion can close the row.
    func canCollapse(_ row: Row) -> Bool { table.kind(of: row)?.has(.collapsed) ?? true }

    /// The section of a row.
    func section(of id: RowID) -> SectionID? { table.section(of: id)?.id }

    /// The section of a place.
    func section(of place: Place) -> SectionID? {
        switch place {
        case .top(let section): return section
        case .after(let row): return section(of: row)
        }
    }
}

package import TableModel
package import TablePredicate

/// A screen may show a part of a table in an order of its own: a station has its sections, its condition and its keys.
/// Without any of these it shows the whole table in the table's order. The table knows nothing of it.
package struct Station: Sendable {
    /// The sections, in the table's order; empty: all.
    package let sections: [SectionID]
    /// The condition as it was written; nil: all rows.
    package let conditionText: String?
    /// The keys of the order as they were written; nil: the table's order.
    package let orderText: String?
    /// Ctrl-C and signals alone end the viewer.
    package let isKiosk: Bool
    let condition: RowPredicate?
    private let query: RowQuery

    /// Texts that were parsed already, with what was parsed from them.
    package init(
        sections: [SectionID] = [], condition: (text: String, RowPredicate)? = nil,
        order: (text: String, [RowKey])? = nil, isKiosk: Bool = false
    ) {
        self.sections = sections
        conditionText = condition?.text
        self.condition = condition?.1
        orderText = order?.text
        self.isKiosk = isKiosk
        var query = RowQuery()
        query.sections = Set(sections)
        query.order = order?.1 ?? []
        self.query = query
    }

    /// This screen with its rows in another order.
    func sorted(_ text: String, _ keys: [RowKey]) -> Station {
        Station(
            sections: sections,
            condition: condition.flatMap { condition in conditionText.map { ($0, condition) } },
            order: (text, keys), isKiosk: isKiosk)
    }

    var isSorted: Bool { orderText != nil }

    func shows(_ section: SectionID) -> Bool { sections.isEmpty || sections.contains(section) }

    /// The rows of its sections in its order, those of a group together: a group stands where its first row does.
    func rows(of table: Table, at clock: PredicateClock) -> [PlacedRow] {
        let rows = query.rows(of: table, at: clock)
        guard isSorted else { return rows }
        var slots: [RowGroup: Int] = [:]
        var ranks: [Int] = []
        for (at, placed) in rows.enumerated() {
            guard let group = RowGroup(of: placed.row, in: placed.section, table) else {
                ranks.append(at)
                continue
            }
            let rank = slots[group] ?? at
            slots[group] = rank
            ranks.append(rank)
        }
        return rows.indices.sorted { (ranks[$0], $0) < (ranks[$1], $1) }.map { rows[$0] }
    }
}

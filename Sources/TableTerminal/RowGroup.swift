import TableModel

/// Rows that belong together, as their kinds' `show.group` says: those of one section with one value of that field.
struct RowGroup: Hashable {
    let section: SectionID
    let field: ID
    let value: String

    /// Nil: the row belongs to no group.
    init?(of row: Row, in section: SectionID, _ table: Table) {
        guard let field = table.kinds[row.content.kind]?.show.group,
            let value = row.content.value(of: field), !value.isEmpty
        else { return nil }
        (self.section, self.field, self.value) = (section, field, value)
    }
}

extension RowLines {
    /// Draws a line from this row's mark to those of the visible rows beside it that belong together with it.
    func connect(_ screen: inout Screen) {
        guard left - origin > 1, let group = RowGroup(of: row, in: block.section, table),
            let at = board.flow.firstIndex(where: { $0.row == row.id })
        else { return }
        func belongs(_ index: Int) -> Bool {
            guard board.flow.indices.contains(index), let id = board.flow[index].row,
                let other = table.row(id)
            else { return false }
            return RowGroup(of: other, in: board.flow[index].section, table) == group
        }
        let from = belongs(at - 1) ? 0 : top + 1
        let to = belongs(at + 1) ? block.lines : top
        for line in from..<max(from, to) where line != top {
            _ = put("│", x: left - 1, line: line, to: left, faint, &screen)
        }
    }
}

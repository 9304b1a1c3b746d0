// Expand-all and collapse-all (design rule C9): one op, however many rows. A table may have a hundred
// thousand of them, so each is looked at where it lies, once for each step.

/// Where expand-all, or collapse-all, leads the rows of a table.
package struct AllExpansions {
    private let table: Table
    private let isOpen: Bool
    /// The kind that was looked up last: most rows have that of the row before.
    private var latest: (kind: KindID, state: Expansion?)?

    package init(_ isOpen: Bool, of table: Table) {
        self.table = table
        self.isOpen = isOpen
    }

    /// The state that this row is to have; nil: it stays as it is.
    package mutating func next(of row: Row) -> Expansion? {
        let state = state(of: row.content)
        return state == row.expansion ? nil : state
    }

    private mutating func state(of content: Row.Content) -> Expansion? {
        guard content.states.isEmpty else {
            return table.kinds[content.kind]?.fitted(to: content).state(forAll: isOpen)
        }
        if let latest, latest.kind == content.kind { return latest.state }
        let state = table.kinds[content.kind]?.state(forAll: isOpen)
        latest = (content.kind, state)
        return state
    }
}

extension Table {
    func expandAll(_ isOpen: Bool) {
        var states = AllExpansions(isOpen, of: self)
        for section in sections {
            var next: Expansion?
            section.rows.change { row in
                next = states.next(of: row)
                return next != nil
            } _: { row in
                changed(&row) { row in row.change { $0.expansion = next ?? $0.expansion } }
            }
        }
    }

    /// Hands over how far each row is open that expand-all, or collapse-all, will change.
    func writeInverse(
        ofExpandingAll isOpen: Bool, to writer: inout some InverseWriter & ~Copyable
    ) {
        forEachRow(thatExpandsWithAll: isOpen) { writer.expand($0.id, $0.expansion) }
    }

    /// The rows that expand-all, or collapse-all, changes.
    package func forEachRow(thatExpandsWithAll isOpen: Bool, _ body: (Row) -> Void) {
        var states = AllExpansions(isOpen, of: self)
        for section in sections {
            for run in section.runs() {
                for row in run where states.next(of: row) != nil { body(row) }
            }
        }
    }
}

public import TableModel

/// A condition on a table, as in `trestle wait --until`. docs/PREDICATES.md describes the language.
///
///     let isEmpty = try Predicate("count(rows where section == \"pass\") == 0")
///     isEmpty.holds(for: table)
public struct Predicate: Sendable {
    private let condition: PredicateExpression
    /// The predicate looks at all rows. If not, it costs the same in a table of any size.
    public let goesOverRows: Bool

    /// Throws where the text is no condition, with the place.
    public init(_ text: String) throws(PredicateFault) {
        var parser = try PredicateParser(text, rowsAreInScope: false)
        condition = try parser.wholeCondition()
        goesOverRows = parser.goesOverRows
    }

    /// Whether the condition holds now.
    public func holds(for table: Table) -> Bool {
        Evaluation(table: table, own: nil).flag(condition)
    }
}

/// A condition on one row, as after `where` in a `Predicate`.
public struct RowPredicate: Sendable {
    private let condition: PredicateExpression

    /// Throws where the text is no condition, with the place.
    public init(_ text: String) throws(PredicateFault) {
        var parser = try PredicateParser(text, rowsAreInScope: true)
        condition = try parser.wholeCondition()
    }

    /// Whether the condition holds for this row now; false if there is no such row.
    public func holds(for id: RowID, in table: Table) -> Bool {
        guard let placed = PlacedRow(id, in: table) else { return false }
        return holds(for: placed, in: table)
    }

    func holds(for placed: PlacedRow, in table: Table) -> Bool {
        Evaluation(table: table, own: placed).flag(condition)
    }
}

public import TableModel

/// A condition on a table, as `trestle wait --until` takes it. docs/PREDICATES.md has the language.
///
///     let isEmpty = try Predicate("count(rows where section == \"pass\") == 0")
///     isEmpty.holds(for: table)
public struct Predicate: Sendable {
    private let condition: Expression
    /// It has to look at every row; if not, it costs the same in a table of any size.
    public let goesOverRows: Bool

    /// Throws where the text is no condition, with the place.
    public init(_ text: String) throws(PredicateFault) {
        var parser = try Parser(text, rowsAreInScope: false)
        condition = try parser.wholeCondition()
        goesOverRows = parser.goesOverRows
    }

    /// Whether it is so now.
    public func holds(for table: Table) -> Bool {
        Evaluation(table: table, own: nil).flag(condition)
    }
}

/// A condition on one row: what stands behind `where` in a `Predicate`.
public struct RowPredicate: Sendable {
    private let condition: Expression

    /// Throws where the text is no condition, with the place.
    public init(_ text: String) throws(PredicateFault) {
        var parser = try Parser(text, rowsAreInScope: true)
        condition = try parser.wholeCondition()
    }

    /// Whether it is so of this row now; false where there is no such row.
    public func holds(for id: RowID, in table: Table) -> Bool {
        guard let spot = table.position(of: id) else { return false }
        let own = PlacedRow(row: spot.row, section: spot.section, index: spot.index)
        return Evaluation(table: table, own: own).flag(condition)
    }
}

/// Why a text is no predicate.
public struct PredicateFault: Error, Equatable, Sendable {
    /// Where, in characters from 0; the text's length for what is missing at its end.
    public var offset: Int
    /// What is wrong there: a sentence's beginning, without a full stop.
    public var message: String

    init(_ offset: Int, _ message: String) {
        self.offset = offset
        self.message = message
    }
}

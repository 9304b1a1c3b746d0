public import TableModel

/// A condition on a table, as in `trestle wait --until`. docs/PREDICATES.md describes the language.
///
///     let isEmpty = try Predicate("count(rows where section == \"pass\") == 0")
///     isEmpty.holds(for: table)
public struct Predicate: Sendable {
    private let condition: PredicateExpression
    /// The predicate looks at all rows. If not, it costs the same in a table of any size.
    public let goesOverRows: Bool
    /// The answer may change although the table does not, since times are named.
    public let isTimed: Bool

    /// Throws where the text is no condition, with the place.
    public init(_ text: String) throws(PredicateFault) {
        var parser = try PredicateParser(text, rowsAreInScope: false)
        condition = try parser.wholeCondition()
        goesOverRows = parser.goesOverRows
        isTimed = parser.isTimed
    }

    /// Whether the condition holds at that moment.
    public func holds(for table: Table, at clock: PredicateClock) -> Bool {
        Evaluation(table: table, own: nil, clock: clock).flag(condition)
    }

    /// Whether it holds, and the first moment at which that may change if the table does not; nil: never.
    public func outlook(
        for table: Table, at clock: PredicateClock
    ) -> (holds: Bool, untilMs: UInt64?) {
        Outlook(table: table, own: nil, clock: clock).result(condition)
    }
}

extension CommandCondition {
    /// Whether it holds for a table or, if it is about rows, for one of them.
    package func holds(for row: PlacedRow?, in table: Table, at clock: PredicateClock) -> Bool {
        Evaluation(table: table, own: row, clock: clock).flag(expression)
    }

    /// How many values are looked up to find whether it holds for each of these rows or, without rows, for the table. A
    /// search goes through all letters of a text: those of the heaviest row that is named or, where the condition is about
    /// all rows, of the mean row, if that is heavier.
    package func cost(for rows: Few<RowID>, in table: Table) -> Int {
        let steps = expression.steps(rows: table.count)
        let (sum, isOver) = steps.multipliedReportingOverflow(by: max(1, rows.count))
        guard !isOver, sum <= Limits.conditionSteps, searches else { return isOver ? .max : sum }
        var weight = (rows.array + expression.namedRows).reduce(0) {
            max($0, table.row($1)?.weight ?? 0)
        }
        if steps > expression.steps(rows: 0) { weight = max(weight, table.meanRowWeight) }
        return sum * (1 + weight / 256)
    }
}

extension Table {
    fileprivate var meanRowWeight: Int {
        let bytes = sections.reduce(0) { sum, section in
            section.runs().joined().reduce(sum) { $0 + $1.weight }
        }
        return bytes / max(1, count)
    }
}

/// A condition on one row, as after `where` in a `Predicate`.
public struct RowPredicate: Sendable {
    private let condition: PredicateExpression
    /// The answer may change although the table does not, since times are named.
    public let isTimed: Bool
    /// The answer about a row may change with another row.
    public let goesOverRows: Bool
    /// Whether it may look for a text in another one.
    private let searches: Bool

    /// Throws where the text is no condition, with the place.
    public init(_ text: String) throws(PredicateFault) {
        var parser = try PredicateParser(text, rowsAreInScope: true)
        condition = try parser.wholeCondition()
        goesOverRows = parser.goesOverRows
        isTimed = parser.isTimed
        searches = text.utf8.contains(UInt8(ascii: "~"))
    }

    /// Whether it looks at a row's group.
    var looksAtGroups: Bool {
        condition.lookups(rows: 1).ofEach > condition.lookups(rows: 0).ofEach
    }

    /// How many values are looked up to find the rows of a table that it fits among so many. A search goes through all
    /// letters of a text: by the mean row, which is not looked for where the values alone are more than `most`.
    package func cost(among rows: Int, in table: Table, upTo most: Int) -> Int {
        let lookups = condition.lookups(rows: nil)
        let ofEach = lookups.ofEach.multipliedReportingOverflow(by: rows)
        let ofAll = lookups.ofAll.multipliedReportingOverflow(by: table.count)
        let sum = ofEach.partialValue.addingReportingOverflow(ofAll.partialValue)
        if ofEach.overflow || ofAll.overflow || sum.overflow { return .max }
        guard searches, sum.partialValue > 0, sum.partialValue <= most else {
            return sum.partialValue
        }
        return sum.partialValue * (1 + table.meanRowWeight / 256)
    }

    /// The cost of a look at this row, in values, if it is about the row alone.
    package func cost(of row: Row) -> Int {
        row.cost(ofLookups: condition.lookups(rows: 0).ofEach, searches: searches)
    }

    /// Rows to look at before the clock is read again. One row may take a millisecond or, with searches, some.
    package var rowsAtOnce: Int { searches ? 1 : 8 }

    /// How many values are looked up in one go as a scan of the table begins: of all rows, and of their groups.
    package func costAhead(in table: Table, upTo most: Int) -> Int {
        cost(among: 0, in: table, upTo: most)
    }

    /// Whether the answer about a row depends on nothing but the row, its section, its kind and the time: it stays the
    /// same while others change other rows, and wherever the row stands in its section.
    package var isOfRowAlone: Bool { condition.isOfRowAlone }

    /// The test of rows, of such a condition, with a table of the same kinds without rows.
    package func test(framedBy frame: Table, at clock: PredicateClock) -> (PlacedRow) -> Bool {
        test(in: frame, at: clock)
    }

    /// Whether it holds for rows of one table: what it says of the table, of all rows or of a group is found once. With a
    /// `frame`, a table of the same kinds without rows, it does not hold on to `table`, which may change meanwhile.
    func test(
        in table: Table, frame: Table? = nil, at clock: PredicateClock
    ) -> (PlacedRow) -> Bool {
        var evaluation = Evaluation(table: table, own: nil, clock: clock)
        let settled = evaluation.settled(condition).folded
        if let frame {
            let groups = looksAtGroups ? Groups(of: table, framedBy: frame) : nil
            evaluation = Evaluation(table: frame, own: nil, clock: clock, groups: groups)
        }
        return evaluation.test(settled)
    }

    /// Whether the condition holds for this row at that moment; false if there is no such row.
    public func holds(for id: RowID, in table: Table, at clock: PredicateClock) -> Bool {
        holds(for: id, in: table, at: clock, nil)
    }

    /// Whether it holds, with the groups of that table, which are found once for many rows.
    package func holds(
        for id: RowID, in table: Table, at clock: PredicateClock, _ groups: Groups?
    ) -> Bool {
        guard let placed = PlacedRow(id, in: table) else { return false }
        return Evaluation(table: table, own: placed, clock: clock, groups: groups).flag(condition)
    }

    /// The first moment at which the answer about a row may change if the table does not; nil: never.
    public func nextChange(of id: RowID, in table: Table, at clock: PredicateClock) -> UInt64? {
        PlacedRow(id, in: table).flatMap {
            Outlook(table: table, own: $0, clock: clock).result(condition).untilMs
        }
    }

    /// The rows that it fits, and the first moment at which these may be others if the table does not change; nil: never.
    public func outlook(
        in table: Table, at clock: PredicateClock
    ) -> (rows: Set<RowID>, untilMs: UInt64?) {
        var (found, untilMs): (Set<RowID>, UInt64?) = ([], nil)
        let outlook = Outlook(table: table, own: nil, clock: clock)
        _ = table.firstRow { placed in
            let one = outlook.about(placed).result(condition)
            if one.holds { found.insert(placed.row.id) }
            if let next = one.untilMs { untilMs = min(untilMs ?? next, next) }
            return false
        }
        return (found, untilMs)
    }
}

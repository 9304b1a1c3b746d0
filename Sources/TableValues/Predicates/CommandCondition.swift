/// A condition on a command, in the language of docs/PREDICATES.md: on each row that the command names or, if it names
/// none, on the table. It is parsed where the command comes in.
public final class CommandCondition: Sendable {
    /// The text as its sender wrote it.
    public let text: String
    /// Whether it is about each of the rows, and not about the table alone.
    package let isOfRows: Bool
    package let expression: PredicateExpression
    /// Whether it may look for a text in another one.
    package let searches: Bool

    /// Throws where the text is no condition, with the place.
    public init(_ text: String, on verb: Command.Verb) throws(PredicateFault) {
        self.text = text
        isOfRows = verb.conditionedRows != nil
        guard text.utf8.count <= Limits.conditionBytes else {
            throw PredicateFault(0, "more than \(Limits.conditionBytes) bytes", "bytes")
        }
        var parser = try PredicateParser(text, rowsAreInScope: isOfRows)
        expression = try parser.wholeCondition()
        searches = text.utf8.contains(UInt8(ascii: "~"))
    }
}

extension CommandCondition: Equatable {
    /// By the texts' bytes.
    public static func == (a: CommandCondition, b: CommandCondition) -> Bool {
        a.text.hasSameBytes(as: b.text) && a.isOfRows == b.isOfRows
    }
}

extension CommandCondition: CustomStringConvertible {
    /// The text: a trace tells of no expressions.
    public var description: String { text }
}

extension Command.Verb {
    /// The rows which `if` is about; nil: it is about the table. A recalled row is not in the table.
    public var conditionedRows: Few<RowID>? { name == .recall ? nil : namedRows }
}

extension PredicateExpression {
    /// How many values are looked up at most, in a table of so many rows.
    package func steps(rows: Int) -> Int {
        switch self {
        case .constant, .table, .row, .own, .exists, .existsSection, .count(nil), .any(nil):
            return 1
        case .count(let inner?), .any(let inner?), .all(let inner):
            let (steps, overflow) = inner.steps(rows: rows).multipliedReportingOverflow(by: rows)
            return overflow ? Self.mostSteps : min(steps, Self.mostSteps) + 1
        case .group(let whole):
            return min(rows + whole.expression.steps(rows: rows), Self.mostSteps)
        case .not(let inner): return inner.steps(rows: rows)
        case .compare(let a, _, let b), .and(let a, let b), .or(let a, let b):
            return min(a.steps(rows: rows) + b.steps(rows: rows), Self.mostSteps)
        }
    }

    static let mostSteps = 1 << 40

    /// The values that it is worth to find the group of a row: its kind, its field, and those that have the same.
    static let groupLookups = 8

    /// The rows that it names by their ids.
    package var namedRows: [RowID] {
        switch self {
        case .row(let id, _): [id]
        case .constant, .table, .own, .exists, .existsSection, .count(nil), .any(nil): []
        case .count(let inner?), .any(let inner?), .all(let inner), .not(let inner): inner.namedRows
        case .group(let whole): whole.expression.namedRows
        case .compare(let a, _, let b), .and(let a, let b), .or(let a, let b):
            a.namedRows + b.namedRows
        }
    }
}

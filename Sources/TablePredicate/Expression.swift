import TableModel

/// A parsed predicate.
indirect enum Expression: Sendable {
    case constant(Value)
    /// A property of the table: a number or a flag.
    case table(TableProperty)
    /// A property of a named row; no value if there is no such row.
    case row(RowID, RowProperty)
    /// A property of the row that `where` is about.
    case own(RowProperty)
    case exists(RowID)
    case existsSection(SectionID)
    /// The number of rows for which the condition holds; nil: of all rows.
    case count(Expression?)
    case any(Expression?)
    case all(Expression)
    case compare(Expression, Comparison, Expression)
    case not(Expression)
    case and(Expression, Expression)
    case or(Expression, Expression)

    /// Whether the expression is true or false without a comparison.
    var isCondition: Bool {
        switch self {
        case .constant(.flag), .table(.editing), .exists, .existsSection, .any, .all, .compare,
            .not, .and, .or:
            return true
        default: return false
        }
    }
}

/// A value to compare.
enum Value: Sendable {
    /// A missing field, or a property of a missing row.
    case none
    case text(String)
    case number(Double)
    case flag(Bool)
}

enum TableProperty: String, CaseIterable {
    case revision, sections, invocations, editing
}

enum RowProperty: Sendable {
    case id, title, kind, section, index, version, state, swipe, items
    case field(ID)
    /// The state of a performed action: pending, done or failed.
    case action(ID)

    static let plain: [String: RowProperty] = [
        "id": .id, "title": .title, "kind": .kind, "section": .section, "index": .index,
        "version": .version, "state": .state, "swipe": .swipe, "items": .items,
    ]
    /// The names of all properties, for messages.
    static let names =
        "id, title, kind, section, index, version, state, swipe, items, field.NAME, action.NAME"
}

enum Comparison: String, CaseIterable {
    case equal = "=="
    case unequal = "!="
    case less = "<"
    case atMost = "<="
    case more = ">"
    case atLeast = ">="
    case contains = "~"
    case lacks = "!~"
}

import TableModel

/// A predicate as it was understood.
indirect enum Expression: Sendable {
    case constant(Value)
    /// Of the table: a number or a flag.
    case table(TableProperty)
    /// Of a row that is named; no value where there is none.
    case row(RowID, RowProperty)
    /// Of the row that `where` is about.
    case own(RowProperty)
    case exists(RowID)
    case existsSection(SectionID)
    /// Of all rows, or of those for which the condition holds.
    case count(Expression?)
    case any(Expression?)
    case all(Expression)
    case compare(Expression, Comparison, Expression)
    case not(Expression)
    case and(Expression, Expression)
    case or(Expression, Expression)

    /// It is true or false by itself, and needs no comparison.
    var isCondition: Bool {
        switch self {
        case .constant(.flag), .table(.editing), .exists, .existsSection, .any, .all, .compare,
            .not, .and, .or:
            return true
        default: return false
        }
    }
}

/// What is compared.
enum Value: Sendable {
    /// A field that is not there, a property of a row that is not there.
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
    /// What came of an action: pending, done, failed.
    case action(ID)

    static let plain: [String: RowProperty] = [
        "id": .id, "title": .title, "kind": .kind, "section": .section, "index": .index,
        "version": .version, "state": .state, "swipe": .swipe, "items": .items,
    ]
    /// For messages.
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

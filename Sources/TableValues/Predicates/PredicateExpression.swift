/// A parsed predicate.
package indirect enum PredicateExpression: Sendable {
    case constant(PredicateValue)
    /// A property of the table: a number or a flag.
    case table(TableProperty)
    /// A property of a named row; no value if there is no such row.
    case row(RowID, RowProperty)
    /// A property of the row that `where` is about.
    case own(RowProperty)
    case exists(RowID)
    case existsSection(SectionID)
    /// The number of rows for which the condition holds; nil: of all rows.
    case count(PredicateExpression?)
    case any(PredicateExpression?)
    case all(PredicateExpression)
    case compare(PredicateExpression, PredicateComparison, PredicateExpression)
    case not(PredicateExpression)
    case and(PredicateExpression, PredicateExpression)
    case or(PredicateExpression, PredicateExpression)

    /// Whether the expression is true or false without a comparison.
    package var isCondition: Bool {
        switch self {
        case .constant(.flag), .table(.editing), .exists, .existsSection, .any, .all, .compare,
            .not, .and, .or:
            return true
        default: return false
        }
    }
}

/// A value to compare.
package enum PredicateValue: Sendable {
    /// A missing field, or a property of a missing row.
    case none
    case text(String)
    case number(Double)
    case flag(Bool)
}

package enum TableProperty: String, CaseIterable, Sendable {
    case revision, sections, invocations, editing
}

package enum RowProperty: Sendable {
    case id, title, kind, section, index, version, state, swipe, items
    case field(ID)
    /// The state of a performed action: pending, done or failed.
    case action(ID)

    package static let plain: [String: RowProperty] = [
        "id": .id, "title": .title, "kind": .kind, "section": .section, "index": .index,
        "version": .version, "state": .state, "swipe": .swipe, "items": .items,
    ]
    /// The names of all properties, for messages.
    package static let names =
        "id, title, kind, section, index, version, state, swipe, items, field.NAME, action.NAME"
}

package enum PredicateComparison: String, CaseIterable, Sendable {
    case equal = "=="
    case unequal = "!="
    case less = "<"
    case atMost = "<="
    case more = ">"
    case atLeast = ">="
    case contains = "~"
    case lacks = "!~"
}

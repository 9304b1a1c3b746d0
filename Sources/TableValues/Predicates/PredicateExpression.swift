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
    /// A `count`, `any` or `all` over the rows that belong together with the row that `where` is about.
    case group(OfGroup)
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
        case .own(let property), .row(_, let property): return property.isCondition
        case .group(let whole): return whole.expression.isCondition
        default: return false
        }
    }
}

extension PredicateExpression {
    /// This expression with the values of parts that have only constants, so that no row finds them anew.
    package var folded: PredicateExpression {
        switch self {
        case .constant, .table, .row, .own, .exists, .existsSection, .count(nil), .any(nil), .group:
            return self
        case .count(let inner?): return .count(inner.folded)
        case .any(let inner?): return .any(inner.folded)
        case .all(let inner): return .all(inner.folded)
        case .compare(let left, let comparison, let right):
            let (left, right) = (left.folded, right.folded)
            guard case .constant(let a) = left, case .constant(let b) = right else {
                return .compare(left, comparison, right)
            }
            return .constant(.flag(comparison.holds(a, b)))
        case .not(let inner):
            let inner = inner.folded
            guard let holds = inner.known else { return .not(inner) }
            return .constant(.flag(!holds))
        case .and(let left, let right):
            let (left, right) = (left.folded, right.folded)
            if left.known == false || right.known == false { return .constant(.flag(false)) }
            return left.known == true ? right : right.known == true ? left : .and(left, right)
        case .or(let left, let right):
            let (left, right) = (left.folded, right.folded)
            if left.known == true || right.known == true { return .constant(.flag(true)) }
            return left.known == false ? right : right.known == false ? left : .or(left, right)
        }
    }

    /// Whether it holds, if it is a constant.
    private var known: Bool? {
        guard case .constant(let value) = self else { return nil }
        return if case .flag(true) = value { true } else { false }
    }

    /// A text beside a moment that is neither a clock time nor a number; nil: there is none.
    package var wrongClockTime: String? {
        switch self {
        case .constant, .table, .row, .own, .exists, .existsSection, .count(nil), .any(nil):
            return nil
        case .count(let inner?), .any(let inner?), .all(let inner), .not(let inner):
            return inner.wrongClockTime
        case .group(let whole): return whole.expression.wrongClockTime
        case .and(let left, let right), .or(let left, let right):
            return left.wrongClockTime ?? right.wrongClockTime
        case .compare(let left, _, let right):
            for (moment, other) in [(left, right), (right, left)] where moment.isMoment {
                if case .constant(let value) = other, case .text(let text) = value,
                    value.clockMs == nil, value.number == nil
                {
                    return text
                }
            }
            return left.wrongClockTime ?? right.wrongClockTime
        }
    }

    private var isMoment: Bool {
        switch self {
        case .table(.now), .own(.createdMs), .own(.movedMs), .own(.wakes): return true
        case .row(_, .createdMs), .row(_, .movedMs), .row(_, .wakes): return true
        default: return false
        }
    }

    /// How many values it looks up for a row, and how many for every row of the table, once. Any of so many rows may
    /// belong to a row's group; nil: many rows ask, and what it comes to for a group is found once.
    package func lookups(rows: Int?) -> (ofEach: Int, ofAll: Int) {
        switch self {
        case .constant: return (0, 0)
        case .table, .row, .own, .exists, .existsSection, .count(nil), .any(nil): return (1, 0)
        case .count(let inner?), .any(let inner?), .all(let inner):
            let lookups = inner.lookups(rows: rows)
            return (0, lookups.ofEach + lookups.ofAll)
        case .group(let whole):
            if let rows { return (steps(rows: rows), 0) }
            // All rows are sorted into their groups, and each row that asks is looked for among these.
            let inner = whole.expression.lookups(rows: nil)
            return (Self.groupLookups, min(inner.ofAll + Self.groupLookups, Self.mostSteps))
        case .not(let inner): return inner.lookups(rows: rows)
        case .compare(let left, _, let right), .and(let left, let right), .or(let left, let right):
            let (a, b) = (left.lookups(rows: rows), right.lookups(rows: rows))
            return (
                min(a.ofEach + b.ofEach, Self.mostSteps), min(a.ofAll + b.ofAll, Self.mostSteps)
            )
        }
    }
}

extension PredicateExpression {
    /// Whether it looks at nothing but the row that `where` is about, and the time.
    package var isOfRowAlone: Bool {
        switch self {
        case .constant, .table(.now): return true
        case .own(let property): return !property.isOfPlace
        case .table, .row, .exists, .existsSection, .count, .any, .all, .group: return false
        case .not(let inner): return inner.isOfRowAlone
        case .compare(let left, _, let right), .and(let left, let right), .or(let left, let right):
            return left.isOfRowAlone && right.isOfRowAlone
        }
    }
}

/// A `count`, `any` or `all` over a group. It comes to the same for each row of the group, so that it has an identity by
/// which what was found for one is known for the others.
package final class OfGroup: Sendable {
    package let expression: PredicateExpression

    package init(_ expression: PredicateExpression) { self.expression = expression.folded }
}

/// A value to compare.
package enum PredicateValue: Sendable {
    /// A missing field, or a property of a missing row.
    case none
    case text(String)
    case number(Double)
    case flag(Bool)
    /// A moment in milliseconds since 1970 (UTC), beside the midnight with which today begins: a clock time that it
    /// is compared with is one of today.
    case time(Double, midnight: Double)
}

package enum TableProperty: String, CaseIterable, Sendable {
    case revision, sections, invocations, editing, now
}

package enum RowProperty: Sendable {
    case id, title, kind, section, index, version, state, swipe, items
    /// The seconds since the row was made or, if the ages of its kind say so, since it last moved.
    case age
    /// The seconds since the row last moved or, if it never did, since it was made.
    case since
    case late, claimed, holder, createdMs, movedMs, asleep, wakes
    case field(ID)
    /// The state of a performed action: pending, done or failed.
    case action(ID)

    package static let plain: [String: RowProperty] = [
        "id": .id, "title": .title, "kind": .kind, "section": .section, "index": .index,
        "version": .version, "state": .state, "swipe": .swipe, "items": .items, "age": .age,
        "since": .since, "late": .late, "claimed": .claimed, "holder": .holder,
        "createdMs": .createdMs, "movedMs": .movedMs, "asleep": .asleep, "wakes": .wakes,
    ]

    var isCondition: Bool {
        switch self {
        case .late, .claimed, .asleep: return true
        default: return false
        }
    }

    /// Whether it changes as other rows come, go or move.
    var isOfPlace: Bool {
        if case .index = self { true } else { false }
    }

    /// Whether its value, or what it comes to beside a clock time, changes although the table does not.
    var isTimed: Bool {
        switch self {
        case .age, .since, .late, .createdMs, .movedMs, .wakes: return true
        default: return false
        }
    }
    /// The names of all properties, for messages.
    package static let names =
        "id, title, kind, section, index, version, state, swipe, items, age, since, late, claimed, "
        + "holder, createdMs, movedMs, asleep, wakes, field.NAME, action.NAME"
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

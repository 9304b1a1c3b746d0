import TableModel

/// A row and its place.
struct PlacedRow {
    var row: Row
    var section: SectionID
    /// Index in the section, from 0.
    var index: Int
}

/// Evaluates a predicate. A comparison with a missing value is false, except by `!=` and `!~`, and
/// `== none`.
struct Evaluation {
    let table: Table
    /// The row that `where` is about.
    let own: PlacedRow?

    func flag(_ expression: Expression) -> Bool {
        switch expression {
        case .constant(.flag(let flag)): return flag
        case .table(.editing): return table.isEditing
        case .exists(let id): return table.row(id) != nil
        case .existsSection(let id): return table.section(id) != nil
        case .any(let condition):
            guard let condition else { return table.count > 0 }
            return firstRow { Evaluation(table: table, own: $0).flag(condition) }
        case .all(let condition):
            return !firstRow { !Evaluation(table: table, own: $0).flag(condition) }
        case .compare(let left, let comparison, let right):
            return compare(value(left), comparison, value(right))
        case .not(let inner): return !flag(inner)
        case .and(let left, let right): return flag(left) && flag(right)
        case .or(let left, let right): return flag(left) || flag(right)
        case .constant, .table, .row, .own, .count:
            preconditionFailure("the parser lets no value stand for a condition")
        }
    }

    private func value(_ expression: Expression) -> Value {
        switch expression {
        case .constant(let value): return value
        case .table(.revision): return .number(Double(table.revision))
        case .table(.sections): return .number(Double(table.sections.count))
        case .table(.invocations): return .number(Double(table.invocations.count))
        case .count(let condition): return .number(Double(count(condition)))
        case .own(let property): return own.map { value(property, of: $0) } ?? .none
        case .row(let id, let property):
            guard let spot = table.position(of: id) else { return .none }
            let placed = PlacedRow(row: spot.row, section: spot.section, index: spot.index)
            return value(property, of: placed)
        default: return .flag(flag(expression))
        }
    }

    private func value(_ property: RowProperty, of placed: PlacedRow) -> Value {
        let row = placed.row
        switch property {
        case .id: return .text(row.id.text)
        case .title: return .text(row.content.title)
        case .kind: return .text(row.content.kind.text)
        case .section: return .text(placed.section.text)
        case .index: return .number(Double(placed.index))
        case .version: return .number(Double(row.version))
        case .state: return .text(row.expansion.text)
        case .swipe: return .text(row.swipe?.rawValue ?? "closed")
        case .items: return .number(Double(row.content.items.count))
        case .field(let key):
            return row.content.value(of: key).map { .text($0) } ?? .none
        case .action(let id): return row.performance(of: id).map { .text($0.state.name) } ?? .none
        }
    }

    // MARK: Rows

    private func count(_ condition: Expression?) -> Int {
        guard let condition else { return table.count }
        var count = 0
        _ = firstRow {
            if Evaluation(table: table, own: $0).flag(condition) { count += 1 }
            return false
        }
        return count
    }

    /// Whether a row meets the condition; looks no further than the first that does.
    private func firstRow(_ condition: (PlacedRow) -> Bool) -> Bool {
        for section in table.sections {
            var index = 0
            for run in section.runs() {
                for row in run {
                    if condition(PlacedRow(row: row, section: section.id, index: index)) {
                        return true
                    }
                    index += 1
                }
            }
        }
        return false
    }

    // MARK: Comparing

    private func compare(_ left: Value, _ comparison: Comparison, _ right: Value) -> Bool {
        switch comparison {
        case .equal: return isSame(left, right)
        case .unequal: return !isSame(left, right)
        case .less: return isLess(left, right)
        case .more: return isLess(right, left)
        case .atMost: return isLess(left, right) || isSameAndThere(left, right)
        case .atLeast: return isLess(right, left) || isSameAndThere(left, right)
        case .contains: return contains(left, right)
        case .lacks: return !contains(left, right)
        }
    }

    private func isSame(_ left: Value, _ right: Value) -> Bool {
        switch (left, right) {
        case (.none, .none): return true
        case (.flag(let a), .flag(let b)): return a == b
        case (.text(let a), .text(let b)): return ID(a) == ID(b)
        default:
            guard let a = left.number, let b = right.number else { return false }
            return a == b
        }
    }

    private func isSameAndThere(_ left: Value, _ right: Value) -> Bool {
        if case .none = left { return false }
        return isSame(left, right)
    }

    /// Compares two texts by their bytes, and all else as numbers.
    private func isLess(_ left: Value, _ right: Value) -> Bool {
        if case .text(let a) = left, case .text(let b) = right { return ID(a) < ID(b) }
        guard let a = left.number, let b = right.number else { return false }
        return a < b
    }

    private func contains(_ left: Value, _ right: Value) -> Bool {
        guard let whole = left.text, let part = right.text else { return false }
        return Self.contains(Array(whole.utf8), Array(part.utf8))
    }

    /// Looks for bytes, as every comparison of texts here does.
    private static func contains(_ whole: [UInt8], _ part: [UInt8]) -> Bool {
        guard let first = part.first else { return true }
        guard whole.count >= part.count else { return false }
        return (0...whole.count - part.count).contains { start in
            whole[start] == first && whole[start..<start + part.count].elementsEqual(part)
        }
    }
}

extension Value {
    /// The number; also that of a text that is a number, because fields are texts.
    fileprivate var number: Double? {
        switch self {
        case .number(let number): return number
        case .text(let text): return Self.number(in: text)
        case .none, .flag: return nil
        }
    }

    fileprivate var text: String? {
        switch self {
        case .text(let text): return text
        case .number(let number):
            return Int64(exactly: number).map { "\($0)" } ?? "\(number)"
        case .none, .flag: return nil
        }
    }
}

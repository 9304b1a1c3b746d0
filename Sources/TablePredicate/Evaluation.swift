import TableModel

extension PlacedRow {
    func value(
        _ property: RowProperty, in table: Table, at clock: PredicateClock
    ) -> PredicateValue {
        switch property {
        case .age, .since:
            let beganMs = beganMs(property, in: table) ?? 0
            return .number(Double(Age.seconds(since: beganMs, nowMs: clock.nowMs)))
        case .late:
            let kind = table.kinds[row.content.kind]
            let age = Age(of: row, kind: kind, in: section, nowMs: clock.nowMs)
            return .flag(age?.stage == .late)
        case .claimed: return .flag(row.claim != nil)
        case .holder: return (row.claim?.holder).map { .text($0.text) } ?? .none
        case .createdMs: return clock.time(row.createdMs)
        case .movedMs: return row.movedMs == 0 ? .none : clock.time(row.movedMs)
        case .asleep: return .flag(row.sleep != nil)
        case .wakes: return (row.sleep?.untilMs).map(clock.time) ?? .none
        case .id: return .text(row.id.text)
        case .title: return .text(row.content.title)
        case .kind: return .text(row.content.kind.text)
        case .section: return .text(section.text)
        case .index: return .number(Double(index))
        case .version: return .number(Double(row.version))
        case .state: return .text(row.expansion.text)
        case .swipe: return .text(row.swipe?.rawValue ?? "closed")
        case .items: return .number(Double(row.content.items.count))
        case .field(let key):
            return row.content.value(of: key).map { .text($0) } ?? .none
        case .action(let id): return row.performance(of: id).map { .text($0.state.name) } ?? .none
        }
    }

    /// The moment since which `age` or `since` counts; nil: it is another property.
    func beganMs(_ property: RowProperty, in table: Table) -> UInt64? {
        switch property {
        case .age: return Age.beganMs(of: row, kind: table.kinds[row.content.kind])
        case .since: return row.movedMs == 0 ? row.createdMs : row.movedMs
        default: return nil
        }
    }
}

/// Evaluates a predicate. A comparison with a missing value is false, except by `!=` and `!~`, and
/// `== none`.
struct Evaluation {
    let table: Table
    /// The row that `where` is about.
    let own: PlacedRow?
    let clock: PredicateClock
    let groups: Groups
    /// `count`, `any` and `all` are over the rows of `own`'s group.
    var isOverGroup = false

    init(table: Table, own: PlacedRow?, clock: PredicateClock, groups: Groups? = nil) {
        (self.table, self.own, self.clock) = (table, own, clock)
        self.groups = groups ?? Groups(table)
    }

    func flag(_ expression: PredicateExpression) -> Bool { expression.isTrue(looking(up:)) }

    /// The value of an expression that looks at the table.
    func looking(up expression: PredicateExpression) -> PredicateValue {
        switch expression {
        case .table(.now): return clock.time(clock.nowMs)
        case .table(.editing): return .flag(table.isEditing)
        case .table(.revision): return .number(Double(table.revision))
        case .table(.sections): return .number(Double(table.sections.count))
        case .table(.invocations): return .number(Double(table.invocations.count))
        case .exists(let id): return .flag(table.row(id) != nil)
        case .existsSection(let id): return .flag(table.section(id) != nil)
        case .any(let condition):
            guard let condition else { return .flag(firstRow { _ in true }) }
            let inner = settledForRows(condition)
            return .flag(firstRow { about($0).flag(inner) })
        case .all(let condition):
            let inner = settledForRows(condition)
            return .flag(!firstRow { !about($0).flag(inner) })
        case .count(let condition): return .number(Double(count(condition)))
        case .own(let property): return own?.value(property, in: table, at: clock) ?? .none
        case .row(let id, let property):
            return PlacedRow(id, in: table)?.value(property, in: table, at: clock) ?? .none
        case .group(let whole):
            guard let own else { return .none }
            return groups.value(whole, of: own, atMs: clock.nowMs) {
                var inner = self
                inner.isOverGroup = true
                return inner.looking(up: whole.expression)
            }
        case .constant, .compare, .not, .and, .or: return expression.value(looking(up:))
        }
    }

    /// The test of an expression on many rows. What is compared with a constant is looked up at once: to walk through the
    /// expression for each row would take twice as long.
    func test(_ expression: PredicateExpression) -> (PlacedRow) -> Bool {
        switch expression {
        case .compare(.own(let property), let comparison, .constant(let value)):
            return { [table, clock] row in
                comparison.holds(row.value(property, in: table, at: clock), value)
            }
        case .not(let inner):
            let inner = test(inner)
            return { !inner($0) }
        case .and(let left, let right):
            let (left, right) = (test(left), test(right))
            return { left($0) && right($0) }
        case .or(let left, let right):
            let (left, right) = (test(left), test(right))
            return { left($0) || right($0) }
        case .constant, .compare, .own, .table, .row, .exists, .existsSection, .count, .any, .all,
            .group:
            return { about($0).flag(expression) }
        }
    }

    func about(_ row: PlacedRow) -> Evaluation {
        Evaluation(table: table, own: row, clock: clock, groups: groups)
    }

    /// Whether a row of those that are meant meets the condition.
    func firstRow(_ condition: (PlacedRow) -> Bool) -> Bool {
        guard isOverGroup, let own else { return table.firstRow(condition) }
        return groups.rows(with: own).contains(where: condition)
    }

    /// The expression with the values of all that the row is nothing to.
    func settled(_ expression: PredicateExpression) -> PredicateExpression {
        switch expression {
        case .constant, .own: return expression
        case .group(let whole): return .group(OfGroup(whole.expression.map(settledForRows)))
        case .table, .row, .exists, .existsSection, .count, .any, .all:
            return .constant(looking(up: expression))
        case .compare(let a, let comparison, let b):
            return .compare(settled(a), comparison, settled(b))
        case .not(let a): return .not(settled(a))
        case .and(let a, let b): return .and(settled(a), settled(b))
        case .or(let a, let b): return .or(settled(a), settled(b))
        }
    }

    /// The condition after `where`, also of a group: what it says of the table is about all rows.
    private func settledForRows(_ condition: PredicateExpression) -> PredicateExpression {
        var ofTable = self
        ofTable.isOverGroup = false
        return ofTable.settled(condition).folded
    }

    private func count(_ condition: PredicateExpression?) -> Int {
        if condition == nil, !isOverGroup { return table.count }
        let inner = condition.map(settledForRows)
        var count = 0
        _ = firstRow {
            if inner.map(about($0).flag) ?? true { count += 1 }
            return false
        }
        return count
    }
}

extension Table {
    /// Whether a row meets the condition; looks no further than the first that does.
    func firstRow(_ condition: (PlacedRow) -> Bool) -> Bool {
        for section in sections {
            var index = 0
            for run in section.runs() {
                for row in run {
                    if condition(PlacedRow(row, section: section.id, index: index)) {
                        return true
                    }
                    index += 1
                }
            }
        }
        return false
    }
}

extension PredicateExpression {
    /// A `count`, `any` or `all` with another condition after `where`, if it has one.
    fileprivate func map(
        _ other: (PredicateExpression) -> PredicateExpression
    ) -> PredicateExpression {
        switch self {
        case .count(let inner?): return .count(other(inner))
        case .any(let inner?): return .any(other(inner))
        case .all(let inner): return .all(other(inner))
        case .count(nil), .any(nil), .constant, .table, .row, .own, .exists, .existsSection, .group,
            .compare, .not, .and, .or:
            return self
        }
    }
}

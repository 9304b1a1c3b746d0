import TableModel

/// Evaluates a predicate as `Evaluation` does, and finds the first moment at which each part may come to something else
/// if the table stays as it is. That moment is never later than the true one, so a timer takes the place of looking again
/// and again.
struct Outlook {
    private var here: Evaluation
    private var clock: PredicateClock { here.clock }

    init(table: Table, own: PlacedRow?, clock: PredicateClock, groups: Groups? = nil) {
        here = Evaluation(table: table, own: own, clock: clock, groups: groups)
    }

    private init(_ here: Evaluation) { self.here = here }

    private static let never = UInt64.max

    func result(_ expression: PredicateExpression) -> (holds: Bool, untilMs: UInt64?) {
        let (holds, next) = flag(expression)
        return (holds, next == Self.never ? nil : next)
    }

    private func flag(_ expression: PredicateExpression) -> (Bool, UInt64) {
        let (value, next) = value(expression)
        if case .flag(true) = value { return (true, next) }
        return (false, next)
    }

    private func value(_ expression: PredicateExpression) -> (PredicateValue, UInt64) {
        switch expression {
        case .constant, .exists, .existsSection, .table, .own, .row:
            return (expression.value(here.looking(up:)), nextTick(of: expression))
        case .not(let inner):
            let (holds, next) = flag(inner)
            return (.flag(!holds), next)
        case .and(let left, let right): return both(flag(left), flag(right), joinedBy: true)
        case .or(let left, let right): return both(flag(left), flag(right), joinedBy: false)
        case .compare(let left, let comparison, let right):
            let (a, b) = (value(left), value(right))
            let next = nextChange(left, a, comparison, right, b)
            return (.flag(comparison.holds(a.0, b.0)), next)
        case .any(nil), .count(nil): return (here.looking(up: expression), Self.never)
        case .group(let whole):
            var inner = self
            inner.here.isOverGroup = true
            return inner.value(whole.expression)
        case .any(let condition?): return overRows(condition, decisive: true)
        case .all(let condition): return overRows(condition, decisive: false)
        case .count(let condition?):
            var (count, next) = (0, Self.never)
            let settled = settled(condition, &next)
            _ = here.firstRow { row in
                let one = about(row).flag(settled)
                if one.0 { count += 1 }
                next = min(next, one.1)
                return false
            }
            return (.number(Double(count)), next)
        }
    }

    func about(_ row: PlacedRow) -> Outlook { Outlook(here.about(row)) }

    /// Two conditions with `and` (true) or `or` (false) between them. One that has the other value decides, so all that
    /// have it must change before the whole does.
    private func both(
        _ a: (holds: Bool, next: UInt64), _ b: (holds: Bool, next: UInt64), joinedBy isAnd: Bool
    ) -> (PredicateValue, UInt64) {
        switch (a.holds == isAnd, b.holds == isAnd) {
        case (true, true): return (.flag(isAnd), min(a.next, b.next))
        case (true, false): return (.flag(!isAnd), b.next)
        case (false, true): return (.flag(!isAnd), a.next)
        case (false, false): return (.flag(!isAnd), max(a.next, b.next))
        }
    }

    /// Whether the condition has the decisive value for a row: `any` is true by one that is, `all` false by one that is not.
    private func overRows(
        _ condition: PredicateExpression, decisive: Bool
    ) -> (PredicateValue, UInt64) {
        var (others, deciding, ofAll): (UInt64, UInt64?, UInt64) = (Self.never, nil, Self.never)
        let settled = settled(condition, &ofAll)
        _ = here.firstRow { row in
            let one = about(row).flag(settled)
            if one.0 == decisive {
                deciding = max(deciding ?? 0, one.1)
            } else {
                others = min(others, one.1)
            }
            // It can change only when nothing decides any more.
            return deciding == Self.never
        }
        return (.flag((deciding != nil) == decisive), min(deciding ?? others, ofAll))
    }

    /// The condition on rows with what it says of all rows found once, and not for each. `next` is brought forward to the
    /// moment at which that may change.
    private func settled(
        _ expression: PredicateExpression, _ next: inout UInt64
    ) -> PredicateExpression {
        switch expression {
        case .constant, .table, .own, .row, .exists, .existsSection, .group: return expression
        case .count, .any, .all:
            var overTable = self
            overTable.here.isOverGroup = false
            let (value, moment) = overTable.value(expression)
            next = min(next, moment)
            return .constant(value)
        case .not(let inner): return .not(settled(inner, &next))
        case .compare(let a, let comparison, let b):
            return .compare(settled(a, &next), comparison, settled(b, &next))
        case .and(let a, let b): return .and(settled(a, &next), settled(b, &next))
        case .or(let a, let b): return .or(settled(a, &next), settled(b, &next))
        }
    }

    // MARK: Moments

    /// The next moment at which a value that no comparison reads is another one.
    private func nextTick(of expression: PredicateExpression) -> UInt64 {
        if case .table(.now) = expression { return clock.nowMs &+ 1 }
        guard let (placed, property) = property(of: expression) else { return Self.never }
        if let beganMs = placed.beganMs(property, in: here.table) {
            let seconds = Age.seconds(since: beganMs, nowMs: clock.nowMs)
            return moment(beganMs, plus: Double(seconds) + 1)
        }
        // A row that sleeps is late no earlier than its wake, which is a change of the table.
        guard case .late = property, placed.row.sleep == nil,
            let ages = here.table.kinds[placed.row.content.kind]?.ages, let late = ages.lateSeconds,
            ages.sections.isEmpty || ages.sections.contains(placed.section)
        else { return Self.never }
        let kind = here.table.kinds[placed.row.content.kind]
        return moment(Age.beganMs(of: placed.row, kind: kind), plus: Double(late))
    }

    private func property(of expression: PredicateExpression) -> (PlacedRow, RowProperty)? {
        switch expression {
        case .own(let property): return here.own.map { ($0, property) }
        case .row(let id, let property): return PlacedRow(id, in: here.table).map { ($0, property) }
        default: return nil
        }
    }

    /// So many seconds after a moment; never if that is past.
    private func moment(_ beganMs: UInt64, plus seconds: Double) -> UInt64 {
        future(Double(beganMs) + seconds * 1_000)
    }

    private func future(_ timeMs: Double) -> UInt64 {
        guard timeMs < 9e15 else { return Self.never }
        let whole = UInt64(max(0, timeMs.rounded(.up)))
        return whole > clock.nowMs ? whole : Self.never
    }

    private func nextChange(
        _ left: PredicateExpression, _ a: (PredicateValue, UInt64),
        _ comparison: PredicateComparison,
        _ right: PredicateExpression, _ b: (PredicateValue, UInt64)
    ) -> UInt64 {
        switch comparison {
        case .contains, .lacks: return min(a.1, b.1)
        default: break
        }
        var next = min(a.1, b.1)
        if b.1 == Self.never, let crossing = crossing(of: left, comparison, b.0) { next = crossing }
        if a.1 == Self.never, let crossing = crossing(of: right, comparison.mirrored, a.0) {
            next = crossing
        }
        if case .time = a.0, b.0.clockMs != nil { next = min(next, nextMidnight) }
        if case .time = b.0, a.0.clockMs != nil { next = min(next, nextMidnight) }
        return next
    }

    private var nextMidnight: UInt64 { future(clock.midnightMs + PredicateClock.dayMs) }

    /// The next moment at which a value that grows with the time reaches or leaves another that does not change; nil: it
    /// does not grow.
    private func crossing(
        of expression: PredicateExpression, _ comparison: PredicateComparison,
        _ other: PredicateValue
    ) -> UInt64? {
        if case .table(.now) = expression {
            guard let moment = other.moment(after: clock.midnightMs) else { return Self.never }
            return first(future(moment), future(moment.rounded(.down) + 1), comparison)
        }
        guard let (placed, property) = property(of: expression),
            let beganMs = placed.beganMs(property, in: here.table)
        else { return nil }
        guard let seconds = other.number else { return Self.never }
        return first(
            moment(beganMs, plus: seconds.rounded(.up)),
            moment(beganMs, plus: seconds.rounded(.down) + 1), comparison)
    }

    /// The moment that a comparison asks for: to reach a value, or to leave it behind.
    private func first(
        _ reached: UInt64, _ left: UInt64, _ comparison: PredicateComparison
    ) -> UInt64 {
        switch comparison {
        case .less, .atLeast: return reached
        case .more, .atMost: return left
        default: return min(reached, left)
        }
    }
}

extension PredicateComparison {
    /// The comparison that holds with both sides exchanged.
    fileprivate var mirrored: PredicateComparison {
        switch self {
        case .less: return .more
        case .more: return .less
        case .atMost: return .atLeast
        case .atLeast: return .atMost
        case .equal, .unequal, .contains, .lacks: return self
        }
    }
}

import TableModel
import TablePredicate

/// The decision on a command `each` that sets texts, which is made ahead. To decide on a hundred thousand rows in one
/// turn would keep all others waiting for a fifth of a second.
final class EachAhead: DecidedAhead {
    let timeMs: UInt64
    /// The history, and the kinds and settings, of the table that it is about.
    private let basis: (history: ID128, definitions: UInt64)
    private let changes: Command.Changes
    private let section: SectionID?
    private let test: (PlacedRow) -> Bool
    private let limits: SharedLimits
    /// Why the changes are in order for no row.
    private let fault: Rejection?

    /// The decision on the rows of a leaf.
    private struct Decided {
        let leaf: PreparedLeaf
        /// The places of the rows that fit.
        var fitting: [UInt8] = []
        var refused: [(row: RowID, why: Rejection)] = []
        var weight = Weight()
    }

    /// The bytes that are held until it is carried out: of the rows as they were, and of the ops on them.
    private struct Weight {
        var rows = 0
        var ops = 0
    }

    private var decided: [PreparedLeaf.Key: Decided] = [:]
    /// Leaves that are still to be looked at, and the place in the first of them.
    private var queue: ArraySlice<(section: SectionID, rows: ContiguousArray<Row>)>
    private var next = 0
    private var underWay: (decided: Decided, ops: [Op], inverse: [Op])?
    /// The rows that fit, and what they and the ops on them weigh.
    private var totals = (found: 0, weight: Weight())
    /// How often leaves that others had changed meanwhile were looked at.
    private var passes = 0
    /// A turn looks at no more values than any `each` may.
    private let condition: RowPredicate

    /// Nil: the command is decided on in one go, as any other.
    init?(_ command: Command, on table: Table, limits: SharedLimits, _ context: DecisionContext) {
        guard Self.isFor(command, on: table, limits), case .each(let each) = command.verb,
            case .set(_, let changes) = each.verb, changes.kind == nil, changes.actions == nil,
            changes.states == nil, let condition = try? RowPredicate(each.condition),
            condition.isOfRowAlone
        else { return nil }
        let frame = Table(
            restoring: table.name, history: table.history, revision: table.revision,
            kinds: Array(table.kinds.values), settings: Settings(), removedPlaces: 0)
        (self.changes, section, self.limits) = (changes, each.section, limits)
        timeMs = context.nowMs
        basis = (table.history, table.definitionsMark)
        test = condition.test(framedBy: frame, at: context.clock)
        self.condition = condition
        let decision = Decision(
            table: table, shared: limits, context: DecisionContext(nowMs: timeMs))
        do throws(Rejection) {
            try decision.checkKeys(of: changes)
            fault = nil
        } catch { fault = error }
        queue = table.leaves(of: each.section)[...]
    }

    /// Whether a command may be decided on ahead: it sets texts, and may be about more rows than one turn changes.
    static func isFor(_ command: Command, on table: Table, _ limits: SharedLimits) -> Bool {
        guard case .each(let each) = command.verb, case .set = each.verb, each.limit == nil,
            each.condition.utf8.count <= Limits.conditionBytes, !command.ifClaimed,
            command.ifVersion == nil, command.condition?.isOfRows != true
        else { return false }
        let looked = each.section.map { table.section($0)?.count ?? 0 } ?? table.count
        return looked > limits.limits.aheadRows
    }

    // MARK: Between turns

    func fits(_ table: Table, _ limits: SharedLimits, _ context: DecisionContext) -> Bool {
        basis == (table.history, table.definitionsMark) && limits === self.limits
            && section.map { table.section($0) != nil } ?? true
    }

    func isReady(for table: Table) -> Bool {
        if hasTooMany { return true }
        if !queue.isEmpty { return false }
        let live = table.leaves(of: section)
        let changed = live.filter { find($0.rows) == nil }
        let left = changed.reduce(0) { $0 + $1.rows.count }
        let isLittle =
            left <= Self.mostLeft
            && changed.reduce(0) { $0 + cost(of: $1.rows) } <= Limits.eachLookedUp
        if isLittle || passes == Self.mostPasses { return true }
        passes += 1
        forget(allBut: Set(live.compactMap { PreparedLeaf.key(of: $0.rows) }))
        queue = changed[...]
        return false
    }

    private func cost(of rows: ContiguousArray<Row>) -> Int {
        rows.reduce(0) { $0 + condition.cost(of: $1) }
    }

    private func find(_ rows: ContiguousArray<Row>) -> Decided? {
        PreparedLeaf.key(of: rows).flatMap { decided[$0] }
    }

    private func forget(allBut keys: Set<PreparedLeaf.Key>) {
        for (key, one) in decided where !keys.contains(key) {
            totals.found -= one.fitting.count
            totals.weight.rows -= one.weight.rows
            totals.weight.ops -= one.weight.ops
            decided[key] = nil
        }
    }

    func work(on table: Table, _ made: (PreparedLeaf, [Op], [Op]) -> Void) -> Bool {
        guard !hasTooMany, let (section, rows) = queue.first else { return false }
        var now = underWay ?? (Decided(leaf: PreparedLeaf(rows, of: section)), [], [])
        underWay = nil
        let end = min(next + condition.rowsAtOnce, rows.count)
        for place in next..<end { look(at: place, &now, table) }
        next = end
        if end < rows.count {
            underWay = now
            return true
        }
        next = 0
        queue.removeFirst()
        if let key = PreparedLeaf.key(of: rows) { decided[key] = now.decided }
        if now.decided.leaf.count > 0 { made(now.decided.leaf, now.ops, now.inverse) }
        return !queue.isEmpty
    }

    private func look(
        at place: Int, _ now: inout (decided: Decided, ops: [Op], inverse: [Op]), _ table: Table
    ) {
        let row = now.decided.leaf.rows[place]
        guard test(PlacedRow(row, section: now.decided.leaf.section, index: 0)) else { return }
        now.decided.fitting.append(UInt8(truncatingIfNeeded: place))
        let weight = row.weight
        now.decided.weight.rows += weight
        totals.found += 1
        totals.weight.rows += weight
        do throws(Rejection) {
            guard let op = try op(on: row, table) else { return }
            let weight = op.weight
            now.decided.weight.ops += weight
            totals.weight.ops += weight
            now.ops.append(op)
            now.inverse += changes.wayBack(on: row)
            now.decided.leaf.put(
                row.ahead(changes, nil, timeMs: timeMs, in: table), at: place, in: table)
        } catch {
            now.decided.refused.append((row.id, error))
        }
    }

    /// The op on a row that fits; nil: it stays as it is. Throws why it refuses.
    private func op(on row: Row, _ table: Table) throws(Rejection) -> Op? {
        if let fault { throw fault }
        if changes.arePlain(on: row.content, within: limits) { return .set(row.id, changes) }
        let decision = Decision(
            table: table, shared: limits, context: DecisionContext(nowMs: timeMs))
        return try decision.set(row, changes).ops.first
    }

    private var hasTooMany: Bool {
        totals.found > Limits.eachRowsAhead || totals.weight.rows > Limits.eachRowBytesAhead
            || totals.weight.ops > Limits.eachInverseBytes
    }

    // MARK: In the turn

    func settled(
        _ command: Command, on table: Table, _ context: DecisionContext
    ) throws(Rejection) -> SettledAhead? {
        let decision = Decision(table: table, shared: limits, context: context)
        try decision.checkPreconditions(of: command)
        do throws(Rejection) { return try settled(on: table) } catch {
            throw error.below(command.name)
        }
    }

    private func settled(on table: Table) throws(Rejection) -> SettledAhead {
        // Not all was looked at.
        if hasTooMany { try check(left: (0, 0), found: totals.found, totals.weight) }
        var (settled, ops, ids, refused) = (SettledAhead(), [Op](), [RowID](), RefusedRows())
        var (left, changed, weight) = ((rows: 0, values: 0), 0, Weight())
        for (section, rows) in table.leaves(of: section) {
            if let key = PreparedLeaf.key(of: rows), let one = decided[key] {
                settled.found += one.fitting.count
                weight.rows += one.weight.rows
                weight.ops += one.weight.ops
                changed += one.leaf.count
                if one.leaf.count > 0 { settled.leaves.append(one.leaf) }
                for (row, why) in one.refused { refused.add(row, why) }
                if settled.found <= Limits.eachRows { ids += one.fitting.map { rows[Int($0)].id } }
                continue
            }
            left.rows += rows.count
            left.values += cost(of: rows)
            try check(left: left, found: settled.found, weight)
            for row in rows where test(PlacedRow(row, section: section, index: 0)) {
                settled.found += 1
                weight.rows += row.weight
                if settled.found <= Limits.eachRows { ids.append(row.id) }
                do throws(Rejection) {
                    guard let op = try op(on: row, table) else { continue }
                    changed += 1
                    weight.ops += op.weight
                    ops.append(op)
                } catch { refused.add(row.id, error) }
            }
        }
        try check(left: left, found: settled.found, weight)
        if let rejection = refused.rejection(of: settled.found) {
            throw rejection.below(Command.Name.set.rawValue)
        }
        settled.rest = Plan(ops, rows: settled.found <= Limits.eachRows ? Few(ids) : .none)
        return settled
    }

    private func check(
        left: (rows: Int, values: Int), found: Int, _ weight: Weight
    ) throws(Rejection) {
        let bounds = [
            ("rows that fit", found, Limits.eachRowsAhead),
            ("bytes of the rows that fit", weight.rows, Limits.eachRowBytesAhead),
            ("bytes of what is changed at once", weight.ops, Limits.eachInverseBytes),
            ("rows that others changed meanwhile", left.rows, Limits.eachRows),
            ("values of rows that others changed meanwhile", left.values, Limits.eachLookedUp),
        ]
        for (what, count, limit) in bounds where count > limit {
            throw .tooLarge(what, count, limit: limit, field: "limit")
        }
    }
}

import TableModel

/// The undo of a revision that has set texts of very many rows, which is decided on ahead.
///
/// Its way back is read a row at a time. A row that nobody has changed since, and that stands where it stood, gets its
/// texts and times back. What others have changed is left for the turn, which takes that back as any undo does.
final class UndoAhead: DecidedAhead {
    let timeMs: UInt64
    private let revision: UInt64
    /// The bytes of its way back, in which steps are places: a `forget` makes it shorter.
    private let size: Int
    private let history: ID128
    private let limits: SharedLimits
    private let past: any Past
    private let command: Command

    /// The decision on rows of a leaf, and where in the way back these stand.
    private struct Decided {
        let leaf: PreparedLeaf
        var steps: [Int] = []
    }

    private var decided: [PreparedLeaf.Key: Decided] = [:]
    /// The next step that was not read yet; nil: all were.
    private var next: Int? = 0
    /// The rows of the steps that were read: each has one step.
    private var seen: Set<RowID> = []
    /// Steps that are read once more, since others have changed their leaves meanwhile.
    private var again: [Int] = []
    /// Steps that the turn takes.
    private var left: [Int] = []
    private var underWay: (leaf: PreparedLeaf, ops: [Op], inverse: [Op])?
    private var passes = 0
    /// It is about something besides texts.
    private var isOther = false

    /// The revision that the command takes back, if that is large; nil: it is decided on as any other.
    static func revision(_ command: Command, _ decision: Decision) -> UInt64? {
        guard case .undo(let revision, let mine) = command.verb, !command.ifClaimed,
            command.ifVersion == nil, command.condition?.isOfRows != true,
            let past = decision.context.past, past.head > past.oldest,
            let found = decision.undone(revision, mine: mine, past),
            past.size(of: found) > decision.limits.aheadBytes, past.step(of: found, at: 0) != nil
        else { return nil }
        return found
    }

    /// Whether a command may be decided on ahead.
    static func isFor(
        _ command: Command, on table: Table, _ limits: SharedLimits, _ context: DecisionContext
    ) -> Bool {
        let decision = Decision(table: table, shared: limits, context: context)
        return revision(command, decision) != nil
    }

    init?(_ command: Command, on table: Table, limits: SharedLimits, _ context: DecisionContext) {
        let decision = Decision(table: table, shared: limits, context: context)
        guard let past = context.past, let revision = Self.revision(command, decision) else {
            return nil
        }
        (self.command, self.past) = (command, past)
        (self.revision, self.limits, size) = (revision, limits, past.size(of: revision))
        (timeMs, history) = (context.nowMs, table.history)
    }

    // MARK: Between turns

    func fits(_ table: Table, _ limits: SharedLimits, _ context: DecisionContext) -> Bool {
        let decision = Decision(table: table, shared: limits, context: context)
        return table.history == history && limits === self.limits
            && Self.revision(command, decision) == revision
            && context.past?.size(of: revision) == size
    }

    func work(on table: Table, _ made: (PreparedLeaf, [Op], [Op]) -> Void) -> Bool {
        for _ in 0..<Self.rowsAtOnce where !isOther {
            if let step = again.popLast() {
                take(step, table, made, isAgain: true)
            } else if let step = next {
                next = take(step, table, made, isAgain: false)
            }
        }
        let goesOn = !isOther && (next != nil || !again.isEmpty)
        if !goesOn { hand(on: made) }
        return goesOn
    }

    private func hand(on made: (PreparedLeaf, [Op], [Op]) -> Void) {
        if let underWay { made(underWay.leaf, underWay.ops, underWay.inverse) }
        underWay = nil
    }

    /// Decides on the row of a step; returns where the next one stands.
    @discardableResult
    private func take(
        _ step: Int, _ table: Table, _ made: (PreparedLeaf, [Op], [Op]) -> Void, isAgain: Bool
    ) -> Int? {
        guard let (ops, end) = past.step(of: revision, at: step),
            let (id, changes, traces) = Self.texts(of: ops), isAgain || seen.insert(id).inserted
        else {
            isOther = true
            return nil
        }
        guard let spot = table.leaf(of: id), let key = PreparedLeaf.key(of: spot.rows),
            isPlain(spot.rows[spot.place], changes, traces)
        else {
            left.append(step)
            return end
        }
        let row = spot.rows[spot.place]
        if underWay?.leaf.key != key {
            hand(on: made)
            let leaf = decided[key]?.leaf ?? PreparedLeaf(spot.rows, of: spot.section)
            underWay = (leaf, [], [])
            if decided[key] == nil { decided[key] = Decided(leaf: leaf) }
        }
        underWay?.ops += [.set(id, changes), .restore(id, traces)]
        underWay?.inverse += changes.wayBack(on: row)
        underWay?.leaf.put(
            row.ahead(changes, traces, timeMs: timeMs, in: table), at: spot.place, in: table)
        decided[key]?.steps.append(step)
        return end
    }

    /// The texts and traces that a step restores; nil: it is another one.
    private static func texts(of ops: [Op]) -> (RowID, Command.Changes, Traces)? {
        guard ops.count == 2, case .set(let id, let changes) = ops[0],
            case .restore(id, let traces) = ops[1], changes.kind == nil, changes.actions == nil,
            changes.states == nil
        else { return nil }
        return (id, changes, traces)
    }

    /// Whether nobody has changed the row since, nor moved it, and no action was performed on it.
    private func isPlain(_ row: Row, _ changes: Command.Changes, _ traces: Traces) -> Bool {
        row.version == revision && row.movedMs == traces.movedMs && row.performed.isEmpty
            && traces.performed.isEmpty && changes.arePlain(on: row.content, within: limits)
    }

    func isReady(for table: Table) -> Bool {
        if isOther { return true }
        if next != nil || !again.isEmpty { return false }
        let live = Set(table.leaves(of: nil).compactMap { PreparedLeaf.key(of: $0.rows) })
        let changed = decided.filter { !live.contains($0.key) }
        let steps = changed.values.flatMap(\.steps)
        if left.count + steps.count <= Self.mostLeft || passes == Self.mostPasses { return true }
        if left.count > Self.mostLeft, steps.count <= Self.mostLeft { return true }
        passes += 1
        for key in changed.keys { decided[key] = nil }
        again = steps.sorted(by: >)
        return false
    }

    // MARK: In the turn

    func settled(
        _ command: Command, on table: Table, _ context: DecisionContext
    ) throws(Rejection) -> SettledAhead? {
        if isOther { return nil }
        let decision = Decision(table: table, shared: limits, context: context)
        try decision.checkPreconditions(of: command)
        do throws(Rejection) { return try settled(on: table, context) } catch {
            throw error.below(command.name)
        }
    }

    private func settled(
        on table: Table, _ context: DecisionContext
    ) throws(Rejection) -> SettledAhead? {
        var (settled, ids): (SettledAhead, [RowID]) = (SettledAhead(), [])
        var changed = decided
        for (_, rows) in table.leaves(of: nil) {
            guard let key = PreparedLeaf.key(of: rows),
                let leaf = changed.removeValue(forKey: key)?.leaf
            else { continue }
            settled.leaves.append(leaf)
            settled.found += leaf.count
            if settled.found <= Limits.eachRows { ids += leaf.changedRows }
        }
        settled.rest.undoes = revision
        let steps = (left + changed.values.flatMap(\.steps)).sorted()
        try bound(
            "rows that others changed since", steps.count, by: Limits.eachRows, field: "revision")
        if !steps.isEmpty {
            switch try takingBack(steps, of: table, context) {
            case nil: return nil
            case .planned(let plan):
                settled.found += plan.rows.count
                ids += plan.rows
                settled.rest = plan
            case .replaced:
                // Perhaps an earlier change stands that can be taken back.
                if settled.leaves.isEmpty { return nil }
            }
        }
        settled.rest.rows = settled.found <= Limits.eachRows ? Few(ids) : .none
        return settled
    }

    /// Takes the revision back as far as it is about some rows. That is tried out on a copy of these: on the table it would
    /// leave other arrays behind, also in leaves that are to be exchanged.
    private func takingBack(
        _ steps: [Int], of table: Table, _ context: DecisionContext
    ) throws(Rejection) -> Decision.TakingBack? {
        var (ops, inverse, cause): ([Op], [Op], Cause) = (
            [], [], Cause(verb: Command.Name.each.rawValue)
        )
        for step in steps {
            guard let (back, _) = past.step(of: revision, at: step) else { return nil }
            inverse += back
            // It has set what this sets again.
            if let op = back.first { ops.append(op) }
        }
        cause.timeMs = timeMs
        let diff = Diff(base: revision - 1, digest: 0, cause: cause, ops: ops)
        let decision = Decision(
            table: table.excerpt(of: ops.flatMap(\.rows)), shared: limits, context: context)
        return try decision.takingBack(PastChange(diff: diff, inverse: inverse), past)
    }
}

extension Command.Changes {
    /// The ops that bring a row back as it was before these changes of its texts.
    func wayBack(on row: Row) -> [Op] {
        [.set(row.id, inverse(on: row.content)), .restore(row.id, Traces(of: row))]
    }
}

extension Decision {
    /// The revision that an undo takes back; nil: none, or it is refused.
    func undone(_ revision: UInt64?, mine: Bool, _ past: any Past) -> UInt64? {
        guard let revision else { return standing(upTo: past.head, past, mine: mine) }
        guard revision > past.oldest, revision <= past.head else { return nil }
        let (top, isUndone) = past.top(of: revision)
        return isUndone ? nil : top
    }
}

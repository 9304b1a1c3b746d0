public import TableModel
import TablePredicate

/// Decides on a command: what it does to the table as it is, or why it is refused.
///
/// Pure: the result depends only on the arguments, and the table stays as it is.
public func reduce(
    _ command: Command, on table: Table, limits: Limits, _ context: consuming DecisionContext
) -> Result<Plan, Rejection> { reduce(command, on: table, limits: SharedLimits(limits), context) }

/// As above, by limits that other decisions are made by too.
public func reduce(
    _ command: Command, on table: Table, limits: SharedLimits, _ context: consuming DecisionContext
) -> Result<Plan, Rejection> {
    do throws(Rejection) {
        return .success(try plan(for: command, on: table, limits: limits, context))
    } catch { return .failure(error) }
}

/// As above, but throws why not: a result would be moved once more.
package func plan(
    for command: Command, on table: Table, limits: SharedLimits,
    _ context: consuming DecisionContext
) throws(Rejection) -> Plan {
    let decision = Decision(table: table, shared: limits, context: context)
    let plan = try decision.plan(for: command)
    // Nearly every plan has one op or two, and none of few weighs much.
    let isLarge = plan.ops.count > Limits.lightOps || plan.rows.count > Limits.lightRows
    guard isLarge, !command.verb.isWeighedRowByRow else { return plan }
    if plan.ops.count > Limits.lightOps {
        let weight = plan.ops.weight
        try bound("bytes of a change", weight, by: Limits.changeBytes, field: command.name)
    }
    if plan.rows.count > Limits.lightRows, plan.undoes == nil {
        let strips = plan.ops.reduce(0) {
            $0 + ($1.isTableWide ? 0 : table.stripBytes(writtenBy: $1))
        }
        try bound(
            "bytes of rows that a command writes anew", strips, by: Limits.changedStripBytes,
            field: command.name)
    }
    return plan
}

/// As above, if only the time and the client matter.
public func reduce(
    _ command: Command, on table: Table, limits: Limits, nowMs: UInt64, client: ID? = nil
) -> Result<Plan, Rejection> {
    reduce(command, on: table, limits: limits, DecisionContext(nowMs: nowMs, client: client))
}

/// As below, if only the time and the client matter.
public func reduce(
    batch commands: [Command], ifRevision: UInt64? = nil, on table: Table, limits: Limits,
    nowMs: UInt64, client: ID? = nil
) -> Result<Plan, Rejection> {
    reduce(
        batch: commands, ifRevision: ifRevision, on: table, limits: limits,
        DecisionContext(nowMs: nowMs, client: client))
}

/// Decides on a batch: all of it or nothing, in one revision. Each command is decided on the result
/// of those before it.
public func reduce(
    batch commands: [Command], ifRevision: UInt64? = nil, on table: Table, limits: Limits,
    _ context: DecisionContext, atMost work: BatchWork = .changing
) -> Result<Plan, Rejection> {
    guard commands.count <= limits.batchCommands else {
        return .failure(
            .tooLarge(
                "commands in a batch", commands.count, limit: limits.batchCommands,
                field: "commands"))
    }
    if let ifRevision, ifRevision != table.revision {
        return .failure(.stale(table, ifRevision, field: "ifRevision"))
    }
    if let rejection = work.refusal(of: commands, on: table) { return .failure(rejection) }
    let shared = SharedLimits(limits)
    let meter = commands.count > 1 ? LookupMeter(atMost: work.lookedAt) : nil
    return table.onTrial { trial in
        var whole = Plan([])
        var (ops, rows): ([Op], [RowID]) = ([], [])
        var (bytes, takenBytes, stripBytes) = (0, 0, 0)
        var hasOwnEditMode = false
        for (index, command) in commands.enumerated() {
            var decision = Decision(table: table, shared: shared, context: context, suffix: index)
            decision.hasOwnEditMode = hasOwnEditMode
            decision.meter = meter
            if let meter, meter.isSpent { return .failure(meter.rejection(field: "commands")) }
            do throws(Rejection) {
                let plan = try decision.plan(for: command)
                bytes += plan.ops.weight
                takenBytes += decision.takenBytes(of: plan, command.verb)
                stripBytes += plan.ops.reduce(0) { $0 + table.stripBytes(writtenBy: $1) }
                if let rejection = work.refusal(
                    bytes: bytes, takenBytes: takenBytes, stripBytes: stripBytes)
                {
                    return .failure(rejection)
                }
                // After the last one nobody looks.
                if index < commands.count - 1 { trial.apply(plan.ops) }
                for case .edit in plan.ops { hasOwnEditMode = true }
                ops += plan.ops
                rows += plan.rows
                whole.invocations += plan.invocations
                whole.addNotes(of: plan, command.verb)
            } catch {
                var rejection = error.below("commands")
                rejection.command = index
                return .failure(rejection)
            }
        }
        (whole.ops, whole.rows) = (ops, Few(rows))
        return .success(whole)
    }
}

/// One command being decided. Each verb has a method. Those about order are in ReduceOrder.swift.
struct Decision {
    let table: Table
    let shared: SharedLimits
    let context: DecisionContext
    /// The command's place in a batch. It makes new ids differ.
    var suffix: Int?
    /// A restore: what it brings was checked when it was defined, perhaps less strictly.
    var keepsOld = false
    /// The shared faces that the definitions at hand lead to; nil: those of the table.
    var newFaces: [ID: Face]?
    /// It is about a row as it was: shared faces that the row names may be gone.
    var isOfPast = false
    /// An earlier command of the batch has changed edit mode: if it is on, the sender holds it, whoever did before.
    var hasOwnEditMode = false
    /// Counts the values that commands look up which are decided on together; nil: there is one, with its own bounds.
    var meter: LookupMeter?
    /// The kinds that the definitions at hand make or change.
    var newKinds: Set<KindID> = []

    var limits: Limits { shared.limits }
    var nowMs: UInt64 { context.nowMs }
    /// The sender of the command.
    var client: ID? { context.client }

    func plan(for command: Command) throws(Rejection) -> Plan {
        try checkPreconditions(of: command)
        do throws(Rejection) {
            let stands = suffix == nil || command.verb.name.has(.batch)
            guard stands else { throw .standsAlone }
            return try plan(for: command.verb, seen: command.ifVersion)
        } catch {
            // Fields start at the command, as in the protocol.
            throw error.below(command.name)
        }
    }

    func plan(for verb: Command.Verb, seen version: UInt64?) throws(Rejection) -> Plan {
        switch verb {
        case .add(let add): return try self.add(add)
        case .set(let id, let changes): return try set(id, changes)
        case .remove(let ids, let hint): return try remove(ids, hint: hint)
        case .move(let ids, let section, let anchor, let policy):
            return try move(ids, section: section, anchor, policy)
        case .swap(let a, let b): return try swap(a, b)
        case .swipe(let id, let edge): return try swipe(id, edge)
        case .expand(let id, let target): return try expand(id, target)
        case .define(let definitions): return try define(definitions)
        case .section(let id, let title): return try section(id, title: title)
        case .removeSection(let id): return try removeSection(id)
        case .act(let act): return try self.act(act, seen: version)
        case .edit(let isOn): return try edit(isOn)
        case .take(let action, let most): return try take(action, atMost: most)
        case .release(let id): return try release(id)
        case .finish(let id, let outcome): return try finish(id, outcome)
        case .expandAll(let isOpen): return try expandAll(isOpen)
        case .item(let id, let change): return try item(id, change)
        case .scroll(let id, let scroll): return try self.scroll(id, scroll)
        case .select(let id, let item): return try select(id, item: item)
        case .mark(let id, let item): return try mark(id, item: item)
        case .claim(let ids, let note, let ttl): return try claim(ids, note: note, ttl)
        case .unclaim(let ids, let holder): return try unclaim(ids, of: holder)
        case .next(let next): return try self.next(next)
        case .retry(let id, let action, let item): return try retry(id, action, item)
        case .undo(let revision, let mine): return try undo(revision, mine: mine)
        case .redo(let mine): return try redo(mine: mine)
        case .recall(let ids): return try recall(ids)
        case .pause(let scope, let note): return try pause(scope, note: note)
        case .snooze(let ids, let snooze): return try self.snooze(ids, snooze)
        case .each(let each): return try self.each(each)
        }
    }

    func checkPreconditions(of command: Command) throws(Rejection) {
        if let wanted = command.ifRevision, wanted != table.revision {
            throw .stale(table, wanted, field: "ifRevision")
        }
        if command.ifClaimed { try checkClaimed(command.verb) }
        if let condition = command.condition { try check(condition, of: command.verb) }
        guard let wanted = command.ifVersion else { return }
        // Not checked for a press: the second to press learns that the action is done, not that the
        // version is stale.
        if case .act = command.verb { return }
        guard let rows = command.verb.rows else {
            throw Rejection(
                .badValue, "Of this command no version can be required.", field: "ifVersion")
        }
        guard let id = rows.first, rows.count == 1 else {
            throw Rejection(
                .badValue, "A version can be required of one row only.", field: "ifVersion")
        }
        let row = try row(id, field: "ifVersion")
        if row.version != wanted {
            throw Rejection(
                .stale, "Row \"\(id.text)\" has version \(row.version), not \(wanted).",
                field: "ifVersion")
        }
    }

    private func check(_ condition: CommandCondition, of verb: Command.Verb) throws(Rejection) {
        let rows = condition.isOfRows ? verb.conditionedRows ?? .none : .none
        let cost = condition.cost(for: rows, in: table)
        try bound(
            "values that the condition looks up", cost, by: Limits.conditionSteps, field: "if")
        meter?.add(cost)
        let clock = context.clock
        guard condition.isOfRows else {
            if condition.holds(for: nil, in: table, at: clock) { return }
            throw Rejection(.stale, "It is not so: \(condition.text).", field: "if")
        }
        if rows.isEmpty {
            throw Rejection(.badValue, "The condition is about rows: name them.", field: "if")
        }
        for id in rows {
            guard let row = PlacedRow(id, in: table) else { throw .noRow(id, field: "if") }
            if condition.holds(for: row, in: table, at: clock) { continue }
            throw Rejection(
                .stale, "Of row \"\(id.text)\" it is not so: \(condition.text).", field: "if")
        }
    }

    func row(_ id: RowID, field: String) throws(Rejection) -> Row {
        guard let row = table.row(id) else { throw .noRow(id, field: field) }
        return row
    }

    func kind(_ id: KindID, field: String = "kind") throws(Rejection) -> Kind {
        guard let kind = table.kinds[id] else { throw .noKind(id, field: field) }
        return kind
    }

    // MARK: Rows

    private func remove(_ ids: Few<RowID>, hint: AnimationHint) throws(Rejection) -> Plan {
        try checkDistinct(ids, field: "rows")
        for id in ids {
            let row = try row(id, field: "rows")
            if table.kinds[row.content.kind]?.canDelete == false {
                throw Rejection(
                    .notAllowed, "Rows of kind \"\(row.content.kind.text)\" cannot be removed.",
                    field: "rows", saying: Saying("cannotRemove"))
            }
        }
        if case .one(let id) = ids { return Plan([.remove(id, hint: hint)], rows: ids) }
        return Plan(ids.map { .remove($0, hint: hint) }, rows: ids)
    }

    private func swipe(_ id: RowID, _ edge: Edge?) throws(Rejection) -> Plan {
        let row = try row(id, field: "row")
        if edge != nil {
            try checkNotEditing(field: "edge")
            try checkNotLifted([id], field: "row")
        }
        if table.settings.swipeScope == .viewer {
            throw Rejection(.viewerScope, "In this table each viewer has its own open swipe.")
        }
        if row.swipe == edge { return Plan([], rows: .one(id)) }
        if let edge { try table.checkActions(of: row, at: edge) }
        var ops: [Op] = []
        if edge != nil, table.settings.swipePolicy == .exclusive {
            let others = table.openRows.filter { $0 != id }.sorted()
            ops = others.map { .swipe($0, nil) }
        }
        return Plan(ops.then(.swipe(id, edge)), rows: .one(id))
    }
}

extension Decision {
    /// By limits that no other decision is made by.
    init(table: Table, limits: Limits, context: DecisionContext, suffix: Int? = nil) {
        self.init(table: table, shared: SharedLimits(limits), context: context, suffix: suffix)
    }
}

extension Table {
    /// Throws if the row has no actions at that edge, so that it cannot be swiped open there (F16).
    public func checkActions(of row: Row, at edge: Edge) throws(Rejection) {
        if hasActions(row, at: edge) { return }
        throw Rejection(
            .noSuchAction, "Row \"\(row.id.text)\" has no actions at its \(edge.rawValue) edge.",
            field: "edge")
    }
}

extension Rejection {
    static let standsAlone = Rejection(
        .badValue, "Undo, redo, recall, next and each stand alone, not in a batch.")

    static func stale(_ table: Table, _ wanted: UInt64, field: String) -> Rejection {
        Rejection(
            .stale, "The table is at revision \(table.revision), not \(wanted).", field: field)
    }
}

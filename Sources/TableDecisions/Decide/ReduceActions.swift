import TableModel
import TablePredicate

// Swipe actions: each is performed once, and a handler completes some of them (rules A7, A17 and A18).

extension Decision {
    // MARK: Performing

    /// - Parameter isRetry: what failed is performed again, whenever that was.
    func act(
        _ act: Command.Act, seen version: UInt64?, isRetry: Bool = false
    ) throws(Rejection) -> Plan {
        let deed = Deed(act.action, on: act.item)
        guard let row = table.row(act.row) else { throw refusal(ofPress: deed, onMissing: act.row) }
        try checkNotEditing(field: "row")
        try checkNotLifted([act.row], field: "row")
        let action: Action
        if let item = act.item {
            action = try findInMenu(act, of: item, in: row)
            if !isRetry { try checkOnce(deed, of: action, on: row, seen: version) }
        } else if isRetry {
            action = try find(act, in: row).0
        } else {
            action = try findOnce(act, on: row, seen: version)
        }
        try checkNotPaused(action.id, action.effects, on: row.id)
        try checkRoom(for: deed, on: row)
        if let guarded = action.guarded {
            let lookups = guarded.groupLookups(rows: table.count)
            try bound(
                "values of rows of groups to look at", lookups, by: Limits.groupValuesLookedAt,
                field: "action")
            meter?.add(lookups)
            if !table.allows(action, on: row.id, nowMs: nowMs) {
                throw Rejection(
                    .guarded, guarded.refusal, field: "action",
                    saying: guarded.unless.map { Saying("said", ["text": $0]) })
            }
        }
        if action.asksToConfirm, !act.isConfirmed {
            throw Rejection(
                .needsConfirmation, "A person must confirm \"\(action.id.text)\" first.",
                field: "confirmed")
        }
        return try perform(action, on: row, item: act.item)
    }

    /// The action of the row that may be performed now.
    private func findOnce(
        _ act: Command.Act, on row: Row, seen version: UInt64?
    ) throws(Rejection) -> Action {
        let (action, group) = try find(act, in: row)
        try checkOnce(Deed(action.id), of: action, on: row, seen: version)
        if act.isFull, !group.hasFullSwipe || group.actions.first?.id != action.id {
            throw Rejection(
                .noFullSwipe, "A full swipe does not perform \"\(action.id.text)\".", field: "full")
        }
        return action
    }

    func find(_ act: Command.Act, in row: Row) throws(Rejection) -> (Action, ActionGroup) {
        // If both edges have an action with this id, the one at the open edge is meant.
        let edges = row.swipe.map { [$0] + Edge.allCases.filter { $0 != row.swipe } }
        var elsewhere: Edge?
        let kind = table.kinds[row.content.kind]
        for edge in edges ?? Edge.allCases {
            guard let group = table.actions(of: row, kind, at: edge),
                let action = group.actions.first(where: { $0.id == act.action })
            else { continue }
            if act.edge == nil || act.edge == edge { return (action, group) }
            elsewhere = edge
        }
        if let elsewhere {
            throw Rejection(
                .wrongEdge, "\"\(act.action.text)\" is at the \(elsewhere.rawValue) edge.",
                field: "edge")
        }
        throw Rejection(
            .noSuchAction, "Row \"\(row.id.text)\" has no action \"\(act.action.text)\".",
            field: "action")
    }

    private func perform(_ action: Action, on row: Row, item: ID?) throws(Rejection) -> Plan {
        let id = row.id
        let invocation = try invocation(
            of: action.effects, Deed(action.id, on: item), on: row, item)
        let before = invocation.map { [Op.invoke($0)] } ?? []
        let begun = invocation.map { [$0.id] } ?? []
        let performance = Performance(
            action.id, on: item, begun.first.map { .pending($0) } ?? .done)
        // A menu is not behind the row: its actions leave the swipe as it is.
        let hides =
            action.hidesWhenSelected && item == nil && !action.effects.contains(where: \.removesRow)
        let (ops, note) = try apply(action.effects, to: id, item, after: before) { row, ops in
            // After the effects: new content removes what was performed on the old.
            ops.append(.perform(id, performance))
            if row.swipe != nil, hides { ops.append(.swipe(id, nil)) }
        }
        return Plan(ops, rows: .one(id), note: note, invocations: begun)
    }

    /// The invocation that the effects start; nil: they start none.
    func invocation(
        of effects: [Effect], _ deed: Deed, on row: Row, _ item: ID?
    ) throws(Rejection) -> Invocation? {
        for case .invoke(let deadline, let then, var retries) in effects {
            let invocations = table.invocations
            try check(invocations.count + 1, of: .invocations, field: "action")
            retries.otherwise = try filledThen(retries.otherwise, on: row, item: item)
            let invocation = Invocation(
                id: InvocationID(revision: table.revision &+ 1, index: suffix ?? 0), row: row.id,
                action: deed.action, item: deed.item, client: client, pressedMs: nowMs,
                deadlineSeconds: deadline, then: try filledThen(then, on: row, item: item),
                retries: retries, pressed: row)
            let bytes = invocations.thenBytes + invocation.thenWeight
            try check(bytes, of: .thenBytes, field: "action")
            let pressed = invocations.pressedBytes + invocations.bytes(ofPressed: row)
            try check(pressed, of: .pressedBytes, field: "action")
            return invocation
        }
        return nil
    }

    /// The ops of some effects on a row. Each effect is decided on the result of those before it.
    /// Then come the ops that `addLast` adds, of the row's swipe alone. Removing the row comes at the end.
    func apply(
        _ effects: [Effect], to id: RowID, _ item: ID? = nil, after first: [Op] = [],
        _ addLast: (Row, inout [Op]) -> Void
    ) throws(Rejection) -> ([Op], note: Note?) {
        // Nothing is decided on the result of fields, and they leave the row's swipe as it is.
        if first.isEmpty, effects.count == 1, case .set(let fields) = effects[0] {
            var plan = try set(id, Command.Changes(fields: fields))
            if let row = table.row(id) { addLast(row, &plan.ops) }
            return (plan.ops, note: nil)
        }
        let result = table.onTrial { trial in
            Result { () throws(Rejection) in
                var ops = first
                trial.apply(first)
                var note: Note?
                for effect in effects.joined {
                    if case .group(let effects) = effect {
                        ops += try apply(effects, toGroupOf: id, &trial)
                        continue
                    }
                    guard let plan = try plan(for: effect, on: id, item) else { continue }
                    trial.apply(plan.ops)
                    ops += plan.ops
                    note = note ?? plan.notes?[id]
                }
                if let row = table.row(id) { addLast(row, &ops) }
                if effects.contains(where: \.removesRow) { ops.append(.remove(id)) }
                return (ops, note: note)
            }
        }
        return try result.get()
    }

    /// Nil for effects that are decided elsewhere: removing comes last, and invoking first.
    func plan(for effect: Effect, on id: RowID, _ item: ID?) throws(Rejection) -> Plan? {
        switch effect {
        case .remove, .invoke, .group: return nil
        case .removeItem, .setItem: return try plan(for: effect, on: id, item: item)
        case .move(let section, let anchor):
            return try move([id], section: section, anchor, .rebase, by: .action)
        case .moveBack: return try moveBack(id)
        case .set(let fields): return try set(id, Command.Changes(fields: fields))
        case .unset(let keys): return try set(id, Command.Changes(unset: keys))
        case .kind(let kind): return try set(id, Command.Changes(kind: kind))
        case .fill(let fields):
            let row = try row(id, field: "row")
            return try set(id, Command.Changes(fields: try filled(fields, on: row, item: item)))
        case .increment(let increments):
            let row = try row(id, field: "row")
            return try set(id, Command.Changes(fields: try incremented(increments, on: row)))
        case .toggle: return try expand(id, nil)
        case .expand(let state): return try expand(id, state)
        case .snooze(let milliseconds, let isToTop):
            return try snooze(.one(id), .init(.after(milliseconds), isToTop: isToTop))
        }
    }

    // MARK: Handlers

    func take(_ action: ID?, atMost most: Int) throws(Rejection) -> Plan {
        guard let client else {
            throw Rejection(
                .malformed, "Only a client with an id can take invocations.", field: "client")
        }
        if let action { try checkID(action, field: "action") }
        try require(
            (1...limits.takenInvocations).contains(most), or: .badNumber,
            "1 to \(limits.takenInvocations) can be taken at once.", field: "most")
        var taken = table.waiting(for: action, atMost: most)
        var bytes = 0
        // The answer has their rows. One is taken however large it is.
        let fitting = taken.prefix { id in
            bytes += table.invocations[id]?.weight ?? 0
            return bytes <= Limits.takenBytes
        }
        taken.removeLast(taken.count - max(fitting.count, min(taken.count, 1)))
        return Plan(taken.map { .take($0, by: client) }, invocations: taken)
    }

    /// The weight of the invocations that a plan takes.
    func takenBytes(of plan: Plan, _ verb: Command.Verb) -> Int {
        guard case .take = verb else { return 0 }
        return plan.invocations.reduce(0) { $0 + (table.invocations[$1]?.weight ?? 0) }
    }

    func release(_ id: InvocationID) throws(Rejection) -> Plan {
        let invocation = try held(id)
        return giveBack(invocation, "handler \(invocation.holder?.text ?? "") gave it back")
    }

    func finish(_ id: InvocationID, _ outcome: Invocation.Outcome) throws(Rejection) -> Plan {
        let invocation = try held(id)
        if case .failed(let reason) = outcome {
            try checkReason(reason, field: "failed")
            return fail(invocation, reason)
        }
        return end(invocation, .done, invocation.then)
    }

    /// The invocation ends, and these effects are applied to its row.
    func end(_ invocation: Invocation, _ outcome: Invocation.Outcome, _ effects: [Effect]) -> Plan {
        let finish = Op.finish(invocation.id, outcome)
        let rows = Few.one(invocation.row)
        if effects.isEmpty { return Plan([finish], rows: rows) }
        do throws(Rejection) {
            try checkPressed(by: invocation)
            let (ops, note) = try apply(effects, to: invocation.row, invocation.item) {
                $1.append(finish)
            }
            return Plan(ops, rows: rows, note: note)
        } catch {
            // A handler did run. It must not run again because its effects no longer apply.
            return Plan(
                [finish], rows: rows,
                note: Note(
                    "The later effects were left out: \(error.message)",
                    Saying("effectsLeftOut", ["why": error.message])))
        }
    }

    /// Checks that the row is there on which an invocation was begun. One that was added since may have its id.
    private func checkPressed(by invocation: Invocation) throws(Rejection) {
        let row = try row(invocation.row, field: "row")
        // An action stays noted on its row until the invocation ends, and a row cannot be added with it.
        if row.performance(of: invocation.deed)?.state == .pending(invocation.id) { return }
        // A selection is not noted. A row that an undo or a recall has brought back was made when it was made, as
        // was one that an import has brought back with its ages. One that is made anew was made later: the clock
        // would have to stand still while a row is made, selected, removed and made again.
        if invocation.action == .tap, row.createdMs == invocation.pressed?.createdMs { return }
        throw Rejection(
            .noSuchRow, "Row \"\(row.id.text)\" is another one than was pressed.", field: "row")
    }

    private func held(_ id: InvocationID) throws(Rejection) -> Invocation {
        guard let invocation = table.invocations[id] else {
            throw Rejection(
                .noSuchInvocation, "Invocation \(id.text) has ended, or there never was one.",
                field: "invocation")
        }
        guard let client, invocation.holder == client,
            !context.isForeign(context.owners.invocations[id])
        else {
            throw Rejection(
                .notHeld, "Invocation \(id.text) is held by another handler, or by none.",
                field: "invocation")
        }
        return invocation
    }

    // MARK: Edit mode

    func edit(_ isOn: Bool) throws(Rejection) -> Plan {
        if isOn == table.isEditing {
            // To turn it on again renews it, and only its holder may do that.
            if isOn, !hasOwnEditMode, let editor = context.owners.editor,
                editor.actor != context.actor || context.isForeign(editor.user)
            {
                throw Rejection(
                    .editing, "Edit mode is on already, by \(editor.actor.text).", field: "on")
            }
            return Plan([])
        }
        let closing: [Op] = isOn ? table.openRows.sorted().map { .swipe($0, nil) } : []
        return Plan(closing.then(.edit(isOn)))
    }

    func checkNotEditing(field: String) throws(Rejection) {
        if table.isEditing { throw Rejection(.editing, "The table is in edit mode.", field: field) }
    }
}

import TableDecisions
import TableModel

// Actions and handlers in the naive table.
extension NaiveTable {
    func row(_ id: RowID) -> NaiveRow? {
        find(id).map { sections[$0.section].rows[$0.index] }
    }

    mutating func act(_ act: Command.Act, isRetry: Bool = false) -> Bool {
        guard let row = row(act.row), !isEditing, let kind = kinds[row.content.kind],
            let action = kind.trailing?.actions.first(where: { $0.id == act.action }),
            act.edge != .leading, !act.isFull, !action.asksToConfirm || act.isConfirmed
        else { return false }
        switch row.performed.first(where: { $0.action == act.action })?.state {
        case .pending?: return false
        case .done? where !action.repeats: return false
        default: break
        }
        // The only guard of the random kinds.
        if action.guarded != nil, row.content.fields.contains(where: { $0.key == "m" }) {
            return false
        }
        if isPaused(action, in: sections[find(act.row)?.section ?? 0].id) { return false }
        if !action.repeats, !isRetry, recent[row.id]?.contains(act.action) == true { return false }
        var state = Performance.State.done
        for case .invoke(let deadline, let then, var retries) in action.effects {
            retries.otherwise = retries.otherwise.map { pressed($0, on: row) }
            invocations.append(
                NaiveInvocation(
                    id: .init(revision: revision + 1, index: place), row: row.id,
                    action: action.id, client: client, pressedMs: nowMs, deadline: deadline,
                    then: then.map { pressed($0, on: row) }, retries: retries,
                    section: find(row.id).map { sections[$0.section].id }))
            state = .pending(.init(revision: revision + 1, index: place))
        }
        guard apply(action.effects, to: row.id) else { return false }
        note(Performance(action.id, state), on: row.id, version: revision + 1)
        recent[row.id] = [action.id]
        if action.hidesWhenSelected, self.row(row.id)?.swipe != nil {
            change(row.id) { $0.swipe = nil }
        }
        return !action.effects.contains(.remove) || take(out: row.id)
    }

    private mutating func apply(_ effects: [Effect], to id: RowID) -> Bool {
        for effect in effects {
            switch effect {
            case .remove, .invoke: continue
            case .move(let section, let anchor):
                guard move([id], section, anchor, .rebase, byAction: true) else { return false }
            case .set(let fields): guard set(id, .init(fields: fields)) else { return false }
            case .fill(let fields):
                guard let row = row(id), set(id, .init(fields: fields.map { filled($0, row) }))
                else { return false }
            case .increment(let increments):
                guard let row = row(id) else { return false }
                var fields: [Row.Field] = []
                for one in increments {
                    let old = row.content.fields.first { $0.key == one.key }?.value ?? "0"
                    guard let number = Int64(old) else { return false }
                    fields.append(.init(one.key, "\(number + one.by)"))
                }
                guard set(id, .init(fields: fields)) else { return false }
            case .toggle: guard expand(id, nil) else { return false }
            case .expand(let state): guard expand(id, state) else { return false }
            case .unset(let keys): guard set(id, .init(unset: keys)) else { return false }
            case .kind(let kind): guard set(id, .init(kind: kind)) else { return false }
            case .moveBack:
                guard let section = row(id)?.cameFrom,
                    sections.contains(where: { $0.id == section }),
                    move([id], section, .bottom, .rebase, byAction: true)
                else { return false }
            case .group(let inner):
                guard let row = row(id), let value = value(ofGroup: row), !value.isEmpty else {
                    return false
                }
                let rows = sections.flatMap(\.rows).filter { self.value(ofGroup: $0) == value }
                for row in rows where !apply(inner, to: row.id) { return false }
            // Strips have properties of their own.
            case .removeItem, .setItem, .snooze: return false
            }
        }
        return true
    }

    /// The random kinds group by one field.
    private func value(ofGroup row: NaiveRow) -> String? {
        guard let key = kinds[row.content.kind]?.show.group else { return nil }
        return row.content.fields.first { $0.key == key }?.value
    }

    /// As `Template`, for the names that the random kinds use, and without escaped braces.
    private func filled(_ field: Row.Field, _ row: NaiveRow) -> Row.Field {
        var text = field.value
        for name in ["row", "item", "actor", "now", "from", "title", "f"] {
            let value: String
            switch name {
            case "row": value = row.id.text
            case "item": value = ""
            case "actor": value = client?.text ?? ""
            case "now": value = "\(nowMs)"
            case "from": value = row.cameFrom?.text ?? ""
            case "title": value = row.content.title
            default: value = row.content.fields.first { $0.key == ID(name) }?.value ?? ""
            }
            while let found = text.firstRange(of: "{\(name)}") {
                text.replaceSubrange(found, with: value)
            }
        }
        return Row.Field(field.key, text)
    }

    /// The effect that is kept for the end of an invocation when the action is pressed.
    private func pressed(_ effect: Effect, on row: NaiveRow) -> Effect {
        guard case .fill(let fields) = effect else { return effect }
        return .set(fields.map { filled($0, row) })
    }

    /// Whatever its kind says.
    private mutating func take(out id: RowID) -> Bool {
        let kinds = kinds
        for key in kinds.keys { self.kinds[key]?.canDelete = true }
        defer { self.kinds = kinds }
        return remove([id])
    }

    private mutating func note(_ performance: Performance, on id: RowID, version: UInt64?) {
        change(id) { row in
            if let version { row.version = version }
            if let index = row.performed.firstIndex(where: { $0.action == performance.action }) {
                row.performed[index] = performance
            } else {
                row.performed.append(performance)
            }
        }
    }

    mutating func take(_ action: ID?, _ most: Int) -> Bool {
        guard let client, (1...64).contains(most) else { return false }
        var left = most
        for index in invocations.indices where left > 0 && isWaiting(invocations[index]) {
            guard action == nil || invocations[index].action == action else { continue }
            invocations[index].holder = client
            invocations[index].attempts += 1
            left -= 1
            isChanged = true
        }
        return true
    }

    /// `nil` releases the invocation.
    mutating func end(_ id: InvocationID, _ outcome: Invocation.Outcome?) -> Bool {
        guard let client, let index = invocations.firstIndex(where: { $0.id == id }),
            invocations[index].holder == client
        else { return false }
        isChanged = true
        if outcome == nil, invocations[index].retries.attempts == nil {
            invocations[index].holder = nil
            return true
        }
        if outcome != .done, putOff(index, outcome) { return true }
        let outcome = outcome ?? .failed("handler \(client.text) gave it back")
        let invocation = invocations.remove(at: index)
        // Otherwise the row has gone, and perhaps another has its id.
        guard let row = row(invocation.row),
            row.performed.contains(.init(invocation.action, .pending(id)))
        else { return true }
        let effects = outcome == .done ? invocation.then : invocation.retries.otherwise
        var trial = self
        let follows = trial.apply(effects, to: row.id)
        if follows { self = trial }
        note(.init(invocation.action, .init(outcome)), on: row.id, version: nil)
        if outcome == .done { recent[row.id, default: []].insert(invocation.action) }
        return !follows || !effects.contains(.remove) || take(out: row.id)
    }

    /// Another attempt follows: at once where a handler gave it back, else after a pause.
    private mutating func putOff(_ index: Int, _ outcome: Invocation.Outcome?) -> Bool {
        let one = invocations[index]
        guard one.attempts < one.retries.attempts ?? 1 else { return false }
        var failure = Invocation.Failure(
            "handler \(one.holder?.text ?? "") gave it back", dueMs: nowMs, isOver: true)
        if case .failed(let reason) = outcome {
            let factor = one.attempts == 1 ? 1.0 : one.attempts == 2 ? 2 : 4
            let pauseMs = UInt64(one.retries.backoffSeconds * factor * 1_000)
            failure = .init(reason, dueMs: nowMs + pauseMs, isOver: pauseMs == 0)
        }
        (invocations[index].holder, invocations[index].failure) = (nil, failure)
        return true
    }

    mutating func retry(_ id: RowID, _ action: ID?, _ item: ID?) -> Bool {
        guard let row = row(id), item == nil else { return false }
        let found = row.performed.filter { one in
            guard action == nil || action == one.action else { return false }
            switch one.state {
            case .failed: return true
            case .pending(let id):
                return invocations.contains { $0.id == id && $0.failure?.isOver == false }
            case .done: return false
            }
        }
        guard found.count == 1 else { return false }
        guard case .pending(let pending) = found[0].state,
            let index = invocations.firstIndex(where: { $0.id == pending })
        else { return act(.init(found[0].action, on: id, isConfirmed: true), isRetry: true) }
        invocations[index].failure?.isOver = true
        isChanged = true
        return true
    }

    /// Deeds may be done again on rows that an action moved, or that are in another section now.
    mutating func renew(
        _ ids: [RowID], since before: [NaiveSection], byAction: Bool = false
    ) {
        for id in ids {
            let old = before.first { $0.rows.contains { $0.id == id } }
            guard let spot = find(id) else { continue }
            let row = sections[spot.section].rows[spot.index]
            let cameFrom = old?.id
            if let cameFrom, sections[spot.section].id != cameFrom,
                kinds[row.content.kind]?.looksBack == true
            {
                change(id) { $0.cameFrom = cameFrom }
            }
            let isElsewhere = sections[spot.section].id != old?.id && row.version <= revision
            guard byAction || isElsewhere, row.performed.contains(where: { $0.state == .done })
            else { continue }
            let version = revision + 1
            change(id) { row in
                row.version = version
                row.performed.removeAll { $0.state == .done }
            }
        }
    }
}

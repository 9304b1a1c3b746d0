import TableDecisions
import TableModel

// Claims, sleep, pauses and `next` in the naive table: who may have which row.
extension NaiveTable {
    mutating func claim(_ ids: [RowID], _ note: String, _ ttlSeconds: Double?) -> Bool {
        guard let client, hasAll(ids) else { return false }
        for id in ids {
            guard let row = row(id), let spot = find(id) else { return false }
            if let old = row.claim {
                guard old.holder == client else { return false }
            } else if isPaused(nil, in: sections[spot.section].id) {
                return false
            }
            let claim = Claim(
                holder: client, note: note, ttlSeconds: ttlSeconds,
                sinceMs: row.claim?.sinceMs ?? nowMs)
            if claim != row.claim { change(id) { $0.claim = claim } }
        }
        return true
    }

    mutating func unclaim(_ ids: [RowID]) -> Bool {
        guard let client, hasAll(ids) else { return false }
        let all = sections.flatMap(\.rows)
        let rows = ids.isEmpty ? all.filter { $0.claim?.holder == client } : ids.compactMap(row)
        for row in rows {
            guard let claim = row.claim else { continue }
            guard claim.holder == client else { return false }
            change(row.id) { $0.claim = nil }
        }
        return true
    }

    mutating func snooze(_ ids: [RowID], _ snooze: Command.Snooze?) -> Bool {
        guard hasAll(ids) else { return false }
        var sleep: Row.Sleep?
        if let snooze {
            let untilMs: UInt64
            switch snooze.end {
            case .at(let timeMs): untilMs = timeMs
            case .after(let passMs): untilMs = nowMs + passMs
            }
            guard untilMs > nowMs else { return false }
            sleep = Row.Sleep(untilMs: untilMs, isToTop: snooze.isToTop)
        }
        for id in ids where row(id)?.sleep != sleep { change(id) { $0.sleep = sleep } }
        return true
    }

    /// Without a note what was paused goes on.
    mutating func pause(_ scope: Pause.Scope, _ note: String?) -> Bool {
        var pauses = settings.pauses
        if let note {
            guard let client else { return false }
            if let section = scope.section, !sections.contains(where: { $0.id == section }) {
                return false
            }
            if let index = pauses.firstIndex(where: { $0.scope == scope }) {
                if pauses[index].note != note {
                    pauses[index].actor = client
                    pauses[index].note = note
                }
            } else {
                pauses.append(Pause(scope, by: client, note: note, sinceMs: nowMs))
            }
        } else {
            pauses.removeAll { scope == .init() || $0.scope == scope }
        }
        isChanged = isChanged || pauses != settings.pauses
        settings.pauses = pauses
        return true
    }

    /// Whether this work is paused. Nil: a claim.
    func isPaused(_ action: ID?, in section: SectionID?) -> Bool {
        settings.pauses.contains { pause in
            (pause.scope.section == nil || pause.scope.section == section)
                && (pause.scope.action == nil || pause.scope.action == action)
        }
    }

    /// Whether a press is refused. A pause that names no action lets by what ends at once.
    func isPaused(_ action: Action, in section: SectionID?) -> Bool {
        let isHandled = action.effects.contains {
            if case .invoke = $0 { return true }
            return false
        }
        if isHandled { return isPaused(action.id, in: section) }
        return settings.pauses.contains { pause in
            pause.scope.action == action.id
                && (pause.scope.section == nil || pause.scope.section == section)
        }
    }

    /// Whether a handler may take it now.
    func isWaiting(_ one: NaiveInvocation) -> Bool {
        if one.holder != nil || one.failure?.isOver == false { return false }
        let section = find(one.row).map { sections[$0.section].id } ?? one.section
        return !isPaused(one.action, in: section)
    }

    /// The random commands ask with at most one condition, on one field.
    mutating func next(_ next: Command.Next) -> Bool {
        guard let client, (1...64).contains(next.most) else { return false }
        if let section = next.section, !sections.contains(where: { $0.id == section }) {
            return false
        }
        guard let action = next.action else {
            for id in free(next).prefix(next.most) { claim(id, as: next, client) }
            return true
        }
        var taken: [InvocationID] = []
        for one in invocations where one.action == action && taken.count < next.most {
            if isWaiting(one) { taken.append(one.id) }
        }
        let rows = free(next).filter { id in
            guard let row = row(id) else { return false }
            let isOffered = actions(row, .trailing).contains { $0.id == action }
            let isGuarded = action == "mark" && row.content.fields.contains { $0.key == "m" }
            return isOffered && !isGuarded && !row.performed.contains { $0.action == action }
        }
        for (index, id) in rows.prefix(next.most - taken.count).enumerated() {
            place = index
            let before = invocations.count
            guard act(.init(action, on: id)) else { return false }
            if invocations.count > before {
                taken.append(invocations[before].id)
            } else {
                claim(id, as: next, client)
            }
        }
        for index in invocations.indices where taken.contains(invocations[index].id) {
            invocations[index].holder = client
            invocations[index].attempts += 1
            isChanged = true
        }
        return true
    }

    private mutating func claim(_ id: RowID, as next: Command.Next, _ client: ID) {
        let claim = Claim(
            holder: client, note: next.note, ttlSeconds: next.ttlSeconds, sinceMs: nowMs)
        change(id) { $0.claim = claim }
    }

    /// The rows in order that nobody works on and that are asked for.
    private func free(_ next: Command.Next) -> [RowID] {
        sections.filter { section in
            (next.section == nil || next.section == section.id)
                && !isPaused(next.action, in: section.id)
        }.flatMap(\.rows).filter { row in
            let fits = next.condition == nil || row.content.fields.contains { $0.key == "m" }
            return fits && row.claim == nil && row.sleep == nil
                && !row.performed.contains(where: \.state.isPending)
        }.map(\.id)
    }
}

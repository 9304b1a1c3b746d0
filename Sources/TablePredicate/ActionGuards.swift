package import TableModel

// The guards of actions (design rule A19).

extension Table {
    /// Whether an action's guard holds for a row of this table. Every viewer has to find the same as the daemon, so clock
    /// times are those of UTC. `groups` are those of this table, if several rows ask.
    package func allows(
        _ action: Action, on id: RowID, nowMs: UInt64, _ groups: Groups? = nil
    ) -> Bool {
        guard let guarded = action.guarded else { return true }
        guard let condition = guarded.condition, let placed = PlacedRow(id, in: self) else {
            return false
        }
        return Evaluation(
            table: self, own: placed, clock: PredicateClock(nowMs: nowMs), groups: groups
        ).flag(condition)
    }
}

extension Table {
    /// Whether a change of one row may let an action of this name be performed on another: its guard is about a group.
    package func hasGuardOfGroup(_ name: ID) -> Bool {
        kinds.values.contains { kind in
            [kind.leading, kind.trailing].contains { group in
                group?.actions.contains { action in
                    action.id == name && (action.guarded?.groupLookups(rows: 1) ?? 0) > 0
                } ?? false
            }
        }
    }

    /// The first moment at which time alone may let the action be performed on a row that `next` asks for; nil: never.
    /// Not all of very many rows are looked at, and none for a guard on large groups.
    package func momentToDo(_ next: Command.Next, nowMs: UInt64) -> UInt64? {
        guard let name = next.action else { return nil }
        let groups = Groups(self)
        var first: UInt64?
        for id in freeRows(for: next, atMost: Self.mostMoments).rows {
            guard let placed = PlacedRow(id, in: self) else { continue }
            let pressed = recent.latest(Deed(name), on: id, at: nowMs)
            let again = pressed.map { $0.timeMs &+ RecentDeeds.windowMs }
            let guards = Edge.allCases.flatMap { edge in
                actions(of: placed.row, at: edge)?.actions.filter { $0.id == name } ?? []
            }.compactMap(\.guarded)
            let moments = guards.filter { $0.groupLookups(rows: count) <= Self.mostMoments }
                .compactMap {
                    $0.condition.flatMap {
                        Outlook(
                            table: self, own: placed, clock: PredicateClock(nowMs: nowMs),
                            groups: groups
                        ).result($0).untilMs
                    }
                }
            for moment in moments + [again].compactMap({ $0 }) {
                first = min(first ?? moment, moment)
            }
        }
        return first
    }

    private static let mostMoments = 256
}

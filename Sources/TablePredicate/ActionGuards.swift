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

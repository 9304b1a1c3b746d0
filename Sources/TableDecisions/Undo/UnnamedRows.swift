import TableModel

/// The rows that a change is about though its ops do not name them as their own: its inverse does, or the
/// invocation that they begin.
struct UnnamedRows {
    /// Those on which invocations were performed.
    private var pressed: [InvocationID: RowID] = [:]
    /// Those that were expanded or collapsed with all others, each once.
    private var expanded: [RowID] = []

    /// `row`: of those that were expanded with all others, only this one.
    init(_ change: PastChange, only row: RowID? = nil) {
        let isNeeded = change.diff.ops.contains { op in
            op.isOfInvocation || op.effect == .changesAll
        }
        guard isNeeded, let inverse = change.inverse else { return }
        for case .invocation(let id, let old?) in inverse { pressed[id] = old.row }
        // Each `expandAll` of a batch may have expanded the same ones.
        var seen: Set<RowID> = []
        for case .expand(let id, _) in inverse where (row ?? id) == id {
            if seen.insert(id).inserted { expanded.append(id) }
        }
    }

    /// Those of one op of the change.
    func of(_ op: Op) -> [RowID] {
        // An undo takes one back, or brings it back.
        if case .invocation(let id, let back) = op {
            return (back?.row ?? pressed[id]).map { [$0] } ?? []
        }
        switch op.effect {
        case .begins(let invocation): return [invocation.row]
        case .ends(let id): return pressed[id].map { [$0] } ?? []
        case .changesAll: return expanded
        case .inserts, .removes, .moves, .swaps, .changes, .claims, .news: return []
        case .ofSection, .ofTable, .changesInvocation: return []
        }
    }
}

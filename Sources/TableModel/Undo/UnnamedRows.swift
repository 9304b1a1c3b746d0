/// The rows that a change is about though its ops do not name them: its inverse does.
struct UnnamedRows {
    /// Those on which invocations were performed.
    private var pressed: [InvocationID: RowID] = [:]
    /// Those that were expanded or collapsed with all others.
    private var expanded: [RowID] = []

    init(_ change: PastChange) {
        let isNeeded = change.diff.ops.contains { op in
            switch op {
            case .finish, .expandAll: true
            case .insert, .remove, .move, .swap, .set, .item, .perform, .restore, .swipe, .expand,
                .scroll, .claim, .select, .mark, .insertSection, .removeSection, .setSection,
                .define, .edit, .invoke, .invocation, .take, .release:
                false
            }
        }
        guard isNeeded, let inverse = change.inverse else { return }
        for case .invocation(let id, let old?) in inverse { pressed[id] = old.row }
        for case .expand(let id, _) in inverse { expanded.append(id) }
    }

    /// Those of one op of the change.
    func of(_ op: Op) -> [RowID] {
        switch op.effect {
        case .ends(let id): return pressed[id].map { [$0] } ?? []
        case .changesAll: return expanded
        case .inserts, .removes, .moves, .swaps, .changes, .news, .defines, .edits: return []
        case .insertsSection, .removesSection, .renamesSection: return []
        case .begins, .changesInvocation: return []
        }
    }
}

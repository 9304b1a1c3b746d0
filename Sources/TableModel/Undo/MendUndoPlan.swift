// What an inverse may leave that cannot be: the table has gone on since.

extension UndoPlan {
    /// Adds the steps that make the table one that could be, or throws where there are none.
    mutating func mend(_ trial: inout Table.Trial) throws(Rejection) {
        let table = decision.table
        try checkKinds()
        if table.count > decision.limits.rows {
            throw .tooLarge("rows", table.count, limit: decision.limits.rows, field: "table")
        }
        for id in rows {
            guard let row = table.row(id) else { continue }
            for op in mends(of: row) { try append(op, &trial) }
        }
        let kinds = definedKinds
        if !kinds.isEmpty {
            for row in table.rows where kinds.contains(row.content.kind) {
                for op in decision.statesThatFit(row) { try append(op, &trial) }
            }
        }
        for op in closingSwipes() + closingRows() { try append(op, &trial) }
    }

    /// Kinds that rows are of, and states that they are in, are there.
    private func checkKinds() throws(Rejection) {
        let table = decision.table
        let kinds = definedKinds
        let own = rows.compactMap { table.row($0) }
        let affected = kinds.isEmpty ? own : table.rows.filter { kinds.contains($0.content.kind) }
        for row in own + (kinds.isEmpty ? [] : affected) {
            guard let kind = table.kinds[row.content.kind] else {
                throw Rejection(
                    .kindInUse, "Row \"\(row.id.text)\" is of kind \"\(row.content.kind.text)\".",
                    field: "revision")
            }
            if !kind.isStrip, !row.content.items.isEmpty {
                throw Rejection(
                    .kindInUse, "Row \"\(row.id.text)\" of kind \"\(kind.id.text)\" has items.",
                    field: "revision")
            }
        }
        if table.kinds[.plainKind] == nil {
            throw Rejection(.kindInUse, "Kind \"row\" is always there.", field: "revision")
        }
    }

    /// That the inverse itself changes.
    private var definedKinds: Set<KindID> {
        var kinds: Set<KindID> = []
        for case .defines(let definitions) in ops.lazy.map(\.effect) {
            kinds.formUnion(definitions.kinds.map(\.id) + definitions.dropped)
        }
        return kinds
    }

    private func mends(of row: Row) -> [Op] {
        let table = decision.table
        var ops = decision.statesThatFit(row)
        if let scroll = row.scroll,
            row.content.index(of: scroll.item) == nil || table.settings.scrollScope == .viewer
        {
            ops.append(.scroll(row.id, nil))
        }
        let isLost = { (performance: Performance) in
            if case .pending(let id) = performance.state { return table.invocations[id] == nil }
            return false
        }
        if row.performed.contains(where: isLost) {
            var traces = Traces(of: row)
            // Its program has ended meanwhile: it is not to run a second time unasked.
            traces.performed = row.performed.map { isLost($0) ? Performance($0.action, .done) : $0 }
            ops.append(.restore(row.id, traces))
        }
        return ops
    }

    /// At most one row is swiped open, or none, as the table wants it.
    private func closingSwipes() -> [Op] {
        let table = decision.table
        if table.openRows.isEmpty { return [] }
        if table.isEditing || table.settings.swipeScope == .viewer {
            return table.openRows.sorted().map { .swipe($0, nil) }
        }
        // No row is lifted and swiped open at once, nor open over nothing (F16).
        let shut = table.openRows.filter { id in
            decision.context.lifted[id] != nil || !hasActions(id)
        }
        guard table.settings.swipePolicy == .exclusive, table.openRows.count > 1 else {
            return shut.sorted().map { .swipe($0, nil) }
        }
        let free = table.openRows.subtracting(shut)
        let ours = rows.last(where: free.contains) ?? free.min()
        return table.openRows.filter { $0 != ours }.sorted().map { .swipe($0, nil) }
    }

    /// Behind the edge that is open.
    private func hasActions(_ id: RowID) -> Bool {
        let table = decision.table
        guard let row = table.row(id), let edge = row.swipe else { return false }
        return table.hasActions(row, at: edge)
    }

    /// Under an accordion the rows that came open close the others; where the table has become one
    /// again, rows that were opened meanwhile close as if it had become one now.
    private func closingRows() -> [Op] {
        let table = decision.table
        guard table.settings.expandPolicy != .independent else { return [] }
        let isDefined = ops.contains { if case .defines = $0.effect { true } else { false } }
        if isDefined { return decision.closingAllButFirst(under: table.settings.expandPolicy) }
        var closed: Set<RowID> = []
        return rows.flatMap { id -> [Op] in
            guard let row = table.row(id), row.expansion != .collapsed, decision.canCollapse(row),
                !closed.contains(id)
            else { return [] }
            let ops = decision.closing(where: [(row, to: decision.section(of: id))])
            return ops.filter { op in op.row.map { closed.insert($0).inserted } ?? false }
        }
    }
}

import TableModel

// Mends the table after an inverse: it has changed since, so the inverse may leave what cannot be.

extension UndoPlan {
    /// Adds the ops that make the table valid, or throws if there are none.
    mutating func mend(_ trial: inout Table.Trial) throws(Rejection) {
        try checkKinds()
        try checkSharedFaces()
        try checkAmounts()
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
        let closed = closingSwipes() + closingRows() + decision.closingScrolls(since: oldSettings)
        for op in closed { try append(op, &trial) }
        for op in decision.unmarkingMisfits() { try append(op, &trial) }
        for op in unmarkingOthers() { try append(op, &trial) }
    }

    /// The kinds of rows must exist, and their items must fit these kinds.
    private func checkKinds() throws(Rejection) {
        let kinds = definedKinds
        let own = rows.compactMap { table.row($0) }
        let affected = kinds.isEmpty ? own : table.rows.filter { kinds.contains($0.content.kind) }
        for row in own + (kinds.isEmpty ? [] : affected) {
            guard let kind = table.kinds[row.content.kind] else {
                throw Rejection(
                    .kindInUse, "Row \"\(row.id.text)\" needs kind \"\(row.content.kind.text)\".",
                    field: "revision")
            }
            if !kind.isStrip, !row.content.items.isEmpty {
                throw Rejection(
                    .kindInUse, "Row \"\(row.id.text)\" of kind \"\(kind.id.text)\" has items.",
                    field: "revision")
            }
            if let name = kind.missingItemKind(of: row.content) {
                throw Rejection(
                    .kindInUse,
                    "Row \"\(row.id.text)\" has items of kind \"\(name.text)\", which kind "
                        + "\"\(kind.id.text)\" does not have.", field: "revision")
            }
        }
        if table.kinds[.plainKind] == nil {
            throw Rejection(.kindInUse, "Kind \"row\" cannot be dropped.", field: "revision")
        }
        let gone = definedKinds.filter { table.kinds[$0] == nil }
        let left = table.kinds.values.sorted { $0.id < $1.id }
        try decision.checkNamed(gone, by: left, field: "revision")
    }

    /// Nothing may come to be more than a command could make it. What is more from former times, when a limit
    /// was larger, may stay.
    private func checkAmounts() throws(Rejection) {
        for (what, before) in zip(Amount.allCases, oldAmounts) {
            let now = table.amount(of: what)
            if now > before { try decision.check(now, of: what, field: "table") }
        }
        for id in rows {
            guard let row = table.row(id), row.content != old[id]?.content else { continue }
            do throws(Rejection) {
                try decision.checkContent(row.content, after: old[id]?.content)
            } catch {
                throw Rejection(
                    error.code, "Row \"\(id.text)\": \(error.message)", field: "revision")
            }
        }
    }

    /// The undo takes no face away that somebody names, and brings no name back without its face (F6).
    private func checkSharedFaces() throws(Rejection) {
        try decision.checkNamed(
            table.settings, since: oldSettings, by: table.kinds.values, field: "revision")
        let kinds = definedKinds.compactMap { table.kinds[$0] }
        let own = rows.compactMap { table.row($0) }.filter {
            $0.content.actions != old[$0.id]?.content.actions
        }
        let isMissing = { table.settings.faces[$0] == nil }
        guard let (name, user) = Table.sharedFace(where: isMissing, in: kinds, own) else { return }
        throw Rejection(
            .kindInUse, "There is no face \"\(name.text)\" for \(user).", field: "revision")
    }

    /// The kinds that the inverse itself changes.
    private var definedKinds: Set<KindID> {
        var kinds: Set<KindID> = []
        for op in ops where op.defines {
            guard case .ofTable(.defines(let definitions)) = op.effect else { continue }
            kinds.formUnion(definitions.kinds.map(\.id) + definitions.dropped)
        }
        return kinds
    }

    private func mends(of row: Row) -> [Op] {
        var ops = decision.statesThatFit(row)
        if let scroll = row.scroll,
            row.content.index(of: scroll.item) == nil || table.settings.scrollScope == .viewer
        {
            // As where a command removes the item.
            let next = old[row.id].flatMap {
                Decision.next(after: scroll.item, of: $0.content, in: row.content)
            }
            ops.append(.scroll(row.id, table.settings.scrollScope == .viewer ? nil : next))
        }
        let isLost = { (performance: Performance) in
            if case .pending(let id) = performance.state { return table.invocations[id] == nil }
            return false
        }
        if row.performed.contains(where: isLost) {
            var traces = Traces(of: row)
            traces.performed = row.performed.map { isLost($0) ? ended($0, on: row.id) : $0 }
            ops.append(.restore(row.id, traces))
        }
        return ops
    }

    /// How an action came out that was under way and has ended meanwhile. If nobody knows, it may be performed
    /// again: that is for a person to say.
    private func ended(_ lost: Performance, on id: RowID) -> Performance {
        if let now = old[id]?.performance(of: lost.deed), !now.state.isPending { return now }
        guard case .pending(let begun) = lost.state, let outcome = later.outcomes[begun] else {
            return Performance(lost.deed, .failed(OwnReason.unknown.text()))
        }
        return Performance(lost.deed, .init(outcome))
    }

    /// Closes swipes until at most one row is open, or none, as the table requires.
    private func closingSwipes() -> [Op] {
        if table.openRows.isEmpty { return [] }
        if table.isEditing || table.settings.swipeScope == .viewer {
            return table.openRows.sorted().map { .swipe($0, nil) }
        }
        // No row is lifted and swiped open at once, or open at an edge without actions (F16).
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

    /// One row is selected at most: one that the undo brought back, if there is one.
    private func unmarkingOthers() -> [Op] {
        let selected = table.selectedRows
        guard selected.count > 1 else { return [] }
        let ours = rows.last(where: selected.contains) ?? selected.min()
        return selected.filter { $0 != ours }.sorted().map { .mark($0, nil) }
    }

    /// Whether the row has actions at the open edge.
    private func hasActions(_ id: RowID) -> Bool {
        guard let row = table.row(id), let edge = row.swipe else { return false }
        return table.hasActions(row, at: edge)
    }

    /// Under an accordion, the rows that the undo opened close the others. If the undo changed
    /// definitions, all but the first close, as when a table becomes an accordion.
    private func closingRows() -> [Op] {
        guard table.settings.expandPolicy != .independent else { return [] }
        let isDefined = ops.contains {
            if case .ofTable(.defines) = $0.effect { true } else { false }
        }
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

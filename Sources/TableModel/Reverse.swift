// The way back: what a batch that is refused in the middle, and a question "what if", need.

extension Table {
    /// Applies steps to look at what they make of the table, then takes them back.
    ///
    /// Afterwards the table is what it was: same revision, rows, versions, digest.
    func supposing<Answer>(_ body: (inout Supposition) -> Answer) -> Answer {
        var supposition = Supposition(table: self)
        let outer = removed.beginTrial()
        defer {
            supposition.takeBack()
            removed.endTrial(outer)
        }
        return body(&supposition)
    }

    /// The same with a whole plan, which must come from `reduce` and this very state. Rows that it
    /// changes have the version that they would have; the table's revision stays.
    public func supposing<Answer>(_ plan: Plan, _ body: (Table) -> Answer) -> Answer {
        supposing { supposition in
            for op in plan.ops { supposition.apply(op) }
            return body(self)
        }
    }

    /// Steps applied on trial. They leave the table's revision alone.
    struct Supposition {
        let table: Table
        private var reverses: [() throws(Mismatch) -> Void] = []

        init(table: Table) {
            self.table = table
        }

        /// Applies one step that `reduce` made for the table as it is now.
        mutating func apply(_ op: Op) {
            let reverse = table.reverse(of: op)
            do {
                try table.apply(op, at: table.revision &+ 1)
            } catch {
                preconditionFailure("reduce made a step that does not fit: \(error)")
            }
            reverses.append(reverse)
        }

        fileprivate mutating func takeBack() {
            for reverse in reverses.reversed() {
                do {
                    try reverse()
                } catch {
                    preconditionFailure("a step cannot be taken back: \(error)")
                }
            }
            reverses = []
        }
    }

    /// What takes a step back that has not been applied yet, exactly, versions included.
    private func reverse(of op: Op) -> () throws(Mismatch) -> Void {
        switch op {
        case .insert(let row, _):
            return { [self] () throws(Mismatch) in try apply(.remove(row.id), at: revision) }
        case .remove(let id): return restoring([id], places: true)
        case .move(let ids, _): return restoring(ids, places: true)
        case .set(let id, _), .swipe(let id, _), .expand(let id, _), .perform(let id, _):
            return restoring([id], places: false)
        case .item(let id, _), .scroll(let id, _), .select(let id, _):
            return restoring([id], places: false)
        case .expandAll: return restoring(rows.map(\.id), places: false)
        case .edit:
            let was = isEditing
            return { [self] () throws(Mismatch) in isEditing = was }
        case .invoke(let invocation):
            return { [self] () throws(Mismatch) in invocations.remove(invocation.id) }
        case .take(let id, _), .release(let id), .finish(let id, _):
            let old = invocations[id]
            let row = restoring(old.map { [$0.row] } ?? [], places: false)
            return { [self] () throws(Mismatch) in
                if let old { invocations.put(old) }
                try row()
            }
        case .swap: return { [self] () throws(Mismatch) in try apply(op, at: revision) }
        case .insertSection(let id, _, _):
            return { [self] () throws(Mismatch) in try apply(.removeSection(id), at: revision) }
        case .removeSection(let id):
            let index = sections.firstIndex { $0.id == id } ?? 0
            let title = sectionsByID[id]?.title ?? ""
            let after = index > 0 ? sections[index - 1].id : nil
            let back = Op.insertSection(id, title: title, after: after)
            return { [self] () throws(Mismatch) in try apply(back, at: revision) }
        case .setSection(let id, _):
            let back = Op.setSection(id, title: sectionsByID[id]?.title ?? "")
            return { [self] () throws(Mismatch) in try apply(back, at: revision) }
        case .define:
            let (kinds, settings) = (kinds, settings)
            return { [self] () throws(Mismatch) in
                self.kinds = kinds
                self.settings = settings
                cachedDefinitionsHash = nil
            }
        }
    }

    /// Puts rows back as they are now: the objects themselves, where they stand.
    private func restoring(_ ids: [RowID], places: Bool) -> () throws(Mismatch) -> Void {
        let old = ids.compactMap { slots[$0]?.row }
        guard places else {
            return { [self] () throws(Mismatch) in for row in old { exchange(row) } }
        }
        // In table order, each is put behind a row that is back in place by then.
        let spots = ids.compactMap { id in
            slots[id].flatMap { slot in
                section(of: slot).map { section in
                    (
                        row: slot.row, place: place(of: slot, in: section),
                        index: section.rows.index(of: slot.row, in: slot.leaf)
                    )
                }
            }
        }.sorted { $0.index < $1.index }
        return { [self] () throws(Mismatch) in
            for spot in spots where slots[spot.row.id] != nil {
                try apply(.remove(spot.row.id), at: revision)
            }
            for spot in spots { try apply(.insert(spot.row, spot.place), at: spot.row.version) }
        }
    }

    private func exchange(_ row: Row) {
        guard let slot = slots[row.id], let tree = slot.leaf.tree else { return }
        tree.replace(slot.row, with: row, in: slot.leaf)
        if row.swipe == nil { openRows.remove(row.id) } else { openRows.insert(row.id) }
    }
}

public import TableModel

extension LayoutIndex {
    /// Takes a diff that the table has applied, as `apply` with the diff's ops does.
    ///
    /// If the diff's base is not the index's revision, or its revision is not the table's, the
    /// index is rebuilt from the table in O(n). A rebuilt index cannot tell which row followed an
    /// anchor's row that is gone: the result is nil then.
    @discardableResult
    public func apply(
        _ diff: Diff, _ table: Table, keeping anchor: ScrollAnchor? = nil
    ) -> ScrollAnchor? {
        if diff.base == revision, diff.revision == table.revision {
            return apply(diff.ops, table, keeping: anchor)
        }
        rebuild(from: table)
        return Changes(anchor: anchor).anchor(in: self)
    }

    /// Takes the ops of one diff, or of several in a row, which the table has applied.
    ///
    /// O(log n) for each row that an op names, and for each row of a kind whose geometry an op
    /// changes; no text is measured. Ops of another table are noticed only if they do not fit:
    /// then the index is rebuilt.
    ///
    /// An anchor is kept: scroll the viewer to `contentOffset(of:)` of the result, and the anchor's
    /// row stays where it is on the screen, whatever happened above it.
    ///
    /// | the anchor's row | the new anchor |
    /// |---|---|
    /// | is still there | the same, also if the row was moved |
    /// | was removed, a row follows | that row, `withinPoints` at most its height |
    /// | was removed, none follows | the end of the row before it |
    /// | was removed, it was the only row | nil |
    ///
    /// - Parameters:
    ///   - ops: in order.
    ///   - table: with the ops applied.
    ///   - anchor: as it was before the ops.
    /// - Returns: the new anchor; nil: none was given, or no row is left for it.
    @discardableResult
    public func apply(
        _ ops: [Op], _ table: Table, keeping anchor: ScrollAnchor? = nil
    ) -> ScrollAnchor? {
        var changes = Changes(anchor: anchor)
        let fits = ops.allSatisfy { apply($0, &changes) }
        if fits, entries.count == table.count, sections.count == table.sections.count {
            redefine(changes.kinds, as: table.kinds)
            for id in changes.rows {
                guard let entry = entries[id], let leaf = entry.leaf, let row = table.row(id)
                else { continue }
                show(row, in: entry)
                tree.replace(entry, with: entry, in: leaf)
            }
            revision = table.revision
        } else {
            rebuild(from: table)
        }
        return changes.anchor(in: self)
    }

    /// The work that is left once the ops have changed the order.
    struct Changes {
        let anchor: ScrollAnchor?
        /// Rows whose content, kind or state may have changed.
        var rows: Set<RowID> = []
        var kinds: [KindID] = []
        /// The row that took the anchor's place; nil: the anchor's row was not removed.
        var stead: Stead?

        enum Stead {
            case next(RowID), last(RowID), nobody

            var row: RowID? {
                switch self {
                case .next(let id), .last(let id): return id
                case .nobody: return nil
                }
            }
        }

        init(anchor: ScrollAnchor?) { self.anchor = anchor }

        func anchor(in index: LayoutIndex) -> ScrollAnchor? {
            guard let anchor, index.entries[anchor.row] == nil else { return anchor }
            guard let id = stead?.row, let height = index.height(of: id) else { return nil }
            if case .last = stead { return ScrollAnchor(id, withinPoints: height) }
            let within = Bound.points(anchor.withinPoints, or: 0)
            return ScrollAnchor(id, withinPoints: min(within, height))
        }
    }

    /// Applies one op; false: it does not fit.
    private func apply(_ op: Op, _ changes: inout Changes) -> Bool {
        switch op.effect {
        case .inserts(let row, let place):
            guard entries[row.id] == nil else { return false }
            changes.rows.insert(row.id)
            return put(LayoutEntry(row), row.id, at: place)
        case .removes(let id):
            noteRemoval(of: id, &changes)
            changes.rows.remove(id)
            return removeEntry(id) != nil
        case .moves(let ids, let place): return move(ids, to: place)
        case .swaps(let a, let b): return swap(a, b)
        case .changes(let id), .claims(let id, _):
            // Most of these change no height, but all the row that is held here.
            changes.rows.insert(id)
            return entries[id] != nil
        case .changesAll:
            changes.rows.formUnion(entries.keys)
            return true
        case .ofSection(let id, .inserts(let after)): return insertSection(id, after: after)
        case .ofSection(let id, .removes): return removeSection(id)
        case .ofTable(.defines(let definitions)):
            changes.kinds += definitions.kinds.map(\.id) + definitions.dropped
            return true
        case .ofSection(_, .renames), .ofTable(.edits), .news: return true
        case .begins, .changesInvocation, .ends: return true
        }
    }

    // MARK: Order

    private func put(_ entry: LayoutEntry, _ id: RowID, at place: Place) -> Bool {
        let before: LayoutEntry?
        switch place {
        case .after(let other): before = entries[other]
        case .top(let section): before = starts[section]
        }
        guard let before, let leaf = before.leaf else { return false }
        tree.insert(entry, after: before, in: leaf)
        entries[id] = entry
        return true
    }

    private func removeEntry(_ id: RowID) -> LayoutEntry? {
        guard let entry = entries.removeValue(forKey: id), let leaf = entry.leaf else { return nil }
        tree.remove(entry, in: leaf)
        return entry
    }

    private func move(_ ids: Few<RowID>, to place: Place) -> Bool {
        var taken: [(RowID, LayoutEntry)] = []
        for id in ids {
            guard let entry = removeEntry(id) else { return false }
            taken.append((id, entry))
        }
        var place = place
        for (id, entry) in taken {
            guard put(entry, id, at: place) else { return false }
            place = .after(id)
        }
        return true
    }

    /// The entries stay where they are and exchange what they hold.
    private func swap(_ a: RowID, _ b: RowID) -> Bool {
        guard let first = entries[a], let second = entries[b] else { return false }
        guard first !== second, let one = first.leaf, let other = second.leaf else {
            return first === second
        }
        Swift.swap(&first.row, &second.row)
        Swift.swap(&first.units, &second.units)
        Swift.swap(&first.isPending, &second.isPending)
        Swift.swap(&first.isMeasured, &second.isMeasured)
        Swift.swap(&first.kindBit, &second.kindBit)
        (entries[a], entries[b]) = (second, first)
        tree.replace(first, with: first, in: one)
        tree.replace(second, with: second, in: other)
        return true
    }

    private func insertSection(_ id: SectionID, after: SectionID?) -> Bool {
        guard starts[id] == nil else { return false }
        var index = 0
        if let after {
            guard let before = sections.firstIndex(of: after) else { return false }
            index = before + 1
        }
        let start = LayoutEntry(nil)
        if index == 0 {
            tree.insertFirst(start)
        } else if index == sections.count {
            tree.append(start)
        } else {
            // After the last row of the section before, which is just before the next section.
            guard let next = starts[sections[index]], let leaf = next.leaf,
                let before = tree.predecessor(of: next, in: leaf), let place = before.leaf
            else { return false }
            tree.insert(start, after: before, in: place)
        }
        sections.insert(id, at: index)
        starts[id] = start
        return true
    }

    private func removeSection(_ id: SectionID) -> Bool {
        guard let index = sections.firstIndex(of: id),
            let start = starts.removeValue(forKey: id), let leaf = start.leaf
        else { return false }
        tree.remove(start, in: leaf)
        sections.remove(at: index)
        return true
    }

    // MARK: The anchor

    /// Finds the row that takes the place of the anchor's row, or of its current substitute.
    private func noteRemoval(of id: RowID, _ changes: inout Changes) {
        guard let anchor = changes.anchor else { return }
        let holder = entries[anchor.row] != nil ? anchor.row : changes.stead?.row
        guard holder == id, let entry = entries[id] else { return }
        if case .last? = changes.stead, id != anchor.row {
            // Nothing followed the anchor's row. A row that came since was not on the screen.
            let before = neighbour(of: entry, isAbove: true)?.row?.id
            changes.stead = before.map { .last($0) } ?? .nobody
        } else if let next = neighbour(of: entry, isAbove: false)?.row?.id {
            changes.stead = .next(next)
        } else {
            let before = neighbour(of: entry, isAbove: true)?.row?.id
            changes.stead = before.map { .last($0) } ?? .nobody
        }
    }
}

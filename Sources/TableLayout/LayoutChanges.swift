public import TableModel

extension LayoutIndex {
    /// Takes a diff that the table has applied. Where it does not follow on what the index has
    /// seen, or leads elsewhere than the table is, everything is made anew from the table, in O(n):
    /// so the index is that of the table in any case. Otherwise as `apply` with the diff's steps.
    /// Made anew, the index cannot tell who followed an anchor's row that is gone: nil then.
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

    /// Takes the steps of one diff, or of several in a row, which the table has applied.
    ///
    /// O(log n) for each row that a step names, and for each row of a kind whose geometry a step
    /// changes; no text is looked at. Steps of another table are noticed only where they do not
    /// fit: then everything is made anew.
    ///
    /// An anchor is kept: put `contentOffset(of:)` of the result where the viewer scrolls to, and
    /// the anchor's row does not move on the screen, whatever happened above it. If the row was
    /// moved, the anchor goes with it. If it was removed, the rows below close the gap: the next
    /// row that is there takes its place, its top where the removed one's was (no further up than
    /// that it can be seen); if none follows, the end of the row before it; if there is none, nil.
    ///
    /// - Parameters:
    ///   - ops: in order.
    ///   - table: as it is afterwards.
    ///   - anchor: as it was before.
    /// - Returns: the anchor as it is now; nil: none was given, or no row is left to hold on to.
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

    /// What the steps leave to be done when the order is right.
    struct Changes {
        let anchor: ScrollAnchor?
        /// Rows to be looked at again.
        var rows: Set<RowID> = []
        var kinds: [KindID] = []
        /// In the anchor's place, once its row was removed; outer nil: it was not.
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

        init(anchor: ScrollAnchor?) {
            self.anchor = anchor
        }

        func anchor(in index: LayoutIndex) -> ScrollAnchor? {
            guard let anchor, index.entries[anchor.row] == nil else { return anchor }
            guard let id = stead?.row, let height = index.height(of: id) else { return nil }
            if case .last = stead { return ScrollAnchor(id, withinPoints: height) }
            let within = Bound.points(anchor.withinPoints, or: 0)
            return ScrollAnchor(id, withinPoints: min(within, height))
        }
    }

    /// One step; false: it does not fit.
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
        case .changes(let id):
            // Most of these change no height, but all the row that is held here.
            changes.rows.insert(id)
            return entries[id] != nil
        case .changesAll:
            changes.rows.formUnion(entries.keys)
            return true
        case .insertsSection(let id, let after): return insertSection(id, after: after)
        case .removesSection(let id): return removeSection(id)
        case .defines(let definitions):
            changes.kinds += definitions.kinds.map(\.id) + definitions.dropped
            return true
        case .renamesSection, .begins, .changesInvocation, .ends, .edits, .news: return true
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

    private func move(_ ids: [RowID], to place: Place) -> Bool {
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
            // Behind the last row of the section before: that is, before the next one's start.
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

    /// Finds who takes the place of the anchor's row, or of the one that has taken it.
    private func noteRemoval(of id: RowID, _ changes: inout Changes) {
        guard let anchor = changes.anchor else { return }
        let holder = entries[anchor.row] != nil ? anchor.row : changes.stead?.row
        guard holder == id, let entry = entries[id] else { return }
        if case .last? = changes.stead, id != anchor.row {
            // Behind it there was nothing then; what came since is not what was looked at.
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

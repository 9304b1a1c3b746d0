// Rows that are changed by the thousand. What they become is made between turns, leaf by leaf, so that the turn which
// changes them does no more than exchange the leaves (docs/decisions/0036-predicates.md).

/// A leaf of the table's tree, and what some of its rows are to become.
///
/// It holds the rows as they were. So whoever changes one of them meanwhile makes another row, in another array: as
/// long as the table has this very array, all of its rows are as they were when this was made.
package final class PreparedLeaf {
    /// Tells an array of rows from all others, as long as somebody holds it.
    package typealias Key = UnsafeRawPointer

    /// A row that is to be exchanged.
    private struct Exchange {
        let place: Int
        let mark: Row.Mark
        /// Where the index had the row: only a hint.
        let slot: Int
    }

    /// The section of the leaf.
    package let section: SectionID
    /// The rows as they were; none once they are exchanged.
    package private(set) var rows: ContiguousArray<Row>
    /// The rows as they are to be; once they are exchanged, as they were.
    private var others: ContiguousArray<Row>
    private var exchanges: [Exchange] = []
    /// The bytes that a snapshot which holds the rows keeps in memory because of this.
    private var supersededBytes = 0

    /// The weights of those that change, before and after; nil: it takes long to tell.
    private var weights: (before: Int?, now: Int?) = (0, 0)

    /// Nothing is to change yet.
    package init(_ rows: ContiguousArray<Row>, of section: SectionID) {
        (self.rows, self.section) = (rows, section)
        others = rows
    }

    /// How many rows are to change.
    package var count: Int { exchanges.count }

    /// The key of its rows.
    package var key: Key? { Self.key(of: rows) }

    /// The key of an array of rows that is not empty.
    package static func key(of rows: ContiguousArray<Row>) -> Key? {
        rows.withUnsafeBufferPointer { $0.baseAddress.map { Key($0) } }
    }

    /// The row at a place is to become another, whose version is still to come.
    package func put(_ row: Row, at place: Int, in table: Table) {
        supersededBytes += Table.superseded(by: rows[place], isWhole: true)
        weights.before = Self.sum(weights.before, rows[place].quickWeight)
        weights.now = Self.sum(weights.now, row.quickWeight)
        others[place] = row
        exchanges.append(
            Exchange(place: place, mark: row.mark, slot: table.slots.place(of: row.id) ?? 0))
    }

    private static func sum(_ a: Int?, _ b: Int?) -> Int? { a.flatMap { a in b.map { a + $0 } } }

    /// Exchanges the rows of a leaf that still has the array.
    fileprivate func exchange(in node: Table.Tree.Node, of table: Table, at moment: Moment) {
        for exchange in exchanges {
            let place = exchange.place
            if !others[place].store.setVersion(moment.revision) {
                others[place] = others[place].with(version: moment.revision)
            }
            let slot = Table.Slot(row: others[place], leaf: node)
            table.slots.exchange(at: exchange.slot, rows[place], for: slot)
            node.marks[place] = exchange.mark
        }
        node.exchange(with: &others, weights: weights)
        // Only `others` holds them now.
        rows = []
        if table.capturedAt > 0 { table.supersededBytes += supersededBytes }
    }
}

extension Table {
    /// The arrays of rows that a section has, or all sections have, in order.
    package func leaves(of section: SectionID?) -> [(
        section: SectionID, rows: ContiguousArray<Row>
    )] {
        sections.flatMap { one in
            section == nil || one.id == section ? one.runs().map { (one.id, $0) } : []
        }
    }

    /// Whether it has all of these leaves, in this order.
    package func has(_ leaves: [PreparedLeaf]) -> Bool {
        var next = 0
        for section in sections {
            section.rows.forEachLeaf { node in
                guard next < leaves.count, PreparedLeaf.key(of: node.elements) == leaves[next].key
                else { return }
                next += 1
            }
        }
        return next == leaves.count
    }

    /// Exchanges the rows of leaves, as a part of the next revision. They are given in the table's order, and each of
    /// them must still have its array.
    package func exchange(_ leaves: [PreparedLeaf], timeMs: UInt64, takesBack: Bool = false) {
        let moment = Moment(revision: revision + 1, timeMs: timeMs, takesBack: takesBack)
        var next = 0
        for section in sections {
            section.rows.forEachLeaf { node in
                guard next < leaves.count else { return }
                let leaf = leaves[next]
                guard PreparedLeaf.key(of: node.elements) == leaf.key else { return }
                next += 1
                if !recent.isEmpty { noteDeeds(on: leaf, at: moment) }
                leaf.exchange(in: node, of: self, at: moment)
            }
        }
        precondition(next == leaves.count, "a leaf that the table does not have any more")
    }

    /// The rows have other content; or an undo takes that back.
    private func noteDeeds(on leaf: PreparedLeaf, at moment: Moment) {
        for id in leaf.changedRows {
            if moment.takesBack { recent.takeBack(id) { _ in false } }
            recent.change(id)
        }
    }
}

extension PreparedLeaf {
    /// The rows that are to change.
    package var changedRows: [RowID] { exchanges.map { rows[$0.place].id } }
}

extension Row {
    /// This row, which somebody holds, with other texts, and with these traces, if any are given: as the next revision
    /// makes it.
    package func ahead(
        _ changes: Command.Changes, _ traces: Traces?, timeMs: UInt64, in table: Table
    ) -> Row {
        let revision = table.revision + 1
        var own = self
        guard var other = own.set(changes, at: Moment(revision: revision, timeMs: timeMs)) else {
            preconditionFailure("a row that is held was changed where it lies")
        }
        guard let traces else { return other }
        return other.change { $0.take(traces, version: revision) } ?? other
    }
}

extension Table {
    /// The rows of the leaf in which a row stands, its section, and its place there.
    package func leaf(
        of id: RowID
    ) -> (section: SectionID, rows: ContiguousArray<Row>, place: Int)? {
        guard let slot = slots[id] else { return nil }
        let found = slot.lend { tree, leaf, place in
            tree.withOwner { _ in (section(of: slot)?.id ?? "", leaf.elements, place) }
        }
        return found ?? nil
    }
}

public import TableModel

/// Where a viewer looks, in a form that changes above do not move (C7).
public struct ScrollAnchor: Equatable, Sendable {
    /// The row to hold on to.
    public var row: RowID
    /// How far below the row's top the viewport's top is, in points; negative: above it.
    public var withinPoints: Double

    /// The viewport's top is `withinPoints` below this row's.
    public init(_ row: RowID, withinPoints: Double = 0) {
        self.row = row
        self.withinPoints = withinPoints
    }
}

extension LayoutIndex {
    /// A row, and where it is.
    public struct Frame: Equatable, Sendable {
        /// The row.
        public let id: RowID
        /// Top of the row in points, from the content's top or from the question's own origin.
        public let y: Double
        /// Height in points, a multiple of 1/1024.
        public let height: Double
        /// The state of its height.
        public let expansion: Expansion
    }

    /// How many rows there are.
    public var count: Int { entries.count }

    /// Sum of all heights, in points. Measures all pending rows.
    public var contentHeightPoints: Double {
        settle()
        return RowHeights.points(tree.summary.units)
    }

    /// Height of a row in points; nil: no such row. Measures this row only.
    public func height(of id: RowID) -> Double? {
        entries[id].map { RowHeights.points(settled($0)) }
    }

    /// Sum of the heights above a row, in points; nil: no such row. Measures the rows above.
    public func offset(of id: RowID) -> Double? { entries[id].flatMap(top).map(RowHeights.points) }

    /// The row above in the same section; nil: there is none.
    public func row(above id: RowID) -> RowID? {
        guard let entry = entries[id], let leaf = entry.leaf else { return nil }
        return tree.predecessor(of: entry, in: leaf)?.row?.id
    }

    /// Where a row is; nil: no such row. Measures it and the rows above.
    public func frame(of id: RowID) -> Frame? {
        guard let entry = entries[id], let top = top(of: entry) else { return nil }
        return frame(of: entry, at: RowHeights.points(top))
    }

    /// The row at an offset in points, and how far below the row's top the offset is. Nil: the
    /// offset is above or below all rows, or NaN. A row ends just before the next row's top.
    public func row(at offset: Double) -> ScrollAnchor? {
        guard let (entry, _, before) = find(offset), let row = entry.row else { return nil }
        return ScrollAnchor(row.id, withinPoints: offset - RowHeights.points(before.units))
    }

    /// The rows between two offsets in points, in order, without a row that begins at `end`.
    /// O(log n), and O(1) for each row. Measures these rows and the rows above.
    public func visible(from start: Double, to end: Double) -> [Frame] {
        guard start < end, let (first, _, before) = find(max(0, start)) else { return [] }
        return frames(from: first, at: RowHeights.points(before.units), until: end)
    }

    /// The rows in a viewport of this height, in points, at the anchor. Their y counts from the
    /// viewport's top. Measures only these rows and those between them and the anchor's row.
    ///
    /// Empty if the anchor's row is not there, or all rows are outside.
    public func visible(around anchor: ScrollAnchor, heightPoints: Double) -> [Frame] {
        guard var first = entries[anchor.row] else { return [] }
        var y = -Bound.points(anchor.withinPoints, or: 0)
        while y > 0, let above = neighbour(of: first, isAbove: true) {
            first = above
            y -= RowHeights.points(settled(above))
        }
        while let below = neighbour(of: first, isAbove: false) {
            let height = RowHeights.points(settled(first))
            if y + height > 0 { break }
            first = below
            y += height
        }
        let found = frames(from: first, at: y, until: heightPoints)
        return found.first.map { $0.y + $0.height > 0 } == true ? found : []
    }

    /// The content offset in points at which the anchor holds; nil: no such row.
    ///
    /// The offset may be outside the content: only the viewer knows how far it can scroll.
    public func contentOffset(of anchor: ScrollAnchor) -> Double? {
        offset(of: anchor.row).map { $0 + anchor.withinPoints }
    }

    // MARK: The tree

    private func find(_ offset: Double) -> (element: LayoutEntry, index: Int, before: LayoutSum)? {
        guard offset >= 0 else { return nil }
        let target = offset * RowHeights.unitsPerPoint
        while true {
            let found = tree.first { Double($0.units) > target }
            // If no row up to this one was pending, the sums were right.
            if settle(before: found.map { $0.index + 1 } ?? .max) == 0 { return found }
        }
    }

    private func top(of entry: LayoutEntry) -> Int? {
        guard let leaf = entry.leaf else { return nil }
        if tree.summary.pending > 0 { settle(before: tree.index(of: entry, in: leaf)) }
        return tree.sum(before: entry, in: leaf).units
    }

    /// The height of one entry in units; measures it if it is pending.
    private func settled(_ entry: LayoutEntry) -> Int {
        if entry.isPending, let leaf = entry.leaf {
            measure(entry, remembering: true)
            tree.replace(entry, with: entry, in: leaf)
        }
        return Int(entry.units)
    }

    private func frame(of entry: LayoutEntry, at y: Double) -> Frame? {
        guard let row = entry.row else { return nil }
        let height = RowHeights.points(settled(entry))
        return Frame(id: row.id, y: y, height: height, expansion: row.expansion)
    }

    private func frames(from first: LayoutEntry, at top: Double, until end: Double) -> [Frame] {
        var frames: [Frame] = []
        var y = top
        var next: LayoutEntry? = first
        while y < end, let entry = next, let frame = frame(of: entry, at: y) {
            frames.append(frame)
            y += frame.height
            next = neighbour(of: entry, isAbove: false)
        }
        return frames
    }

    /// The row above or below, across the starts of sections; nil: there is none.
    func neighbour(of entry: LayoutEntry, isAbove: Bool) -> LayoutEntry? {
        var entry = entry
        while let leaf = entry.leaf {
            let next =
                isAbove
                ? tree.predecessor(of: entry, in: leaf) : tree.successor(of: entry, in: leaf)
            guard let next else { return nil }
            if next.row != nil { return next }
            entry = next
        }
        return nil
    }
}

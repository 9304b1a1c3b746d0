public import TableModel

/// Where every row of a table is for one width, with the buttons of the open rows.
public struct TableFrames: Equatable, Sendable {
    /// The width that was laid out, in points.
    public let widthPoints: Double
    /// The rows, in order.
    public let rows: [RowFrame]
    /// Sum of the heights, in points.
    public let contentHeightPoints: Double

    /// One row.
    public struct RowFrame: Equatable, Sendable {
        /// The row.
        public let id: RowID
        /// Sum of the heights above it, in points.
        public let y: Double
        /// Height in points.
        public let height: Double
        /// The state of its height.
        public let expansion: Expansion
        /// The buttons; nil: the row is not swiped open.
        public let swipe: SwipeGeometry?
    }

    /// Lays out all rows of a table, section by section.
    public init(
        _ table: Table, widthPoints: Double, pullPoints: Double? = nil, metrics: Metrics = .point,
        nowMs: UInt64? = nil
    ) {
        self.init(
            rows: table.rows, kinds: table.kinds, tableLook: table.settings.look,
            faces: table.settings.faces, widthPoints: widthPoints,
            pullPoints: pullPoints, metrics: metrics, nowMs: nowMs)
    }

    /// Lays out rows in order, with the kinds that they refer to; O(n).
    ///
    /// - Parameters:
    ///   - rows: in order.
    ///   - kinds: those that the rows refer to.
    ///   - tableLook: the table's look, for what neither action nor group sets (A10).
    ///   - faces: the table's shared faces (F6).
    ///   - widthPoints: width of the rows.
    ///   - pullPoints: how far the open rows are open; nil: as far as they rest.
    ///   - metrics: of text and of faces.
    ///   - nowMs: milliseconds since 1970 (UTC), for the ages in faces; nil: they are empty (F7).
    public init(
        rows: [Row], kinds: [KindID: Kind], tableLook: Look = Look(), faces: [ID: Face] = [:],
        widthPoints: Double, pullPoints: Double? = nil, metrics: Metrics = .point,
        nowMs: UInt64? = nil
    ) {
        var y = 0.0
        var frames: [RowFrame] = []
        frames.reserveCapacity(rows.count)
        for row in rows {
            let kind = kinds[row.content.kind] ?? Kind(row.content.kind)
            let height = RowHeights.height(
                of: row.content, kind: kind, expansion: row.expansion, widthPoints: widthPoints,
                metrics: metrics)
            let swipe = row.swipe.map { edge in
                let group = Self.group(of: row, kind: kind, edge: edge) ?? ActionGroup()
                return SwipeGeometry(
                    group.shown(on: row, faces: faces, nowMs: nowMs), edge: edge,
                    rowHeight: height, pullWidth: pullPoints, containerWidth: widthPoints,
                    tableLook: tableLook, metrics: metrics)
            }
            frames.append(
                RowFrame(id: row.id, y: y, height: height, expansion: row.expansion, swipe: swipe))
            y += height
        }
        self.widthPoints = widthPoints
        self.rows = frames
        contentHeightPoints = y
    }

    /// The actions at an edge of a row; nil: none.
    public static func group(of row: Row, kind: Kind, edge: Edge) -> ActionGroup? {
        let own = row.content.actions
        switch edge {
        case .leading: return own?.leading ?? kind.leading
        case .trailing: return own?.trailing ?? kind.trailing
        }
    }
}

public import TableModel

/// Where the items of a strip are, and how far the strip is scrolled (D1, D4, F13).
public struct StripGeometry: Equatable, Sendable {
    /// One item.
    public struct ItemFrame: Equatable, Sendable {
        /// The item.
        public let id: ID
        /// Left edge, from the beginning of the strip, in points.
        public let x: Double
        /// Upper edge, from the row's, in points.
        public let y: Double
        /// Width in points.
        public let widthPoints: Double
        /// Height in points.
        public let heightPoints: Double
        /// Where the badge is, from the same edges; nil: the item has none.
        public let badge: Rect?
        /// The wishes of its kind for which the row has no room.
        public let clamped: [Clamped]

        /// Something that was made smaller.
        public enum Clamped: String, Sendable {
            case height
        }
    }

    /// The part of a row where its items are.
    public struct Room: Equatable, Sendable {
        /// The row's title stands above the items.
        public let hasTitle: Bool
        /// Upper edge, from the row's, in points.
        public let y: Double
        /// Height in points.
        public let heightPoints: Double

        /// From this height on a strip has its row's title above it, in points.
        static let titledPoints = 60.0
        /// Height of the title above the items, in points.
        static let titlePoints = 26.0

        /// The room in a row of this height, in points.
        public init(_ content: Row.Content, rowHeightPoints height: Double) {
            hasTitle = height >= Self.titledPoints && !content.title.isEmpty
            y = min(6, height / 8) + (hasTitle ? Self.titlePoints : 0)
            heightPoints = max(0, height - y - min(8, height / 8))
        }
    }

    /// The items, in order.
    public let items: [ItemFrame]
    /// Where in the row the items are.
    public let room: Room
    /// Gap between two items, in points.
    public let spacingPoints: Double
    /// Where the strip comes to rest after a scroll.
    public let page: Kind.Page
    /// Width of all items and the gaps between them, in points.
    public let contentWidthPoints: Double
    /// How far the strip is scrolled from its beginning, in points.
    public let offsetPoints: Double

    /// Least width of an item that is as wide as its text, in points, so that it can be touched.
    public static let leastItemPoints = 56.0

    /// The items of a row. A scroll's fraction is of the item and the gap after it.
    ///
    /// - Parameters:
    ///   - content: the row's.
    ///   - kind: the row's; nil: one with every default.
    ///   - rowHeightPoints: the row's; nil: that of its kind.
    ///   - scroll: where the strip is scrolled to; nil: its beginning.
    ///   - metrics: of the items' text.
    public init(
        _ content: Row.Content, kind: Kind? = nil, rowHeightPoints: Double? = nil,
        scroll: Scroll? = nil, metrics: Metrics = .point
    ) {
        let kind = kind ?? Kind(content.kind)
        let height = Bound.points(rowHeightPoints ?? kind.heightPoints, or: 0)
        let room = Room(content, rowHeightPoints: height)
        let spacing = Bound.points(max(0, kind.spacingPoints), or: Kind.defaultSpacingPoints)
        var x = 0.0
        var frames: [ItemFrame] = []
        var offset = 0.0
        frames.reserveCapacity(content.items.count)
        for item in content.items {
            let frame = ItemFrame(item, kind.itemKind(of: item), x: x, in: room, metrics: metrics)
            frames.append(frame)
            if let scroll, scroll.item == item.id {
                let fraction = min(max(RowHeights.finite(scroll.fraction), 0), 1)
                offset = x + fraction * (frame.widthPoints + spacing)
            }
            x += frame.widthPoints + spacing
        }
        items = frames
        self.room = room
        spacingPoints = spacing
        page = kind.page
        contentWidthPoints = frames.isEmpty ? 0 : x - spacing
        offsetPoints = offset
    }

    /// Width of a row in which items are visible, in points: from the text's margin to the row's
    /// right edge.
    public static func visibleWidthPoints(ofRow width: Double, kind: Kind) -> Double {
        max(0, RowHeights.finite(width) - max(0, RowHeights.finite(kind.margins.text)))
    }
}

extension StripGeometry.ItemFrame {
    fileprivate init(
        _ item: Item, _ kind: ItemKind?, x: Double, in room: StripGeometry.Room, metrics: Metrics
    ) {
        let text = ItemText(item, kind: kind)
        let width: Double
        if case .points(let points)? = kind?.width {
            width = Bound.points(max(0, points), or: StripGeometry.leastItemPoints)
        } else {
            let wanted = text.widthPoints(metrics) + ItemText.paddingPoints
            width = min(max(StripGeometry.leastItemPoints, wanted), Bound.points)
        }
        var wanted = kind?.heightPoints ?? (kind?.layout == .auto ? 0 : room.heightPoints)
        if kind?.layout == .auto {
            wanted = max(wanted, text.heightPoints(metrics) + 2 * ItemText.insetPoints)
        }
        let height = min(max(0, RowHeights.finite(wanted)), room.heightPoints)
        let y = room.y + (room.heightPoints - height) / 2
        self.init(
            id: item.id, x: x, y: y, widthPoints: width, heightPoints: height,
            badge: text.badge == nil
                ? nil
                : Self.badge(
                    text.badgeWidthPoints(metrics),
                    in: Rect(x: x, y: y, width: width, height: height)),
            clamped: wanted > room.heightPoints ? [.height] : [])
    }

    /// At the upper right corner of the cell, and not larger than it.
    private static func badge(_ wanted: Double, in cell: Rect) -> Rect {
        let gap = ItemText.badgeGapPoints
        let width = min(wanted, max(0, cell.width - 2 * gap))
        let height = min(ItemText.badgeHeightPoints, cell.height)
        return Rect(
            x: cell.maxX - gap - width, y: cell.y + min(gap, (cell.height - height) / 2),
            width: width, height: height)
    }
}

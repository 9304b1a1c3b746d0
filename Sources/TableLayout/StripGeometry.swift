public import TableModel

/// Where the items of a strip are, and how far the strip is scrolled (D1, D4).
public struct StripGeometry: Equatable, Sendable {
    /// One item.
    public struct ItemFrame: Equatable, Sendable {
        /// The item.
        public let id: ID
        /// Left edge, from the beginning of the strip, in points.
        public let x: Double
        /// Width in points.
        public let widthPoints: Double
    }

    /// The items, in order.
    public let items: [ItemFrame]
    /// Width of all items and the gaps between them, in points.
    public let contentWidthPoints: Double
    /// How far the strip is scrolled from its beginning, in points.
    public let offsetPoints: Double

    /// Gap between two items, in points.
    public static let gapPoints = 8.0
    /// Least width of an item in points, so that it can be touched.
    public static let leastItemPoints = 56.0
    /// Padding of an item's title, left and right together, in points.
    public static let paddingPoints = 24.0
    /// Text size of an item's title, in points.
    public static let titleSizePoints = 13.0

    /// The items of a row. An item is as wide as its title, or as its id if it has none. A scroll's
    /// fraction is of the item and the gap after it.
    public init(_ content: Row.Content, scroll: Scroll? = nil, metrics: Metrics = .point) {
        var x = 0.0
        var frames: [ItemFrame] = []
        var offset = 0.0
        frames.reserveCapacity(content.items.count)
        for item in content.items {
            let text = item.title.isEmpty ? item.id.text : item.title
            let title = metrics.width(of: text, sizePoints: Self.titleSizePoints)
            let width = min(max(Self.leastItemPoints, title + Self.paddingPoints), Bound.points)
            frames.append(ItemFrame(id: item.id, x: x, widthPoints: width))
            if let scroll, scroll.item == item.id {
                let fraction = min(max(RowHeights.finite(scroll.fraction), 0), 1)
                offset = x + fraction * (width + Self.gapPoints)
            }
            x += width + Self.gapPoints
        }
        items = frames
        contentWidthPoints = frames.isEmpty ? 0 : x - Self.gapPoints
        offsetPoints = offset
    }
}

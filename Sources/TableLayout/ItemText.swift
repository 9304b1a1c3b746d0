public import TableModel

/// The text of a strip's cell: a title, lines below it, and a badge (F13).
public struct ItemText: Equatable, Sendable {
    /// The item's title, or its id if it has none.
    public let title: String
    /// The lines below the title.
    public let details: [String]
    /// In the badge; nil: none.
    public let badge: String?
    /// Whether `details` is one line of all fields, which may be cut off.
    let isSummary: Bool

    /// Text size of a title, in points.
    public static let titleSizePoints = 13.0
    /// Text size of a line below it, in points.
    public static let detailSizePoints = 12.0
    /// Text size of a badge, in points.
    public static let badgeSizePoints = 11.0
    /// Left and right of a cell's text together, in points.
    public static let paddingPoints = 24.0
    /// Above and below the text of a cell with the layout `auto`, each, in points.
    public static let insetPoints = 8.0
    /// Left and right of a badge's text together, in points.
    public static let badgePaddingPoints = 10.0
    /// Height of a badge, and its least width, in points.
    public static let badgeHeightPoints = 16.0
    /// Between a badge and the cell's corner, and between a title and a badge, in points.
    public static let badgeGapPoints = 4.0

    /// The text of an item of this kind; nil: it has none.
    public init(_ item: Item, kind: ItemKind?) {
        title = item.title.isEmpty ? item.id.text : item.title
        func value(_ key: ID) -> String? {
            item.fields.first { $0.key == key }.flatMap { $0.value.isEmpty ? nil : $0.value }
        }
        badge = kind?.badge.flatMap(value)
        isSummary = kind?.fields == nil
        if let fields = kind?.fields {
            details = fields.compactMap(value)
        } else {
            let all = item.fields.filter { $0.key != kind?.badge }.map(\.value)
            let line = all.joined(separator: " · ")
            details = line.isEmpty ? [] : [line]
        }
    }

    /// Width of the badge, in points; 0 without one.
    public func badgeWidthPoints(_ metrics: Metrics) -> Double {
        guard let badge else { return 0 }
        let text = metrics.width(of: badge, sizePoints: Self.badgeSizePoints)
        return max(Self.badgeHeightPoints, text + Self.badgePaddingPoints)
    }

    /// Width of the text without padding: of the title with its badge, or of the widest line.
    func widthPoints(_ metrics: Metrics) -> Double {
        var width = metrics.width(of: title, sizePoints: Self.titleSizePoints)
        if badge != nil { width += Self.badgeGapPoints + badgeWidthPoints(metrics) }
        if isSummary { return width }
        for line in details {
            width = max(width, metrics.width(of: line, sizePoints: Self.detailSizePoints))
        }
        return width
    }

    /// Height of the title and the lines below it, in points.
    public func heightPoints(_ metrics: Metrics) -> Double {
        metrics.lineHeightPoints(sizePoints: Self.titleSizePoints)
            + Double(details.count) * metrics.lineHeightPoints(sizePoints: Self.detailSizePoints)
    }
}

public import TableModel

/// Heights of rows, and what stands in them (C5, C8).
public enum RowHeights {
    /// Height of a row in points: finite, above 0 and at most 1,000,000, whatever is given, and a
    /// multiple of 1/1024 (`unitsPerPoint`).
    ///
    /// Collapsed: the kind's height. A height of its own, or a named one: that. Expanded: where
    /// the content ends, and the kind's bottom margin.
    public static func height(
        of content: Row.Content, kind: Kind, expansion: Expansion, widthPoints: Double,
        metrics: Metrics
    ) -> Double {
        switch expansion {
        case .collapsed: return bounded(kind.heightPoints)
        case .height(let points): return bounded(points)
        case .named(let name):
            for case .named(name, let points) in kind.states { return bounded(points) }
            return bounded(kind.heightPoints)
        case .expanded:
            let place = RowText.Place(kind, widthPoints: widthPoints, metrics: metrics)
            let lines =
                RowText.hasTitle(content, kind)
                ? TextWrap.lineCount(content.title, widthPoints: place.width, metrics: metrics) : 0
            let bottom = place.bottom(ofLines: lines + content.fieldCount)
            return bounded(bottom + finite(kind.margins.bottom))
        }
    }

    /// For what comes out as no height at all: nothing, or no number.
    static let leastPoints = 1.0

    /// Heights are whole units, so that they add up to the same in every order: the sum of a
    /// million heights at the bound has 50 bits, and a Double holds 53.
    public static let unitsPerPoint = 1_024.0

    /// As `height`, in units: 1 to 1,024,000,000.
    static func units(
        of content: Row.Content, kind: Kind, expansion: Expansion, widthPoints: Double,
        metrics: Metrics
    ) -> Int {
        let points = height(
            of: content, kind: kind, expansion: expansion, widthPoints: widthPoints,
            metrics: metrics)
        return Int(points * unitsPerPoint)
    }

    /// Units as points: exact up to the heights of a million rows and more.
    static func points(_ units: Int) -> Double { Double(units) / unitsPerPoint }

    private static func bounded(_ points: Double) -> Double {
        let sound = points > 0 ? min(points, Bound.points) : leastPoints
        return max(1, (sound * unitsPerPoint + 0.5).rounded(.down)) / unitsPerPoint
    }

    static func finite(_ points: Double) -> Double { Bound.points(points, or: 0) }
}

/// The text of an expanded row in lines: its title, wrapped, then its fields, one line each.
public struct RowText: Equatable, Sendable {
    /// The title's lines; none where there is no title and the layout is `manual`.
    public let titleLines: [String]
    /// `key: value`, in the order of the keys. Not wrapped: what is too long is for the viewer to
    /// cut off.
    public let fieldLines: [String]
    /// Where the first line begins: there the title stands in the middle of a collapsed row.
    public let top: Double
    /// Left of every line, in points.
    public let left: Double
    /// What the lines were broken for, in points.
    public let widthPoints: Double
    /// Of each line, in points.
    public let lineHeightPoints: Double
    /// Where the content ends: under the last line; 0 where there is none.
    public let bottom: Double

    /// Lays out a row's text in a row of that width, in points.
    public init(_ content: Row.Content, kind: Kind, widthPoints: Double, metrics: Metrics) {
        let place = Place(kind, widthPoints: widthPoints, metrics: metrics)
        titleLines =
            Self.hasTitle(content, kind)
            ? TextWrap.lines(content.title, widthPoints: place.width, metrics: metrics) : []
        fieldLines = content.fields.map { "\($0.key.text): \($0.value)" }
        left = place.left
        self.widthPoints = place.width
        lineHeightPoints = place.line
        top = place.top
        bottom = place.bottom(ofLines: titleLines.count + fieldLines.count)
    }

    /// Content that fits itself keeps the title's line also when it is empty; placed by hand, what
    /// is empty is no part.
    static func hasTitle(_ content: Row.Content, _ kind: Kind) -> Bool {
        kind.layout == .auto || !content.title.isEmpty
    }

    /// Where the lines are that a row's text is broken into.
    struct Place {
        let left: Double, top: Double, width: Double, line: Double

        init(_ kind: Kind, widthPoints: Double, metrics: Metrics) {
            line = metrics.lineHeightPoints()
            left = max(0, RowHeights.finite(kind.margins.text))
            width = max(0, RowHeights.finite(widthPoints) - 2 * left)
            top = max(0, (RowHeights.finite(kind.heightPoints) - line) / 2)
        }

        func bottom(ofLines count: Int) -> Double {
            count == 0 ? 0 : top + Double(count) * line
        }
    }
}

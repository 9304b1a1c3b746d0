public import TableModel

/// Heights of rows (C5, C8).
public enum RowHeights {
    /// Height of a row in points: a multiple of 1/1024 (`unitsPerPoint`), above 0 and at most
    /// 1,000,000, whatever is given.
    ///
    /// | state | height |
    /// |---|---|
    /// | collapsed | the kind's |
    /// | `height` | its own |
    /// | named | that of the kind's state, or the kind's if it has no such state |
    /// | expanded | the content's bottom and the kind's bottom margin |
    public static func height(
        of content: Row.Content, kind: Kind, expansion: Expansion, widthPoints: Double,
        metrics: Metrics
    ) -> Double {
        switch expansion {
        case .collapsed: return bounded(kind.heightPoints)
        case .height(let points): return bounded(points)
        case .named(let name):
            let states = kind.fitted(to: content).states
            for case .named(name, let points) in states { return bounded(points) }
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

    /// The height for a computed one that is 0, negative or NaN.
    static let leastPoints = 1.0

    /// Heights are whole units, so that every order of adding gives the same sum: the sum of a
    /// million heights at the bound has 50 bits, and a Double holds 53.
    public static let unitsPerPoint = 1_024.0

    /// `height` in units: 1 to 1,024,000,000.
    static func units(
        of content: Row.Content, kind: Kind, expansion: Expansion, widthPoints: Double,
        metrics: Metrics
    ) -> Int {
        let points = height(
            of: content, kind: kind, expansion: expansion, widthPoints: widthPoints,
            metrics: metrics)
        return Int(points * unitsPerPoint)
    }

    /// Converts units to points: exact for the sum of a million rows and more.
    static func points(_ units: Int) -> Double { Double(units) / unitsPerPoint }

    private static func bounded(_ points: Double) -> Double {
        let sound = points > 0 ? min(points, Bound.points) : leastPoints
        return max(1, (sound * unitsPerPoint + 0.5).rounded(.down)) / unitsPerPoint
    }

    static func finite(_ points: Double) -> Double { Bound.points(points, or: 0) }
}

/// The lines of an expanded row: its wrapped title, then one line for each field.
public struct RowText: Equatable, Sendable {
    /// The title's lines; none if the title is empty and the layout is `manual`.
    public let titleLines: [String]
    /// `key: value`, in the order of the keys. They are not wrapped: the viewer cuts them off.
    public let fieldLines: [String]
    /// Top of the first line, in points. It centres one line in a collapsed row.
    public let top: Double
    /// Left edge of every line, in points.
    public let left: Double
    /// The width that the lines were wrapped to, in points.
    public let widthPoints: Double
    /// Height of each line, in points.
    public let lineHeightPoints: Double
    /// Bottom of the last line, in points; 0 if there is none.
    public let bottom: Double

    /// Lays out the text of a row of this width, in points.
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

    /// The layout `auto` keeps a line for an empty title; `manual` does not.
    static func hasTitle(_ content: Row.Content, _ kind: Kind) -> Bool {
        kind.layout == .auto || !content.title.isEmpty
    }

    /// Where the lines of a row's text are.
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

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
    ///
    /// A row in which something stands out, and a title of several lines, make it as high as they need.
    public static func height(
        of content: Row.Content, kind: Kind, expansion: Expansion, widthPoints: Double,
        metrics: Metrics
    ) -> Double {
        let isPlain = !kind.hasTextHeights
        if expansion == .collapsed, isPlain { return bounded(kind.heightPoints) }
        if isPlain, expansion != .expanded {
            return bounded(heightPoints(of: content, kind: kind, expansion))
        }
        let face = RowFace(content, expansion, kind: kind)
        let text = RowText(
            face, kind: kind, isOpen: expansion != .collapsed, widthPoints: widthPoints,
            metrics: metrics)
        switch expansion {
        case .expanded: return bounded(text.bottom + finite(kind.margins.bottom))
        case .collapsed: return bounded(text.closedPoints(kind.heightPoints, metrics: metrics))
        case .height, .named:
            let points = heightPoints(of: content, kind: kind, expansion)
            let stands = !face.emphasised.isEmpty || face.row != nil
            return bounded(stands ? text.openPoints(points, metrics: metrics) : points)
        }
    }

    /// The height in a state that has one of its own.
    private static func heightPoints(
        of content: Row.Content, kind: Kind, _ state: Expansion
    ) -> Double {
        switch state {
        case .height(let points): return points
        case .named(let name):
            for case .named(name, let points) in kind.fitted(to: content).states { return points }
            return kind.heightPoints
        case .collapsed, .expanded: return kind.heightPoints
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

/// A rectangle in points; y grows downwards.
public struct Rect: Equatable, Sendable {
    /// The upper left corner.
    public var x: Double, y: Double
    /// The size; this module never gives a negative one.
    public var width: Double, height: Double

    /// A rectangle in points.
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// The right edge.
    public var maxX: Double { x + width }
    /// The bottom edge.
    public var maxY: Double { y + height }

    /// The rectangle without the insets. Its size is never negative, and it lies within this one.
    func inset(by insets: Insets) -> Rect {
        let left = min(max(insets.left, 0), width)
        let top = min(max(insets.top, 0), height)
        return Rect(
            x: x + left, y: y + top, width: max(0, width - left - max(insets.right, 0)),
            height: max(0, height - top - max(insets.bottom, 0)))
    }

    /// The part that lies in another rectangle; if there is none, size 0 at the nearest place.
    ///
    /// A side that sticks out by no more than rounding is not cut.
    func clipped(to other: Rect) -> Rect {
        let (left, width) = Self.clip(x, width, other.x, other.maxX)
        let (top, height) = Self.clip(y, height, other.y, other.maxY)
        return Rect(x: left, y: top, width: width, height: height)
    }

    private static func clip(
        _ start: Double, _ length: Double, _ least: Double, _ most: Double
    ) -> (Double, Double) {
        let slack = 1e-10 * max(1, most)
        if start >= least - slack, start + length <= most + slack { return (start, length) }
        let from = min(max(start, least), most)
        return (from, max(0, min(start + length, most) - from))
    }
}

/// The bound on numbers from outside, applied before anything is computed from them.
enum Bound {
    /// The largest length in points, as for heights (`Limits.heightPoints`).
    static let points = 1e6

    /// The number, cut to the bound on both sides; `other` for NaN.
    static func points(_ number: Double, or other: Double) -> Double {
        number.isNaN ? other : min(max(number, -points), points)
    }
}

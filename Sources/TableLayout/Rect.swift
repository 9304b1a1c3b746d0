/// A rectangle in points; y grows downwards.
public struct Rect: Equatable, Sendable {
    /// Of its left upper corner.
    public var x: Double, y: Double
    /// Never negative in what this module gives.
    public var width: Double, height: Double

    /// A rectangle in points.
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Where it ends, at the right.
    public var maxX: Double { x + width }
    /// Where it ends, at the bottom.
    public var maxY: Double { y + height }

    /// Without so much at each side; what is left is never negative, and lies within.
    func inset(by insets: Insets) -> Rect {
        let left = min(max(insets.left, 0), width)
        let top = min(max(insets.top, 0), height)
        return Rect(
            x: x + left, y: y + top,
            width: max(0, width - left - max(insets.right, 0)),
            height: max(0, height - top - max(insets.bottom, 0)))
    }

    /// The part of it that lies in another; of no size at the nearest place where there is none.
    ///
    /// What ends in the same place but for rounding keeps its own numbers.
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

/// What numbers from outside are held against before anything is computed from them.
enum Bound {
    /// Points: the same as for heights (`Limits.heightPoints`).
    static let points = 1e6

    /// The number if it is finite and within the bound on both sides, else the nearest that is;
    /// `other` for what is no number.
    static func points(_ number: Double, or other: Double) -> Double {
        number.isNaN ? other : min(max(number, -points), points)
    }
}

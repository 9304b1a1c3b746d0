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
    func clipped(to other: Rect) -> Rect {
        let left = min(max(x, other.x), other.maxX)
        let top = min(max(y, other.y), other.maxY)
        let right = min(max(maxX, left), other.maxX)
        let bottom = min(max(maxY, top), other.maxY)
        return Rect(x: left, y: top, width: max(0, right - left), height: max(0, bottom - top))
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

public import TableModel

/// Insets in points, as the model has them.
public typealias Insets = Look.Insets

extension Insets {
    static let zero = Insets(top: 0, left: 0, bottom: 0, right: 0)

    /// The insets, each cut to a number from 0 up to the bound.
    var sound: Insets {
        Insets(
            top: max(0, Bound.points(top, or: 0)), left: max(0, Bound.points(left, or: 0)),
            bottom: max(0, Bound.points(bottom, or: 0)), right: max(0, Bound.points(right, or: 0)))
    }

    /// The insets, each finite and within the bound; negative ones stay.
    var bounded: Insets {
        Insets(
            top: Bound.points(top, or: 0), left: Bound.points(left, or: 0),
            bottom: Bound.points(bottom, or: 0), right: Bound.points(right, or: 0))
    }
}

/// A value that a swipe geometry did not take as given, or had to make smaller.
public enum Clamp: String, Sendable, CaseIterable, Comparable {
    /// The width was not finite or out of bounds, or the insets left none: the face has width 0.
    case width
    /// The insets left no height: the face has the row's (A14).
    case height
    /// The circle is smaller than the width, to fit the row (A13).
    case diameter
    /// The spacing was not finite, negative or out of bounds.
    case spacing
    /// An inset was not finite, negative or out of bounds.
    case insets
    /// The row's height was not finite, negative or out of bounds.
    case rowHeight
    /// The width of the pull view was not finite, negative or out of bounds.
    case pull
    /// The container's width was not finite, negative or out of bounds.
    case container

    /// In the order of their declaration.
    public static func < (a: Clamp, b: Clamp) -> Bool { a.rank < b.rank }
    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// A look in which every value is set: `action ?? group ?? table ?? built-in` (A10).
public struct ResolvedLook: Equatable, Sendable {
    /// The style of the face (A11).
    public var style: Look.Style
    /// The width is the title's, plus padding (A2).
    public var isIntrinsic: Bool
    /// Width of the face in points, without the spacing; above 0.
    public var widthPoints: Double
    /// Spacing beside the face in points; 0 or more.
    public var spacingPoints: Double
    /// Insets of a custom face in points; finite.
    public var insets: Insets
    /// The values that were not taken as given.
    public var clamped: [Clamp] = []

    /// The built-in width (A10), and what a width of 0 or less means (A2).
    public static let standardWidthPoints = 74.0
    /// The padding around the title in an intrinsic width (A2).
    public static let paddingPoints = 30.0

    /// Width of the face and the spacing (A12).
    public var buttonWidthPoints: Double { widthPoints + spacingPoints }

    /// Takes each value from the innermost look that has one. The order in which the values were
    /// set does not matter.
    public init(_ action: Action, group: Look, table: Look = Look(), metrics: Metrics = .point) {
        let looks = [action.look, group, table]
        func first<Value>(_ path: KeyPath<Look, Value?>) -> Value? {
            looks.lazy.compactMap { $0[keyPath: path] }.first
        }
        style = first(\.style) ?? .standard
        switch first(\.width) ?? .points(Self.standardWidthPoints) {
        case .points(let width):
            isIntrinsic = false
            let bounded = Bound.points(width, or: 0)
            if bounded != width { clamped.append(.width) }
            widthPoints = bounded > 0 ? bounded : Self.standardWidthPoints
        case .intrinsic:
            isIntrinsic = true
            let needed = Self.paddingPoints + metrics.width(of: action.title)
            widthPoints = min(needed, Bound.points)
            if widthPoints < needed { clamped.append(.width) }
        case .face:
            // As wide as the face needs to be, with its insets; never below an empty title's.
            isIntrinsic = false
            let face = action.face ?? FaceLayout.standardFace(of: action)
            let sides = (first(\.insets) ?? .zero).sound
            let width = FaceLayout.size(of: face, metrics: metrics).width
            let needed = width + sides.left + sides.right
            widthPoints = min(max(needed, Self.paddingPoints), Bound.points)
            if widthPoints < needed { clamped.append(.width) }
        }
        let spacing = first(\.spacingPoints) ?? 0
        spacingPoints = max(0, Bound.points(spacing, or: 0))
        if spacingPoints != spacing { clamped.append(.spacing) }
        let given = first(\.insets) ?? .zero
        insets = given.bounded
        if insets != given || given.sound != given { clamped.append(.insets) }
    }
}

import TableModel

/// A drawing on a grid of 24 × 24 points, with lines two points wide and round ends.
struct Icon: Equatable {
    /// Commands of an SVG path; may be empty.
    let path: String
    /// Round dots.
    let dots: [Dot]

    /// A dot: its centre on the grid, and its radius.
    struct Dot: Equatable {
        let x: Double, y: Double
        var radius = 1.5
    }

    static let gridPoints = 24.0

    /// The frame for an unknown name; a letter is drawn in it.
    static let unknown =
        "M8 3.5h8a4.5 4.5 0 0 1 4.5 4.5v8a4.5 4.5 0 0 1-4.5 4.5H8A4.5 4.5 0 0 1 3.5 16V8"
        + "A4.5 4.5 0 0 1 8 3.5z"
    static let letterType = Typeface(sizePoints: 12, weight: 600)

    static func letter(of name: String) -> String {
        name.first { $0.isLetter || $0.isNumber }.map { String($0).uppercased() } ?? "?"
    }

    /// The drawing of the icon with this name, by any of its names. Nil: the name is unknown.
    static func named(_ name: String) -> Icon? {
        guard let known = IconName.canonical(name), let path = paths[known] else { return nil }
        return Icon(path: path, dots: dots[known] ?? [])
    }
}

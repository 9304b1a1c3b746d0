/// The width and height of text, in one of two profiles that any language can repeat
/// (docs/LAYOUT.md has the tables). Every length is in points.
public struct Metrics: Equatable, Sendable {
    /// The sets of widths with which text is measured.
    public enum Profile: String, Sendable, CaseIterable {
        /// Character cells of a terminal: text of every size takes the same cells.
        case cell
        /// A table of advances in thousandths of an em, mostly Helvetica's.
        case point
    }

    /// The set of widths with which text is measured.
    public var profile: Profile
    /// Width of U+200A in a legacy button's title (A3).
    public var hairWidthPoints = 1.5
    /// Width of one character cell; used by `cell` only.
    public var cellWidthPoints = 10.0
    /// Height of one character cell; used by `cell` only.
    public var cellHeightPoints = 20.0
    /// Size of text that has no size of its own: rows and titles of actions.
    public var textSizePoints = 15.0
    /// Size of an icon that has no size of its own.
    public var iconSizePoints = 20.0

    /// A profile with its documented sizes.
    public init(_ profile: Profile) { self.profile = profile }

    /// The terminal's metrics.
    public static let cell = Metrics(.cell)
    /// The metrics of everything that is not a terminal.
    public static let point = Metrics(.point)

    /// Width of a text in one line, in points; `sizePoints` nil is `textSizePoints`.
    public func width(of text: String, sizePoints: Double? = nil) -> Double {
        points(units(of: text), sizePoints: sizePoints)
    }

    /// Width of a text in the first of these families that can be measured (F3), in points.
    public func width(of text: String, sizePoints: Double?, families: [String]) -> Double {
        width(of: text, sizePoints: sizePoints, isMonospaced: isMonospaced(families))
    }

    /// Whether the first of these families that can be measured has letters of one width.
    public func isMonospaced(_ families: [String]) -> Bool {
        FontTable.chosen(of: families, self).isMonospaced
    }

    /// The width in a font whose letters of one column are all equally wide, as Courier's (F3).
    func width(of text: String, sizePoints: Double?, isMonospaced: Bool) -> Double {
        guard isMonospaced, profile == .point else {
            return width(of: text, sizePoints: sizePoints)
        }
        let units = text.reduce(0) { sum, character in
            switch CharacterWidth.columns(of: character) {
            case 0: return sum
            case 1: return sum + Advance.monospaced
            default: return sum + Advance.wide
            }
        }
        return points(units, sizePoints: sizePoints)
    }

    /// Height of a line in points: 4/3 of the text's size, or a cell's height.
    public func lineHeightPoints(sizePoints: Double? = nil) -> Double {
        switch profile {
        case .cell: return sound(cellHeightPoints, or: 20)
        case .point: return size(sizePoints) * 4 / 3
        }
    }

    /// Width and height of an icon in points; in a terminal the size of two cells.
    func iconSize(_ sizePoints: Double?) -> (width: Double, height: Double) {
        switch profile {
        case .cell: return (2 * sound(cellWidthPoints, or: 10), sound(cellHeightPoints, or: 20))
        case .point:
            let size = sound(sizePoints ?? iconSizePoints, or: 20)
            return (size, size)
        }
    }

    /// Width and height of an image in points: as high as an icon, and as wide as its aspect says;
    /// in a terminal as large as an icon.
    func imageSize(_ sizePoints: Double?, aspect: Double) -> (width: Double, height: Double) {
        let (width, height) = iconSize(sizePoints)
        return profile == .cell ? (width, height) : (Bound.points(height * aspect, or: 20), height)
    }

    // MARK: Whole units, which every language sums exactly

    /// Cells, or thousandths of an em.
    func units(of text: String) -> Int {
        var sum = 0
        for character in text { sum += units(of: character) }
        return sum
    }

    func units(of character: Character) -> Int {
        if let byte = character.asciiValue {
            guard 0x20..<0x7F ~= byte else { return 0 }
            return profile == .cell ? 1 : Advance.ascii[Int(byte) - 0x20]
        }
        switch profile {
        case .cell: return CharacterWidth.columns(of: character)
        case .point: return Advance.thousandths(of: character)
        }
    }

    /// From units to points: `units × size / 1000`, or `units × cell width`.
    func points(_ units: Int, sizePoints: Double?) -> Double {
        switch profile {
        case .cell: return Double(units) * sound(cellWidthPoints, or: 10)
        case .point: return Double(units) * size(sizePoints) / 1_000
        }
    }

    private func size(_ points: Double?) -> Double {
        sound(points ?? textSizePoints, or: sound(textSizePoints, or: 15))
    }

    /// The size if it is above 0 and within the bound, else `other`.
    private func sound(_ points: Double, or other: Double) -> Double {
        points > 0 && points <= Bound.points ? points : other
    }
}

/// Advances of the profile `point`, in thousandths of an em.
enum Advance {
    /// U+0020…U+007E: the widths of Helvetica's AFM file.
    static let ascii: [Int] = [
        278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
        556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
        1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
        667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
        333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
        556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
    ]
    /// U+200A: exactly the 1.5 points of rule A3 at the reference size of 15 points.
    static let hairSpace = 100
    /// As wide as the space.
    static let noBreakSpace = 278
    /// Any other character that takes one column.
    static let narrow = 556
    /// Any letter of Courier's AFM file.
    static let monospaced = 600
    /// Any character that takes two columns.
    static let wide = 1_000

    /// Advance of one extended grapheme cluster. Its columns decide (0 or 2), else its first scalar
    /// that takes a column.
    static func thousandths(of character: Character) -> Int {
        switch CharacterWidth.columns(of: character) {
        case 0: return 0
        case 2: return wide
        default: break
        }
        let base = character.unicodeScalars.first { CharacterWidth.columns(of: $0) > 0 }
        guard let base else { return 0 }
        switch base.value {
        // For example a letter with a combining mark.
        case 0x20...0x7E: return ascii[Int(base.value) - 0x20]
        case 0xA0: return noBreakSpace
        case 0x200A: return hairSpace
        default: return narrow
        }
    }
}

extension Character {
    /// This character without excess combining marks: a thousand of them would be drawn over what is above. The
    /// longest emoji has ten scalars.
    package var modest: String {
        guard unicodeScalars.count > 10 else { return String(self) }
        return String(String.UnicodeScalarView(unicodeScalars.prefix(10)))
    }
}

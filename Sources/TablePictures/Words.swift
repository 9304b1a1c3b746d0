import TableLayout

/// The size and weight of text.
struct Typeface: Equatable {
    var sizePoints: Double
    /// As in CSS.
    var weight = 400
    /// Families, the one most wanted first; empty: the page's (F3).
    var families: [String] = []
    var isItalic = false
    /// Its bold letters are taken for as wide as any font has them, so that a box surrounds them all.
    var mustBeRead = false

    private var isMonospaced: Bool { Metrics.point.isMonospaced(families) }

    /// The typeface of row titles.
    static let title = Typeface(sizePoints: 15, weight: 600)
    static let body = Typeface(sizePoints: 15)
    static let detail = Typeface(sizePoints: 13)
    static let section = Typeface(sizePoints: 13, weight: 600)
    static let pill = Typeface(sizePoints: 11, weight: 600)

    /// From the baseline to the middle of the capitals, where the eye sees the middle of a line.
    var middlePoints: Double { sizePoints * 0.355 }
    var lineHeightPoints: Double { Metrics.point.lineHeightPoints(sizePoints: sizePoints) }

    /// The weight of a face by its name; nil: the viewer's own.
    static func weight(_ name: String?) -> Int {
        switch name {
        case "thin": return 200
        case "light": return 300
        case "medium": return 500
        case "semibold": return 600
        case "bold": return 700
        case "heavy": return 800
        case "black": return 900
        default: return 400
        }
    }

    /// Width of a text, in points. The profile has one weight; heavy letters are a little wider.
    func width(of text: String) -> Double {
        let width = Metrics.point.width(of: text, sizePoints: sizePoints, families: families)
        if mustBeRead { return width + sizePoints * Self.bolder * Double(text.count { $0 != " " }) }
        // Bold letters of a monospaced font are as wide as others.
        return width * (weight >= 600 && !isMonospaced ? 1.05 : 1)
    }

    /// By how much a bold letter is wider than the profile's, at most: a part of its size.
    private static let bolder = 0.056
}

/// One line of text that fits its room.
struct Words: Equatable {
    /// The text as people see it: dangerous characters are spelled out, but it is not yet XML.
    let text: String
    private(set) var type: Typeface
    /// The measured width, in points.
    private(set) var width: Double
    /// The text is not cut.
    let isWhole: Bool

    /// As much of a text as fits, with an ellipsis if it is cut. Nil: not even one character fits,
    /// or there is none.
    init?(_ text: String, _ type: Typeface, room: Double) {
        var characters: [String] = []
        var width = 0.0
        // The beginning that would be left before an ellipsis.
        var short = (count: 0, width: 0.0)
        let ellipsis = type.width(of: "…")
        var isWhole = true
        // One by one: of a long text, only the visible part is looked at.
        filling: for source in text {
            for character in String(source).shown {
                let advance = type.width(of: String(character))
                // A character without width cannot be seen, and could come by the thousand.
                guard advance > 0 else { continue }
                guard width + advance <= room + Self.tolerance else {
                    isWhole = false
                    break filling
                }
                characters.append(character.modest)
                width += advance
                if width + ellipsis <= room, character != " ", character != "·" {
                    short = (characters.count, width)
                }
            }
        }
        if !isWhole {
            characters = characters.prefix(short.count) + ["…"]
            width = short.width + ellipsis
        }
        guard !characters.isEmpty, width <= room + Self.tolerance else { return nil }
        (self.text, self.type, self.width) = (characters.joined(), type, width)
        self.isWhole = isWhole
    }

    /// These words in smaller letters; a factor of 1 or more changes nothing.
    func scaled(by factor: Double) -> Words {
        guard factor < 1, factor > 0 else { return self }
        var words = self
        words.type.sizePoints *= factor
        words.width *= factor
        return words
    }

    /// These words in smaller letters if they are wider than `room`, in points.
    func fitted(into room: Double) -> Words { scaled(by: width > 0 ? room / width : 1) }

    /// Tolerance for sums of widths: a text must fit into its own measured width.
    private static let tolerance = 1e-6
}

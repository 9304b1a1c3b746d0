/// Columns that text takes on a terminal.
public enum CharacterWidth {
    /// Columns of a text: the sum over its extended grapheme clusters.
    public static func columns(of text: String) -> Int {
        var sum = 0
        for character in text { sum += columns(of: character) }
        return sum
    }

    /// Columns of one extended grapheme cluster: 0, 1 or 2.
    ///
    /// This is the sum over its scalars, at most 2. An emoji with U+FE0F (picture form) takes 2.
    public static func columns(of character: Character) -> Int {
        if let ascii = character.asciiValue { return 0x20..<0x7F ~= ascii ? 1 : 0 }
        var sum = 0
        var base: Unicode.Scalar?
        for scalar in character.unicodeScalars {
            if scalar.value == 0xFE0F, let base, base.properties.isEmoji { return 2 }
            let width = columns(of: scalar)
            sum = min(2, sum + width)
            if width > 0 { base = scalar }
        }
        return sum
    }

    /// Columns of one scalar: 0 for controls, combining marks and invisible ones; 2 for East Asian
    /// wide or fullwidth ones and for emoji; 1 for all others.
    public static func columns(of scalar: Unicode.Scalar) -> Int {
        let value = scalar.value
        switch value {
        case 0x20..<0x7F, 0xA0..<0x300: return 1
        case ..<0xA0: return 0
        default: break
        }
        if WidthTable.contains(value, in: WidthTable.zero) { return 0 }
        return WidthTable.contains(value, in: WidthTable.wide) ? 2 : 1
    }
}

extension WidthTable {
    /// Whether a value lies in one of the ranges, by binary search.
    static func contains(_ value: UInt32, in ranges: [UInt32]) -> Bool {
        var low = 0
        var high = ranges.count / 2
        while low < high {
            let middle = (low + high) / 2
            if value < ranges[2 * middle] {
                high = middle
            } else if value > ranges[2 * middle + 1] {
                low = middle + 1
            } else {
                return true
            }
        }
        return false
    }
}

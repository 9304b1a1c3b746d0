// Row text comes from anybody. Characters that a terminal or a renderer would act upon, or that
// nobody could see, are spelled out. Text output, pictures and the viewer all use this one table.

extension Unicode.Scalar {
    /// A terminal would act upon the scalar, or the scalar changes the order of what follows, or it
    /// cannot be seen, or it is no character of XML.
    public var isDangerous: Bool {
        switch value {
        case ..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069,
            0xFEFF, 0xFFFE, 0xFFFF:
            return true
        default: return false
        }
    }

    /// The scalar itself, or its spelling if it is dangerous: `\n`, `\r`, `\t`, `\u001b`.
    public var shown: String {
        guard isDangerous else { return String(self) }
        switch self {
        case "\n": return "\\n"
        case "\r": return "\\r"
        case "\t": return "\\t"
        default:
            let digits = String(value, radix: 16)
            return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        }
    }
}

extension String {
    /// The text in one line, with every dangerous character spelled out.
    public var shown: String { escapingDangerous { _ in true } }

    /// The text with those dangerous characters spelled out that `which` chooses.
    public func escapingDangerous(_ which: (Unicode.Scalar) -> Bool) -> String {
        // Most texts are printable ASCII and are not copied.
        if utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) { return self }
        guard unicodeScalars.contains(where: { $0.isDangerous && which($0) }) else { return self }
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if scalar.isDangerous, which(scalar) {
                text.append(contentsOf: scalar.shown.unicodeScalars)
            } else {
                text.append(scalar)
            }
        }
        return String(text)
    }
}

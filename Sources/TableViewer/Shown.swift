// Row text comes from anybody. What a renderer would act upon, or could not read, is spelled out,
// in the same way as the client's text output does it.

extension Unicode.Scalar {
    /// It would change the order in which what follows is shown, or it is no character of XML.
    private var isDangerous: Bool {
        switch value {
        case ..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069,
            0xFEFF, 0xFFFE, 0xFFFF:
            return true
        default: return false
        }
    }

    fileprivate var shown: String {
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

    fileprivate var inXML: String {
        switch self {
        case "&": return "&amp;"
        case "<": return "&lt;"
        case ">": return "&gt;"
        case "\"": return "&quot;"
        case "'": return "&#39;"
        default: return shown
        }
    }
}

extension String {
    /// In one line, with everything spelled out that is not simply to be seen.
    var shown: String {
        if utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) { return self }
        return unicodeScalars.map(\.shown).joined()
    }

    /// As it stands in XML, in an attribute as well as between elements: always well-formed.
    var inXML: String { unicodeScalars.map(\.inXML).joined() }
}

extension Double {
    /// In a drawing: at most two decimals, the same everywhere. What is no number is 0.
    var inXML: String {
        guard isFinite else { return "0" }
        let bounded = Swift.min(Swift.max(self, -Self.most), Self.most)
        let hundredths = Int64((bounded * 100).rounded())
        let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
        let sign = hundredths < 0 ? "-" : ""
        if rest == 0 { return sign + String(whole) }
        let digits = rest % 10 == 0 ? String(rest / 10) : (rest < 10 ? "0" : "") + String(rest)
        return "\(sign)\(whole).\(digits)"
    }

    /// A million rows of the greatest height.
    private static var most: Double { 1e12 }
}

import TableLayout

// TableLayout spells out dangerous characters in row text. The code here makes the rest XML.

extension Unicode.Scalar {
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
    /// The text in XML: well-formed in an attribute and between elements.
    var inXML: String { unicodeScalars.map(\.inXML).joined() }
}

extension Double {
    /// The number in a drawing, with at most two decimals; 0 if it is not finite.
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

    /// The height of a million rows of the greatest height.
    private static var most: Double { 1e12 }
}

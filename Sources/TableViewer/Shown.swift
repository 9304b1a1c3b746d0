import TableLayout

// What is dangerous in row text is spelled out by TableLayout, as everywhere; this makes it XML.

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

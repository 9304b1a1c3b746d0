/// How far a row is open, vertically (design rule C1).
public enum Expansion: Hashable, Sendable {
    case collapsed
    case expanded
    /// A state that the row's kind defines, with a height.
    case named(ID)
    /// A height of the row's own, in points.
    case height(Double)

    /// `collapsed`, `expanded`, a name, or the height as a number.
    public var text: String {
        switch self {
        // Not of `word`, which would be decoded each time.
        case .collapsed: return "collapsed"
        case .expanded: return "expanded"
        case .named(let name): return name.text
        case .height(let points): return Self.plain(points)
        }
    }

    /// The text where it is always the same; else it is empty.
    private var word: StaticString {
        switch self {
        case .collapsed: return "collapsed"
        case .expanded: return "expanded"
        case .named, .height: return ""
        }
    }

    /// Writes the text. Nearly every row's is a word.
    @inline(__always)
    func write(to writer: inout CanonicalWriter) {
        switch self {
        case .collapsed, .expanded: writer.write(word: word)
        case .named(let name): writer.write(name)
        case .height: writer.write(text)
        }
    }

    /// Reads what `text` writes. Any text that reads as a number is a height.
    public init(_ text: String) {
        switch text {
        case "collapsed": self = .collapsed
        case "expanded": self = .expanded
        default: self = Self.number(text).map(Expansion.height) ?? .named(ID(text))
        }
    }

    /// Decimal only: `Double` would also read "0x50" as 80.
    private static func number(_ text: String) -> Double? {
        text.utf8.contains { $0 | 0x20 == UInt8(ascii: "x") } ? nil : Double(text)
    }

    /// 80 rather than 80.0, as people write it.
    private static func plain(_ points: Double) -> String {
        if let whole = Int64(exactly: points) { return String(whole) }
        return String(points)
    }
}

/// A side of a row that can be swiped open.
public enum Edge: String, Hashable, Sendable, CaseIterable {
    case leading, trailing
}

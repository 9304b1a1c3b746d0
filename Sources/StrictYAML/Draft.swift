/// A value to write: as YAML for people, as JSON for programs. Both read back the same.
public indirect enum Draft: Equatable, Sendable {
    case text(String)
    /// In the shortest form that reads back the same.
    case number(Double)
    case integer(UInt64)
    case flag(Bool)
    case list([Draft])
    /// Written in this order.
    case mapping([(key: String, value: Draft)])

    /// The value as JSON, in one line and without spaces.
    public var json: String {
        switch self {
        case .text(let text): return "\"\(text.escaped(quote: true))\""
        case .number(let number): return Int64(exactly: number).map(String.init) ?? "\(number)"
        case .integer(let number): return String(number)
        case .flag(let flag): return String(flag)
        case .list(let parts): return "[\(parts.map(\.json).joined(separator: ","))]"
        case .mapping(let parts):
            let pairs = parts.map { "\(Draft.text($0.key).json):\($0.value.json)" }
            return "{\(pairs.joined(separator: ","))}"
        }
    }

    /// The value as a YAML document, with a newline at the end.
    public var yaml: String { isFlat ? flow + "\n" : lines.joined(separator: "\n") + "\n" }

    /// Fits one line: a scalar, a list of scalars, or an empty mapping.
    private var isFlat: Bool {
        switch self {
        case .list(let parts): return parts.allSatisfy(\.isScalar)
        case .mapping(let parts): return parts.isEmpty
        default: return true
        }
    }

    private var isScalar: Bool {
        switch self {
        case .list, .mapping: return false
        default: return true
        }
    }

    private var flow: String {
        switch self {
        // Without a star the reader takes nothing in the text for an alias.
        case .text(let text): return text.isSafePlain ? text : json.replacing("*", with: "\\u002a")
        case .list(let parts): return "[\(parts.map(\.flow).joined(separator: ", "))]"
        default: return json
        }
    }

    private var lines: [String] {
        switch self {
        case .mapping(let parts) where !parts.isEmpty:
            return parts.flatMap { key, value -> [String] in
                let name = Draft.text(key).flow
                if value.isFlat { return ["\(name): \(value.flow)"] }
                return ["\(name):"] + value.lines.map { "  \($0)" }
            }
        case .list(let parts) where !isFlat:
            return parts.flatMap { part in
                let lines = part.isFlat ? [part.flow] : part.lines
                return lines.enumerated().map { ($0 == 0 ? "- " : "  ") + $1 }
            }
        default: return [flow]
        }
    }

    /// Whether both are the same value, in the same order.
    public static func == (a: Draft, b: Draft) -> Bool { a.json == b.json }
}

extension String {
    /// Reads back as text without quotes, in YAML 1.1 and 1.2, and never means anything else.
    fileprivate var isSafePlain: Bool {
        let words: Set = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
        guard let first = utf8.first, 65...90 ~= first || 97...122 ~= first else { return false }
        guard !words.contains(lowercased()) else { return false }
        return utf8.allSatisfy {
            48...57 ~= $0 || 65...90 ~= $0 || 97...122 ~= $0 || $0 == UInt8(ascii: "-")
                || $0 == UInt8(ascii: "_")
        }
    }
}

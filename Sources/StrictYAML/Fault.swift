/// A fault of a file, with its place. A person can mend the file from this line alone.
public struct Fault: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file's name, as the caller gave it.
    public var file: String
    /// The line, counted from 1.
    public var line: Int
    /// The column, counted from 1 in code points (in JSON in bytes); nil for the whole line.
    public var column: Int?
    /// The keys that lead to the place, such as `kinds.ticket.trailing.actions[0]`; may be empty.
    public var path: String
    /// A sentence: the reader expected one thing and found another.
    public var message: String

    /// A fault at a place of a file.
    public init(_ message: String, file: String, line: Int, column: Int? = nil, path: String = "") {
        self.file = file
        self.line = line
        self.column = column
        self.path = path
        self.message = message
    }

    /// `file:line:column: path: message`, in one line and without control characters.
    public var description: String {
        var parts = column.map { "\(file):\(line):\($0): " } ?? "\(file):\(line): "
        if !path.isEmpty { parts += "\(path): " }
        return (parts + message).escaped(quote: false)
    }
}

/// The bounds of documents, each with its reason.
public enum Bounds {
    /// Bytes of a document: people write them by hand.
    public static let documentBytes = 1 << 20
    /// Levels of lists and mappings. A face has up to 32 levels, each a list in a mapping.
    public static let depth = 96
}

extension String {
    /// The text for messages: in backquotes, and shortened.
    var quotedShort: String { count <= 64 ? "`\(self)`" : "`\(prefix(64))…`" }

    /// The text with escapes that JSON and YAML both read. Characters that a terminal would act
    /// upon, or that change the order of what follows, are escaped.
    func escaped(quote: Bool) -> String {
        guard unicodeScalars.contains(where: { $0.needsEscape(quote: quote) }) else { return self }
        var text = ""
        text.reserveCapacity(utf8.count + 16)
        for scalar in unicodeScalars {
            guard scalar.needsEscape(quote: quote) else {
                text.unicodeScalars.append(scalar)
                continue
            }
            switch scalar {
            case "\"", "\\": text += "\\" + String(scalar)
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            default:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return text
    }
}

extension Unicode.Scalar {
    /// Control and bidirectional-override characters, line separators, and characters that YAML
    /// forbids. All are below U+10000, so `\u` and four digits are enough.
    fileprivate func needsEscape(quote: Bool) -> Bool {
        switch value {
        case 0x22, 0x5C: return quote
        case 0x20...0x7E: return false
        case ..<0x20, 0x7F...0x9F, 0xFEFF, 0xFFFE, 0xFFFF: return true
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: return true
        default: return false
        }
    }
}

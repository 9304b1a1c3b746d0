import TableSync

/// The tables that a device may know: a name, or one with `*` for any text.
public struct TablePattern: Hashable, Sendable, CustomStringConvertible {
    /// As it was written.
    public var description: String { pattern.text }
    private let pattern: NamePattern

    /// Every table.
    public static let all = TablePattern(pattern: .all)

    /// Nil for what could be no name: empty, too long, with a slash or control characters.
    public init?(_ text: String) {
        guard text.utf8.count <= 128, !text.utf8.contains(UInt8(ascii: "/")),
            let pattern = NamePattern(text)
        else { return nil }
        self.pattern = pattern
    }

    private init(pattern: NamePattern) { self.pattern = pattern }

    /// Whether it stands for this name.
    public func matches(_ name: String) -> Bool { pattern.matches(name) }
}

/// The rules for text that people write.
public enum Text {
    /// No control characters of Unicode.
    public static func isPlain(_ text: String) -> Bool { PlainText.isPlain(text) }

    /// A name for a device: 1 to 64 bytes, no control characters, no blank at its ends.
    public static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 64 && isPlain(text) && text.first != " "
            && text.last != " "
    }

    /// A text as a value in the query of an address.
    public static func inQuery(_ text: String) -> String {
        var written = ""
        for byte in text.utf8 {
            let scalar = Unicode.Scalar(byte)
            switch scalar {
            case "0"..."9", "A"..."Z", "a"..."z", "-", ".", "_", "~":
                written.unicodeScalars.append(scalar)
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                written += (byte < 16 ? "%0" : "%") + digits
            }
        }
        return written
    }
}

/// Names of tables: a `*` stands for any text, all else for itself.
public struct TablePattern: Hashable, Sendable, CustomStringConvertible {
    /// As it was written.
    public let description: String

    /// Every table.
    public static let all = TablePattern(unchecked: "*")

    /// Nil for what could be no name: empty, too long, with a slash or control characters.
    public init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= 128, !text.utf8.contains(UInt8(ascii: "/")),
            Text.isPlain(text)
        else { return nil }
        self.init(unchecked: text)
    }

    private init(unchecked text: String) { description = text }

    /// Whether it stands for this name. In time proportional to the product of both lengths.
    public func matches(_ name: String) -> Bool {
        let pattern = Array(description.utf8)
        let name = Array(name.utf8)
        var (p, n) = (0, 0)
        // Where the last star stands, and what it stands for ends.
        var star: (pattern: Int, name: Int)?
        while n < name.count {
            if p < pattern.count, pattern[p] == UInt8(ascii: "*") {
                star = (p, n)
                p += 1
            } else if p < pattern.count, pattern[p] == name[n] {
                p += 1
                n += 1
            } else if let last = star {
                p = last.pattern + 1
                n = last.name + 1
                star = (last.pattern, n)
            } else {
                return false
            }
        }
        return pattern[p...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}

/// What the gateway asks of text that people write.
public enum Text {
    /// No control characters of Unicode.
    public static func isPlain(_ text: String) -> Bool {
        !text.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    }

    /// A name for a device: 1 to 64 bytes, no control characters, no blank at its ends.
    public static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 64 && isPlain(text) && text.first != " "
            && text.last != " "
    }
}

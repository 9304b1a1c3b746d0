public import TableModel

/// Names of tables: a `*` stands for any text, all else for itself, byte by byte.
///
/// Whoever sends a request on somebody's behalf writes such patterns. So to match takes time
/// proportional to the length of both, whatever they are.
public struct NamePattern: Hashable, Sendable {
    /// In UTF-8. Whoever sends a pattern has it kept, so it is kept in few bytes.
    private let letters: [UInt8]
    /// For each of these the longest end of its part that the part begins with too (Knuth, Morris and Pratt).
    private let borders: [UInt8]
    private static let star = UInt8(ascii: "*")

    /// As it was written.
    public var text: String { String(decoding: letters, as: UTF8.self) }

    /// Most bytes of a pattern: those of the longest name of a table.
    public static let mostBytes = 256

    /// Nil for what could be no name: empty, too long, with control characters.
    public init?(_ text: String) {
        guard (1...Self.mostBytes).contains(text.utf8.count), PlainText.isPlain(text) else {
            return nil
        }
        self.init(unchecked: text)
    }

    /// Every name.
    public static let all = NamePattern(unchecked: "*")

    private init(unchecked text: String) {
        letters = Array(text.utf8)
        borders = Self.borders(of: letters)
    }

    /// Whether it stands for every name.
    public var isAll: Bool { letters.allSatisfy { $0 == Self.star } }

    /// About how many bytes it takes in memory: what was written, twice, and two arrays.
    package var heldBytes: Int { 2 * letters.count + 112 }

    /// Whether it stands for this name.
    public func matches(_ name: String) -> Bool {
        let name = Array(name.utf8)
        guard let first = letters.firstIndex(of: Self.star),
            let last = letters.lastIndex(of: Self.star)
        else { return letters == name }
        let (head, tail) = (letters[..<first], letters[(last + 1)...])
        guard head.count + tail.count <= name.count, name.starts(with: head),
            name.suffix(tail.count).elementsEqual(tail)
        else { return false }
        var rest = name[head.count..<(name.count - tail.count)]
        // The texts between the stars; between two that stand together is an empty one.
        for part in letters[first...last].split(separator: Self.star) {
            guard let end = find(part, in: rest) else { return false }
            rest = rest[end...]
        }
        return true
    }

    /// The place behind the first occurrence of a part.
    private func find(_ part: ArraySlice<UInt8>, in bytes: ArraySlice<UInt8>) -> Int? {
        let start = part.startIndex
        var matched = 0
        for place in bytes.indices {
            while matched > 0, part[start + matched] != bytes[place] {
                matched = Int(borders[start + matched - 1])
            }
            if part[start + matched] == bytes[place] { matched += 1 }
            if matched == part.count { return place + 1 }
        }
        return nil
    }

    /// A pattern has 256 bytes at most, so that each of them is less than that.
    private static func borders(of letters: [UInt8]) -> [UInt8] {
        var borders = [UInt8](repeating: 0, count: letters.count)
        var (start, length) = (0, 0)
        for place in letters.indices.dropFirst() {
            if letters[place] == star || letters[place - 1] == star {
                (start, length) = (place, 0)
                continue
            }
            while length > 0, letters[start + length] != letters[place] {
                length = Int(borders[start + length - 1])
            }
            if letters[start + length] == letters[place] { length += 1 }
            borders[place] = UInt8(length)
        }
        return borders
    }
}

extension Sequence<NamePattern> {
    /// Whether one of them stands for a table of this name, whether or not there is one; nil: for all tables,
    /// also those that are made later.
    public func stand(for table: TableID?) -> Bool {
        contains { pattern in table.map { pattern.matches($0.text) } ?? pattern.isAll }
    }
}

/// The rules for names that people write.
public enum PlainText {
    /// No control characters of Unicode.
    public static func isPlain(_ text: String) -> Bool {
        !text.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    }
}

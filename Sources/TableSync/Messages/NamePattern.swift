/// Names of tables: a `*` stands for any text, all else for itself, byte by byte.
///
/// Whoever sends a request on somebody's behalf writes such patterns. So to match takes time
/// proportional to the length of both, whatever they are.
public struct NamePattern: Hashable, Sendable {
    /// As it was written.
    public let text: String
    /// What stands before, between and behind the stars.
    private let parts: [[UInt8]]
    /// Of each part between two stars: by how much a match that failed at a place may be moved on.
    private let borders: [[Int]]

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
        self.text = text
        let star = UInt8(ascii: "*")
        parts = text.utf8.split(separator: star, omittingEmptySubsequences: false).map(Array.init)
        borders = parts.map(Self.borders)
    }

    /// Whether it stands for every name.
    public var isAll: Bool { parts.count > 1 && parts.allSatisfy(\.isEmpty) }

    /// Whether it stands for this name.
    public func matches(_ name: String) -> Bool {
        let name = Array(name.utf8)
        guard let first = parts.first, let last = parts.last, parts.count > 1 else {
            return parts.first == name
        }
        guard first.count + last.count <= name.count, name.starts(with: first),
            name.suffix(last.count).elementsEqual(last)
        else { return false }
        var rest = name[first.count..<(name.count - last.count)]
        for index in parts.indices.dropFirst().dropLast() {
            guard let end = find(index, in: rest) else { return false }
            rest = rest[end...]
        }
        return true
    }

    /// The place behind the first occurrence of a part.
    private func find(_ index: Int, in bytes: ArraySlice<UInt8>) -> Int? {
        let part = parts[index]
        if part.isEmpty { return bytes.startIndex }
        var matched = 0
        for place in bytes.indices {
            while matched > 0, part[matched] != bytes[place] {
                matched = borders[index][matched - 1]
            }
            if part[matched] == bytes[place] { matched += 1 }
            if matched == part.count { return place + 1 }
        }
        return nil
    }

    /// Of each beginning of a part the longest end that it begins with too (Knuth, Morris and Pratt).
    private static func borders(of part: [UInt8]) -> [Int] {
        var borders = [Int](repeating: 0, count: part.count)
        var length = 0
        for place in part.indices.dropFirst() {
            while length > 0, part[length] != part[place] { length = borders[length - 1] }
            if part[length] == part[place] { length += 1 }
            borders[place] = length
        }
        return borders
    }
}

/// What is asked of names that people write.
public enum PlainText {
    /// No control characters of Unicode.
    public static func isPlain(_ text: String) -> Bool {
        !text.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    }
}

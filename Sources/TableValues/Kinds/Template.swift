// Texts that effects fill in when they are carried out (design rule F14).

/// A text with names in braces. `{{` and `}}` stand for a brace.
public struct Template: Equatable, Sendable {
    /// A part of the text.
    public enum Part: Equatable, Sendable {
        case text(String)
        case name(String)
    }

    /// The parts in order.
    public let parts: [Part]

    /// Nil if a brace is alone, or nothing is between two.
    public init?(_ text: String) {
        var parts: [Part] = []
        var literal = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "{" || scalar == "}" else {
                literal.append(scalar)
                continue
            }
            if rest.first == scalar {
                literal.append(scalar)
                rest = rest.dropFirst()
                continue
            }
            guard scalar == "{", let end = rest.firstIndex(of: "}"), end != rest.startIndex else {
                return nil
            }
            let name = rest[..<end]
            if name.contains("{") { return nil }
            if !literal.isEmpty { parts.append(.text(String(literal))) }
            literal = String.UnicodeScalarView()
            parts.append(.name(String(name)))
            rest = rest[rest.index(after: end)...]
        }
        if !literal.isEmpty { parts.append(.text(String(literal))) }
        self.parts = parts
    }

    /// Whether a name in braces is a number of rows of a group.
    package static func isCount(_ name: String) -> Bool { name.hasPrefix("count(group") }

    /// The text with each name replaced; nil if it has more bytes than that. A short template can
    /// name a long field very often.
    public func filled(atMost most: Int, _ value: (String) -> String) -> String? {
        var text = ""
        for part in parts {
            switch part {
            case .text(let literal): text += literal
            case .name(let name): text += value(name)
            }
            if text.utf8.count > most { return nil }
        }
        return text
    }
}

extension Effect {
    /// A number to add to a field.
    public struct Increment: Equatable, Sendable {
        /// The field. One that is not there counts as 0.
        public var key: ID
        /// The number that is added; it may be negative.
        public var by: Int64

        /// An increment as given.
        public init(_ key: ID, by: Int64) {
            self.key = key
            self.by = by
        }

        /// Sorted by key; of two with one key, the last is kept.
        static func sorted(_ all: [Increment]) -> [Increment] {
            var last: [ID: Increment] = [:]
            for one in all { last[one.key] = one }
            return last.values.sorted { $0.key < $1.key }
        }
    }
}

/// The content of a YAML or JSON text, before it is given a meaning.
struct Node: Sendable {
    /// Lists and mappings keep the order in which they were written.
    enum Content: Sendable {
        /// The text as written. Quoted text is never a number, a bool or null.
        case scalar(String, quoted: Bool)
        case list([Node])
        case mapping([Entry])
    }

    /// A key and its value. No key occurs twice in a mapping.
    struct Entry: Sendable {
        var key: String
        var place: Place
        var value: Node
    }

    /// Line and column, both counted from 1.
    struct Place: Equatable, Sendable {
        var line: Int
        var column: Int
    }

    var content: Content
    var place: Place

    /// The first key that occurs twice, at its second place.
    static func duplicate(in entries: [Entry]) -> Entry? {
        guard entries.count > 1 else { return nil }
        var seen: Set<ExactText> = []
        return entries.first { !seen.insert(ExactText(text: $0.key)).inserted }
    }
}

/// Text that is compared by its bytes: for `String` "é" and "e\u{301}" are the same key.
struct ExactText: Hashable {
    var text: String

    static func == (a: ExactText, b: ExactText) -> Bool {
        a.text.utf8.elementsEqual(b.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        var copy = text
        copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

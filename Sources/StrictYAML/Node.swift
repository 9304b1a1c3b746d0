/// The content of a YAML or JSON text, before it is given a meaning.
struct Node: Sendable {
    /// Lists and mappings keep the order in which they were written.
    enum Content: Sendable {
        /// The text as written. Quoted text is never a number, a bool or null.
        case scalar(String, quoted: Bool)
        case list([Node])
        case mapping([Entry])
    }

    /// A key and what it stands for. In what a `Value` holds no key stands twice in one mapping.
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

    /// This node with one value of each key that stands more than once in a mapping: the one that
    /// stands at this place or holds it, else the first.
    func choosing(_ place: Place?) -> Node {
        var node = self
        switch content {
        case .scalar: break
        case .list(let nodes): node.content = .list(nodes.map { $0.choosing(place) })
        case .mapping(let entries):
            var kept: [Entry] = []
            var indices: [ExactText: Int] = [:]
            for var entry in entries {
                let isChosen = entry.place == place || entry.value.holds(place)
                entry.value = entry.value.choosing(place)
                if let index = indices[ExactText(text: entry.key)] {
                    if isChosen { kept[index] = entry }
                } else {
                    indices[ExactText(text: entry.key)] = kept.count
                    kept.append(entry)
                }
            }
            node.content = .mapping(kept)
        }
        return node
    }

    /// A key stands in it at this place.
    private func holds(_ place: Place?) -> Bool {
        switch content {
        case .scalar: return false
        case .list(let nodes): return nodes.contains { $0.holds(place) }
        case .mapping(let entries):
            return entries.contains { $0.place == place || $0.value.holds(place) }
        }
    }

    /// The first key that stands twice, at its second place.
    static func duplicate(in entries: [Entry]) -> Entry? {
        guard entries.count > 1 else { return nil }
        var seen: Set<ExactText> = []
        return entries.first { !seen.insert(ExactText(text: $0.key)).inserted }
    }
}

/// Text that is compared by its bytes: for `String` "é" and "e\u{301}" are the same key.
struct ExactText: Hashable {
    var text: String

    static func == (a: ExactText, b: ExactText) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

    func hash(into hasher: inout Hasher) {
        var copy = text
        copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

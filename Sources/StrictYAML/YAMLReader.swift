extension Node {
    /// Composes a YAML document: one or none, without anchors, aliases or tags.
    ///
    /// A key may stand in a mapping more than once: `twice` says where it does so again, and `choosing`
    /// leaves one of its values.
    static func composed(
        yaml text: String, file: String
    ) throws(Fault) -> (root: Node, twice: [Fault]) {
        var composer = Composer(text, file: file)
        let nothing = Node(content: .scalar("", quoted: false), place: Place(line: 1, column: 1))
        guard text.utf8.contains(where: { $0 > 32 }), let root = try composer.document() else {
            return (nothing, [])
        }
        return (root, composer.twice)
    }
}

/// Makes nodes of events. What is too deep is refused before anything below it is read.
private struct Composer: ~Copyable {
    private(set) var twice: [Fault] = []
    /// All is read again for each of them: whoever has more hears of the rest afterwards.
    private static let mostTwice = 16
    private var events: YAMLEvents
    private let file: String

    init(_ text: String, file: String) {
        events = YAMLEvents(text)
        self.file = file
    }

    /// Nil: there is none.
    mutating func document() throws(Fault) -> Node? {
        guard case .documentStart = try next().content else { return nil }
        let root = try node(try next(), depth: 1)
        _ = try next()  // The document's end.
        let behind = try next()
        guard case .streamEnd = behind.content else {
            throw fault(YAMLEvents.Problem.second, behind.place)
        }
        return root
    }

    private mutating func next() throws(Fault) -> YAMLEvents.Event {
        do throws(YAMLEvents.Problem) {
            return try events.next()
        } catch {
            throw Fault(error.text, file: file, line: error.line, column: error.column)
        }
    }

    private mutating func node(_ event: YAMLEvents.Event, depth: Int) throws(Fault) -> Node {
        guard depth <= Bounds.depth else {
            throw fault("more than \(Bounds.depth) levels", event.place)
        }
        if event.isMarked { throw fault("anchors and tags are not accepted", event.place) }
        let content: Node.Content
        switch event.content {
        case .scalar(let text, let quoted): content = .scalar(text, quoted: quoted)
        case .listStart: content = .list(try list(depth: depth))
        case .mappingStart: content = .mapping(try mapping(depth: depth))
        case .alias: throw fault("aliases are not accepted", event.place)
        case .end, .documentStart, .streamEnd:
            // The parser says before that a node is missing.
            throw fault("not YAML", event.place)
        }
        return Node(content: content, place: event.place)
    }

    private mutating func list(depth: Int) throws(Fault) -> [Node] {
        var nodes: [Node] = []
        while true {
            let event = try next()
            if case .end = event.content { return nodes }
            nodes.append(try node(event, depth: depth + 1))
        }
    }

    private mutating func mapping(depth: Int) throws(Fault) -> [Node.Entry] {
        var entries: [Node.Entry] = []
        var seen: Set<ExactText> = []
        while true {
            let key = try next()
            if case .end = key.content { return entries }
            guard case .scalar(let name, _) = key.content, !key.isMarked else {
                throw fault("a key is plain text", key.place)
            }
            if !seen.insert(ExactText(text: name)).inserted, twice.count < Self.mostTwice {
                twice.append(.duplicate(name, key.place, file: file))
            }
            let value = try node(try next(), depth: depth + 1)
            entries.append(Node.Entry(key: name, place: key.place, value: value))
        }
    }

    private func fault(_ message: String, _ place: Node.Place) -> Fault {
        Fault(message, file: file, line: place.line, column: place.column)
    }
}

extension Fault {
    static func duplicate(_ key: String, _ place: Node.Place, file: String) -> Fault {
        Fault(
            "key \(key.quotedShort) stands twice", file: file, line: place.line,
            column: place.column)
    }
}

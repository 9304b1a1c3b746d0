import Yams

extension Node {
    /// Composes a YAML text of at most one document, without anchors, aliases or tags.
    init(yaml text: String, file: String) throws(Fault) {
        if let line = text.lineOfAlias {
            throw Fault("anchors and aliases are not accepted", file: file, line: line)
        }
        let nothing = Node(content: .scalar("", quoted: false), place: Place(line: 1, column: 1))
        guard text.utf8.contains(where: { $0 > 32 }) else {
            self = nothing
            return
        }
        do {
            // Without a resolver's patterns every scalar stays text; the getters give it a type.
            let parser = try Parser(
                yaml: text, resolver: Resolver.basic, constructor: .default, encoding: .utf8)
            let root = try parser.singleRoot()
            // The parser holds the anchors, which nodes only name weakly.
            self = try withExtendedLifetime(parser) {
                try root.map { try Node($0, file: file, depth: 1) } ?? nothing
            }
        } catch let fault as Fault {
            throw fault
        } catch {
            throw Fault(error, in: text, file: file)
        }
    }

    private init(_ node: Yams.Node, file: String, depth: Int) throws(Fault) {
        let place = Place(node.mark)
        guard depth <= Bounds.depth else {
            throw Fault(
                "more than \(Bounds.depth) levels", file: file, line: place.line,
                column: place.column)
        }
        let tag: Tag
        switch node {
        case .scalar(let scalar):
            let quoted = scalar.style != .plain && scalar.style != .any
            tag = quoted ? .implicit : scalar.tag
            self.init(content: .scalar(scalar.string, quoted: quoted), place: place)
        case .sequence(let sequence):
            tag = sequence.tag
            var nodes: [Node] = []
            for element in sequence {
                nodes.append(try Node(element, file: file, depth: depth + 1))
            }
            self.init(content: .list(nodes), place: place)
        case .mapping(let mapping):
            tag = mapping.tag
            let entries = try Self.entries(of: mapping, file: file, depth: depth)
            self.init(content: .mapping(entries), place: place)
        case .alias:
            throw Fault("aliases are not accepted", file: file, line: place.line)
        }
        if node.anchor != nil || !tag.rawValue.isEmpty {
            throw Fault(
                "anchors and tags are not accepted", file: file, line: place.line,
                column: place.column)
        }
    }

    private static func entries(
        of mapping: Yams.Node.Mapping, file: String, depth: Int
    ) throws(Fault) -> [Entry] {
        var entries: [Entry] = []
        for (key, value) in mapping {
            let place = Place(key.mark)
            guard case .scalar(let scalar) = key, key.anchor == nil else {
                throw Fault(
                    "a key is plain text", file: file, line: place.line, column: place.column)
            }
            let node = try Node(value, file: file, depth: depth + 1)
            entries.append(Entry(key: scalar.string, place: place, value: node))
        }
        if let twice = duplicate(in: entries) {
            throw .duplicate(twice.key, twice.place, file: file)
        }
        return entries
    }
}

extension Node.Place {
    fileprivate init(_ mark: Mark?) {
        self.init(line: mark?.line ?? 1, column: mark?.column ?? 1)
    }
}

extension Fault {
    static func duplicate(_ key: String, _ place: Node.Place, file: String) -> Fault {
        Fault(
            "key \(key.quotedShort) stands twice", file: file, line: place.line,
            column: place.column)
    }

    /// Converts an error of Yams.
    fileprivate init(_ error: any Error, in text: String, file: String) {
        switch error as? YamlError {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            self.init(problem, file: file, line: mark.line, column: mark.column)
        case .reader(let problem, let offset, _, _):
            let line = 1 + text.prefix(offset ?? 0).count(where: \.isNewline)
            self.init(problem, file: file, line: line)
        case .duplicatedKeysInMapping(let keys, let context):
            let place = Node.Place(context.mark)
            self = .duplicate(keys.first ?? "", place, file: file)
        default:
            self.init("not YAML", file: file, line: 1)
        }
    }
}

extension String {
    /// The line of the first `*name` for which there is a `&name`; nil: there is none.
    ///
    /// This is checked before composing: Yams hashes keys while it composes, and a key made of
    /// aliases of aliases takes for ever. Without both marks libyaml has nothing to expand. The
    /// check ignores quotes and comments, so it also refuses a text that has both there.
    fileprivate var lineOfAlias: Int? {
        var names: [UInt8: Set<ArraySlice<UInt8>>] = [:]
        let bytes = Array(utf8)
        for mark in [UInt8(ascii: "&"), UInt8(ascii: "*")] {
            for place in bytes.indices where bytes[place] == mark {
                let name = bytes[(place + 1)...].prefix(while: \.isAnchorName)
                guard !name.isEmpty else { continue }
                if mark == UInt8(ascii: "&") {
                    names[mark, default: []].insert(name)
                } else if names[UInt8(ascii: "&")]?.contains(name) == true {
                    return 1 + bytes[..<place].count { $0 == UInt8(ascii: "\n") }
                }
            }
        }
        return nil
    }
}

extension UInt8 {
    fileprivate var isAnchorName: Bool {
        switch self {
        case 48...57, 65...90, 97...122, UInt8(ascii: "_"), UInt8(ascii: "-"): return true
        default: return false
        }
    }
}

import Yams

extension Node {
    /// Composes a YAML document: one or none, without anchors, aliases or tags.
    ///
    /// A key may stand in a mapping more than once: `twice` says where it does so again, and `choosing`
    /// leaves one of its values.
    static func composed(
        yaml text: String, file: String
    ) throws(Fault) -> (root: Node, twice: [Fault]) {
        if let line = text.lineOfAlias {
            throw Fault("anchors and aliases are not accepted", file: file, line: line)
        }
        let nothing = Node(content: .scalar("", quoted: false), place: Place(line: 1, column: 1))
        guard text.utf8.contains(where: { $0 > 32 }) else { return (nothing, []) }
        var repeated = RepeatedKeys(text)
        while true {
            do {
                // Without a resolver's patterns every scalar keeps its text; the getters decide.
                let parser = try Parser(
                    yaml: repeated.text, resolver: Resolver.basic, constructor: .default,
                    encoding: .utf8)
                let root = try parser.singleRoot()
                // The parser holds the anchors, which nodes only name weakly.
                return try withExtendedLifetime(parser) {
                    var composing = Composing(file: file, aliases: repeated.aliases)
                    let node = try root.map { try Node($0, &composing, depth: 1) } ?? nothing
                    return (node, composing.twice)
                }
            } catch let fault as Fault {
                throw fault
            } catch {
                if repeated.rename(after: error) { continue }
                throw Fault(error, in: text, file: file)
            }
        }
    }

    /// What is known while nodes are composed.
    private struct Composing {
        let file: String
        /// Keys that were renamed, and what they are called.
        let aliases: [String: String]
        var twice: [Fault] = []

        func fault(_ message: String, _ place: Place) -> Fault {
            Fault(message, file: file, line: place.line, column: place.column)
        }
    }

    private init(
        _ node: Yams.Node, _ composing: inout Composing, depth: Int
    ) throws(Fault) {
        let place = Place(node.mark)
        guard depth <= Bounds.depth else {
            throw composing.fault("more than \(Bounds.depth) levels", place)
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
                nodes.append(try Node(element, &composing, depth: depth + 1))
            }
            self.init(content: .list(nodes), place: place)
        case .mapping(let mapping):
            tag = mapping.tag
            let entries = try Self.entries(of: mapping, &composing, depth: depth)
            self.init(content: .mapping(entries), place: place)
        case .alias:
            throw Fault("aliases are not accepted", file: composing.file, line: place.line)
        }
        if node.anchor != nil || !tag.rawValue.isEmpty {
            throw composing.fault("anchors and tags are not accepted", place)
        }
    }

    private static func entries(
        of mapping: Yams.Node.Mapping, _ composing: inout Composing, depth: Int
    ) throws(Fault) -> [Entry] {
        var entries: [Entry] = []
        var seen: Set<ExactText> = []
        for (key, value) in mapping {
            let place = Place(key.mark)
            guard case .scalar(let scalar) = key, key.anchor == nil else {
                throw composing.fault("a key is plain text", place)
            }
            let name = composing.aliases[scalar.string] ?? scalar.string
            if !seen.insert(ExactText(text: name)).inserted {
                composing.twice.append(.duplicate(name, place, file: composing.file))
            }
            let node = try Node(value, &composing, depth: depth + 1)
            entries.append(Entry(key: name, place: place, value: node))
        }
        return entries
    }
}

/// Yams ends at the first key that stands twice in a mapping, and says where it stood first. Such a
/// key is given another name of the same length, so that what is behind it keeps its place, and
/// all is read again.
private struct RepeatedKeys {
    private(set) var text: String
    /// The names that were given, and those that they stand for.
    private(set) var aliases: [String: String] = [:]
    /// Reading takes as long each time: whoever has more of them hears of the rest afterwards.
    private static let most = 16
    /// Where nobody writes: of the private characters, the first that is given.
    private static let first: UInt32 = 0xF_0000

    init(_ text: String) { self.text = text }

    /// False where the error is another one, or the key is not found as it is spelt.
    mutating func rename(after error: any Error) -> Bool {
        guard case .duplicatedKeysInMapping(let keys, let context)? = error as? YamlError,
            let key = keys.first, !key.isEmpty, aliases.count < Self.most,
            let mark = Unicode.Scalar(Self.first + UInt32(aliases.count)),
            !text.unicodeScalars.contains(mark),
            let range = range(of: key, at: Node.Place(context.mark))
        else { return false }
        var alias = String.UnicodeScalarView()
        for _ in key.unicodeScalars { alias.append(mark) }
        text.unicodeScalars.replaceSubrange(range, with: alias)
        aliases[String(alias)] = key
        return true
    }

    /// Where a key stands that begins at a place, with or without quotes.
    private func range(of key: String, at place: Node.Place) -> Range<String.Index>? {
        let scalars = text.unicodeScalars
        var at = scalars.startIndex
        var (line, column) = (1, 1)
        while at < scalars.endIndex, (line, column) != (place.line, place.column) {
            let next = scalars.index(after: at)
            switch scalars[at] {
            case "\r" where next < scalars.endIndex && scalars[next] == "\n": column += 1
            case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": (line, column) = (line + 1, 1)
            default: column += 1
            }
            at = next
        }
        guard at < scalars.endIndex else { return nil }
        if scalars[at] == "\"" || scalars[at] == "'" { at = scalars.index(after: at) }
        guard scalars[at...].starts(with: key.unicodeScalars) else { return nil }
        return at..<scalars.index(at, offsetBy: key.unicodeScalars.count)
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

import TableValues

/// A value in a file, with its place. Each getter throws a fault that says what it expects.
public struct Value: Sendable {
    let node: Node
    /// The file's name.
    public let file: String
    /// The keys that lead here; empty at the root.
    public let path: String

    init(node: Node, file: String, path: String = "") {
        self.node = node
        self.file = file
        self.path = path
    }

    /// Reads a whole document of at most `Bounds.documentBytes`: YAML, or JSON.
    ///
    /// Text that looks like JSON is read as JSON first, because libyaml refuses the surrogate pairs
    /// that JSON writers make of an emoji. If it is not JSON, it is read as YAML, and its faults
    /// are YAML's.
    public init(_ text: String, file: String) throws(Fault) {
        let (values, twice) = try Self.readings(text, file: file)
        if let first = twice.first { throw first }
        self = values[0]
    }

    /// Reads on where keys stand twice in a mapping: a fault for each of them, in their order, and
    /// the document with what stands first; then, for each of them, with what stands there again.
    public static func readings(
        _ text: String, file: String
    ) throws(Fault) -> (values: [Value], twice: [Fault]) {
        guard text.utf8.count <= Bounds.documentBytes else {
            throw Fault("more than \(Bounds.documentBytes) bytes", file: file, line: 1)
        }
        // libyaml takes it for the end: half a file, or one of zeros, would be read as if it were whole.
        if let end = text.utf8.firstIndex(of: 0) {
            let line = text.utf8[..<end].count { $0 == UInt8(ascii: "\n") } + 1
            throw Fault("a NUL byte, which no text has", file: file, line: line)
        }
        let first = text.utf8.first { $0 > 32 }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
            let json = try? Value(json: Array(text.utf8)[...], file: file)
            if let json { return ([json], []) }
        }
        let (root, twice) = try Node.composed(yaml: text, file: file)
        if twice.isEmpty { return ([Value(node: root, file: file)], []) }
        var faults = Faults()
        for fault in twice { faults.append(fault) }
        let places = twice.map { Node.Place(line: $0.line, column: $0.column ?? 1) }
        let nodes = [root.choosing(nil)] + places.map { root.choosing($0) }
        return (nodes.map { Value(node: $0, file: file) }, faults.inOrder)
    }

    /// Reads one JSON value from bytes that are valid UTF-8; the caller bounds how many.
    ///
    /// `line` is the number of the first line, for faults.
    public init(json bytes: ArraySlice<UInt8>, file: String, line: Int = 1) throws(Fault) {
        var reader = JSONReader(bytes, file: file, line: line)
        self.init(node: try reader.document(), file: file)
    }

    /// The value's first line, counted from 1.
    public var line: Int { node.place.line }

    /// The value is a plain `null`, a `~`, or empty.
    public var isNull: Bool {
        guard case .scalar(let text, quoted: false) = node.content else { return false }
        return text.isEmpty || text == "null" || text == "~"
    }

    /// The value is a list.
    public var isList: Bool {
        if case .list = node.content { return true } else { return false }
    }

    /// The value is a mapping.
    public var isMapping: Bool {
        if case .mapping = node.content { return true } else { return false }
    }

    /// A fault at this place.
    public func fault(_ message: String) -> Fault {
        Fault(message, file: file, line: node.place.line, column: node.place.column, path: path)
    }

    /// A fault that says what was expected here and what was found.
    public func expected(_ what: String) -> Fault { fault("expected \(what), found \(found)") }

    private var found: String {
        switch node.content {
        case .list: return "a list"
        case .mapping: return "a mapping"
        case .scalar where isNull: return "nothing"
        case .scalar(let text, quoted: true): return "the text \(text.quotedShort)"
        case .scalar(let text, quoted: false): return text.quotedShort
        }
    }

    // MARK: Scalars

    /// Text as written: `yes`, `12` and `true` need no quotes where text is expected.
    public func string() throws(Fault) -> String {
        guard case .scalar(let text, _) = node.content, !isNull else { throw expected("text") }
        guard !text.utf8.contains(0) else { throw fault("text cannot hold a NUL") }
        return text
    }

    /// `true` or `false`; YAML 1.1's other words for them are refused.
    public func bool() throws(Fault) -> Bool {
        switch plain {
        case "true": return true
        case "false": return false
        default: throw expected("true or false")
        }
    }

    /// A whole number in decimal, without leading zeros, which mean octal in YAML 1.1.
    public func integer<I: FixedWidthInteger>(in range: ClosedRange<I>) throws(Fault) -> I {
        guard let plain, plain.hasPlainDigits, let number = I(plain), range.contains(number) else {
            throw expected("a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A finite number.
    public func double() throws(Fault) -> Double {
        guard let plain, plain.utf8.allSatisfy(\.isNumeric), let number = Double(plain),
            number.isFinite
        else { throw expected("a number") }
        return number
    }

    /// One of an enumeration's words.
    public func word<W: CaseIterable & RawRepresentable<String>>(
        _ type: W.Type = W.self
    ) throws(Fault) -> W {
        guard let word = try? string(), let value = W(rawValue: word) else {
            throw expected(W.allCases.map(\.rawValue).joined(separator: ", ").lastAsOr)
        }
        return value
    }

    /// The text of a scalar without quotes.
    private var plain: String? {
        guard case .scalar(let text, quoted: false) = node.content else { return nil }
        return text
    }

    // MARK: Lists and mappings

    /// The elements of a list.
    public func list() throws(Fault) -> [Value] {
        guard case .list(let nodes) = node.content else { throw expected("a list") }
        return nodes.enumerated().map { place, node in
            Value(node: node, file: file, path: "\(path)[\(place)]")
        }
    }

    /// The elements of a list, each read by `read`.
    public func list<T>(_ read: (Value) throws(Fault) -> T) throws(Fault) -> [T] {
        var all: [T] = []
        for element in try list() { all.append(try read(element)) }
        return all
    }

    /// The entries of a mapping with any keys, in the order written.
    public func entries() throws(Fault) -> [(key: String, value: Value)] {
        guard case .mapping(let entries) = node.content else { throw expected("a mapping") }
        return entries.map { ($0.key, value(of: $0)) }
    }

    /// A mapping of known keys; any other key is a fault.
    public func fields<Key: FieldKey>(_ keys: Key.Type = Key.self) throws(Fault) -> Fields<Key> {
        let (fields, unknown) = try sorted(into: keys)
        if let first = unknown.first { throw first }
        return fields
    }

    /// The values of known keys, and a fault for each unknown key.
    func sorted<Key: FieldKey>(
        into keys: Key.Type
    ) throws(Fault) -> (fields: Fields<Key>, unknown: [Fault]) {
        guard case .mapping(let entries) = node.content else { throw expected("a mapping") }
        var fields = Fields<Key>(owner: self)
        var unknown: [Fault] = []
        for entry in entries {
            guard let key = Key(rawValue: entry.key) else {
                let names = Key.allCases.map(\.rawValue)
                let hint = nearest(to: entry.key, among: names).map { "did you mean `\($0)`?" }
                let all = "there are \(names.joined(separator: ", "))"
                unknown.append(
                    Fault(
                        "unknown key \(entry.key.quotedShort) (\(hint ?? all))", file: file,
                        line: entry.place.line, column: entry.place.column, path: path))
                continue
            }
            fields.values[key] = value(of: entry)
        }
        return (fields, unknown)
    }

    private func value(of entry: Node.Entry) -> Value {
        let path = path.isEmpty ? entry.key : "\(path).\(entry.key)"
        return Value(node: entry.value, file: file, path: path)
    }
}

extension String {
    /// Digits with an optional minus, without leading zeros.
    fileprivate var hasPlainDigits: Bool {
        let digits = utf8.first == UInt8(ascii: "-") ? utf8.dropFirst() : utf8[...]
        guard digits.allSatisfy({ 48...57 ~= $0 }) else { return false }
        return digits.first != 48 || digits.count == 1
    }

    /// "a, b, c" as "a, b or c".
    fileprivate var lastAsOr: String {
        guard let comma = lastIndex(of: ",") else { return self }
        return self[..<comma] + " or" + self[index(after: comma)...]
    }
}

extension UInt8 {
    /// May be part of a decimal number, which excludes hexadecimal, `nan` and `inf`.
    fileprivate var isNumeric: Bool {
        switch self {
        case 48...57, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "e"),
            UInt8(ascii: "E"):
            return true
        default: return false
        }
    }
}

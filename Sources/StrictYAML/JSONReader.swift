/// A strict reader of one JSON value (RFC 8259), with places.
///
/// It is our own because `JSONDecoder` silently keeps one of two values with the same key and gives
/// no line, and because numbers must keep their text.
struct JSONReader {
    private let bytes: ArraySlice<UInt8>
    private let file: String
    private var at: Int
    private var line: Int
    private var lineStart: Int

    init(_ bytes: ArraySlice<UInt8>, file: String, line: Int) {
        self.bytes = bytes
        self.file = file
        self.line = line
        at = bytes.startIndex
        lineStart = at
    }

    /// Reads the value; nothing may follow it.
    mutating func document() throws(Fault) -> Node {
        let node = try value(depth: 1)
        skipSpace()
        guard at == bytes.endIndex else { throw fault("expected nothing after the value") }
        return node
    }

    private mutating func value(depth: Int) throws(Fault) -> Node {
        skipSpace()
        guard depth <= Bounds.depth else { throw fault("more than \(Bounds.depth) levels") }
        let start = place
        switch next {
        case UInt8(ascii: "{"):
            return Node(content: .mapping(try mapping(depth: depth)), place: start)
        case UInt8(ascii: "["):
            return Node(content: .list(try list(depth: depth)), place: start)
        case UInt8(ascii: "\""):
            return Node(content: .scalar(try string(), quoted: true), place: start)
        default:
            return Node(content: .scalar(try plain(), quoted: false), place: start)
        }
    }

    private mutating func list(depth: Int) throws(Fault) -> [Node] {
        at += 1
        if taken("]") { return [] }
        var nodes: [Node] = []
        repeat { nodes.append(try value(depth: depth + 1)) } while taken(",")
        guard taken("]") else { throw fault("expected `,` or `]`") }
        return nodes
    }

    private mutating func mapping(depth: Int) throws(Fault) -> [Node.Entry] {
        at += 1
        if taken("}") { return [] }
        var entries: [Node.Entry] = []
        repeat {
            skipSpace()
            let start = place
            guard next == UInt8(ascii: "\"") else { throw fault("expected a key in quotes") }
            let key = try string()
            guard taken(":") else { throw fault("expected `:`") }
            let value = try value(depth: depth + 1)
            entries.append(Node.Entry(key: key, place: start, value: value))
        } while taken(",")
        guard taken("}") else { throw fault("expected `,` or `}`") }
        if let twice = Node.duplicate(in: entries) {
            throw .duplicate(twice.key, twice.place, file: file)
        }
        return entries
    }

    // MARK: Scalars

    /// `true`, `false`, `null` or a number, as written.
    private mutating func plain() throws(Fault) -> String {
        let word = bytes[at...].prefix { $0.isWord }
        let text = String(decoding: word, as: UTF8.self)
        guard ["true", "false", "null"].contains(text) || word.isJSONNumber else {
            throw fault("expected a value")
        }
        at = word.endIndex
        return text
    }

    private mutating func string() throws(Fault) -> String {
        at += 1
        var text = ""
        while true {
            let run = bytes[at...].prefix { $0 >= 32 && $0 != 0x22 && $0 != 0x5C }
            text += String(decoding: run, as: UTF8.self)
            at = run.endIndex
            switch next {
            case UInt8(ascii: "\""):
                at += 1
                return text
            case UInt8(ascii: "\\"): text.unicodeScalars.append(try escape())
            case nil: throw fault("the text does not end")
            default: throw fault("a control character stands in a text")
            }
        }
    }

    private mutating func escape() throws(Fault) -> Unicode.Scalar {
        let start = at
        at += 2
        switch start + 1 < bytes.endIndex ? bytes[start + 1] : 0 {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            if let scalar = hexScalar() { return scalar }
        default: break
        }
        at = start
        throw fault("no such escape")
    }

    /// Reads what follows `\u`: four digits, or a pair of surrogates.
    private mutating func hexScalar() -> Unicode.Scalar? {
        guard let high = hexDigits() else { return nil }
        guard 0xD800..<0xDC00 ~= high else { return Unicode.Scalar(high) }
        guard bytes[at...].starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) else { return nil }
        at += 2
        guard let low = hexDigits(), 0xDC00..<0xE000 ~= low else { return nil }
        return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
    }

    private mutating func hexDigits() -> UInt32? {
        let digits = bytes[at...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ $0 != 0x2B && $0 != 0x2D }) else { return nil }
        at += 4
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    // MARK: Places

    private var next: UInt8? { at < bytes.endIndex ? bytes[at] : nil }

    private var place: Node.Place { Node.Place(line: line, column: at - lineStart + 1) }

    private func fault(_ message: String) -> Fault {
        Fault(message, file: file, line: line, column: at - lineStart + 1)
    }

    private mutating func taken(_ mark: Unicode.Scalar) -> Bool {
        skipSpace()
        guard next == UInt8(ascii: mark) else { return false }
        at += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\n"):
                at += 1
                line += 1
                lineStart = at
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): at += 1
            default: return
            }
        }
    }
}

extension UInt8 {
    /// May be part of a number or of `true`, `false` or `null`.
    fileprivate var isWord: Bool {
        switch self {
        case 48...57, 65...90, 97...122, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            return true
        default: return false
        }
    }
}

extension ArraySlice<UInt8> {
    /// An optional minus, digits without a leading zero, an optional fraction and exponent.
    fileprivate var isJSONNumber: Bool {
        var rest = self
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        let whole = rest.takeDigits()
        guard whole.count == 1 || (whole.count > 1 && whole.first != 48) else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            if rest.takeDigits().isEmpty { return false }
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") {
                rest.removeFirst()
            }
            if rest.takeDigits().isEmpty { return false }
        }
        return rest.isEmpty
    }

    private mutating func takeDigits() -> ArraySlice<UInt8> {
        let digits = prefix { 48...57 ~= $0 }
        self = self[digits.endIndex...]
        return digits
    }
}

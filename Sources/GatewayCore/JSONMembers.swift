/// Finds members of a JSON object without building anything. It checks only what it needs to find
/// the next member: who trusts a message reads it with `TableWire`.
public struct JSONMembers {
    private let bytes: [UInt8]
    private let end: Int
    private var offset: Int

    /// The object that these bytes are.
    public init(_ bytes: [UInt8]) { self.init(bytes, 0..<bytes.count) }

    /// The object at this place.
    public init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        let whole = 0..<bytes.count
        let range = range.clamped(to: whole)
        offset = range.lowerBound
        end = range.upperBound
    }

    /// Where the value of a member stands; nil if there is none. It looks no further than the
    /// members named in `before`.
    public static func find(
        _ name: String, in bytes: [UInt8], _ range: Range<Int>? = nil, before: [String] = []
    ) -> Range<Int>? {
        var found: Range<Int>?
        var members = JSONMembers(bytes, range ?? 0..<bytes.count)
        members.each { member, value in
            if member == name { found = value }
            return found == nil && !before.contains(member)
        }
        return found
    }

    /// The number at this place, if it is a plain one.
    public static func number(_ bytes: [UInt8], _ range: Range<Int>) -> UInt64? {
        guard range.count <= 19, !range.isEmpty else { return nil }
        var number: UInt64 = 0
        for byte in bytes[range] {
            guard byte >= 0x30, byte <= 0x39 else { return nil }
            number = number * 10 + UInt64(byte - 0x30)
        }
        return number
    }

    /// The text at this place, if it has no escapes.
    public static func text(_ bytes: [UInt8], _ range: Range<Int>) -> String? {
        guard range.count >= 2, bytes[range.lowerBound] == UInt8(ascii: "\"") else { return nil }
        let inner = bytes[(range.lowerBound + 1)..<(range.upperBound - 1)]
        guard !inner.contains(UInt8(ascii: "\\")) else { return nil }
        return String(validating: inner, as: UTF8.self)
    }

    /// Calls `visit` with each member's name and the place of its value, until it returns false.
    public mutating func each(_ visit: (_ name: String, _ value: Range<Int>) -> Bool) {
        guard take(UInt8(ascii: "{")) else { return }
        while let name = string() {
            guard take(UInt8(ascii: ":")) else { return }
            skipBlanks()
            let start = offset
            guard skipValue(), visit(name, start..<offset), take(UInt8(ascii: ",")) else { return }
        }
    }

    private mutating func skipBlanks() {
        while offset < end, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[offset]) { offset += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        skipBlanks()
        guard offset < end, bytes[offset] == byte else { return false }
        offset += 1
        return true
    }

    private mutating func string() -> String? {
        skipBlanks()
        let start = offset
        guard skipString() else { return nil }
        return String(decoding: bytes[(start + 1)..<(offset - 1)], as: UTF8.self)
    }

    private mutating func skipString() -> Bool {
        guard offset < end, bytes[offset] == UInt8(ascii: "\"") else { return false }
        offset += 1
        while offset < end {
            switch bytes[offset] {
            case UInt8(ascii: "\\"): offset += 2
            case UInt8(ascii: "\""):
                offset += 1
                return true
            default: offset += 1
            }
        }
        offset = end
        return false
    }

    /// Without recursion, so that no nesting is too deep.
    private mutating func skipValue() -> Bool {
        var depth = 0
        let start = offset
        while offset < end {
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                guard skipString() else { return false }
                if depth == 0 { return true }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                offset += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return offset > start }
                depth -= 1
                offset += 1
                if depth == 0 { return true }
            case UInt8(ascii: ","), 0x20, 0x09, 0x0A, 0x0D:
                if depth == 0 { return offset > start }
                offset += 1
            default: offset += 1
            }
        }
        return depth == 0 && offset > start
    }
}

/// Writes JSON.
public enum JSONText {
    /// A text in quotes, with what must be escaped.
    public static func quote(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\u{0}"..<"\u{20}", "\u{7F}":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    /// A list of texts.
    public static func list(_ texts: [String]) -> String {
        "[" + texts.map(quote).joined(separator: ",") + "]"
    }

    /// The body of an HTTP answer or an `end` that refuses.
    public static func error(_ code: String, _ message: String) -> String {
        #"{"error":{"code":\#(quote(code)),"message":\#(quote(message))}}"#
    }
}

internal import TableModel

// How bytes of both forms are made up, whatever the schema says. A parser that reads on where one of these
// stops would build what nobody counted: so these stop only where every parser does.

/// Reads the fields of a binary message, but for groups: they are no part of the schema, and what is in an
/// unknown one is taken for the message's.
struct TagReader {
    struct Field {
        let number: UInt64
        /// With its tag.
        let whole: UnsafeRawBufferPointer
        /// Nil: it is a number.
        let content: UnsafeRawBufferPointer?
    }

    private let bytes: UnsafeRawBufferPointer
    private var index = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// The next one. Nil: there is none, or what follows is not binary.
    mutating func next() -> Field? {
        while index < bytes.count {
            let start = index
            guard let tag = varint(), tag < UInt64(UInt32.max) else { return nil }
            var content: UnsafeRawBufferPointer?
            switch tag & 7 {
            case 0: guard varint() != nil else { return nil }
            case 1: guard skip(8) else { return nil }
            case 2:
                guard let length = varint(), length <= UInt64(bytes.count - index) else {
                    return nil
                }
                let begin = index
                index += Int(length)
                content = UnsafeRawBufferPointer(rebasing: bytes[begin..<index])
            case 3, 4: continue
            case 5: guard skip(4) else { return nil }
            default: return nil
            }
            return Field(
                number: tag >> 3, whole: UnsafeRawBufferPointer(rebasing: bytes[start..<index]),
                content: content)
        }
        return nil
    }

    private mutating func skip(_ count: Int) -> Bool {
        guard count <= bytes.count - index else { return false }
        index += count
        return true
    }

    private mutating func varint() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            guard index < bytes.count else { return nil }
            let byte = bytes[index]
            index += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }
}

/// Reads where objects, arrays and strings of JSON begin and end.
struct JSONStructure {
    private let bytes: UnsafeRawBufferPointer
    private var index = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Whether this comes next, after white space.
    mutating func peeks(_ character: Unicode.Scalar) -> Bool {
        while index < bytes.count, bytes[index] <= 0x20 { index += 1 }
        return index < bytes.count && bytes[index] == UInt8(ascii: character)
    }

    private mutating func takes(_ character: Unicode.Scalar) -> Bool {
        guard peeks(character) else { return false }
        index += 1
        return true
    }

    /// Reads an object, and hands over each key before its value, which `value` reads. Another value
    /// is skipped. False: it does not end as it should.
    mutating func object(
        _ value: (inout JSONStructure, UnsafeRawBufferPointer) throws(Rejection) -> Bool
    ) throws(Rejection) -> Bool {
        guard takes("{") else { return skipValue() }
        if takes("}") { return true }
        repeat {
            guard peeks("\""), let key = string(), takes(":") else { return false }
            guard let plain = Self.plain(key) else {
                guard try value(&self, key) else { return false }
                continue
            }
            let isWhole = try plain.withUnsafeBytes { bytes in
                Result { () throws(Rejection) in try value(&self, bytes) }
            }.get()
            guard isWhole else { return false }
        } while takes(",")
        return takes("}")
    }

    /// Reads an array, whose elements `element` reads. Another value is skipped. False: it does not end
    /// as it should.
    mutating func array(
        _ element: (inout JSONStructure) throws(Rejection) -> Bool
    ) throws(Rejection) -> Bool {
        guard takes("[") else { return skipValue() }
        if takes("]") { return true }
        repeat {
            guard try element(&self) else { return false }
        } while takes(",")
        return takes("]")
    }

    /// A value as it stands there, perhaps with white space; nil: it does not end.
    mutating func value() -> UnsafeRawBufferPointer? {
        let start = index
        guard skipValue() else { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<index])
    }

    /// Skips a value. False: it does not end.
    mutating func skipValue() -> Bool {
        var depth = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                guard string() != nil else { return false }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                index += 1
                depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return true }
                index += 1
                depth -= 1
            case UInt8(ascii: ","):
                if depth == 0 { return true }
                index += 1
            default: index += 1
            }
        }
        return false
    }

    /// The bytes between quotes, with their escapes. Nil: the text does not end.
    private mutating func string() -> UnsafeRawBufferPointer? {
        let start = index + 1
        index = start
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index += 1
                return UnsafeRawBufferPointer(rebasing: bytes[start..<index - 1])
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
        index = bytes.count
        return nil
    }

    /// A key without its escapes; nil: it has none. Names of the schema need none, but may have them.
    private static func plain(_ key: UnsafeRawBufferPointer) -> [UInt8]? {
        guard key.contains(UInt8(ascii: "\\")) else { return nil }
        var plain: [UInt8] = []
        var index = 0
        while index < key.count {
            guard key[index] == UInt8(ascii: "\\") else {
                plain.append(key[index])
                index += 1
                continue
            }
            let digits = key[min(index + 2, key.count)..<min(index + 6, key.count)]
            if index + 1 < key.count, key[index + 1] == UInt8(ascii: "u"), digits.count == 4 {
                let code = UInt32(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0
                plain.append(code < 128 ? UInt8(code) : 0)
                index += 6
            } else {
                // No name has any other character that is written with one.
                plain.append(0)
                index += 2
            }
        }
        return plain
    }
}

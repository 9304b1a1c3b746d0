internal import TableModel

/// Reads JSON in the order of the calls, as programs write it. Whatever is unusual (an escape beyond the
/// common ones, a number with a sign or a point, `null`) makes the caller stop, and leave the message
/// to the schema's reader. Nothing is refused here.
struct PlainJSON {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Whether only white space is left.
    var isAtEnd: Bool {
        mutating get { next() == nil }
    }

    /// An object: `read` is called with the name of each member and reads its value. False: it was not
    /// plain, or `read` said so.
    @inline(__always)
    mutating func members(
        _ read: (_ name: UnsafeRawBufferPointer, inout PlainJSON) -> Bool
    ) -> Bool {
        guard passes("{") else { return false }
        if passes("}") { return true }
        repeat {
            guard let name = letters(), passes(":"), read(name, &self) else { return false }
        } while passes(",")
        return passes("}")
    }

    /// An array; the same.
    @inline(__always)
    mutating func elements(_ read: (inout PlainJSON) -> Bool) -> Bool {
        guard passes("[") else { return false }
        if passes("]") { return true }
        repeat {
            guard read(&self) else { return false }
        } while passes(",")
        return passes("]")
    }

    /// The bytes of a text without escapes. They may not be UTF-8.
    mutating func letters() -> UnsafeRawBufferPointer? {
        guard passes("\"") else { return nil }
        let start = offset
        offset = firstSpecial(from: offset)
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") else { return nil }
        defer { offset += 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
    }

    /// A text in UTF-8, with the common escapes.
    mutating func text() -> String? {
        let start = offset
        if let letters = letters() { return letters.text }
        offset = start
        return escapedText()
    }

    /// An integer of at most 18 digits.
    mutating func number() -> UInt64? {
        guard let first = next(), (48...57).contains(first) else { return nil }
        let start = offset
        var value: UInt64 = 0
        while offset < bytes.count, bytes[offset] &- 48 < 10, offset - start < 19 {
            value = value * 10 + UInt64(bytes[offset] &- 48)
            offset += 1
        }
        let digits = offset - start
        guard digits <= 18, first != 48 || digits == 1, !isInNumber else { return nil }
        return value
    }

    /// `true` or `false`.
    mutating func flag() -> Bool? {
        guard let first = next() else { return nil }
        let isTrue = first == UInt8(ascii: "t")
        let word: StaticString = isTrue ? "true" : "false"
        let end = offset + word.utf8CodeUnitCount
        guard end <= bytes.count,
            UnsafeRawBufferPointer(rebasing: bytes[offset..<end]).holds(word)
        else { return nil }
        offset = end
        return isTrue
    }

    /// Whether the number goes on with a fraction or an exponent.
    private var isInNumber: Bool {
        guard offset < bytes.count else { return false }
        switch bytes[offset] {
        case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): return true
        default: return false
        }
    }

    /// The next byte that is not white space; it is not passed.
    @inline(__always)
    private mutating func next() -> UInt8? {
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte > 32 || byte != 32 && byte != 10 && byte != 13 && byte != 9 { return byte }
            offset += 1
        }
        return nil
    }

    @inline(__always)
    private mutating func passes(_ byte: Unicode.Scalar) -> Bool {
        guard next() == UInt8(ascii: byte) else { return false }
        offset += 1
        return true
    }

    /// The place of the first quotation mark, backslash or control character. Looks at eight bytes at
    /// once, since most of a request is text.
    @inline(__always)
    private func firstSpecial(from start: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var place = start
        while place + 8 <= bytes.count {
            let word = UInt64(
                littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            let quotes = word ^ (ones * 0x22)
            let slashes = word ^ (ones * 0x5C)
            // Of each byte the upper bit: it is 0 here, or below 32. Only the first is exact.
            let found =
                ((quotes &- ones) & ~quotes | (slashes &- ones) & ~slashes
                    | (word &- ones * 0x20) & ~word) & (ones * 0x80)
            if found != 0 { return place + found.trailingZeroBitCount / 8 }
            place += 8
        }
        while place < bytes.count {
            let byte = bytes[place]
            if byte == 0x22 || byte == 0x5C || byte < 0x20 { break }
            place += 1
        }
        return place
    }

    @inline(never)
    private mutating func escapedText() -> String? {
        guard passes("\"") else { return nil }
        var letters: [UInt8] = []
        while true {
            let end = firstSpecial(from: offset)
            letters.append(contentsOf: bytes[offset..<end])
            guard end < bytes.count else { return nil }
            offset = end + 1
            if bytes[end] == UInt8(ascii: "\"") {
                return letters.withUnsafeBytes { $0.text }
            }
            guard bytes[end] == UInt8(ascii: "\\"), appendEscaped(to: &letters) else { return nil }
        }
    }

    /// Behind a backslash. Not a surrogate, nor a NUL.
    private mutating func appendEscaped(to letters: inout [UInt8]) -> Bool {
        guard offset < bytes.count else { return false }
        let letter = bytes[offset]
        offset += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letters.append(letter)
        case UInt8(ascii: "n"): letters.append(10)
        case UInt8(ascii: "r"): letters.append(13)
        case UInt8(ascii: "t"): letters.append(9)
        case UInt8(ascii: "b"): letters.append(8)
        case UInt8(ascii: "f"): letters.append(12)
        case UInt8(ascii: "u"):
            guard let code = hexadecimal(), code != 0, let scalar = Unicode.Scalar(code)
            else { return false }
            letters.append(contentsOf: UTF8.encode(scalar).map(Array.init) ?? [])
        default: return false
        }
        return true
    }

    /// Four digits.
    private mutating func hexadecimal() -> UInt32? {
        guard offset + 4 <= bytes.count else { return nil }
        var value: UInt32 = 0
        for byte in bytes[offset..<offset + 4] {
            switch byte {
            case 48...57: value = value << 4 | UInt32(byte - 48)
            case 65...70: value = value << 4 | UInt32(byte - 55)
            case 97...102: value = value << 4 | UInt32(byte - 87)
            default: return nil
            }
        }
        offset += 4
        return value
    }
}

internal import TableModel

// JSON as protobuf's library has it: without white space, with the same escapes.

extension FieldWriter {
    /// JSON as it stands: names and punctuation.
    @inline(__always)
    mutating func put(_ json: StaticString) {
        append(UnsafeRawBufferPointer(start: json.utf8Start, count: json.utf8CodeUnitCount))
    }

    /// The name of a member.
    @inline(__always)
    mutating func put(member name: StaticString) {
        let letters = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        append(letters, between: UInt8(ascii: "\""), then: UInt8(ascii: ":"))
    }

    /// Text in quotation marks. It must be UTF-8.
    mutating func put(quoted text: UnsafeRawBufferPointer, comma: Bool = false) {
        if text.isPlainInJSON {
            append(text, between: UInt8(ascii: "\""), then: comma ? UInt8(ascii: ",") : nil)
        } else {
            putEscaped(text)
            if comma { put(",") }
        }
    }

    /// A number in decimal digits.
    mutating func put(decimal number: UInt64) {
        guard number < 100_000_000 else {
            put(decimal: number / 100_000_000)
            return put(number % 100_000_000, withoutZeros: false)
        }
        put(number, withoutZeros: true)
    }

    /// Eight decimal digits, or as many as the number has without zeros in front.
    private mutating func put(_ number: UInt64, withoutZeros: Bool) {
        let digits = Self.eightDigits(of: number)
        let zeros = withoutZeros ? min(digits.trailingZeroBitCount / 8, 7) : 0
        put(word: (digits | 0x3030_3030_3030_3030) &>> UInt64(8 * zeros), count: 8 - zeros)
    }

    /// The digits of a number below 100,000,000, each a byte, the first of them the lowest. The number is
    /// parted in two, then both parts at once, and so on: each division is a product and a shift.
    private static func eightDigits(of number: UInt64) -> UInt64 {
        let fours = number / 10_000 | (number % 10_000) << 32
        let hundreds = (fours &* 5_243) >> 19 & 0x0000_007F_0000_007F
        let twos = hundreds | (fours &- hundreds &* 100) << 16
        let tens = (twos &* 103) >> 10 & 0x000F_000F_000F_000F
        return tens | (twos &- tens &* 10) << 8
    }

    /// A `fixed64` in 16 hexadecimal digits, in quotation marks.
    mutating func put(hex number: UInt64) {
        put("\"")
        put(digitsOf: number)
        put("\"")
    }

    /// With other letters than ASCII, or what a text in quotation marks cannot hold.
    @inline(never)
    private mutating func putEscaped(_ text: UnsafeRawBufferPointer) {
        put("\"")
        var start = 0
        var place = 0
        while place < text.count {
            // Most of it is plain.
            if text.isHeldByJSON(from: place) {
                place += 8
                continue
            }
            let byte = text[place]
            // From U+0080 to U+009F they are two bytes in UTF-8.
            let isTwoBytes = byte == 0xC2 && place + 1 < text.count && text[place + 1] < 0xA0
            if byte >= 32, byte != 34, byte != 92, byte != 127, !isTwoBytes {
                place += 1
                continue
            }
            append(UnsafeRawBufferPointer(rebasing: text[start..<place]))
            put(escaped: isTwoBytes ? text[place + 1] : byte)
            place += isTwoBytes ? 2 : 1
            start = place
        }
        append(UnsafeRawBufferPointer(rebasing: text[start...]))
        put("\"")
    }

    private mutating func put(escaped code: UInt8) {
        switch code {
        case 8: put("\\b")
        case 9: put("\\t")
        case 10: put("\\n")
        case 12: put("\\f")
        case 13: put("\\r")
        case 34: put("\\\"")
        case 92: put("\\\\")
        default:
            put("\\u00")
            for digit in [code >> 4, code & 15] {
                withUnsafeBytes(of: digit < 10 ? 48 + digit : 55 + digit) { append($0) }
            }
        }
    }
}

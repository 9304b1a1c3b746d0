internal import TableModel

// JSON as the schema's writer has it: without white space, with the same escapes.

extension FieldWriter {
    /// Continues inside of a message's last member, which is taken to end with `end`; nil: it does not.
    init?(_ message: [UInt8], open end: StaticString, adding count: Int) {
        let length = end.utf8CodeUnitCount
        let isLast = message.suffix(length).elementsEqual(
            UnsafeBufferPointer(start: end.utf8Start, count: length))
        guard isLast else { return nil }
        self.init(capacity: message.count + count)
        message.withUnsafeBytes { append(UnsafeRawBufferPointer(rebasing: $0.dropLast(length))) }
    }

    /// JSON as it stands: names and punctuation.
    @inline(__always)
    mutating func put(_ json: StaticString) {
        append(UnsafeRawBufferPointer(start: json.utf8Start, count: json.utf8CodeUnitCount))
    }

    /// Text in quotation marks. It must be UTF-8.
    mutating func put(quoted text: UnsafeRawBufferPointer) {
        put("\"")
        var special: UInt8 = 0
        // Reads to the end, so that the compiler can test many bytes at once.
        for byte in text {
            special |= byte &- 32 < 95 && byte != 34 && byte != 92 ? 0 : 1
        }
        if special == 0 { append(text) } else { putEscaped(text) }
        put("\"")
    }

    /// The same.
    mutating func put(quoted text: String) {
        text.withLetters { put(quoted: $0) }
    }

    /// An id in quotation marks.
    mutating func put(quoted id: ID) {
        id.withLetters { put(quoted: $0) }
    }

    /// A number in decimal digits.
    mutating func put(decimal number: UInt64) {
        withUnsafeTemporaryAllocation(byteCount: 20, alignment: 1) { digits in
            var rest = number
            var place = 20
            repeat {
                place -= 1
                digits[place] = 48 + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            append(UnsafeRawBufferPointer(rebasing: digits[place...]))
        }
    }

    /// A `fixed64` in 16 hexadecimal digits, in quotation marks.
    mutating func put(hex number: UInt64) {
        put("\"")
        put(digitsOf: number)
        put("\"")
    }

    /// A member, if there is a text.
    @inline(__always)
    mutating func put(_ name: StaticString, _ text: UnsafeRawBufferPointer?) {
        guard let text else { return }
        put(name)
        put(quoted: text)
    }

    /// A member, if there is a number.
    @inline(__always)
    mutating func put(_ name: StaticString, _ number: UInt64?) {
        guard let number else { return }
        put(name)
        put(decimal: number)
    }

    /// Control characters, and what a text in quotation marks cannot hold.
    @inline(never)
    private mutating func putEscaped(_ text: UnsafeRawBufferPointer) {
        var start = 0
        var place = 0
        while place < text.count {
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

internal import TableModel

// The values of JSON, and the letters that they are made of.

extension JSONSource {
    @inline(__always)
    mutating func letters() throws(Refusal) -> Letters {
        guard peek() == UInt8(ascii: "\"") else { throw wrong("text") }
        let text = try quoted()
        return hadEscape ? keep(try Self.unescaped(text)) : text
    }

    @inline(__always)
    mutating func number() throws(Refusal) -> UInt64 {
        _ = peek()
        let from = place
        var value: UInt64 = 0
        while place < end {
            let digit = start.load(fromByteOffset: place, as: UInt8.self) &- 48
            if digit > 9 || place &- from == 18 { break }
            value = value &* 10 &+ UInt64(digit)
            place &+= 1
        }
        if place > from, place &- from < 18, !isInNumber,
            place &- from == 1 || start.load(fromByteOffset: from, as: UInt8.self) != 48
        {
            return value
        }
        place = from
        return try oddNumber()
    }

    private var isInNumber: Bool {
        guard place < end else { return false }
        let byte = start.load(fromByteOffset: place, as: UInt8.self)
        return byte == 46 || byte | 32 == 101 || byte &- 48 < 10
    }

    private static var badNumber: Refusal { .broken("has a number that its field cannot take") }

    private static var notBase64: Refusal { .broken("has bytes that are not base64") }

    private static var badText: Refusal { .broken("has text that is badly quoted, or not UTF-8") }

    mutating func signed() throws(Refusal) -> Int64 {
        let text = try numeral()
        if let value = Int64(text) { return value }
        if let value = Double(text), let whole = Int64(exactly: value) { return whole }
        throw Self.badNumber
    }

    /// In quotation marks, with 19 digits or more, or as 1e3 or 5.0.
    @inline(never)
    private mutating func oddNumber() throws(Refusal) -> UInt64 {
        let text = try numeral()
        if let value = UInt64(text) { return value }
        if let value = Double(text), let whole = UInt64(exactly: value) { return whole }
        throw Self.badNumber
    }

    mutating func double() throws(Refusal) -> Double {
        switch try numeral() {
        case "NaN": return .nan
        case "Infinity": return .infinity
        case "-Infinity": return -.infinity
        case let text:
            guard let value = Double(text), value.isFinite else { throw Self.badNumber }
            return value
        }
    }

    /// A number as JSON writes it, perhaps in quotation marks; or a word in them.
    private mutating func numeral() throws(Refusal) -> String {
        if peek() == UInt8(ascii: "\"") {
            let text = String(decoding: try letters(), as: UTF8.self)
            let isWord = ["NaN", "Infinity", "-Infinity"].contains(text)
            if isWord || Self.isNumeral(text) { return text }
        } else {
            let from = place
            while place < end, isInNumber || isSign { place += 1 }
            let text = String(
                decoding: Letters(start: start + from, count: place - from), as: UTF8.self)
            if Self.isNumeral(text) { return text }
            if text.isEmpty { throw wrong("a number") }
        }
        throw Self.badNumber
    }

    private var isSign: Bool {
        let byte = start.load(fromByteOffset: place, as: UInt8.self)
        return byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
    }

    /// Neither `0x1p3` nor `.5`, `5.`, `01` or `+1`, which `Double` would read.
    private static func isNumeral(_ text: String) -> Bool {
        var digits = text.utf8[...]
        if digits.first == UInt8(ascii: "-") { digits.removeFirst() }
        guard let first = digits.first, first &- 48 < 10 else { return false }
        if first == 48, let second = digits.dropFirst().first, second &- 48 < 10 { return false }
        if let point = digits.firstIndex(of: UInt8(ascii: ".")) {
            let fraction = digits[point...].dropFirst()
            guard let digit = fraction.first, digit &- 48 < 10 else { return false }
        }
        return digits.allSatisfy { digit in
            digit &- 48 < 10 || digit | 32 == 101 || digit == 46 || digit == 43 || digit == 45
        }
    }

    mutating func fixed() throws(Refusal) -> UInt64 { try number() }

    mutating func flag() throws(Refusal) -> Bool {
        if peek() == UInt8(ascii: "t") {
            if passesWord("true") { return true }
        } else if passesWord("false") {
            return false
        }
        throw wrong("true or false")
    }

    /// Base64, of either alphabet, with or without padding.
    mutating func bytes() throws(Refusal) -> [UInt8] {
        var result: [UInt8] = []
        var (word, count): (UInt32, UInt32) = (0, 0)
        let letters = try letters()
        let digits = letters.prefix { $0 != UInt8(ascii: "=") }
        let padding = letters.count - digits.count
        guard digits.count % 4 != 1, padding == 0 || padding < 3 && letters.count % 4 == 0,
            letters.dropFirst(digits.count).allSatisfy({ $0 == UInt8(ascii: "=") })
        else { throw Self.notBase64 }
        for letter in digits {
            let value: UInt8
            switch letter {
            case 65...90: value = letter - 65
            case 97...122: value = letter - 71
            case 48...57: value = letter + 4
            case UInt8(ascii: "+"), UInt8(ascii: "-"): value = 62
            case UInt8(ascii: "/"), UInt8(ascii: "_"): value = 63
            default: throw Self.notBase64
            }
            word = word << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                result.append(UInt8(truncatingIfNeeded: word >> count))
            }
        }
        return result
    }

    // MARK: Letters

    /// The next byte that is not white space; 0 at the end. It is not passed.
    @inline(__always)
    mutating func peek() -> UInt8 {
        while place < end {
            let byte = start.load(fromByteOffset: place, as: UInt8.self)
            if byte > 32 { return byte }
            guard byte == 32 || byte == 10 || byte == 13 || byte == 9 else { return 1 }
            place &+= 1
        }
        return 0
    }

    @inline(__always)
    mutating func passes(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        place &+= 1
        return true
    }

    mutating func passesWord(_ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard count <= end - place, Letters(start: start + place, count: count).holds(word) else {
            return false
        }
        place += count
        return true
    }

    /// The text in quotation marks, with its escapes.
    mutating func quoted() throws(Refusal) -> Letters {
        let from = place + 1
        hadEscape = false
        place = from
        while true {
            place = firstSpecial(from: place)
            guard place < end else { throw .broken("ends too early") }
            switch start.load(fromByteOffset: place, as: UInt8.self) {
            case UInt8(ascii: "\""):
                place &+= 1
                return Letters(start: start + from, count: place &- 1 &- from)
            case UInt8(ascii: "\\"):
                hadEscape = true
                place &+= 2
            default: throw Self.badText
            }
        }
    }

    /// The place of the first quotation mark, backslash or control character. Looks at eight bytes at once.
    @inline(__always)
    func firstSpecial(from begin: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var place = begin
        while place &+ 8 <= end {
            let word = UInt64(
                littleEndian: start.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            let quotes = word ^ (ones &* 0x22)
            let slashes = word ^ (ones &* 0x5C)
            let found =
                ((quotes &- ones) & ~quotes | (slashes &- ones) & ~slashes
                    | (word &- ones &* 0x20) & ~word) & (ones &* 0x80)
            if found != 0 { return place &+ found.trailingZeroBitCount / 8 }
            place &+= 8
        }
        while place < end {
            let byte = start.load(fromByteOffset: place, as: UInt8.self)
            if byte == 0x22 || byte == 0x5C || byte < 0x20 { break }
            place &+= 1
        }
        return place
    }

    @inline(never)
    static func unescaped(_ text: Letters) throws(Refusal) -> [UInt8] {
        var letters: [UInt8] = []
        var place = 0
        func hex() -> UInt32? {
            guard place + 4 <= text.count else { return nil }
            defer { place += 4 }
            return text[place..<place + 4].allSatisfy({ isHex($0) })
                ? UInt32(String(decoding: text[place..<place + 4], as: UTF8.self), radix: 16) : nil
        }
        while place < text.count {
            let byte = text[place]
            place += 1
            if byte != UInt8(ascii: "\\") {
                letters.append(byte)
                continue
            }
            let letter = place < text.count ? text[place] : 0
            place += 1
            switch letter {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letters.append(letter)
            case UInt8(ascii: "n"): letters.append(10)
            case UInt8(ascii: "r"): letters.append(13)
            case UInt8(ascii: "t"): letters.append(9)
            case UInt8(ascii: "b"): letters.append(8)
            case UInt8(ascii: "f"): letters.append(12)
            case UInt8(ascii: "u"):
                guard var code = hex() else { throw Self.badText }
                if code & 0xFC00 == 0xD800, place + 6 <= text.count,
                    text[place] == UInt8(ascii: "\\"), text[place + 1] == UInt8(ascii: "u")
                {
                    place += 2
                    guard let low = hex(), low & 0xFC00 == 0xDC00 else { throw Self.badText }
                    code = 0x10000 + (code & 0x3FF) << 10 + low & 0x3FF
                }
                guard let scalar = Unicode.Scalar(code), let encoded = UTF8.encode(scalar) else {
                    throw Self.badText
                }
                letters.append(contentsOf: encoded)
            default: throw Self.badText
            }
        }
        return letters
    }

    private static func isHex(_ byte: UInt8) -> Bool { byte &- 48 < 10 || (byte | 32) &- 97 < 6 }

    mutating func skip(_ type: WireType) throws(Refusal) { try skipValue() }

    /// Skips a value, of whatever form.
    mutating func skipValue() throws(Refusal) {
        var depth = 0
        repeat {
            switch peek() {
            case UInt8(ascii: "\""): _ = try quoted()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                place += 1
                depth += 1
                continue
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard depth > 0 else { throw noJSON }
                place += 1
                depth -= 1
            case UInt8(ascii: ","), UInt8(ascii: ":"):
                guard depth > 0 else { throw noJSON }
                place += 1
                continue
            case 0, 1: throw noJSON
            default:
                while place < end, !Self.ends(start.load(fromByteOffset: place, as: UInt8.self)) {
                    place += 1
                }
            }
        } while depth > 0
    }

    private static func ends(_ byte: UInt8) -> Bool {
        byte <= 32 || [34, 44, 58, 91, 93, 123, 125].contains(byte)
    }
}

/// Bytes as text, as RFC 4648 has it: with padding, without line breaks.
public enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The text of these bytes.
    public static func text(_ bytes: [UInt8]) -> String {
        var out: [UInt8] = []
        out.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let rest = min(3, bytes.count - start)
            var word = UInt32(bytes[start]) << 16
            if rest > 1 { word |= UInt32(bytes[start + 1]) << 8 }
            if rest > 2 { word |= UInt32(bytes[start + 2]) }
            for place in 0..<4 {
                let digit = Int(word >> UInt32(18 - 6 * place)) & 63
                out.append(place <= rest ? alphabet[digit] : UInt8(ascii: "="))
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// The bytes of a text. Nil: it is no base64 in its only form.
    public static func bytes(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count % 4 == 0 else { return nil }
        let padding = digits.suffix(2).count { $0 == UInt8(ascii: "=") }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 4 * 3)
        var (word, count): (UInt32, Int) = (0, 0)
        for digit in digits.dropLast(padding) {
            guard let value = value(of: digit) else { return nil }
            (word, count) = (word << 6 | value, count + 6)
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(word >> UInt32(count) & 255))
                word &= (1 << UInt32(count)) - 1
            }
        }
        // Bits that are left over say nothing, so they are 0; `A===` says too little.
        return word == 0 && count < 6 ? bytes : nil
    }

    private static func value(of digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): return UInt32(digit - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): return UInt32(digit - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return UInt32(digit - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): return 62
        case UInt8(ascii: "/"): return 63
        default: return nil
        }
    }
}

/// A PNG that is checked without unpacking it: that its chunks are whole and in order, and its
/// size. Source: the PNG specification, third edition.
package struct PNG {
    /// In pixels; above 0.
    package let width: Int, height: Int

    private static let signature: [UInt8] = [137, 80, 78, 71, 13, 10, 26, 10]

    /// Nil: it is no PNG, or not a whole one, or something follows it.
    package init?(_ bytes: [UInt8]) {
        guard bytes.starts(with: Self.signature) else { return nil }
        var at = Self.signature.count
        var seen: [String] = []
        var header: (width: Int, height: Int, colour: UInt8)?
        while at < bytes.count {
            guard bytes.count - at >= 12 else { return nil }
            let length = Int(Self.word(bytes, at))
            guard length <= bytes.count - at - 12 else { return nil }
            let name = String(decoding: bytes[at + 4..<at + 8], as: UTF8.self)
            let body = bytes[at + 8..<at + 8 + length]
            let sum = Self.word(bytes, at + 8 + length)
            guard Self.checksum(bytes[at + 4..<at + 8 + length]) == sum else { return nil }
            if name == "IHDR" {
                guard seen.isEmpty, let found = Self.header(Array(body)) else { return nil }
                header = found
            }
            // The pixels are one piece; nothing follows the end; all but the header follows it.
            guard header != nil, seen.last != "IEND",
                name != "IDAT" || seen.last == "IDAT" || !seen.contains("IDAT"),
                name != "PLTE" || !seen.contains("IDAT")
            else { return nil }
            if name == "IDAT", !seen.contains("IDAT"), body.first.map({ $0 & 15 }) != 8 {
                return nil
            }
            seen.append(name)
            at += 12 + length
        }
        guard let header, seen.last == "IEND", seen.contains("IDAT"),
            header.colour != 3 || seen.contains("PLTE")
        else { return nil }
        (width, height) = (header.width, header.height)
    }

    /// Width and height that the beginning of a file says, without a look at the rest.
    static func pixels(of bytes: [UInt8]) -> (width: UInt32, height: UInt32)? {
        bytes.count >= 24 ? (word(bytes, 16), word(bytes, 20)) : nil
    }

    private static func header(_ body: [UInt8]) -> (width: Int, height: Int, colour: UInt8)? {
        guard body.count == 13 else { return nil }
        let (width, height) = (word(body, 0), word(body, 4))
        let (depth, colour) = (body[8], body[9])
        let depths: [UInt8]
        switch colour {
        case 0: depths = [1, 2, 4, 8, 16]
        case 3: depths = [1, 2, 4, 8]
        case 2, 4, 6: depths = [8, 16]
        default: return nil
        }
        guard depths.contains(depth), body[10] == 0, body[11] == 0, body[12] <= 1,
            (1...UInt32(Int32.max)).contains(width), (1...UInt32(Int32.max)).contains(height)
        else { return nil }
        return (Int(width), Int(height), colour)
    }

    private static func word(_ bytes: [UInt8], _ at: Int) -> UInt32 {
        bytes[at..<at + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// CRC-32 as in annex D of the specification.
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        ~bytes.reduce(~0) { sum, byte in table[Int((sum ^ UInt32(byte)) & 255)] ^ sum >> 8 }
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { word, _ in
            word & 1 == 0 ? word >> 1 : 0xEDB8_8320 ^ word >> 1
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether all bytes are letters, digits, signs or spaces of ASCII: 32 to 126.
    @inline(__always)
    var isPrintableASCII: Bool { has(nothing: Self.strange) }

    /// Whether all bytes are printable ASCII, and none is a quotation mark or a backslash: JSON holds the
    /// text as it is. It may do so too if this is false.
    @inline(__always)
    var isPlainInJSON: Bool { has(nothing: Self.quoting) }

    /// Whether JSON holds eight bytes from this place on as they are; false if there are fewer.
    @inline(__always)
    func isHeldByJSON(from place: Int) -> Bool {
        place + 8 <= count
            && Self.escaped(loadUnaligned(fromByteOffset: place, as: UInt64.self)) == 0
    }

    /// Whether `marked` is 0 of all bytes. Eight at once: most ids have about as many, and every
    /// message has several. The last ones may be among those before too.
    @inline(__always)
    private func has(nothing marked: (UInt64) -> UInt64) -> Bool {
        if count >= 8 {
            var found = marked(loadUnaligned(fromByteOffset: count - 8, as: UInt64.self))
            for place in stride(from: 0, to: count - 8, by: 8) {
                found |= marked(loadUnaligned(fromByteOffset: place, as: UInt64.self))
            }
            return found == 0
        }
        if count >= 4 {
            let first = loadUnaligned(as: UInt32.self)
            let last = loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)
            return marked(UInt64(first) << 32 | UInt64(last)) == 0
        }
        // Spaces, of which nobody says anything.
        var word: UInt64 = 0x2020_2020_2020_2020
        for byte in self { word = word << 8 | UInt64(byte) }
        return marked(word) == 0
    }

    /// Nothing if each of the eight bytes is printable. A byte below 32 borrows, so that the first of
    /// them gets its highest bit; 127 gets it with one more; the others have it.
    @inline(__always)
    private static func strange(_ word: UInt64) -> UInt64 {
        let tooLow = word &- 0x2020_2020_2020_2020
        let tooHigh = word &+ 0x0101_0101_0101_0101
        return (tooLow | tooHigh | word) & 0x8080_8080_8080_8080
    }

    /// As `strange`, and a quotation mark or a backslash borrows too, once it is made a zero.
    @inline(__always)
    private static func quoting(_ word: UInt64) -> UInt64 {
        let quotes = (word ^ 0x2222_2222_2222_2222) &- 0x0101_0101_0101_0101
        let slashes = (word ^ 0x5C5C_5C5C_5C5C_5C5C) &- 0x0101_0101_0101_0101
        return strange(word) | (quotes | slashes) & 0x8080_8080_8080_8080
    }

    /// Nothing if none of the eight bytes begins what has to be escaped: a quotation mark, a backslash
    /// or a control character, of which the last ones begin with 0xC2 in UTF-8.
    @inline(__always)
    private static func escaped(_ word: UInt64) -> UInt64 {
        let quotes = zeros(in: word ^ 0x2222_2222_2222_2222)
        let marks = quotes | zeros(in: word ^ 0x5C5C_5C5C_5C5C_5C5C)
        let low = (word &- 0x2020_2020_2020_2020) & ~word
        let deletes = zeros(in: word ^ 0x7F7F_7F7F_7F7F_7F7F)
        let high = deletes | zeros(in: word ^ 0xC2C2_C2C2_C2C2_C2C2)
        return (marks | low | high) & 0x8080_8080_8080_8080
    }

    /// The highest bit of some byte, if one of them is 0; it says no more than that.
    @inline(__always)
    private static func zeros(in word: UInt64) -> UInt64 { (word &- 0x0101_0101_0101_0101) & ~word }
}

extension UnsafeRawBufferPointer {
    /// Nil if it is not UTF-8: the text would have other bytes than these.
    @inline(__always)
    var text: String? {
        let text = String(decoding: self, as: UTF8.self)
        var bits: UInt8 = 0
        // Reads to the end, so that the compiler can test many bytes at once.
        for byte in self { bits |= byte }
        return bits < 0x80 || text.utf8.elementsEqual(self) ? text : nil
    }

    /// Whether these are the bytes of a text.
    @inline(__always)
    func holds(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        let other = UnsafeRawPointer(text.utf8Start)
        var place = 0
        // Eight bytes at once: each request's header is looked at.
        while count - place >= 8 {
            let word = loadUnaligned(fromByteOffset: place, as: UInt64.self)
            guard word == other.loadUnaligned(fromByteOffset: place, as: UInt64.self) else {
                return false
            }
            place += 8
        }
        while place < count, self[place] == text.utf8Start[place] { place += 1 }
        return place == count
    }
}

extension String {
    /// Lends the text's UTF-8, without a copy of the text: `withUTF8` changes the text it is called on,
    /// so whoever only reads would have to copy it first, which counts a reference twice.
    @inlinable @inline(__always)
    package func withLetters<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let result = utf8.withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) }
        if let result { return result }
        var copy = self
        return copy.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }

    /// Whether there is a NUL in it.
    package var hasNUL: Bool { withLetters { $0.hasNUL } }
}

extension UnsafeRawBufferPointer {
    /// Whether both hold the same bytes; eight are compared at a time, and the last ones may be compared twice.
    package func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        if count < 4 {
            for place in 0..<count where self[place] != other[place] { return false }
            return true
        }
        if count < 8 {
            return hasSame(UInt32.self, as: other, at: 0)
                && hasSame(UInt32.self, as: other, at: count - 4)
        }
        var place = 0
        while place + 8 < count {
            if !hasSame(UInt64.self, as: other, at: place) { return false }
            place += 8
        }
        return hasSame(UInt64.self, as: other, at: count - 8)
    }

    @inline(__always)
    private func hasSame<Part: FixedWidthInteger>(
        _: Part.Type, as other: UnsafeRawBufferPointer, at place: Int
    ) -> Bool {
        loadUnaligned(fromByteOffset: place, as: Part.self)
            == other.loadUnaligned(fromByteOffset: place, as: Part.self)
    }

    /// Whether one of the bytes is 0.
    package var hasNUL: Bool {
        // Eight at a time: only of a byte that is 0 or large does taking 1 away set the highest bit, and the
        // large ones have it set before.
        let (ones, highest): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        var place = 0
        while place + 8 <= count {
            let eight = loadUnaligned(fromByteOffset: place, as: UInt64.self)
            if (eight &- ones) & ~eight & highest != 0 { return true }
            place += 8
        }
        return self[place...].contains(0)
    }
}

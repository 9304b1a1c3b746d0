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
}

extension UnsafeRawBufferPointer {
    /// Whether both hold the same bytes; eight are compared at a time.
    package func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        if count < 8 { return elementsEqual(other) }
        var place = 0
        while place + 8 < count {
            if !hasSameEight(as: other, at: place) { return false }
            place += 8
        }
        return hasSameEight(as: other, at: count - 8)
    }

    @inline(__always)
    private func hasSameEight(as other: UnsafeRawBufferPointer, at place: Int) -> Bool {
        loadUnaligned(fromByteOffset: place, as: UInt64.self)
            == other.loadUnaligned(fromByteOffset: place, as: UInt64.self)
    }
}

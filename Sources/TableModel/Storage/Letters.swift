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

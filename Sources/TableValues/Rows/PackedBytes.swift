// Packed numbers and texts, as rows hold them in memory. The bytes never leave the process that
// wrote them, so reading checks nothing.

/// Writes into memory that has room for everything.
struct PackedWriter {
    private(set) var place: UnsafeMutableRawPointer

    init(_ place: UnsafeMutableRawPointer) { self.place = place }

    /// Seven bits in each byte, the lowest first.
    mutating func put(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            place.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, as: UInt8.self)
            place += 1
            rest >>= 7
        }
        place.storeBytes(of: UInt8(truncatingIfNeeded: rest), as: UInt8.self)
        place += 1
    }

    mutating func put(_ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.baseAddress else { return }
        place.copyMemory(from: first, byteCount: bytes.count)
        place += bytes.count
    }

    /// Its size, then its bytes.
    mutating func put(_ text: String) { text.withLetters { put(text: $0) } }

    /// Packs an id.
    mutating func put(_ id: ID) { id.withLetters { put(text: $0) } }

    /// Packs or measures the bytes of a text.
    mutating func put(text letters: UnsafeRawBufferPointer) {
        put(UInt64(letters.count))
        put(letters)
    }

    /// Bytes that a number takes.
    static func size(_ number: UInt64) -> Int { (63 - (number | 1).leadingZeroBitCount) / 7 + 1 }

    /// Bytes that a text takes.
    static func size(_ text: String) -> Int {
        let count = text.utf8.count
        return size(UInt64(count)) + count
    }

    /// Bytes that an id takes.
    static func size(_ id: ID) -> Int {
        let count = id.byteCount
        return size(UInt64(count)) + count
    }

    /// Packs or measures the bytes of a text.
    static func size(_ letters: UnsafeRawBufferPointer) -> Int {
        size(UInt64(letters.count)) + letters.count
    }
}

/// Reads what a `PackedWriter` wrote.
@usableFromInline struct PackedReader {
    @usableFromInline private(set) var place: UnsafeRawPointer

    @inlinable init(_ place: UnsafeRawPointer) { self.place = place }

    @inlinable mutating func number() -> UInt64 {
        var byte = place.load(as: UInt8.self)
        place += 1
        if byte < 0x80 { return UInt64(byte) }
        var number = UInt64(byte & 0x7f)
        var shift: UInt64 = 7
        repeat {
            byte = place.load(as: UInt8.self)
            place += 1
            number |= UInt64(byte & 0x7f) &<< shift
            shift &+= 7
        } while byte >= 0x80
        return number
    }

    @inlinable mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer {
        defer { place += count }
        return UnsafeRawBufferPointer(start: place, count: count)
    }

    @inlinable mutating func text() -> UnsafeRawBufferPointer {
        let count = number()
        return bytes(Int(count))
    }
}

extension String {
    /// From bytes of a string, hence valid UTF-8.
    package init(packed bytes: UnsafeRawBufferPointer) { self.init(decoding: bytes, as: UTF8.self) }
}

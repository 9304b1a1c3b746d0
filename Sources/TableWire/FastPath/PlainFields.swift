internal import TableModel

/// Reads the fields of a binary message in the order of the calls. Each must be written as every
/// protobuf library writes it. If the message has anything else, the caller does not reach its end
/// and leaves it to the schema's reader. Nothing is refused here.
struct PlainFields {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0
    /// A field was there, but not with the expected content.
    private var isOdd = false

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Whether the whole message was as expected.
    var isAtEnd: Bool { offset == bytes.count && !isOdd }

    /// The text, bytes or message in this field, if it comes next.
    @inline(__always)
    mutating func content(_ field: UInt64) -> UnsafeRawBufferPointer? {
        let start = offset
        if passes(field << 3 | 2), let size = varint(), size <= UInt64(bytes.count - offset) {
            defer { offset &+= Int(size) }
            return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset &+ Int(size)])
        }
        offset = start
        return nil
    }

    /// The number in this field, if it comes next.
    @inline(__always)
    mutating func number(_ field: UInt64) -> UInt64? {
        let start = offset
        if passes(field << 3), let value = varint() { return value }
        offset = start
        return nil
    }

    /// The flag in this field, if it comes next; false if not. Nil: it is no flag.
    @inline(__always)
    mutating func flag(_ field: UInt64) -> Bool? {
        guard let value = number(field) else { return false }
        return value < 2 ? value == 1 : nil
    }

    /// The `fixed64` in this field, if it comes next.
    mutating func fixed(_ field: UInt64) -> UInt64? {
        let start = offset
        if passes(field << 3 | 1), bytes.count - offset >= 8 {
            defer { offset += 8 }
            return UInt64(
                littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        offset = start
        return nil
    }

    /// The text in this field, if it comes next.
    @inline(__always)
    mutating func text(_ field: UInt64) -> String? {
        guard let content = content(field) else { return nil }
        guard let text = content.text else {
            isOdd = true
            return nil
        }
        return text
    }

    /// The id in this field, if it comes next: any non-empty text.
    @inline(__always)
    mutating func id(_ field: UInt64) -> ID? {
        guard let content = content(field) else { return nil }
        guard content.count > 0, content.isUTF8 else {
            isOdd = true
            return nil
        }
        return ID(utf8: content)
    }

    /// Whether the next field has this tag, of at most two bytes. If so, skips the tag.
    @inline(__always)
    private mutating func passes(_ tag: UInt64) -> Bool {
        if tag < 0x80 {
            guard offset < bytes.count, bytes[offset] == UInt8(truncatingIfNeeded: tag) else {
                return false
            }
            offset &+= 1
            return true
        }
        guard bytes.count - offset >= 2, bytes[offset] == UInt8(truncatingIfNeeded: tag) | 0x80,
            bytes[offset + 1] == UInt8(truncatingIfNeeded: tag >> 7)
        else { return false }
        offset &+= 2
        return true
    }

    /// Nil if it ends too early or has more than 63 bits. Nearly all are one byte.
    @inline(__always)
    private mutating func varint() -> UInt64? {
        if offset < bytes.count, bytes[offset] < 0x80 {
            defer { offset &+= 1 }
            return UInt64(bytes[offset])
        }
        return longVarint()
    }

    @inline(never)
    private mutating func longVarint() -> UInt64? {
        // Nearly all of these are two bytes: the length of a text or of a row.
        if bytes.count &- offset >= 2, bytes[offset &+ 1] < 0x80 {
            let value = UInt64(bytes[offset] & 0x7f) | UInt64(bytes[offset &+ 1]) << 7
            offset &+= 2
            return value
        }
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while offset < bytes.count, shift < 63 {
            let byte = bytes[offset]
            offset += 1
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }
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

    /// These bytes in an array.
    var copied: [UInt8] { Array(self) }

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

/// Writes protobuf by hand: the load generator must cost less than what it loads.
struct Writer {
    var bytes: [UInt8] = []

    mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func number(_ field: UInt64, _ value: UInt64) {
        varint(field << 3)
        varint(value)
    }

    mutating func content(_ field: UInt64, _ content: [UInt8]) {
        varint(field << 3 | 2)
        varint(UInt64(content.count))
        bytes.append(contentsOf: content)
    }

    mutating func text(_ field: UInt64, _ text: String) {
        content(field, Array(text.utf8))
    }

    mutating func message(_ field: UInt64, _ fill: (inout Writer) -> Void) {
        var inner = Writer()
        fill(&inner)
        content(field, inner.bytes)
    }
}

/// Walks the fields of one protobuf message, without going into those inside.
struct Fields: Sequence, IteratorProtocol {
    struct Field {
        var number: UInt64
        /// The value of a number field; 0 of others.
        var value: UInt64
        /// The content of text, bytes and messages.
        var content: UnsafeRawBufferPointer
    }

    // Bounds are checked here, once for each field, and not at each byte.
    private let start: UnsafeRawPointer?
    private let count: Int
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { (start, count) = (bytes.baseAddress, bytes.count) }

    mutating func next() -> Field? {
        guard offset < count, let key = varint() else { return nil }
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        switch key & 7 {
        case 0:
            guard let value = varint() else { return nil }
            return Field(number: key >> 3, value: value, content: nothing)
        case 1:
            offset += 8
            return Field(number: key >> 3, value: 0, content: nothing)
        case 2: return sized().map { Field(number: key >> 3, value: 0, content: $0) }
        default: return nil
        }
    }

    /// Messages one after another, each behind its length.
    static func lengthDelimited(_ bytes: UnsafeRawBufferPointer) -> LengthDelimited {
        LengthDelimited(fields: Fields(bytes))
    }

    struct LengthDelimited: Sequence, IteratorProtocol {
        fileprivate var fields: Fields

        mutating func next() -> UnsafeRawBufferPointer? { fields.sized() }
    }

    fileprivate mutating func sized() -> UnsafeRawBufferPointer? {
        guard let size = varint(), size <= UInt64(count - offset) else { return nil }
        defer { offset += Int(size) }
        return UnsafeRawBufferPointer(start: start?.advanced(by: offset), count: Int(size))
    }

    private mutating func varint() -> UInt64? {
        guard let start else { return nil }
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while offset < count, shift < 64 {
            let byte = start.load(fromByteOffset: offset, as: UInt8.self)
            offset += 1
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }
}

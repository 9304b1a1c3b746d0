// Protocol buffers as etcd's messages need them: numbers, bytes, and messages inside of messages.

/// Writes the fields of a message. What is 0 or empty is left out, which means the same.
struct ProtoWriter {
    private(set) var bytes: [UInt8] = []

    mutating func number(_ field: Int, _ value: Int64) {
        guard value != 0 else { return }
        varint(UInt64(field << 3))
        varint(UInt64(bitPattern: value))
    }

    mutating func bytes(_ field: Int, _ value: [UInt8]) {
        guard !value.isEmpty else { return }
        always(field, value)
    }

    /// Also when it is empty: that it is there says something.
    mutating func always(_ field: Int, _ value: [UInt8]) {
        varint(UInt64(field << 3 | 2))
        varint(UInt64(value.count))
        bytes += value
    }

    mutating func message(_ field: Int, _ body: (inout ProtoWriter) -> Void) {
        var inner = ProtoWriter()
        body(&inner)
        always(field, inner.bytes)
    }

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}

/// Reads the fields of a message, whatever they are.
struct ProtoReader {
    enum Value {
        case number(UInt64)
        case bytes(ArraySlice<UInt8>)
    }

    /// These bytes are no message.
    struct Malformed: Error {}

    private let bytes: ArraySlice<UInt8>
    private var place: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        place = bytes.startIndex
    }

    /// The next field; nil at the end.
    mutating func next() throws(Malformed) -> (field: Int, value: Value)? {
        guard place < bytes.endIndex else { return nil }
        let tag = try varint()
        guard tag >> 3 > 0, tag >> 3 < 1 << 29 else { throw Malformed() }
        let field = Int(tag >> 3)
        switch tag & 7 {
        case 0: return (field, .number(try varint()))
        case 1: return (field, .bytes(try take(8)))
        case 2: return (field, .bytes(try take(try varint())))
        case 5: return (field, .bytes(try take(4)))
        default: throw Malformed()
        }
    }

    private mutating func varint() throws(Malformed) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 7) {
            guard place < bytes.endIndex else { throw Malformed() }
            let byte = bytes[place]
            place += 1
            value |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte < 0x80 { return value }
        }
        throw Malformed()
    }

    private mutating func take(_ count: UInt64) throws(Malformed) -> ArraySlice<UInt8> {
        guard count <= UInt64(bytes.endIndex - place) else { throw Malformed() }
        place += Int(count)
        return bytes[(place - Int(count))..<place]
    }
}

extension ProtoReader.Value {
    var int: Int64 {
        if case .number(let number) = self { return Int64(bitPattern: number) }
        return 0
    }

    var slice: ArraySlice<UInt8> {
        if case .bytes(let bytes) = self { return bytes }
        return []
    }
}

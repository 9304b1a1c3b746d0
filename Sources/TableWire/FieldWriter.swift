/// Writes protobuf fields by hand: where a message is put together around bytes that are encoded
/// already, so that a diff is encoded once.
struct FieldWriter {
    private(set) var bytes: [UInt8]

    init(capacity: Int) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Goes on after a message's other fields.
    init(_ message: [UInt8], adding count: Int) {
        self.init(capacity: message.count + count + 16)
        bytes.append(contentsOf: message)
    }

    /// A `uint64`.
    mutating func write(_ field: UInt64, _ value: UInt64) {
        varint(field << 3)
        varint(value)
    }

    /// A `fixed64`.
    mutating func write(_ field: UInt64, fixed value: UInt64) {
        varint(field << 3 | 1)
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Text, bytes or a message.
    mutating func write(_ field: UInt64, _ content: [UInt8]) {
        varint(field << 3 | 2)
        varint(UInt64(content.count))
        bytes.append(contentsOf: content)
    }

    /// Text.
    mutating func write(_ field: UInt64, _ text: String) {
        varint(field << 3 | 2)
        varint(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    /// A message, written where it is to stand.
    mutating func write(_ field: UInt64, message: (inout FieldWriter) -> Void) {
        varint(field << 3 | 2)
        let place = bytes.count
        // Its size: one byte, as a rule.
        bytes.append(0)
        message(&self)
        let size = bytes.count - place - 1
        if size < 0x80 {
            bytes[place] = UInt8(size)
        } else {
            var head = FieldWriter(capacity: 10)
            head.varint(UInt64(size))
            bytes.replaceSubrange(place...place, with: head.bytes)
        }
    }

    /// Text of 16 lower-case hexadecimal digits for each word.
    mutating func write(_ field: UInt64, hex words: [UInt64]) {
        varint(field << 3 | 2)
        varint(UInt64(16 * words.count))
        for word in words {
            withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { digits in
                for place in 0..<16 {
                    let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * place)) & 15
                    digits[place] = digit < 10 ? 48 + digit : 87 + digit
                }
                bytes.append(contentsOf: digits)
            }
        }
    }

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}

internal import TableModel

/// Writes protobuf fields by hand, around bytes that are encoded already. So a diff is encoded only
/// once.
///
/// It has memory of its own, so a field need not ask an array for room.
struct FieldWriter: ~Copyable {
    private var start: UnsafeMutableRawPointer
    private var capacity: Int
    /// Whether the memory is borrowed.
    private(set) var isLent = false
    /// How many bytes are written.
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = max(capacity, 16)
        start = Self.room(self.capacity)
    }

    /// Continues after the other fields of a message.
    init(_ message: [UInt8], adding count: Int) {
        self.init(capacity: message.count + count + 16)
        write(encoded: message)
    }

    /// Writes into memory that is lent, and goes on elsewhere when that is full.
    init(in scratch: UnsafeMutableRawBufferPointer) {
        guard let start = scratch.baseAddress else { preconditionFailure("nothing was lent") }
        self.start = start
        capacity = scratch.count
        isLent = true
    }

    deinit {
        if !isLent { start.deallocate() }
    }

    /// The bytes that `body` writes. They are on the stack while they are few, as in a command's
    /// messages.
    static func bytes(_ body: (inout FieldWriter) -> Void) -> [UInt8] {
        lend(within: 0, body) { Array($0) }
    }

    /// Bytes that are written where they stay. Beyond `room` bytes they are copied, as those above are.
    static func bytes(within room: Int, _ body: (inout FieldWriter) -> Void) -> [UInt8] {
        // An array to be written to costs more than to copy so few.
        if room <= mostOnStack { return bytes(body) }
        var moved: [UInt8]?
        let bytes = [UInt8](unsafeUninitializedCapacity: max(room, 16)) { array, count in
            var writer = FieldWriter(in: UnsafeMutableRawBufferPointer(array))
            body(&writer)
            if writer.isLent { count = writer.count } else { moved = writer.bytes }
        }
        return moved ?? bytes
    }

    /// Lends the bytes that `write` writes, about `room` of them: nobody keeps them, so that no array is made.
    static func lend<Result>(
        within room: Int, _ write: (inout FieldWriter) -> Void,
        to body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        if room > mostOnStack {
            var writer = FieldWriter(capacity: room)
            write(&writer)
            return try body(writer.written)
        }
        return try withUnsafeTemporaryAllocation(byteCount: mostOnStack, alignment: 8) { scratch in
            var writer = FieldWriter(in: scratch)
            write(&writer)
            return try body(writer.written)
        }
    }

    private static let mostOnStack = 1_024

    /// Words, since memory without a type may be asked for as aligned, which takes twice as long for each row and
    /// message.
    private static func room(_ bytes: Int) -> UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(UnsafeMutablePointer<UInt64>.allocate(capacity: bytes / 8 + 1))
    }

    /// The bytes written so far.
    var bytes: [UInt8] { Array(written) }

    /// The bytes in place, until more is written.
    var written: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    /// Some of them; the same.
    func written(_ place: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: written[place])
    }

    /// Makes room for this many more bytes. All are sizes of memory that is there: no sum is too large, and
    /// nothing asks whether one is.
    @inline(__always)
    mutating func reserve(_ more: Int) {
        if count &+ more > capacity { grow(more) }
    }

    @inline(never)
    private mutating func grow(_ more: Int) {
        capacity = max(2 * capacity, count + more)
        let room = Self.room(capacity)
        room.copyMemory(from: start, byteCount: count)
        if !isLent { start.deallocate() }
        isLent = false
        start = room
    }

    @inline(__always)
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        reserve(bytes.count)
        if let first = bytes.baseAddress {
            (start + count).copyMemory(from: first, byteCount: bytes.count)
        }
        count &+= bytes.count
    }

    /// Writes bytes between two equal ones. Short ones are two words, without a call.
    @inline(__always)
    mutating func append(
        _ bytes: UnsafeRawBufferPointer, between mark: UInt8, then behind: UInt8? = nil
    ) {
        let size = bytes.count
        reserve(size + 3)
        put(mark)
        if size >= 8, size <= 16 {
            // The last eight bytes may be among the first too.
            let last = bytes.loadUnaligned(fromByteOffset: size - 8, as: UInt64.self)
            (start + count).storeBytes(of: bytes.loadUnaligned(as: UInt64.self), as: UInt64.self)
            (start + count + size - 8).storeBytes(of: last, as: UInt64.self)
        } else if let first = bytes.baseAddress {
            (start + count).copyMemory(from: first, byteCount: size)
        }
        count &+= size
        put(mark)
        if let behind { put(behind) }
    }

    /// A `uint64`.
    @inline(__always)
    mutating func write(_ field: UInt64, _ value: UInt64) {
        reserve(2 * Self.mostVarint)
        put(varint: field << 3)
        put(varint: value)
    }

    /// A `fixed64`.
    mutating func write(_ field: UInt64, fixed value: UInt64) {
        reserve(Self.mostVarint + 8)
        put(varint: field << 3 | 1)
        (start + count).storeBytes(of: value.littleEndian, as: UInt64.self)
        count += 8
    }

    /// Text, bytes or a message.
    mutating func write(_ field: UInt64, _ content: [UInt8]) {
        writeHead(field, count: content.count)
        write(encoded: content)
    }

    /// Writes bytes anywhere, as text that is given as UTF-8.
    @inline(__always)
    mutating func write(_ field: UInt64, _ content: UnsafeRawBufferPointer) {
        writeHead(field, count: content.count)
        append(content)
    }

    /// The tag and the size of text, bytes or a message.
    @inline(__always)
    mutating func writeHead(_ field: UInt64, count: Int) {
        reserve(2 * Self.mostVarint)
        put(varint: field << 3 | 2)
        put(varint: UInt64(count))
    }

    /// An id.
    @inline(__always)
    mutating func write(_ field: UInt64, _ id: ID) {
        guard let letters = id.shortLetters else { return write(field, long: id) }
        reserve(Self.mostVarint + 17)
        put(varint: field << 3 | 2)
        put(UInt8(truncatingIfNeeded: letters.count))
        // Both words, however few bytes count: what comes next is written over the others.
        (start + count).storeBytes(of: letters.low.littleEndian, as: UInt64.self)
        (start + count + 8).storeBytes(of: letters.high.littleEndian, as: UInt64.self)
        count += letters.count
    }

    @inline(never)
    private mutating func write(_ field: UInt64, long id: ID) {
        id.withLetters { letters in
            writeHead(field, count: letters.count)
            append(letters)
        }
    }

    /// A message, written in place. It is moved if its size takes another number of bytes than
    /// `about`; by default one byte.
    @inline(__always)
    mutating func write(
        _ field: UInt64, about expected: Int = 0, message: (inout FieldWriter) -> Void
    ) {
        let opened = open(field, about: expected)
        message(&self)
        close(opened)
    }

    /// A message that was begun: its size goes in front when it is known.
    struct Opened {
        /// Where its size is to stand.
        fileprivate var place = 0
        /// Bytes that are free for the size.
        fileprivate var room = 0
    }

    /// Begins a message. What is written until it is closed is in it.
    @inline(__always)
    mutating func open(_ field: UInt64, about expected: Int = 0) -> Opened {
        let room = Self.width(ofSize: expected)
        reserve(Self.mostVarint + room)
        put(varint: field << 3 | 2)
        let opened = Opened(place: count, room: room)
        count += room
        return opened
    }

    /// Ends a message, and says how many bytes its content has. The messages in it have to be closed before.
    @inline(__always) @discardableResult
    mutating func close(_ message: Opened) -> Int {
        let start = message.place + message.room
        let size = count - start
        let width = Self.width(ofSize: size)
        if width != message.room { move(from: start, to: message.place + width, byteCount: size) }
        count = message.place
        put(varint: UInt64(size))
        count += size
        return size
    }

    /// Bytes that a size takes as a varint: up to ten.
    @inline(__always)
    private static func width(ofSize size: Int) -> Int {
        size < 0x80 ? 1 : (size.bitWidth - size.leadingZeroBitCount + 6) / 7
    }

    @inline(never)
    private mutating func move(from place: Int, to newPlace: Int, byteCount: Int) {
        reserve(max(0, newPlace - place))
        (start + newPlace).copyMemory(from: start + place, byteCount: byteCount)
    }

    /// Takes back what was written from this place on.
    mutating func removeAll(from place: Int) { count = min(count, place) }

    /// Fields that are already encoded.
    @inline(__always)
    mutating func write(encoded fields: [UInt8]) {
        fields.withUnsafeBytes { append($0) }
    }

    /// Text of 32 lower-case hexadecimal digits.
    mutating func write(_ field: UInt64, hex id: ID128) {
        writeHead(field, count: 32)
        put(digitsOf: id)
    }

    /// The digits of an id that is written again and again.
    struct HexDigits {
        let id: ID128
        private let digits: SIMD4<UInt64>

        init(_ id: ID128) {
            self.id = id
            digits = FieldWriter.digits(of: id.high, id.low)
        }

        /// Writes them as text.
        @inline(__always)
        func write(_ field: UInt64, to writer: inout FieldWriter) {
            writer.writeHead(field, count: 32)
            put(to: &writer)
        }

        @inline(__always)
        func put(to writer: inout FieldWriter) {
            writer.reserve(32)
            (writer.start + writer.count).storeBytes(of: digits, as: SIMD4<UInt64>.self)
            writer.count &+= 32
        }
    }

    /// 32 lower-case hexadecimal digits.
    mutating func put(digitsOf id: ID128) {
        reserve(32)
        (start + count).storeBytes(of: Self.digits(of: id.high, id.low), as: SIMD4<UInt64>.self)
        count += 32
    }

    /// 16 lower-case hexadecimal digits.
    mutating func put(digitsOf word: UInt64) {
        reserve(16)
        count += 16
        put(digitsOf: word, at: count - 16)
    }

    /// 16 digits in place of others that are written.
    mutating func put(digitsOf word: UInt64, at place: Int) {
        (start + place).storeBytes(of: Self.digits(of: word, 0).lowHalf, as: SIMD2<UInt64>.self)
    }

    /// The digits of two words, each a byte. All are computed at once.
    private static func digits(of first: UInt64, _ second: UInt64) -> SIMD4<UInt64> {
        let bytes = SIMD2(first.bigEndian, second.bigEndian)
        let half = SIMD2<UInt64>(repeating: 0x0f0f_0f0f_0f0f_0f0f)
        var digits = SIMD32<UInt8>()
        digits.evenHalf = unsafeBitCast(bytes &>> 4 & half, to: SIMD16<UInt8>.self)
        digits.oddHalf = unsafeBitCast(bytes & half, to: SIMD16<UInt8>.self)
        // Eight bytes as one number again: a comparison of bytes would be made one by one.
        let words = unsafeBitCast(digits, to: SIMD4<UInt64>.self)
        // Adding 6 carries a digit above 9 into the upper half of its byte.
        let carried = words &+ SIMD4(repeating: 0x0606_0606_0606_0606)
        let isLetter = carried &>> 4 & SIMD4(repeating: 0x0101_0101_0101_0101)
        // From ":" to "a" it is 39, as 32 + 8 - 1.
        let more = isLetter &<< 5 &+ isLetter &<< 3 &- isLetter
        return words &+ SIMD4(repeating: 0x3030_3030_3030_3030) &+ more
    }

    /// The first bytes of a word, as it lies in memory.
    @inline(__always)
    mutating func put(word: UInt64, count bytes: Int) {
        reserve(8)
        // The whole word, however few bytes count: what comes next is written over the others.
        (start + count).storeBytes(of: word.littleEndian, as: UInt64.self)
        count &+= bytes
    }

    /// Bytes that a number takes at most.
    private static let mostVarint = 10

    /// Needs room.
    @inline(__always)
    private mutating func put(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            put(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        put(UInt8(truncatingIfNeeded: rest))
    }

    @inline(__always)
    private mutating func put(_ byte: UInt8) {
        (start + count).storeBytes(of: byte, as: UInt8.self)
        count &+= 1
    }
}

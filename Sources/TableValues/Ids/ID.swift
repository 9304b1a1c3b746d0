/// The identity of a row, section, kind or table: valid UTF-8, compared byte by byte.
///
/// Swift's `String` calls "é" and "e\u{301}" equal although their bytes differ. Two rows must never
/// become one because of that, so an id compares and hashes by its bytes.
///
/// Most ids are short: up to 15 bytes lie in the value itself, and a copy counts no reference. The bytes
/// of a longer one are an object, which its copies share (docs/decisions/0041).
public struct ID: Hashable, @unchecked Sendable {
    // Immutable, as is the object that it may hold: nobody writes once `LongID.make` has returned.

    /// The first eight bytes, and zeros behind them if there are fewer; of a longer id a hash.
    @usableFromInline let low: UInt64
    /// The other bytes and zeros, then their number; of a longer id its number of bytes below a mark.
    @usableFromInline let high: UInt64
    /// The bytes of a longer id; nil: there is none, all are in the value.
    @usableFromInline let long: LongID?

    /// Takes any text. `Limits` says which ids a command may bring.
    public init(_ text: String) { self = text.withLetters { ID(utf8: $0) } }

    /// The id with these bytes, which must be valid UTF-8.
    @inlinable
    package init(utf8 bytes: UnsafeRawBufferPointer) {
        guard let short = Self.short(bytes) else {
            self.init(long: bytes)
            return
        }
        self.init(low: short.low, high: short.high, long: nil)
    }

    @usableFromInline
    init(low: UInt64, high: UInt64, long: LongID?) {
        self.low = low
        self.high = high
        self.long = long
    }

    @usableFromInline @inline(never)
    init(long bytes: UnsafeRawBufferPointer) {
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        self.init(
            low: UInt64(truncatingIfNeeded: hasher.finalize()),
            high: UInt64(bytes.count) | Self.longMark, long: LongID.make(bytes))
    }

    /// No short id has so large a number of bytes.
    @inlinable static var longMark: UInt64 { 0xff << 56 }
    /// Bytes that fit into the value.
    @inlinable static var mostShort: Int { 15 }

    /// Up to 15 bytes as the value holds them. As few loads as there can be: every request brings ids.
    @inlinable @inline(__always)
    static func short(_ bytes: UnsafeRawBufferPointer) -> (low: UInt64, high: UInt64)? {
        let count = bytes.count
        if count > mostShort { return nil }
        let size = UInt64(count) << 56
        if count >= 8 {
            // The last eight bytes; those that are among the first too are shifted out.
            let last = bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self).littleEndian
            let low = bytes.loadUnaligned(as: UInt64.self).littleEndian
            return (low, last >> UInt64(8 * (16 - count)) | size)
        }
        if count >= 4 {
            let last = bytes.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self).littleEndian
            let first = bytes.loadUnaligned(as: UInt32.self).littleEndian
            return (UInt64(first) | UInt64(last) << UInt64(8 * (count - 4)), size)
        }
        var low: UInt64 = 0
        for place in 0..<count { low |= UInt64(bytes[place]) << UInt64(8 * place) }
        return (low, size)
    }

    /// Lends the id's bytes.
    @inlinable @inline(__always)
    package func withLetters<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if let long { return long.withLetters(body) }
        return withUnsafeBytes(of: (low.littleEndian, high.littleEndian)) {
            body(UnsafeRawBufferPointer(rebasing: $0[..<Int(high >> 56)]))
        }
    }

    /// The value's two words, whose first bytes are the id's, and how many are; nil: they are elsewhere.
    @inlinable @inline(__always)
    package var shortLetters: (low: UInt64, high: UInt64, count: Int)? {
        long == nil ? (low, high, Int(high >> 56)) : nil
    }

    /// The id as text, made on request. Do not compare it: compare the ids.
    public var text: String { withLetters { String(decoding: $0, as: UTF8.self) } }

    /// Bytes of the id in UTF-8.
    public var byteCount: Int { long == nil ? Int(high >> 56) : Int(high & ~Self.longMark) }

    /// By bytes.
    @inlinable
    public static func == (a: ID, b: ID) -> Bool {
        a.low == b.low && a.high == b.high && (a.long == nil || a.hasSameLongBytes(as: b))
    }

    /// Whether both are the same and their bytes are in the value.
    @inlinable @inline(__always)
    package func isShort(as other: borrowing ID) -> Bool {
        // A longer one has another number of bytes, in the upper byte.
        low == other.low && high == other.high && high < Self.longMark
    }

    @usableFromInline @inline(never)
    func hasSameLongBytes(as other: ID) -> Bool {
        long === other.long || withLetters { one in other.withLetters { one.hasSameBytes(as: $0) } }
    }

    /// Whether its bytes are in the value.
    @inlinable @inline(__always)
    package var isInValue: Bool { high < Self.longMark }

    /// A hash with a seed that nobody outside knows: two products, as in wyhash. After one, some bits
    /// say little of ids that differ in few bytes.
    @inlinable @inline(__always)
    package var key: UInt64 {
        let seeds = Self.seeds
        let once = Self.folded(low ^ seeds.low, high ^ seeds.high)
        return Self.folded(once ^ seeds.high, 0x9E37_79B9_7F4A_7C15)
    }

    /// Both halves of a product.
    @inlinable @inline(__always)
    static func folded(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        return product.high ^ product.low
    }

    @usableFromInline static let seeds = (low: seed(1), high: seed(2))

    private static func seed(_ number: Int) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(number)
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }

    /// As `==`.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }

    /// For dictionaries and sets, each of which has a seed. The key is well hashed already.
    public func _rawHashValue(seed: Int) -> Int {
        Int(
            truncatingIfNeeded: Self.folded(
                key ^ UInt64(truncatingIfNeeded: seed), 0x9E37_79B9_7F4A_7C15))
    }
}

/// The bytes of an id that do not fit into its value. Never changed once made.
@usableFromInline
final class LongID: ManagedBuffer<Int, UInt8> {
    static func make(_ bytes: UnsafeRawBufferPointer) -> LongID {
        let buffer = LongID.create(minimumCapacity: bytes.count) { _ in bytes.count }
        buffer.withUnsafeMutablePointerToElements { place in
            UnsafeMutableRawBufferPointer(start: place, count: bytes.count).copyMemory(from: bytes)
        }
        return unsafeDowncast(buffer, to: LongID.self)
    }

    @usableFromInline
    func withLetters<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeMutablePointers { count, bytes in
            body(UnsafeRawBufferPointer(start: bytes, count: count.pointee))
        }
    }
}

extension ID: Comparable, CustomStringConvertible {
    /// By bytes, which is also the order of the code points.
    public static func < (a: ID, b: ID) -> Bool {
        a.withLetters { one in b.withLetters { one.lexicographicallyPrecedes($0) } }
    }

    /// Its text.
    public var description: String { text }
}

extension ID: ExpressibleByStringLiteral {
    /// Takes the literal as it is.
    public init(stringLiteral value: String) { self.init(value) }
}

extension String {
    /// Whether the UTF-8 is the same. `==` is true also for different bytes that mean the same
    /// text.
    @inline(__always)
    package func hasSameBytes(as other: String) -> Bool {
        // Equal bits mean equal text: the 16 bytes hold a short string, or point to a long one.
        let bits = unsafeBitCast(self, to: SIMD2<UInt64>.self)
        return bits == unsafeBitCast(other, to: SIMD2<UInt64>.self) || hasSameLetters(as: other)
    }

    @inline(never)
    private func hasSameLetters(as other: String) -> Bool {
        withLetters { one in other.withLetters { one.hasSameBytes(as: $0) } }
    }
}

/// The identity of a row within its table.
public typealias RowID = ID
/// The identity of a section within its table.
public typealias SectionID = ID
/// The identity of a row kind within its table.
public typealias KindID = ID
/// The name of a table within its daemon.
public typealias TableID = ID

extension ID {
    /// The section of a row that is added without a section.
    public static let mainSection: SectionID = "main"
    /// Every table has this kind. It is the kind of a row that names none.
    public static let plainKind: KindID = "row"
}

/// 128 bits that name a history or an epoch; written as 32 lower-case hexadecimal digits.
public struct ID128: Hashable, Sendable, CustomStringConvertible {
    /// The upper and the lower half.
    public let high: UInt64, low: UInt64

    /// The halves come from outside: this module has no randomness.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// From 32 lower-case hexadecimal digits; nil for anything else.
    public init?(_ text: String) {
        let id = text.withLetters { ID128(lowerHex: $0) }
        guard let id else { return nil }
        self = id
    }

    /// From exactly 32 lower-case hexadecimal digits; nil for anything else.
    public init?(lowerHex digits: UnsafeRawBufferPointer) {
        guard digits.count == 32,
            let high = UInt64(lowerHex: UnsafeRawBufferPointer(rebasing: digits[..<16])),
            let low = UInt64(lowerHex: UnsafeRawBufferPointer(rebasing: digits[16...]))
        else { return nil }
        self.init(high: high, low: low)
    }

    /// 32 lower-case hexadecimal digits.
    public var description: String { high.lowerHex + low.lowerHex }
}

extension UInt64 {
    /// 16 lower-case hexadecimal digits.
    public var lowerHex: String {
        String(unsafeUninitializedCapacity: 16) { buffer in
            for place in 0..<16 {
                let digit = UInt8(truncatingIfNeeded: self >> UInt64(60 - 4 * place)) & 15
                buffer[place] = digit < 10 ? 48 + digit : 87 + digit
            }
            return 16
        }
    }

    /// From exactly 16 lower-case hexadecimal digits; nil for anything else.
    public init?(lowerHex digits: UnsafeRawBufferPointer) {
        guard digits.count == 16,
            let high = Self.values(of: digits.loadUnaligned(as: UInt64.self).bigEndian),
            let low = Self.values(
                of: digits.loadUnaligned(fromByteOffset: 8, as: UInt64.self).bigEndian)
        else { return nil }
        self = high << 32 | low
    }

    /// The number that eight digits say, the first in the most significant byte; nil: one is no digit. All are
    /// computed at once.
    private static func values(of digits: UInt64) -> UInt64? {
        let each: UInt64 = 0x0101_0101_0101_0101
        let isLetter = digits >> 6 & each
        // Letters are 0x61 to 0x66, digits 0x30 to 0x39.
        guard digits & (0xf0 * each) == 0x30 * each + isLetter * 0x30 else { return nil }
        var values = digits & (0x0f * each) + isLetter * 9
        // A value of ten or more carries where six are added: exactly the letters.
        guard values & (0xf0 * each) == 0, (values + 6 * each) >> 4 & each == isLetter
        else { return nil }
        values = (values | values >> 4) & 0x00ff_00ff_00ff_00ff
        values = (values | values >> 8) & 0x0000_ffff_0000_ffff
        return (values | values >> 16) & 0xffff_ffff
    }
}

extension ID {
    /// 1…`idBytes` bytes and no control characters, so that an id fits into a line of text.
    public func check(limits: Limits, field: String) throws(Rejection) {
        try check(atMost: limits.idBytes, field: field)
    }

    /// 1…`most` bytes and no control characters.
    public func check(atMost most: Int, field: String) throws(Rejection) {
        try bound("id bytes", byteCount, by: most, field: field)
        // Those above 127 too: for some terminals U+009B starts a control sequence.
        guard byteCount > 0,
            text.unicodeScalars.allSatisfy({ $0.value >= 32 && !(127...159).contains($0.value) })
        else {
            throw Rejection(
                .badID, "An id is not empty and has no control characters.", field: field)
        }
    }

    /// A table's name is part of topics, which end in a slash, so it must have none.
    public func checkTableName(limits: Limits) throws(Rejection) {
        do throws(Rejection) {
            try check(limits: limits, field: "table")
        } catch {
            throw Rejection(
                error.code == .badID ? .badName : error.code, error.message, field: "table")
        }
        guard !text.utf8.contains(UInt8(ascii: "/")) else {
            throw Rejection(.badName, "A table's name has no slash.", field: "table")
        }
    }
}

/// The identity of a row, section, kind or table: valid UTF-8, compared byte by byte.
///
/// Swift's own `String` calls "é" and "e\u{301}" equal though their bytes differ; two rows must
/// never be one because of that, so an id compares and hashes by its bytes.
public struct ID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The id as text. Do not compare it: compare the ids.
    public let text: String
    /// Of the bytes, by Swift's seeded hash: made once, since every step of a command looks ids up.
    let key: UInt64

    /// Takes any text; `Limits` says which ids a command may bring.
    public init(_ text: String) {
        var text = text
        key = text.withUTF8 { bytes in
            var hasher = Hasher()
            hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
            return UInt64(truncatingIfNeeded: hasher.finalize())
        }
        self.text = text
    }

    /// Bytes of the id in UTF-8.
    public var byteCount: Int { text.utf8.count }

    /// By bytes.
    public static func == (a: ID, b: ID) -> Bool {
        a.key == b.key && a.text.hasSameBytes(as: b.text)
    }

    /// As `==`.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(key)
    }

    /// For dictionaries and sets, which have a seed each: the key is hashed well already.
    public func _rawHashValue(seed: Int) -> Int {
        let mixed = (key ^ UInt64(truncatingIfNeeded: seed))
            .multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return Int(truncatingIfNeeded: mixed.high ^ mixed.low)
    }

    /// The order of the bytes, which is the order of the code points.
    public static func < (a: ID, b: ID) -> Bool {
        a.text.utf8.lexicographicallyPrecedes(b.text.utf8)
    }

    /// Its text.
    public var description: String { text }
}

extension ID: ExpressibleByStringLiteral {
    /// The literal as it is.
    public init(stringLiteral value: String) {
        self.init(value)
    }
}

extension String {
    /// Whether the UTF-8 is the same: `==` says so also of texts that only look the same.
    func hasSameBytes(as other: String) -> Bool {
        // The same 16 bytes are the same text: short ones stand in them, longer ones are shared.
        let bits = unsafeBitCast(self, to: SIMD2<UInt64>.self)
        if bits == unsafeBitCast(other, to: SIMD2<UInt64>.self) { return true }
        var (a, b) = (self, other)
        return a.withUTF8 { a in b.withUTF8 { b in a.elementsEqual(b) } }
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
    /// The section of a row that was added without naming one.
    public static let mainSection: SectionID = "main"
    /// The kind that every table has, and that a row has when none is named.
    public static let plainKind: KindID = "row"
}

/// 128 bits that name a history or an epoch; written as 32 lower-case hexadecimal digits.
public struct ID128: Hashable, Sendable, CustomStringConvertible {
    /// The upper and the lower half.
    public let high: UInt64, low: UInt64

    /// From two halves that come from outside: this module has no randomness.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// From 32 lower-case hexadecimal digits; nil for anything else.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 32,
            let high = UInt64(lowerHex: bytes[0..<16]),
            let low = UInt64(lowerHex: bytes[16..<32])
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
    public init?(lowerHex digits: some Collection<UInt8>) {
        guard digits.count == 16 else { return nil }
        var value: UInt64 = 0
        for digit in digits {
            switch digit {
            case 48...57: value = value << 4 | UInt64(digit - 48)
            case 97...102: value = value << 4 | UInt64(digit - 87)
            default: return nil
            }
        }
        self = value
    }
}

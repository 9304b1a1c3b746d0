/// The identity of a row, section, kind or table: valid UTF-8, compared byte by byte.
///
/// Swift's `String` calls "é" and "e\u{301}" equal although their bytes differ. Two rows must never
/// become one because of that, so an id compares and hashes by its bytes.
public struct ID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The id as text. Do not compare it: compare the ids.
    public let text: String
    /// Hash of the bytes by Swift's seeded hasher. Made once, since every step of a command looks
    /// ids up.
    let key: UInt64

    /// Takes any text. `Limits` says which ids a command may bring.
    public init(_ text: String) {
        key = text.withLetters { bytes in
            var hasher = Hasher()
            hasher.combine(bytes: bytes)
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

    /// For dictionaries and sets, each of which has a seed. The key is well hashed already.
    public func _rawHashValue(seed: Int) -> Int {
        let mixed = (key ^ UInt64(truncatingIfNeeded: seed))
            .multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return Int(truncatingIfNeeded: mixed.high ^ mixed.low)
    }

    /// By bytes, which is also the order of the code points.
    public static func < (a: ID, b: ID) -> Bool {
        a.text.utf8.lexicographicallyPrecedes(b.text.utf8)
    }

    /// Its text.
    public var description: String { text }
}

extension ID: ExpressibleByStringLiteral {
    /// Takes the literal as it is.
    public init(stringLiteral value: String) {
        self.init(value)
    }
}

extension String {
    /// Whether the UTF-8 is the same. `==` is true also for different bytes that mean the same
    /// text.
    @inline(__always)
    func hasSameBytes(as other: String) -> Bool {
        // Equal bits mean equal text: the 16 bytes hold a short string, or point to a long one.
        let bits = unsafeBitCast(self, to: SIMD2<UInt64>.self)
        return bits == unsafeBitCast(other, to: SIMD2<UInt64>.self) || hasSameLetters(as: other)
    }

    @inline(never)
    private func hasSameLetters(as other: String) -> Bool {
        withLetters { one in other.withLetters { one.elementsEqual($0) } }
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

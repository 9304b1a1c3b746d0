/// The identity of a row, section, kind or table: valid UTF-8, compared byte by byte.
///
/// Swift's own `String` calls "é" and "e\u{301}" equal though their bytes differ; two rows must
/// never be one because of that, so an id compares and hashes by its bytes.
public struct ID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The id as text. Do not compare it: compare the ids.
    public let text: String

    /// Takes any text; `Limits` says which ids a command may bring.
    public init(_ text: String) {
        self.text = text
    }

    /// Bytes of the id in UTF-8.
    public var byteCount: Int { text.utf8.count }

    /// By bytes.
    public static func == (a: ID, b: ID) -> Bool {
        var x = a.text
        var y = b.text
        return x.withUTF8 { p in
            y.withUTF8 { q in
                areEqual(UnsafeRawBufferPointer(p), UnsafeRawBufferPointer(q))
            }
        }
    }

    /// Eight bytes at a time: every look-up of a row ends here.
    private static func areEqual(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
        guard a.count == b.count else { return false }
        var offset = 0
        while offset + 8 <= a.count {
            let word = a.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            if word != b.loadUnaligned(fromByteOffset: offset, as: UInt64.self) { return false }
            offset += 8
        }
        while offset < a.count {
            if a[offset] != b[offset] { return false }
            offset += 1
        }
        return true
    }

    /// The order of the bytes, which is the order of the code points.
    public static func < (a: ID, b: ID) -> Bool {
        a.text.utf8.lexicographicallyPrecedes(b.text.utf8)
    }

    /// As `==`.
    public func hash(into hasher: inout Hasher) {
        var copy = text
        copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
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

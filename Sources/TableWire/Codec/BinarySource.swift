internal import TableModel

/// Gives protobuf's binary form.
struct BinarySource: Source {
    private let start: UnsafeRawPointer
    private var place = 0
    private var end: Int
    /// The tag of the field at hand, behind which `place` is; 0: the message ends here.
    private var tag: UInt32 = 0
    /// Where the last pass began.
    private var pass = -1
    private var level = 0
    /// Messages and entries of maps so far.
    private(set) var elements = 0
    let bounds: Bounds

    static var isJSON: Bool { false }

    init(_ bytes: UnsafeRawBufferPointer, _ bounds: Bounds) {
        // Nothing is read of what has no bytes.
        start = bytes.baseAddress ?? UnsafeRawPointer(("" as StaticString).utf8Start)
        end = bytes.count
        self.bounds = bounds
    }

    /// The whole of the bytes as one message.
    static func read<T>(
        _ bytes: UnsafeRawBufferPointer, _ bounds: Bounds,
        _ read: (inout Self) throws(Refusal) -> T
    ) throws(Refusal) -> T {
        var source = Self(bytes, bounds)
        try source.next()
        return try read(&source)
    }

    /// The refusal of bytes that no message of this schema has there.
    @inline(never)
    private var alien: Refusal {
        Refusal(.malformed, "The message is not protobuf of this schema at byte \(max(1, place)).")
    }

    @inline(__always)
    var isAtEnd: Bool { tag == 0 }

    @inline(__always)
    mutating func more() throws(Refusal) -> Bool {
        if tag == 0 { return false }
        if place == pass {
            if bounds.isStrict { throw .unknown("\(tag >> 3)", at: place + 1) }
            try skip()
            if tag == 0 { return false }
        }
        pass = place
        return true
    }

    @inline(never)
    private mutating func skip() throws(Refusal) {
        switch tag & 7 {
        case 0: _ = try varint()
        case 1: try pass(8)
        case 2: try skip(.length)
        case 5: try pass(4)
        default: throw alien  // Groups are no part of it.
        }
        try next()
    }

    mutating func skip(_ type: WireType) throws(Refusal) { try pass(Int(clamping: try varint())) }

    private mutating func pass(_ count: Int) throws(Refusal) {
        guard count <= end - place else { throw .broken("ends too early") }
        place += count
    }

    @inline(__always)
    mutating func takes(_ number: UInt32, _ type: WireType, _ name: StaticString) -> Bool {
        tag == number << 3 | type.rawValue
    }

    @inline(__always)
    mutating func next() throws(Refusal) {
        if place >= end {
            tag = 0
            return
        }
        let byte = start.load(fromByteOffset: place, as: UInt8.self)
        if byte < 0x80 {
            place &+= 1
            tag = UInt32(byte)
            if tag >= 8 { return }
        } else {
            tag = try longTag()
            if tag >= 8 { return }
        }
        throw alien
    }

    @inline(never)
    private mutating func longTag() throws(Refusal) -> UInt32 {
        guard let tag = UInt32(exactly: try varint()) else { throw alien }
        return tag
    }

    @inline(__always)
    private mutating func varint() throws(Refusal) -> UInt64 {
        if place < end {
            let byte = start.load(fromByteOffset: place, as: UInt8.self)
            if byte < 0x80 {
                place &+= 1
                return UInt64(byte)
            }
        }
        return try longVarint()
    }

    @inline(never)
    private mutating func longVarint() throws(Refusal) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while place < end, shift < 70 {
            let byte = start.load(fromByteOffset: place, as: UInt8.self)
            place &+= 1
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw .broken("ends too early")
    }

    @inline(__always)
    mutating func letters() throws(Refusal) -> UnsafeRawBufferPointer {
        let count = try varint()
        guard count <= UInt64(end &- place) else { throw .broken("ends too early") }
        defer { place &+= Int(count) }
        return UnsafeRawBufferPointer(start: start + place, count: Int(count))
    }

    @inline(__always)
    mutating func number() throws(Refusal) -> UInt64 { try varint() }

    mutating func signed() throws(Refusal) -> Int64 { Int64(bitPattern: try varint()) }

    @inline(__always)
    mutating func flag() throws(Refusal) -> Bool { try varint() != 0 }

    mutating func fixed() throws(Refusal) -> UInt64 {
        let from = place
        try pass(8)
        return UInt64(littleEndian: start.loadUnaligned(fromByteOffset: from, as: UInt64.self))
    }

    mutating func double() throws(Refusal) -> Double { Double(bitPattern: try fixed()) }

    mutating func bytes() throws(Refusal) -> [UInt8] { Array(try letters()) }

    struct Outer {
        fileprivate let end: Int
        fileprivate let level: Int
    }

    mutating func begin() throws(Refusal) -> Outer {
        let content = try letters()
        let outer = Outer(end: end, level: level)
        elements &+= 1
        guard elements <= bounds.elements else { throw bounds.tooManyElements }
        guard level < mostLevels else { throw .broken("is nested too deeply") }
        level &+= 1
        end = place
        place &-= content.count
        pass = -1
        try next()
        return outer
    }

    @inline(__always)
    mutating func end(_ outer: Outer) {
        place = end
        (end, level) = (outer.end, outer.level)
    }

    @inline(__always)
    mutating func first(_ name: StaticString) throws(Refusal) -> Bool { true }

    @inline(__always)
    mutating func another(_ number: UInt32, _ type: WireType) throws(Refusal) -> Bool {
        try next()
        return takes(number, type, "")
    }

    mutating func doubles(_ number: UInt32) throws(Refusal) -> [Double] {
        let packed = try letters()
        guard packed.count % 8 == 0 else { throw alien }
        try next()
        return stride(from: 0, to: packed.count, by: 8).map { place in
            let bits = packed.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            return Double(bitPattern: UInt64(littleEndian: bits))
        }
    }

    @inline(__always)
    mutating func map(
        _ number: UInt32, _ type: WireType, _ name: StaticString,
        _ read: (Letters, Bool, inout Self) throws(Refusal) -> Void
    ) throws(Refusal) {
        while takes(number, .length, name) {
            do throws(Refusal) {
                let outer = try begin()
                var key = Letters.nothing
                if takes(1, .length, "") {
                    key = try letters()
                    try next()
                }
                let hasValue = takes(2, type, "")
                try read(key, hasValue, &self)
                if hasValue { try next() }
                // Every library writes the key first.
                guard tag == 0 else { throw alien }
                end(outer)
            } catch { throw error.within(name) }
            try next()
        }
    }
}

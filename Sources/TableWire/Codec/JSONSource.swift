internal import TableModel

/// Gives protobuf's JSON form: members in any order, by either of their names; numbers with or without
/// quotation marks; `null` for what is absent.
struct JSONSource: Source {
    let start: UnsafeRawPointer
    var place = 0
    let end: Int
    /// The name of the member at hand, at whose value `place` is; its count is -1 at the end of the object.
    private var key: UnsafeRawPointer
    private var keyCount = -1
    /// Where the last pass began.
    private var pass = -1
    private var level = 0
    /// Messages and entries of maps so far, without the outermost one.
    private(set) var elements = -1
    let bounds: Bounds
    /// The first member that no reader knew.
    private(set) var unknown: String?
    /// The last member that was null.
    private(set) var null: String?
    /// Texts without their escapes.
    private var arena: Arena?
    /// Whether the text that was read last had an escape.
    var hadEscape = false

    private final class Arena {
        private var all: [UnsafeMutableRawBufferPointer] = []

        func keep(_ bytes: [UInt8]) -> Letters {
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
            copy.copyBytes(from: bytes)
            all.append(copy)
            return Letters(copy)
        }

        deinit { for text in all { text.deallocate() } }
    }

    static var isJSON: Bool { true }

    init(_ bytes: Letters, _ bounds: Bounds) {
        // Nothing is read of what has no bytes.
        start = bytes.baseAddress ?? UnsafeRawPointer(("" as StaticString).utf8Start)
        key = start
        end = bytes.count
        self.bounds = bounds
    }

    static func read<T>(
        _ bytes: Letters, _ bounds: Bounds,
        _ read: (inout Self) throws(Refusal) -> T
    ) throws(Refusal) -> T {
        var source = Self(bytes, bounds)
        let result = try source.message(read)
        try source.finish()
        return result
    }

    /// Nothing but white space may stand behind the message.
    mutating func finish() throws(Refusal) {
        guard peek() == 0 else { throw .broken("continues after its end") }
    }

    // MARK: Members

    @inline(__always)
    var isAtEnd: Bool { keyCount < 0 }

    @inline(__always)
    mutating func more() throws(Refusal) -> Bool {
        if keyCount < 0 { return false }
        if place == pass {
            try passUnknown()
            if keyCount < 0 { return false }
        }
        pass = place
        return true
    }

    /// No reader took the member at hand: perhaps it has the schema's name, or escapes in it.
    @inline(never)
    private mutating func passUnknown() throws(Refusal) {
        let name = Letters(start: key, count: keyCount)
        if let plain = try Self.camelCase(name) {
            let kept = keep(plain)
            (key, keyCount) = (kept.baseAddress ?? start, kept.count)
        } else {
            if bounds.isStrict {
                throw .unknown(String(decoding: name.prefix(64), as: UTF8.self), at: place + 1)
            }
            if unknown == nil { unknown = String(decoding: name, as: UTF8.self) }
            try skipValue()
            try next()
        }
    }

    /// Nil: it is already.
    private static func camelCase(_ name: Letters) throws(Refusal) -> [UInt8]? {
        guard name.contains(UInt8(ascii: "_")) || name.contains(UInt8(ascii: "\\")) else {
            return nil
        }
        var plain: [UInt8] = []
        var isUpper = false
        for byte in try unescaped(name) {
            if byte == UInt8(ascii: "_") {
                isUpper = true
            } else {
                plain.append(isUpper && 97...122 ~= byte ? byte - 32 : byte)
                isUpper = false
            }
        }
        return plain
    }

    @inline(__always)
    mutating func takes(_ number: UInt32, _ type: WireType, _ name: StaticString) -> Bool {
        keyCount == name.utf8CodeUnitCount && Letters(start: key, count: keyCount).holds(name)
    }

    @inline(__always)
    mutating func next() throws(Refusal) {
        let byte = peek()
        guard byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") else { throw noJSON }
        place &+= 1
        if byte == UInt8(ascii: ",") { return try member() }
        keyCount = -1
    }

    private mutating func member() throws(Refusal) {
        repeat {
            guard peek() == UInt8(ascii: "\"") else { throw noJSON }
            let name = try quoted()
            (key, keyCount) = (name.baseAddress ?? start, name.count)
            guard passes(UInt8(ascii: ":")) else { throw noJSON }
            // A member that is null is absent.
            guard peek() == UInt8(ascii: "n") else { return }
            guard passesWord("null") else { throw noJSON }
            let plain = try Self.camelCase(name)
            null =
                plain.map { String(decoding: $0, as: UTF8.self) }
                ?? String(decoding: name, as: UTF8.self)
        } while passes(UInt8(ascii: ","))
        keyCount = -1
        guard passes(UInt8(ascii: "}")) else { throw noJSON }
    }

    mutating func begin() throws(Refusal) {
        try open()
        try count()
    }

    private mutating func open() throws(Refusal) {
        guard passes(UInt8(ascii: "{")) else { throw wrong("an object") }
        guard level < mostLevels else { throw .broken("is nested too deeply") }
        level &+= 1
        if passes(UInt8(ascii: "}")) { keyCount = -1 } else { try member() }
        pass = -1
    }

    @inline(__always)
    private mutating func count() throws(Refusal) {
        elements &+= 1
        guard elements <= bounds.elements else { throw bounds.tooManyElements }
    }

    @inline(__always)
    mutating func end(_ outer: Void) { level &-= 1 }

    mutating func first(_ name: StaticString) throws(Refusal) -> Bool {
        guard passes(UInt8(ascii: "[")) else { throw wrong("a list").within(name) }
        guard passes(UInt8(ascii: "]")) else { return true }
        try next()
        return false
    }

    mutating func another(_ number: UInt32, _ type: WireType) throws(Refusal) -> Bool {
        if passes(UInt8(ascii: ",")) { return true }
        guard passes(UInt8(ascii: "]")) else { throw noJSON }
        try next()
        return false
    }

    mutating func doubles(_ number: UInt32) throws(Refusal) -> [Double] {
        guard try first("") else { return [] }
        var values: [Double] = []
        repeat { values.append(try double()) } while try another(number, .length)
        return values
    }

    @inline(__always)
    mutating func map(
        _ number: UInt32, _ type: WireType, _ name: StaticString,
        _ read: (Letters, Bool, inout Self) throws(Refusal) -> Void
    ) throws(Refusal) {
        guard takes(number, type, name) else { return }
        do throws(Refusal) {
            try open()
            while keyCount >= 0 {
                var key = Letters(start: key, count: keyCount)
                if key.contains(UInt8(ascii: "\\")) { key = keep(try Self.unescaped(key)) }
                try read(key, true, &self)
                try count()
                try next()
            }
            end(())
        } catch { throw error.within(name) }
        try next()
    }

    // MARK: Refusals

    /// The value at hand is of another sort.
    @inline(never)
    mutating func wrong(_ wanted: StaticString) -> Refusal {
        let found: StaticString
        let first = peek()
        let byte = place + 1
        switch first {
        case UInt8(ascii: "\""): found = "text"
        case UInt8(ascii: "{"): found = "an object"
        case UInt8(ascii: "["): found = "a list"
        case UInt8(ascii: "t") where passesWord("true"): found = "true"
        case UInt8(ascii: "f") where passesWord("false"): found = "false"
        case UInt8(ascii: "n") where passesWord("null"): found = "null"
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): found = "a number"
        default: return noJSON
        }
        return Refusal(.malformed, "The value at byte \(byte) must be \(wanted), and is \(found).")
    }

    /// The refusal of a text that is no JSON from here on.
    var noJSON: Refusal {
        if place >= end { return .broken("ends too early") }
        return Refusal(.malformed, "The message is no JSON from byte \(place + 1) on.")
    }

    /// Keeps a text as long as the source.
    mutating func keep(_ bytes: [UInt8]) -> Letters {
        if arena == nil { arena = Arena() }
        return arena?.keep(bytes) ?? .init(start: nil, count: 0)
    }
}

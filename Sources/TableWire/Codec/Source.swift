internal import TableModel

/// How a field is written in binary.
enum WireType: UInt32 { case number = 0, fixed = 1, length = 2 }

/// Gives a message in one of the two forms. Its fields may come in any order:
///
///     while try source.more() {
///         try source.id(1, "row", &row)
///         try source.text(2, "title", &title)
///     }
///
/// Each call takes its field if that is at hand, and else does nothing. Fields in the order of the calls are
/// taken in one pass; another order takes more passes. A field that no call takes in a pass is unknown, and is
/// skipped. So a message has one reader, which is generic over its source, and neither a table of names nor a
/// switch over numbers.
protocol Source: SendableMetatype {
    /// In JSON a second value of a choice is refused. In binary it replaces the first one.
    static var isJSON: Bool { get }
    var bounds: Bounds { get }

    /// Begins another pass; false: the message is at its end.
    mutating func more() throws(Refusal) -> Bool
    /// Whether no field is at hand: the message ends here.
    var isAtEnd: Bool { get }
    /// Whether this field is at hand. Then its value has to be taken.
    mutating func takes(_ number: UInt32, _ type: WireType, _ name: StaticString) -> Bool
    /// Goes on to the next field, after a value was taken.
    mutating func next() throws(Refusal)

    /// Valid as long as the source.
    mutating func letters() throws(Refusal) -> Letters
    mutating func number() throws(Refusal) -> UInt64
    /// An `int64`.
    mutating func signed() throws(Refusal) -> Int64
    mutating func flag() throws(Refusal) -> Bool
    mutating func double() throws(Refusal) -> Double
    mutating func fixed() throws(Refusal) -> UInt64
    mutating func bytes() throws(Refusal) -> [UInt8]
    /// Skips a value of a field of this type.
    mutating func skip(_ type: WireType) throws(Refusal)

    associatedtype Outer
    /// Begins a message.
    mutating func begin() throws(Refusal) -> Outer
    mutating func end(_ outer: Outer)

    /// Begins a list, which a refusal names; false: it is empty, and the next field is at hand.
    mutating func first(_ name: StaticString) throws(Refusal) -> Bool
    /// Goes on to the list's next element; false: there is none, and the next field is at hand.
    mutating func another(_ number: UInt32, _ type: WireType) throws(Refusal) -> Bool
    /// A list of doubles, which binary packs.
    mutating func doubles(_ number: UInt32) throws(Refusal) -> [Double]
    /// A map at hand, up to the next field. `read` takes the value of each entry, which is the field 2 of this
    /// type, unless it is absent.
    mutating func map(
        _ number: UInt32, _ type: WireType, _ name: StaticString,
        _ read: (Letters, Bool, inout Self) throws(Refusal) -> Void
    ) throws(Refusal)
}

/// The deepest nesting of messages. A replayed definition with a face of 32 levels is 72 deep: each level is a face
/// and its stack. Far more could exhaust a thread's stack.
let mostLevels = 80

// Reading of single values, in both forms.
extension Source {
    @inline(__always)
    mutating func message<T>(_ read: (inout Self) throws(Refusal) -> T) throws(Refusal) -> T {
        let outer = try begin()
        let result = try read(&self)
        end(outer)
        return result
    }

    @inline(__always)
    mutating func id(_ name: StaticString) throws(Refusal) -> ID {
        let letters = try letters()
        return try id(letters, name)
    }

    @inline(__always)
    func id(_ letters: Letters, _ name: StaticString) throws(Refusal) -> ID {
        if letters.count > 0, letters.count <= bounds.idBytes, letters.isPrintableASCII {
            return ID(utf8: letters)
        }
        return try bounds.unusualID(letters, name)
    }

    @inline(__always)
    func needed(_ id: ID?, _ name: StaticString) throws(Refusal) -> ID {
        try bounds.needed(id, name)
    }

    mutating func text(_ name: StaticString) throws(Refusal) -> String {
        let letters = try taken(name) { (s) throws(Refusal) in try s.letters() }
        guard let text = letters.text else { throw .notUTF8(name) }
        return text
    }

    /// A value whose refusal names its field.
    @inline(__always)
    mutating func taken<T>(
        _ name: StaticString, _ value: (inout Self) throws(Refusal) -> T
    ) throws(Refusal) -> T {
        do throws(Refusal) { return try value(&self) } catch { throw error.within(name) }
    }

    /// One of a few words.
    mutating func word<Word: RawRepresentable & CaseIterable>(
        _ name: StaticString, _: Word.Type = Word.self
    ) throws(Refusal) -> Word where Word.RawValue == String {
        guard let word = Word(rawValue: try text(name)) else {
            throw .word(Word.allCases.map(\.rawValue), name)
        }
        return word
    }
}

// Fields that are taken if they are at hand. To look is inlined, to take is not: few messages have all fields.
extension Source {
    @inline(__always)
    mutating func id(_ number: UInt32, _ name: StaticString, _ value: inout ID?) throws(Refusal) {
        if takes(number, .length, name) { try take(name, &value) }
    }
    @inline(never)
    private mutating func take(_ name: StaticString, _ value: inout ID?) throws(Refusal) {
        value = try taken(name) { (s) throws(Refusal) in try s.id("") }
        try next()
    }

    @inline(__always)
    mutating func text(
        _ number: UInt32, _ name: StaticString, _ value: inout String?
    ) throws(Refusal) {
        if takes(number, .length, name) { try take(name, &value) }
    }
    @inline(never)
    private mutating func take(_ name: StaticString, _ value: inout String?) throws(Refusal) {
        value = try text(name)
        try next()
    }

    @inline(__always)
    mutating func text(
        _ number: UInt32, _ name: StaticString, _ value: inout String
    ) throws(Refusal) {
        if takes(number, .length, name) { try take(name, &value) }
    }
    @inline(never)
    private mutating func take(_ name: StaticString, _ value: inout String) throws(Refusal) {
        value = try text(name)
        try next()
    }

    @inline(__always)
    mutating func letters(
        _ number: UInt32, _ name: StaticString, _ value: inout Letters?
    ) throws(Refusal) {
        if takes(number, .length, name) { value = try takeLetters(name) }
    }
    @inline(never)
    private mutating func takeLetters(_ name: StaticString) throws(Refusal) -> Letters {
        let letters = try taken(name) { (s) throws(Refusal) in try s.letters() }
        try next()
        return letters
    }

    @inline(__always)
    mutating func number(
        _ number: UInt32, _ name: StaticString, _ value: inout UInt64?
    ) throws(Refusal) {
        if takes(number, .number, name) { value = try takeNumber(name) }
    }
    @inline(__always)
    mutating func number(
        _ number: UInt32, _ name: StaticString, _ value: inout UInt64
    ) throws(Refusal) {
        if takes(number, .number, name) { value = try takeNumber(name) }
    }
    @inline(never)
    private mutating func takeNumber(_ name: StaticString) throws(Refusal) -> UInt64 {
        let value = try taken(name) { (s) throws(Refusal) in try s.number() }
        try next()
        return value
    }

    /// A count or an index.
    mutating func count(
        _ number: UInt32, _ name: StaticString, _ value: inout Int?
    ) throws(Refusal) {
        if takes(number, .number, name) { value = try takeCount(name) }
    }
    mutating func count(
        _ number: UInt32, _ name: StaticString, _ value: inout Int
    ) throws(Refusal) {
        if takes(number, .number, name) { value = try takeCount(name) }
    }
    private mutating func takeCount(_ name: StaticString) throws(Refusal) -> Int {
        guard let value = Int(exactly: try takeNumber(name)) else {
            throw Refusal(.badNumber, "The number is too large.", name)
        }
        return value
    }

    @inline(__always)
    mutating func flag(
        _ number: UInt32, _ name: StaticString, _ value: inout Bool
    ) throws(Refusal) {
        if takes(number, .number, name) { value = try takeFlag(name) }
    }
    @inline(__always)
    mutating func flag(
        _ number: UInt32, _ name: StaticString, _ value: inout Bool?
    ) throws(Refusal) {
        if takes(number, .number, name) { value = try takeFlag(name) }
    }
    @inline(never)
    private mutating func takeFlag(_ name: StaticString) throws(Refusal) -> Bool {
        let value = try taken(name) { (s) throws(Refusal) in try s.flag() }
        try next()
        return value
    }

    /// Points or seconds. The model checks their range.
    mutating func double(
        _ number: UInt32, _ name: StaticString, _ value: inout Double?
    ) throws(Refusal) {
        if takes(number, .fixed, name) { value = try takeDouble(name) }
    }
    mutating func double(
        _ number: UInt32, _ name: StaticString, _ value: inout Double
    ) throws(Refusal) {
        if takes(number, .fixed, name) { value = try takeDouble(name) }
    }
    private mutating func takeDouble(_ name: StaticString) throws(Refusal) -> Double {
        let value = try finite(name)
        try next()
        return value
    }

    mutating func finite(_ name: StaticString) throws(Refusal) -> Double {
        let value = try taken(name) { (s) throws(Refusal) in try s.double() }
        guard value.isFinite else { throw .notFinite(name) }
        return value
    }

    mutating func doubles(
        _ number: UInt32, _ name: StaticString, _ values: inout [Double]
    ) throws(Refusal) {
        if takes(number, .length, name) {
            values += try taken(name) { (s) throws(Refusal) in try s.doubles(number) }
        } else {
            // One of an unpacked list.
            guard !Self.isJSON, takes(number, .fixed, "") else { return }
            values.append(try taken(name) { (s) throws(Refusal) in try s.double() })
            try next()
        }
        for (index, value) in values.enumerated() where !value.isFinite {
            throw Refusal(.badNumber, "The number must be finite.").within(name, at: index)
        }
    }

    @inline(__always)
    mutating func fixed(
        _ number: UInt32, _ name: StaticString, _ value: inout UInt64?
    ) throws(Refusal) {
        guard takes(number, .fixed, name) else { return }
        value = try fixed()
        try next()
    }

    @inline(__always)
    mutating func hex(
        _ number: UInt32, _ name: StaticString, _ value: inout UInt64?
    ) throws(Refusal) {
        if takes(number, .length, name) { value = try takeHex(name) }
    }
    @inline(never)
    private mutating func takeHex(_ name: StaticString) throws(Refusal) -> UInt64 {
        let letters = try taken(name) { (s) throws(Refusal) in try s.letters() }
        guard let value = UInt64(lowerHex: letters) else { throw .notHex(16, name) }
        try next()
        return value
    }

    @inline(__always)
    mutating func hex(
        _ number: UInt32, _ name: StaticString, _ value: inout ID128?
    ) throws(Refusal) {
        if takes(number, .length, name) { value = try takeHex128(name) }
    }
    @inline(never)
    private mutating func takeHex128(_ name: StaticString) throws(Refusal) -> ID128 {
        let letters = try taken(name) { (s) throws(Refusal) in try s.letters() }
        guard let id = ID128(lowerHex: letters) else { throw .notHex(32, name) }
        try next()
        return id
    }

    mutating func bytes(
        _ number: UInt32, _ name: StaticString, _ value: inout [UInt8]?
    ) throws(Refusal) {
        guard takes(number, .length, name) else { return }
        value = try taken(name) { (s) throws(Refusal) in try s.bytes() }
        try next()
    }

    mutating func word<Word: RawRepresentable & CaseIterable>(
        _ number: UInt32, _ name: StaticString, _ value: inout Word?
    ) throws(Refusal) where Word.RawValue == String {
        guard takes(number, .length, name) else { return }
        value = try word(name, Word.self)
        try next()
    }

    mutating func invocationID(
        _ number: UInt32, _ name: StaticString, _ value: inout InvocationID?
    ) throws(Refusal) {
        guard takes(number, .length, name) else { return }
        guard let id = InvocationID(try text(name)) else { throw .notInvocation(name) }
        value = id
        try next()
    }
}

extension Refusal {
    static func notFinite(_ name: StaticString) -> Refusal {
        Refusal(.badNumber, "The number must be finite.", name)
    }

    static func notHex(_ digits: Int, _ name: StaticString) -> Refusal {
        Refusal(.badValue, "\(digits) lower-case hexadecimal digits are needed.", name)
    }

    static func notInvocation(_ name: StaticString) -> Refusal {
        Refusal(.badID, "An invocation is named by a revision and an index, such as 12.0.", name)
    }
}

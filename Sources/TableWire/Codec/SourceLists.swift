internal import TableModel

// Messages, choices, lists and maps that are taken if they are at hand.
extension Source {
    @inline(__always)
    mutating func one<T>(
        _ number: UInt32, _ name: StaticString, _ value: inout T?,
        _ read: (inout Self) throws(Refusal) -> T
    ) throws(Refusal) {
        guard takes(number, .length, name) else { return }
        do throws(Refusal) { value = try message(read) } catch { throw error.within(name) }
        try next()
    }

    /// A message whose fields `read` puts where they belong.
    @inline(__always)
    mutating func message(
        _ number: UInt32, _ name: StaticString, _ read: (inout Self) throws(Refusal) -> Void
    ) throws(Refusal) {
        var done: Void?
        try one(number, name, &done, read)
    }

    /// A message without fields.
    static func nothing(from s: inout Self) throws(Refusal) {
        while try s.more() {}
    }

    // MARK: Choices, of which there is at most one

    @inline(__always)
    mutating func choice<T>(
        _ number: UInt32, _ name: StaticString, _ value: inout T?,
        _ read: (inout Self) throws(Refusal) -> T
    ) throws(Refusal) {
        guard takes(number, .length, name) else { return }
        if Self.isJSON, value != nil { throw .twice(name) }
        do throws(Refusal) { value = try message(read) } catch { throw error.within(name) }
        try next()
    }

    /// A case that holds what `read` reads.
    @inline(__always)
    mutating func choice<T, Held>(
        _ number: UInt32, _ name: StaticString, _ value: inout T?,
        _ read: (inout Self) throws(Refusal) -> Held, _ make: (Held) -> T
    ) throws(Refusal) {
        try choice(number, name, &value) { (s) throws(Refusal) in make(try read(&s)) }
    }

    /// A verb about rows, which with `isOfEach` does not name them.
    @inline(__always)
    mutating func choice<T>(
        _ number: UInt32, _ name: StaticString, _ value: inout T?,
        _ read: (inout Self, Bool) throws(Refusal) -> T, isOfEach: Bool
    ) throws(Refusal) {
        try choice(number, name, &value) { (s) throws(Refusal) in try read(&s, isOfEach) }
    }

    /// A case without fields.
    mutating func choice<T>(
        _ number: UInt32, _ name: StaticString, _ value: inout T?, plain made: T
    ) throws(Refusal) {
        try choice(number, name, &value) { (s) throws(Refusal) in
            try Self.nothing(from: &s)
            return made
        }
    }

    /// A case that is an id.
    @inline(__always)
    mutating func choice<T>(
        _ number: UInt32, _ name: StaticString, _ value: inout T?, id make: (ID) -> T
    ) throws(Refusal) {
        guard takes(number, .length, name) else { return }
        if Self.isJSON, value != nil { throw .twice(name) }
        value = make(try takeID(name))
    }
    @inline(never)
    private mutating func takeID(_ name: StaticString) throws(Refusal) -> ID {
        let id = try taken(name) { (s) throws(Refusal) in try s.id("") }
        try next()
        return id
    }

    /// A case that is a text.
    mutating func choice<T>(
        _ number: UInt32, _ name: StaticString, _ value: inout T?, text make: (String) -> T
    ) throws(Refusal) {
        guard takes(number, .length, name) else { return }
        if Self.isJSON, value != nil { throw .twice(name) }
        value = make(try text(name))
        try next()
    }

    /// A case that is a number of points.
    mutating func choice<T>(
        _ number: UInt32, _ name: StaticString, _ value: inout T?, double make: (Double) -> T
    ) throws(Refusal) {
        guard takes(number, .fixed, name) else { return }
        if Self.isJSON, value != nil { throw .twice(name) }
        value = make(try finite(name))
        try next()
    }

    /// A case that is chosen by naming it. Only `true` is valid.
    @inline(__always)
    mutating func choice<T>(
        _ number: UInt32, _ name: StaticString, _ value: inout T?, chosen made: T
    ) throws(Refusal) {
        guard takes(number, .number, name) else { return }
        if Self.isJSON, value != nil { throw .twice(name) }
        try takeTrue(name)
        value = made
    }
    @inline(never)
    private mutating func takeTrue(_ name: StaticString) throws(Refusal) {
        guard try taken(name, { (s) throws(Refusal) in try s.flag() }) else {
            throw Refusal(.badValue, "Only true is allowed here.", name)
        }
        try next()
    }

    // MARK: Lists

    @inline(__always)
    mutating func ids(
        _ number: UInt32, _ name: StaticString, _ ids: inout Few<ID>
    ) throws(Refusal) {
        if takes(number, .length, name) { try take(number, name, &ids) }
    }
    @inline(never)
    private mutating func take(
        _ number: UInt32, _ name: StaticString, _ ids: inout Few<ID>
    ) throws(Refusal) {
        guard try first(name) else { return }
        repeat { ids.append(try element(name, ids.count)) } while try another(number, .length)
    }

    @inline(__always)
    mutating func ids(
        _ number: UInt32, _ name: StaticString, _ ids: inout [ID], most: Int
    ) throws(Refusal) {
        if takes(number, .length, name) { try take(number, name, &ids, most) }
    }
    @inline(never)
    private mutating func take(
        _ number: UInt32, _ name: StaticString, _ ids: inout [ID], _ most: Int
    ) throws(Refusal) {
        guard try first(name) else { return }
        repeat {
            guard ids.count < most else { throw Refusal.tooMany("fields", most).at(name) }
            ids.append(try element(name, ids.count))
        } while try another(number, .length)
    }

    /// A refusal of a request does not count the ids before the wrong one.
    @inline(__always)
    private mutating func element(_ name: StaticString, _ index: Int) throws(Refusal) -> ID {
        let letters = try taken(name) { (s) throws(Refusal) in try s.letters() }
        do throws(Refusal) { return try id(letters, "") } catch {
            if bounds.isTrusted, letters.isEmpty {
                throw Refusal(.malformed, "An id cannot be empty.").within(name, at: index)
            }
            throw error.within(name)
        }
    }

    mutating func texts(
        _ number: UInt32, _ name: StaticString, _ texts: inout [String]
    ) throws(Refusal) {
        guard takes(number, .length, name), try first(name) else { return }
        repeat { texts.append(try text(name)) } while try another(number, .length)
    }

    mutating func bytes(
        _ number: UInt32, _ name: StaticString, all: inout [[UInt8]]
    ) throws(Refusal) {
        guard takes(number, .length, name), try first(name) else { return }
        repeat {
            all.append(try taken(name) { (s) throws(Refusal) in try s.bytes() })
        } while try another(number, .length)
    }

    @inline(__always)
    mutating func messages<T>(
        _ number: UInt32, _ name: StaticString, _ list: inout [T], most: Int,
        as things: StaticString? = nil, _ read: (inout Self) throws(Refusal) -> T
    ) throws(Refusal) {
        guard takes(number, .length, name), try first(name) else { return }
        repeat {
            guard list.count < most else { throw Refusal.tooMany(things ?? name, most).at(name) }
            do throws(Refusal) { list.append(try message(read)) } catch {
                throw error.within(name, at: list.count)
            }
        } while try another(number, .length)
    }

    /// Any number of what the daemon has written.
    @inline(__always)
    mutating func all<T>(
        _ number: UInt32, _ name: StaticString, _ list: inout [T],
        _ read: (inout Self) throws(Refusal) -> T
    ) throws(Refusal) { try messages(number, name, &list, most: .max, read) }

    /// The list that is all of a message.
    mutating func only<T>(
        _ number: UInt32, _ name: StaticString, _ read: (inout Self) throws(Refusal) -> T
    ) throws(Refusal) -> [T] {
        var list: [T] = []
        while try more() { try all(number, name, &list, read) }
        return list
    }

    // MARK: Maps

    /// The fields of a row, in the order of their keys; of two with one key, the last.
    @inline(__always)
    mutating func map(
        _ number: UInt32, _ name: StaticString, _ fields: inout [LetterField]
    ) throws(Refusal) {
        if takes(number, .length, name) { try take(number, name, &fields) }
    }
    @inline(never)
    private mutating func take(
        _ number: UInt32, _ name: StaticString, _ fields: inout [LetterField]
    ) throws(Refusal) {
        let most = bounds.fields
        try map(number, .length, name) { (key, hasValue, s) throws(Refusal) in
            let item = (key: key, value: hasValue ? try s.letters() : .nothing)
            guard let last = fields.last, !last.key.lexicographicallyPrecedes(key) else {
                guard fields.count < most else { throw Refusal.tooMany("fields", most).at(nil) }
                return fields.append(item)
            }
            let place = fields.firstIndex { !$0.key.lexicographicallyPrecedes(key) } ?? fields.count
            if fields[place].key.elementsEqual(key) {
                fields[place] = item
            } else {
                guard fields.count < most else { throw Refusal.tooMany("fields", most).at(nil) }
                fields.insert(item, at: place)
            }
        }
    }

    /// Reads a map as values.
    @inline(__always)
    mutating func map(
        _ number: UInt32, _ name: StaticString, _ fields: inout [Row.Field]
    ) throws(Refusal) {
        if takes(number, .length, name) { try take(number, name, &fields) }
    }
    @inline(never)
    private mutating func take(
        _ number: UInt32, _ name: StaticString, _ fields: inout [Row.Field]
    ) throws(Refusal) {
        let most = bounds.fields
        try map(number, .length, name) { (key, hasValue, s) throws(Refusal) in
            let letters = hasValue ? try s.letters() : .nothing
            guard let value = letters.text else { throw .notUTF8("") }
            let field = Row.Field(try s.key(key, ""), value)
            var place = fields.count
            if let last = fields.last, last.key >= field.key {
                place = fields.firstIndex { $0.key >= field.key } ?? place
                if fields[place].key == field.key {
                    fields[place] = field
                    return
                }
            }
            guard fields.count < most else { throw Refusal.tooMany("fields", most).at(nil) }
            fields.insert(field, at: place)
        }
    }

    /// The key of a field. The daemon's own may be empty.
    func key(_ letters: Letters, _ name: StaticString) throws(Refusal) -> ID {
        if letters.isEmpty, bounds.isTrusted { return ID("") }
        return try id(letters, name)
    }

    mutating func counters(
        _ number: UInt32, _ name: StaticString, _ counters: inout [String: UInt64]
    ) throws(Refusal) {
        guard takes(number, .length, name) else { return }
        try map(number, .number, name) { (key, hasValue, s) throws(Refusal) in
            guard let key = key.text else { throw .notUTF8("") }
            counters[key] = hasValue ? try s.number() : 0
        }
    }
}

/// A field where it lies in the message.
typealias LetterField = (key: Letters, value: Letters)

extension Refusal {
    /// The refusal with this field; nil: it is about the message.
    func at(_ field: StaticString?) -> Refusal {
        var rejection = rejection
        rejection.field = field.map { "\($0)" }
        return Refusal(rejection)
    }
}

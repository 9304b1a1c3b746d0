internal import TableModel

/// Why a message is refused. One word, so that it costs nothing where nothing is refused.
struct Refusal: Error, @unchecked Sendable {
    // Only the reader that refuses has it, until it is thrown on as a `Rejection`.
    private final class Box {
        var rejection: Rejection
        var isOfUnknownField = false
        init(_ rejection: Rejection) { self.rejection = rejection }
    }

    private let box: Box

    init(_ rejection: Rejection) { box = Box(rejection) }

    init(_ code: Rejection.Code, _ message: String, _ field: StaticString? = nil) {
        let isNamed = field.map { $0.utf8CodeUnitCount > 0 } ?? false
        self.init(Rejection(code, message, field: isNamed ? field.map { "\($0)" } : nil))
    }

    var rejection: Rejection { box.rejection }
    /// A request has a field that this version does not know, or that stands in the wrong place.
    var isOfUnknownField: Bool { box.isOfUnknownField }

    /// Puts the name of the message, or of the list's element, that encloses its field before the field.
    @inline(never)
    func within(_ name: StaticString, at index: Int? = nil) -> Refusal {
        if name.utf8CodeUnitCount == 0 { return self }
        let outer = index.map { "\(name)[\($0)]" } ?? "\(name)"
        box.rejection.field = box.rejection.field.map { "\(outer).\($0)" } ?? outer
        return self
    }

    /// Notes the command of a batch, which is counted instead of named.
    func within(command index: Int) -> Refusal {
        box.rejection.command = index
        return within("commands")
    }

    /// `name`: its name in JSON, its number in binary. `byte`: where its value begins, from 1.
    @inline(never)
    static func unknown(_ name: String, at byte: Int) -> Refusal {
        let said = "There is no field \"\(name)\" here; its value is at byte \(byte)."
        let refusal = Refusal(Rejection(.malformed, said, field: name))
        refusal.box.isOfUnknownField = true
        return refusal
    }

    static func missing(_ field: StaticString) -> Refusal {
        Refusal(.malformed, "The field \"\(field)\" is required.", field)
    }

    /// `words`: the only ones that are allowed.
    static func word(_ words: [String], _ field: StaticString) -> Refusal {
        Refusal(.badValue, "One of: \(words.joined(separator: ", ")).", field)
    }

    static func tooMany(_ things: StaticString, _ limit: Int) -> Refusal {
        Refusal(.tooLarge, "\(things): more than \(limit).", things)
    }

    static func tooMuch(_ what: String, _ size: Int, limit: Int, _ field: StaticString?) -> Refusal
    {
        Refusal(.tooLarge, "\(what): \(size), at most \(limit).", field)
    }

    static func twice(_ name: StaticString) -> Refusal {
        Refusal(.malformed, "The message has two values where only one is allowed.", name)
    }

    /// The bytes do not make up a message.
    static func broken(_ what: StaticString) -> Refusal {
        Refusal(.malformed, "The message \(what).")
    }

    static func notUTF8(_ field: StaticString) -> Refusal {
        Refusal(.malformed, "The message has text that is not UTF-8.", field)
    }
}

extension Optional {
    /// A value that has to be there.
    @inline(__always)
    func or(_ refusal: @autoclosure () -> Refusal) throws(Refusal) -> Wrapped {
        if let self { return self }
        throw refusal()
    }
}

/// The bounds of a message. One that the daemon has written has none.
struct Bounds: Sendable {
    /// Nil: the sizes of lists and definitions are not bounded.
    let shared: SharedLimits?
    /// An id may have so many bytes. Nil: any id was checked when it was written.
    private let checkedIDs: Int?
    let idBytes: Int
    let elements: Int
    /// A field that no reader knows is refused. Else it is skipped.
    private(set) var isStrict = false

    static let none = Bounds(nil, checksIDs: false, elements: .max)

    /// A request of a client.
    static func request(_ limits: SharedLimits, isStrict: Bool = true) -> Bounds {
        var bounds = Bounds(limits, checksIDs: true, elements: limits.limits.elements)
        bounds.isStrict = isStrict
        return bounds
    }

    /// A part of a backup, which may come from anywhere.
    static func part(_ limits: Limits) -> Bounds {
        Bounds(SharedLimits(limits), checksIDs: false, elements: .max)
    }

    init(_ shared: SharedLimits?, checksIDs: Bool, elements: Int) {
        self.shared = shared
        checkedIDs = checksIDs ? shared?.limits.idBytes : nil
        idBytes = checkedIDs ?? .max
        self.elements = elements
    }

    var isTrusted: Bool { checkedIDs == nil }

    var tooManyElements: Refusal { Refusal(.tooLarge, "elements: more than \(elements).") }

    var fields: Int { shared?.limits.fields ?? .max }
    var items: Int { shared?.limits.items ?? .max }
    var commands: Int { shared?.limits.batchCommands ?? .max }
    // Values that the daemon has written were bounded when they came.
    var actions: Int { isTrusted ? .max : shared?.limits.actions ?? .max }
    var states: Int { isTrusted ? .max : shared?.limits.ownStates ?? .max }
    var kinds: Int { isTrusted ? .max : shared?.limits.kinds ?? .max }
    var itemKinds: Int { isTrusted ? .max : shared?.limits.itemKinds ?? .max }
    var faces: Int { isTrusted ? .max : shared?.limits.faces ?? .max }

    /// An id that is empty, is no plain ASCII, or has too many bytes.
    @inline(never)
    func unusualID(_ letters: Letters, _ name: StaticString) throws(Refusal) -> ID {
        guard let text = letters.text else { throw .notUTF8(name) }
        let id = ID(text)
        guard let limits = shared?.limits, !isTrusted else {
            if letters.isEmpty {
                throw name.utf8CodeUnitCount > 0
                    ? .missing(name) : Refusal(.malformed, "An id cannot be empty.")
            }
            return id
        }
        do throws(Rejection) { try id.check(limits: limits, field: "\(name)") } catch {
            throw name.utf8CodeUnitCount == 0 ? Refusal(error).at(nil) : Refusal(error)
        }
        return id
    }

    /// An id that has to be there.
    @inline(__always)
    func needed(_ id: ID?, _ name: StaticString) throws(Refusal) -> ID {
        if let id { return id }
        return try unusualID(.nothing, name)
    }

    /// A definition is measured as JSON, the form that a person would write.
    func check(
        _ what: String, _ field: StaticString?, _ write: (inout JSONSink) -> Void
    ) throws(Refusal) {
        guard let most = shared?.limits.kindBytes else { return }
        let size = Written.json(write).count
        guard size <= most else { throw .tooMuch(what, size, limit: most, field) }
    }
}

/// Text where it lies in a message: UTF-8, or not.
typealias Letters = UnsafeRawBufferPointer

extension Letters {
    static var nothing: Letters { Letters(start: nil, count: 0) }
}

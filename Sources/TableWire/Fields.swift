internal import TableModel

// What the fields of the schema have in common. Each refusal names its field as the JSON form
// does, relative to the message; `within` and `readAll` put the outer names before it.

/// Names the field through which a refusal came.
func within<T>(
    _ name: @autoclosure () -> String, _ body: () throws(Rejection) -> T
) throws(Rejection) -> T {
    do throws(Rejection) {
        return try body()
    } catch {
        var rejection = error
        rejection.field = error.field.map { "\(name()).\($0)" } ?? name()
        throw rejection
    }
}

extension Array {
    /// Reads each element; a refusal names the list and the element's index.
    func readAll<T>(
        _ field: String, _ read: (Element) throws(Rejection) -> T
    ) throws(Rejection) -> [T] {
        var result: [T] = []
        result.reserveCapacity(count)
        for (index, element) in enumerated() {
            result.append(
                try within("\(field)[\(index)]") { () throws(Rejection) in try read(element) })
        }
        return result
    }
}

extension ID {
    /// An id that was received: any text that is not empty.
    init(read text: String, _ field: String) throws(Rejection) {
        guard !text.isEmpty else { throw .missing(field) }
        self.init(text)
    }
}

extension ID128 {
    /// A history or an epoch.
    init(read text: String, _ field: String) throws(Rejection) {
        guard let value = ID128(text) else {
            throw Rejection(.badValue, "32 lower-case hexadecimal digits are needed.", field: field)
        }
        self = value
    }
}

extension UInt64 {
    /// A digest.
    init(read text: String, _ field: String) throws(Rejection) {
        guard let value = UInt64(lowerHex: text.utf8) else {
            throw Rejection(.badValue, "16 lower-case hexadecimal digits are needed.", field: field)
        }
        self = value
    }
}

extension Int {
    /// A count or an index.
    init(read number: UInt64, _ field: String) throws(Rejection) {
        guard let value = Int(exactly: number) else {
            throw Rejection(.badNumber, "The number is too large.", field: field)
        }
        self = value
    }
}

extension Double {
    /// Points or seconds. What range they have is the model's to say.
    init(read number: Double, _ field: String) throws(Rejection) {
        guard number.isFinite else {
            throw Rejection(.badNumber, "The number must be finite.", field: field)
        }
        self = number
    }
}

extension Expansion {
    /// A state, or a height as text.
    init(read text: String, _ field: String) throws(Rejection) {
        guard !text.isEmpty else { throw .missing(field) }
        self.init(text)
        if case .height(let points) = self { _ = try Double(read: points, field) }
    }
}

extension RawRepresentable where Self: CaseIterable, RawValue == String {
    /// One of a few words.
    init(read text: String, _ field: String) throws(Rejection) {
        guard let value = Self(rawValue: text) else {
            throw .word(Self.allCases.map(\.rawValue), field)
        }
        self = value
    }
}

extension Edge {
    /// The word for the edge that is open.
    static func word(_ edge: Edge?) -> String { edge?.rawValue ?? "closed" }

    /// The edge that is open; nil for `closed`.
    static func read(_ text: String, _ field: String) throws(Rejection) -> Edge? {
        if text == "closed" { return nil }
        guard let edge = Edge(rawValue: text) else {
            throw .word(Edge.allCases.map(\.rawValue) + ["closed"], field)
        }
        return edge
    }
}

extension Row.Field {
    /// Fields in the order of their keys' bytes, which a map does not keep.
    static func read(_ map: [String: String]) -> [Row.Field] {
        map.map { Row.Field(ID($0.key), $0.value) }.sorted { $0.key < $1.key }
    }
}

extension [Row.Field] {
    /// Of two with one key the last is kept, as the model does it.
    var map: [String: String] {
        Dictionary(lazy.map { ($0.key.text, $0.value) }, uniquingKeysWith: { $1 })
    }
}

extension Bool {
    /// The choice of an anchor or a target that is made by naming it: only `true` makes sense.
    func chosen(_ field: String) throws(Rejection) {
        guard self else { throw Rejection(.badValue, "Only true can stand here.", field: field) }
    }
}

extension Rejection {
    static func missing(_ field: String) -> Rejection {
        Rejection(.malformed, "Something must stand here.", field: field)
    }

    static func word(_ words: [String], _ field: String) -> Rejection {
        Rejection(.badValue, "One of: \(words.joined(separator: ", ")).", field: field)
    }
}

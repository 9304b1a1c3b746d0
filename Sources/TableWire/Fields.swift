internal import TableModel

// What the schema's fields have in common. Each refusal names its field as the JSON form does,
// relative to the message. `within` and `readAll` prepend the outer names.

/// Prepends a field's name to the field of a refusal.
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
    /// Reads each element. A refusal names the list and the element's index.
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
    /// A received id: any non-empty text.
    init(read text: String, _ field: String) throws(Rejection) {
        guard !text.isEmpty else { throw .missing(field) }
        self.init(text)
    }
}

extension ID128 {
    /// Reads a history or an epoch.
    init(read text: String, _ field: String) throws(Rejection) {
        guard let value = ID128(text) else {
            throw Rejection(.badValue, "32 lower-case hexadecimal digits are needed.", field: field)
        }
        self = value
    }
}

extension UInt64 {
    /// Reads a digest.
    init(read text: String, _ field: String) throws(Rejection) {
        guard let value = UInt64(lowerHex: text.utf8) else {
            throw Rejection(.badValue, "16 lower-case hexadecimal digits are needed.", field: field)
        }
        self = value
    }
}

extension Int {
    /// Reads a count or an index.
    init(read number: UInt64, _ field: String) throws(Rejection) {
        guard let value = Int(exactly: number) else {
            throw Rejection(.badNumber, "The number is too large.", field: field)
        }
        self = value
    }
}

extension Double {
    /// Reads points or seconds. The model checks their range.
    init(read number: Double, _ field: String) throws(Rejection) {
        guard number.isFinite else {
            throw Rejection(.badNumber, "The number must be finite.", field: field)
        }
        self = number
    }
}

extension Expansion {
    /// Reads a state, or a height as text.
    init(read text: String, _ field: String) throws(Rejection) {
        guard !text.isEmpty else { throw .missing(field) }
        self.init(text)
        if case .height(let points) = self { _ = try Double(read: points, field) }
    }
}

extension AnimationHint {
    /// Reads how a row comes or goes; `automatic` where nothing is said.
    static func read(
        _ word: String, _ isSaid: Bool, _ field: String
    ) throws(Rejection) -> AnimationHint {
        isSaid ? try AnimationHint(read: word, field) : .automatic
    }
}

extension RawRepresentable where Self: CaseIterable, RawValue == String {
    /// Reads one of a few words.
    init(read text: String, _ field: String) throws(Rejection) {
        guard let value = Self(rawValue: text) else {
            throw .word(Self.allCases.map(\.rawValue), field)
        }
        self = value
    }
}

extension Edge {
    /// The word for the open edge.
    static func word(_ edge: Edge?) -> String { edge?.rawValue ?? "closed" }

    /// The open edge; nil for `closed`.
    static func read(_ text: String, _ field: String) throws(Rejection) -> Edge? {
        if text == "closed" { return nil }
        guard let edge = Edge(rawValue: text) else {
            throw .word(Edge.allCases.map(\.rawValue) + ["closed"], field)
        }
        return edge
    }
}

extension Row.Field {
    /// Fields sorted by the bytes of their keys, since a map has no order.
    static func read(_ map: [String: String]) -> [Row.Field] {
        map.map { Row.Field(ID($0.key), $0.value) }.sorted { $0.key < $1.key }
    }
}

extension [Row.Field] {
    /// The last of two fields with one key is kept, as in the model.
    var map: [String: String] {
        Dictionary(lazy.map { ($0.key.text, $0.value) }, uniquingKeysWith: { $1 })
    }
}

extension Bool {
    /// An anchor or target that is chosen by naming it. Only `true` is valid.
    func chosen(_ field: String) throws(Rejection) {
        guard self else { throw Rejection(.badValue, "Only true is allowed here.", field: field) }
    }
}

extension Rejection {
    static func missing(_ field: String) -> Rejection {
        Rejection(.malformed, "The field \"\(field)\" is required.", field: field)
    }

    static func word(_ words: [String], _ field: String) -> Rejection {
        Rejection(.badValue, "One of: \(words.joined(separator: ", ")).", field: field)
    }
}

/// A sentence as data, for whoever says it in another language: which sentence it is, and what stands in it.
public struct Saying: Equatable, Sendable {
    /// The sentence, by its name in docs/PROTOCOL.md.
    public var key: String
    /// The names, numbers and texts in it.
    public var values: [Row.Field]

    /// A sentence with these values.
    public init(_ key: String, _ values: KeyValuePairs<String, String> = [:]) {
        self.init(key, values: values.map { Row.Field(ID($0.key), $0.value) })
    }

    /// A sentence with these values, which are kept in the order of their names.
    public init(_ key: String, values: [Row.Field]) {
        self.key = key
        self.values = values.sorted { $0.key < $1.key }
    }

    /// A value by its name; nil: the sentence has none of it.
    public subscript(_ name: String) -> String? { values.first { $0.key.text == name }?.value }
}

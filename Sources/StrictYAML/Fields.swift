/// The known keys of a mapping. The reader uses the same cases, so the two cannot differ.
public typealias FieldKey = CaseIterable & Hashable & RawRepresentable<String> & Sendable

/// A mapping in which every key is known and occurs once.
public struct Fields<Key: FieldKey>: Sendable {
    /// The mapping itself, for faults about it as a whole.
    public let owner: Value
    var values: [Key: Value] = [:]

    init(owner: Value) { self.owner = owner }

    /// The value of a key; nil: the key is absent or has no value (`limits:`).
    public subscript(key: Key) -> Value? {
        guard let value = values[key], !value.isNull else { return nil }
        return value
    }

    /// This mapping by other keys, without the values of keys that are none of those.
    public func among<Other: FieldKey>(_ keys: Other.Type) -> Fields<Other> {
        var other = Fields<Other>(owner: owner)
        for (key, value) in values {
            if let key = Other(rawValue: key.rawValue) { other.values[key] = value }
        }
        return other
    }

    /// Whether the key is there, with or without a value.
    public func names(_ key: Key) -> Bool { values[key] != nil }

    /// The place of a key that has nothing behind it (`limits:`), for a fault about it; nil: the key is
    /// absent, or has a value.
    public func nothing(behind key: Key) -> Value? { values[key].flatMap { $0.isNull ? $0 : nil } }

    /// The value of a key; a fault if there is none.
    public func required(_ key: Key) throws(Fault) -> Value {
        guard let value = self[key] else { throw owner.fault("`\(key.rawValue)` is missing") }
        return value
    }

    /// The only one of these keys that is there; a fault if there are none or several.
    public func one(of keys: [Key]) throws(Fault) -> (key: Key, value: Value) {
        let given = keys.compactMap { key in self[key].map { (key: key, value: $0) } }
        guard given.count == 1, let only = given.first else {
            let names = keys.map { "`\($0.rawValue)`" }.joined(separator: ", ")
            throw owner.fault("expected exactly one of \(names)")
        }
        return only
    }
}

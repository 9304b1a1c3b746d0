/// The name of a principal, made once for all of its requests: to hand it on costs one reference, and
/// no text.
public struct ProvenID: Hashable, Sendable {
    private final class Box: Sendable {
        let id: ID

        init(_ id: ID) { self.id = id }
    }

    private let box: Box

    /// A name as given.
    public init(_ id: ID) { box = Box(id) }

    /// The name.
    public var id: ID { box.id }
    /// The name as text.
    public var text: String { box.id.text }

    /// By bytes; as a rule it is the same object.
    public static func == (one: ProvenID, other: ProvenID) -> Bool {
        one.box === other.box || one.box.id == other.box.id
    }

    /// As `==`.
    public func hash(into hasher: inout Hasher) { hasher.combine(box.id) }
}

extension ProvenID: ExpressibleByStringLiteral {
    /// Takes the literal as it is.
    public init(stringLiteral value: String) { self.init(ID(value)) }
}

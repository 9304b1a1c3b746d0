public import TableModel
public import TableSync

/// The sender, number and sort of a request: enough to turn it away.
public struct Outline: Equatable, Sendable {
    /// The sender's id, if it is readable.
    public var client: ID?
    /// The sender's number, if it is readable.
    public var number: UInt64?
    /// The verb; nil: none that is known.
    public var name: Request.Name?

    /// An outline with these values.
    public init(client: ID? = nil, number: UInt64? = nil, name: Request.Name? = nil) {
        (self.client, self.number, self.name) = (client, number, name)
    }
}

extension Decode {
    /// The outline of a request, in a fraction of the time that it takes to read all. What stands behind the
    /// first `most` bytes is not there.
    public static func outline(
        _ bytes: UnsafeRawBufferPointer, form: Form, limits: Limits = Limits(),
        within most: Int = .max
    ) -> Outline {
        let first = UnsafeRawBufferPointer(rebasing: bytes.prefix(most))
        let parts = form == .binary ? binaryOutline(first) : jsonOutline(first)
        let wire = parts.withUnsafeBytes { bytes in
            Result { () throws(Rejection) in try WireRequest.parse(bytes, form) }
        }
        guard let wire = try? wire.get() else { return Outline() }
        let client = wire.hasClient ? ID(wire.client) : nil
        let isID = (try? client?.check(limits: limits, field: "client")) != nil
        return Outline(
            client: isID ? client : nil, number: wire.hasNumber ? wire.number : nil,
            name: wire.verb?.name)
    }

    /// The fields of `Request`, in the schema, that say who sends, and under which number.
    private static let senders: [(number: UInt64, name: String)] = [(1, "client"), (2, "number")]
    private static let mostOutlined = 1 << 10

    private static func binaryOutline(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var reader = TagReader(bytes)
        var parts: [UInt8] = []
        while parts.count < mostOutlined, let field = reader.next() {
            if senders.contains(where: { $0.number == field.number }) {
                if field.whole.count < mostOutlined { parts += field.whole }
            } else if HeldLists.of(.request).field(field.number) != nil, field.content != nil {
                // The verb, with nothing in it: its tag, and no length.
                let tag = field.whole.prefix { $0 >= 0x80 }
                parts += field.whole.prefix(tag.count + 1) + [0]
            }
        }
        return parts
    }

    private static func jsonOutline(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var text = JSONStructure(bytes)
        var parts: [String] = []
        _ = try? text.object { (text, key) throws(Rejection) -> Bool in
            guard let value = text.value() else { return false }
            let name = String(decoding: key.prefix(32), as: UTF8.self)
            if senders.contains(where: { $0.name == name }) {
                if value.count < mostOutlined {
                    parts.append("\"\(name)\":" + String(decoding: value, as: UTF8.self))
                }
            } else if HeldLists.of(.request).field(key) != nil {
                parts.append("\"\(name)\":{}")
            }
            return parts.count < 8
        }
        return Array("{\(parts.joined(separator: ","))}".utf8)
    }
}

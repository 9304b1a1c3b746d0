import TableModel
import TableWire

/// What viewers subscribe to, as the XPUB socket reports it: a publication is encoded in a form
/// only while somebody wants that form.
struct Topics {
    /// Topics of a whole name, as they are.
    private var exact: Set<[UInt8]> = []
    /// Shorter ones, such as "" or "j/": they match by prefix.
    private var prefixes: Set<[UInt8]> = []
    /// Beyond it every form is taken to be wanted, so that a flood of subscriptions costs no more.
    private static let most = 65_536

    /// What is published under: form, name, a slash that keeps `inbox` apart from `inbox2`.
    static func topic(_ form: Form, _ table: TableID) -> [UInt8] {
        [letter(form), UInt8(ascii: "/")] + Array(table.text.utf8) + [UInt8(ascii: "/")]
    }

    /// Who is there is published under: `p`, then as a table's topic.
    static func presence(_ form: Form, _ table: TableID) -> [UInt8] {
        [UInt8(ascii: "p")] + topic(form, table)
    }

    private static func letter(_ form: Form) -> UInt8 {
        form == .binary ? UInt8(ascii: "b") : UInt8(ascii: "j")
    }

    /// What a whole topic is about.
    struct Target {
        let form: Form
        let table: TableID
        let isPresence: Bool
    }

    static func parse(_ whole: ArraySlice<UInt8>) -> Target? {
        let isPresence = whole.first == UInt8(ascii: "p")
        let topic = isPresence ? whole.dropFirst() : whole
        guard topic.count > 3, topic.count < 300, topic.last == UInt8(ascii: "/"),
            topic[topic.startIndex + 1] == UInt8(ascii: "/"),
            let form = Form.allCases.first(where: { letter($0) == topic.first })
        else { return nil }
        let name = topic.dropFirst(2).dropLast()
        guard !name.contains(UInt8(ascii: "/")), let text = String(validating: name, as: UTF8.self)
        else { return nil }
        return Target(form: form, table: TableID(text), isPresence: isPresence)
    }

    /// A message of the XPUB socket: 1 or 0, then the topic. Returns whom to welcome.
    mutating func note(_ event: [UInt8]) -> Target? {
        guard let kind = event.first, kind <= 1 else { return nil }
        let topic = event.dropFirst()
        let target = Self.parse(topic)
        if kind == 0 {
            exact.remove(Array(topic))
            prefixes.remove(Array(topic))
            return nil
        }
        if count < Self.most {
            if target == nil { prefixes.insert(Array(topic)) } else { exact.insert(Array(topic)) }
        }
        return target
    }

    /// How many different topics are subscribed to.
    var count: Int { exact.count + prefixes.count }

    /// Whether somebody would receive this topic.
    func isWanted(_ topic: [UInt8]) -> Bool {
        exact.contains(topic) || count >= Self.most
            || prefixes.contains { topic.starts(with: $0) }
    }
}

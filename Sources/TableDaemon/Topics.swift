import TableModel
import TableWire

/// What viewers subscribe to, as the XPUB socket reports it: a publication is encoded in a form
/// only while somebody wants that form.
struct Topics {
    /// All topics, whole names and shorter ones such as "" or "j/", which match by prefix.
    private var topics: Set<[UInt8]> = []
    /// How many of them have each length: only lengths that occur are looked for.
    private var lengths: [Int] = []
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
    struct Target: Hashable {
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
        let topic = Array(event.dropFirst())
        if kind == 0 {
            if topics.remove(topic) != nil { lengths[topic.count] -= 1 }
            return nil
        }
        if count < Self.most, topics.insert(topic).inserted {
            while lengths.count <= topic.count { lengths.append(0) }
            lengths[topic.count] += 1
        }
        return Self.parse(topic[...])
    }

    /// How many different topics are subscribed to.
    var count: Int { topics.count }

    /// Whether somebody would receive this topic.
    func isWanted(_ topic: [UInt8]) -> Bool {
        if topics.contains(topic) || count >= Self.most { return true }
        for length in 0..<min(topic.count, lengths.count) where lengths[length] > 0 {
            if topics.contains(Array(topic[..<length])) { return true }
        }
        return false
    }
}

import TableModel
import TableWire

/// The topics that viewers subscribe to, as the XPUB socket reports them: a publication is encoded in a form
/// only while a viewer wants that form.
struct Topics {
    /// All topics, whole names and shorter ones such as "" or "j/", which match by prefix.
    private var topics: [[UInt8]: Subscribers] = [:]
    /// How many of them have each length: only lengths that occur are looked for.
    private var lengths: [Int] = []
    /// How many of them are, or match, topics of JSON. There is none, as a rule, and each command asks.
    private var countOfText = 0
    /// The answers of `wanted` since the topics changed last: each commit asks.
    private var found: [TableID: [Wanted]] = [:] {
        didSet { latest = nil }
    }
    /// The latest of them: most commits are of the table of the one before.
    private var latest: (table: TableID, wanted: [Wanted])?
    /// A table may be gone, so what was found is forgotten now and then.
    private static let mostFound = 1_024
    /// Beyond it every form is taken to be wanted, so that a flood of subscriptions costs no more.
    private static let most = 65_536

    /// The connections that have a topic. libzmq says of each connection that ends that its subscriptions do, but not
    /// which connection it was.
    private struct Subscribers {
        /// By the numbers that the `Authenticator` gave, with their descriptors.
        var connections: [UInt64: Int32] = [:]
        /// So many of them have gone; less than none where some were forgotten before libzmq said so.
        var gone = 0

        /// Forgets those that have gone, where they are as many as those that are there.
        mutating func forget(_ isOpen: (Int32, UInt64) -> Bool) {
            guard gone >= Topics.manyGone, gone * 2 >= connections.count else { return }
            let before = connections.count
            connections = connections.filter { isOpen($0.value, $0.key) }
            gone -= before - connections.count
        }
    }

    private static let manyGone = 64

    /// The topic of a table's news: form, name, a slash that keeps `inbox` apart from `inbox2`.
    static func topic(_ form: Form, _ table: TableID) -> [UInt8] {
        [letter(form), UInt8(ascii: "/")] + Array(table.text.utf8) + [UInt8(ascii: "/")]
    }

    /// The topic of a table's presence: `p`, then as the topic of its news.
    static func presence(_ form: Form, _ table: TableID) -> [UInt8] {
        [UInt8(ascii: "p")] + topic(form, table)
    }

    private static func letter(_ form: Form) -> UInt8 {
        form == .binary ? UInt8(ascii: "b") : UInt8(ascii: "j")
    }

    /// A form in which somebody wants the news of a table, and under which topic.
    struct Wanted {
        let form: Form
        let topic: [UInt8]
    }

    /// The subject of a whole topic.
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

    /// A connection has subscribed.
    mutating func subscribed(_ topic: [UInt8], by connection: UInt64, at descriptor: Int32) {
        if topics[topic] == nil {
            guard count < Self.most else { return }
            while lengths.count <= topic.count { lengths.append(0) }
            lengths[topic.count] += 1
            if Self.mayBeText(topic) { countOfText += 1 }
            found = [:]
        }
        topics[topic, default: Subscribers()].connections[connection] = descriptor
    }

    /// A subscription has ended; without a connection, since that has ended.
    mutating func unsubscribed(
        _ topic: [UInt8], by connection: UInt64?, isOpen: (Int32, UInt64) -> Bool
    ) {
        // Where it stands, since a copy of it would take time for each viewer.
        guard let at = topics.index(forKey: topic) else { return }
        if let connection {
            topics.values[at].connections[connection] = nil
        } else {
            topics.values[at].gone += 1
            topics.values[at].forget(isOpen)
        }
        guard topics.values[at].gone >= topics.values[at].connections.count else { return }
        topics.remove(at: at)
        lengths[topic.count] -= 1
        if Self.mayBeText(topic) { countOfText -= 1 }
        found = [:]
    }

    /// How many different topics are subscribed to.
    var count: Int { topics.count }

    /// In which forms somebody wants the news of this table.
    mutating func wanted(of table: TableID) -> [Wanted] {
        if let latest, latest.table == table { return latest.wanted }
        if let known = found[table] {
            latest = (table, known)
            return known
        }
        let wanted = Form.allCases.map { Wanted(form: $0, topic: Self.topic($0, table)) }
            .filter { isWanted($0.topic) }
        if found.count >= Self.mostFound { found = [:] }
        found[table] = wanted
        return wanted
    }

    private static func mayBeText(_ topic: [UInt8]) -> Bool {
        topic.first.map { $0 == letter(.json) } ?? true
    }

    /// Whether a viewer wants the news of this table as JSON.
    mutating func isWantedAsText(_ table: TableID) -> Bool {
        (countOfText > 0 || count >= Self.most) && wanted(of: table).contains { $0.form == .json }
    }

    /// Whether somebody would receive this topic.
    func isWanted(_ topic: [UInt8]) -> Bool {
        if topics[topic] != nil || count >= Self.most { return true }
        for length in 0..<min(topic.count, lengths.count) where lengths[length] > 0 {
            if topics[Array(topic[..<length])] != nil { return true }
        }
        return false
    }
}

internal import TableModel

/// The members of a frequent command in JSON. Each verb has some of them.
struct HotJSONParts {
    /// Which members there were.
    struct Members: OptionSet {
        let rawValue: UInt32
        static let row = Members(rawValue: 1 << 0)
        static let rows = Members(rawValue: 1 << 1)
        static let id = Members(rawValue: 1 << 2)
        static let title = Members(rawValue: 1 << 3)
        static let kind = Members(rawValue: 1 << 4)
        static let fields = Members(rawValue: 1 << 5)
        static let unset = Members(rawValue: 1 << 6)
        static let section = Members(rawValue: 1 << 7)
        /// One of four that exclude each other.
        static let anchor = Members(rawValue: 1 << 8)
        static let strict = Members(rawValue: 1 << 9)
        /// One of two that exclude each other.
        static let target = Members(rawValue: 1 << 10)
        static let action = Members(rawValue: 1 << 11)
        static let edge = Members(rawValue: 1 << 12)
        static let full = Members(rawValue: 1 << 13)
        static let confirmed = Members(rawValue: 1 << 14)
        static let item = Members(rawValue: 1 << 15)
    }

    private(set) var members: Members = []
    private(set) var row: RowID?
    private(set) var rows: [RowID] = []
    private(set) var id: RowID?
    private(set) var title: String?
    private(set) var kind: KindID?
    private(set) var fields: [Row.Field] = []
    private(set) var unset: [ID] = []
    private(set) var section: SectionID?
    private(set) var anchor: Anchor?
    private(set) var isStrict = false
    /// Nil: the next one.
    private(set) var state: Expansion?
    private(set) var action: ID?
    private(set) var edge: Edge?
    private(set) var isFull = false
    private(set) var isConfirmed = false
    private(set) var item: ID?

    /// Whether there are no others than these.
    func has(only some: Members) -> Bool { members.isSubset(of: some) }

    /// Reads the value of one more member. False: it is not plain, unknown, or there already.
    mutating func read(
        _ name: UnsafeRawBufferPointer, _ json: inout PlainJSON, _ reader: RequestReader
    ) -> Bool {
        if name.holds("row") {
            row = reader.hotID(json.letters())
            return note(.row, row != nil)
        }
        if name.holds("rows") { return note(.rows, readRows(&json, reader)) }
        if name.holds("after") {
            anchor = reader.hotID(json.letters()).map { .after($0) }
            return note(.anchor, anchor != nil)
        }
        if name.holds("before") {
            anchor = reader.hotID(json.letters()).map { .before($0) }
            return note(.anchor, anchor != nil)
        }
        if name.holds("top") {
            anchor = .top
            return note(.anchor, json.flag() == true)
        }
        if name.holds("bottom") {
            anchor = .bottom
            return note(.anchor, json.flag() == true)
        }
        if name.holds("title") {
            title = json.text()
            return note(.title, title != nil)
        }
        if name.holds("fields") { return note(.fields, readFields(&json, reader)) }
        if name.holds("toggle") { return note(.target, json.flag() == true) }
        if name.holds("to") {
            state = json.letters().flatMap { reader.hotState($0) }
            return note(.target, state != nil)
        }
        return readRarer(name, &json, reader)
    }

    private mutating func readRarer(
        _ name: UnsafeRawBufferPointer, _ json: inout PlainJSON, _ reader: RequestReader
    ) -> Bool {
        if name.holds("id") {
            id = reader.hotID(json.letters())
            return note(.id, id != nil)
        }
        if name.holds("action") {
            action = reader.hotID(json.letters())
            return note(.action, action != nil)
        }
        if name.holds("item") {
            item = reader.hotID(json.letters())
            return note(.item, item != nil)
        }
        if name.holds("kind") {
            kind = reader.hotID(json.letters())
            return note(.kind, kind != nil)
        }
        if name.holds("section") {
            section = reader.hotID(json.letters())
            return note(.section, section != nil)
        }
        if name.holds("unset") {
            let isPlain = Self.read(&unset, &json, reader)
            return note(.unset, isPlain && unset.count <= reader.limits.fields)
        }
        if name.holds("edge") {
            guard let found = json.letters().flatMap({ reader.hotEdge(ifAny: $0) }) else {
                return false
            }
            edge = found.edge
            return note(.edge, true)
        }
        if name.holds("strict") { return note(.strict, Self.read(&isStrict, &json)) }
        if name.holds("full") { return note(.full, Self.read(&isFull, &json)) }
        if name.holds("confirmed") { return note(.confirmed, Self.read(&isConfirmed, &json)) }
        return false
    }

    private mutating func note(_ member: Members, _ isPlain: Bool) -> Bool {
        guard isPlain, members.isDisjoint(with: member) else { return false }
        members.insert(member)
        return true
    }

    private static func read(_ flag: inout Bool, _ json: inout PlainJSON) -> Bool {
        guard let value = json.flag() else { return false }
        flag = value
        return true
    }

    private mutating func readRows(_ json: inout PlainJSON, _ reader: RequestReader) -> Bool {
        Self.read(&rows, &json, reader) && rows.count <= RequestReader.mostRows
    }

    private static func read(
        _ ids: inout [ID], _ json: inout PlainJSON, _ reader: RequestReader
    ) -> Bool {
        ids = []
        return json.elements { json in
            guard let id = reader.hotID(json.letters()) else { return false }
            ids.append(id)
            return true
        }
    }

    private mutating func readFields(_ json: inout PlainJSON, _ reader: RequestReader) -> Bool {
        var fields: [Row.Field] = []
        let limit = reader.limits.fields
        let isPlain = json.members { name, json in
            guard fields.count < limit, let key = reader.hotKey(name), let value = json.text(),
                // The schema's reader refuses keys that its map takes for one.
                !fields.contains(where: { $0.key == key })
            else { return false }
            fields.append(Row.Field(key, value))
            return true
        }
        self.fields = fields
        return isPlain
    }
}

internal import TableModel

/// The members of a frequent command in JSON. Each verb has some of them.
///
/// Most are places in the request: what is no value yet need not be let go of, and ids are made where
/// they stay.
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
        static let after = Members(rawValue: 1 << 8)
        static let before = Members(rawValue: 1 << 9)
        static let top = Members(rawValue: 1 << 10)
        static let bottom = Members(rawValue: 1 << 11)
        static let strict = Members(rawValue: 1 << 12)
        static let toggle = Members(rawValue: 1 << 13)
        static let state = Members(rawValue: 1 << 14)
        static let action = Members(rawValue: 1 << 15)
        static let edge = Members(rawValue: 1 << 16)
        static let full = Members(rawValue: 1 << 17)
        static let confirmed = Members(rawValue: 1 << 18)
        static let item = Members(rawValue: 1 << 19)

        /// These exclude each other.
        static let anchors: Members = [.after, .before, .top, .bottom]
        /// So do these.
        static let targets: Members = [.toggle, .state]
    }

    private(set) var members: Members = []
    private(set) var row: UnsafeRawBufferPointer?
    private(set) var id: UnsafeRawBufferPointer?
    private(set) var kind: UnsafeRawBufferPointer?
    private(set) var section: UnsafeRawBufferPointer?
    /// The row of an anchor.
    private var anchorRow: UnsafeRawBufferPointer?
    private(set) var state: UnsafeRawBufferPointer?
    private(set) var action: UnsafeRawBufferPointer?
    private(set) var edge: UnsafeRawBufferPointer?
    private(set) var item: UnsafeRawBufferPointer?
    private(set) var isStrict = false
    private(set) var isFull = false
    private(set) var isConfirmed = false
    private(set) var title: String?
    private(set) var rows = Few<RowID>.none
    private(set) var fields: [Row.Field] = []
    private(set) var unset: [ID] = []

    /// Whether there are no others than these.
    func has(only some: Members) -> Bool { members.isSubset(of: some) }

    /// The anchor, if there is one.
    func anchor(_ reader: RequestReader) -> (anchor: Anchor?, Void)? {
        if let anchorRow {
            guard let row = reader.hotID(anchorRow) else { return nil }
            return (members.contains(.after) ? .after(row) : .before(row), ())
        }
        if members.contains(.top) { return (.top, ()) }
        return (members.contains(.bottom) ? .bottom : nil, ())
    }

    /// Reads the value of one more member. False: it is not plain, unknown, or there already.
    mutating func read(
        _ name: UnsafeRawBufferPointer, _ json: inout PlainJSON, _ reader: RequestReader
    ) -> Bool {
        if name.holds("row") {
            row = json.letters()
            return note(.row, row != nil)
        }
        if name.holds("rows") { return note(.rows, readRows(&json, reader)) }
        if name.holds("after") {
            anchorRow = json.letters()
            return note(.after, anchorRow != nil, beside: .anchors)
        }
        if name.holds("before") {
            anchorRow = json.letters()
            return note(.before, anchorRow != nil, beside: .anchors)
        }
        if name.holds("top") { return note(.top, json.flag() == true, beside: .anchors) }
        if name.holds("bottom") { return note(.bottom, json.flag() == true, beside: .anchors) }
        if name.holds("title") {
            title = json.text()
            return note(.title, title != nil)
        }
        if name.holds("fields") { return note(.fields, readFields(&json, reader)) }
        if name.holds("toggle") { return note(.toggle, json.flag() == true, beside: .targets) }
        if name.holds("to") {
            state = json.letters()
            return note(.state, state != nil, beside: .targets)
        }
        return readRarer(name, &json, reader)
    }

    private mutating func readRarer(
        _ name: UnsafeRawBufferPointer, _ json: inout PlainJSON, _ reader: RequestReader
    ) -> Bool {
        if name.holds("id") {
            id = json.letters()
            return note(.id, id != nil)
        }
        if name.holds("action") {
            action = json.letters()
            return note(.action, action != nil)
        }
        if name.holds("item") {
            item = json.letters()
            return note(.item, item != nil)
        }
        if name.holds("kind") {
            kind = json.letters()
            return note(.kind, kind != nil)
        }
        if name.holds("section") {
            section = json.letters()
            return note(.section, section != nil)
        }
        if name.holds("unset") {
            let isPlain = Self.read(&unset, &json, reader)
            return note(.unset, isPlain && unset.count <= reader.limits.fields)
        }
        if name.holds("edge") {
            edge = json.letters()
            return note(.edge, edge != nil)
        }
        if name.holds("strict") { return note(.strict, Self.read(&isStrict, &json)) }
        if name.holds("full") { return note(.full, Self.read(&isFull, &json)) }
        if name.holds("confirmed") { return note(.confirmed, Self.read(&isConfirmed, &json)) }
        return false
    }

    /// False: it is not plain, or one of the others was there.
    private mutating func note(
        _ member: Members, _ isPlain: Bool, beside others: Members = []
    ) -> Bool {
        guard isPlain, members.isDisjoint(with: others.union(member)) else { return false }
        members.insert(member)
        return true
    }

    private static func read(_ flag: inout Bool, _ json: inout PlainJSON) -> Bool {
        guard let value = json.flag() else { return false }
        flag = value
        return true
    }

    private mutating func readRows(_ json: inout PlainJSON, _ reader: RequestReader) -> Bool {
        rows = .none
        return json.elements { json in
            guard let id = reader.hotID(json.letters()) else { return false }
            rows.append(id)
            return true
        } && rows.count <= RequestReader.mostRows
    }

    private static func read(
        _ ids: inout [ID], _ json: inout PlainJSON, _ reader: RequestReader
    ) -> Bool {
        ids = []
        return json.elements { json in
            guard let id = reader.hotID(json.letters()) else { return false }
            ids.add(id)
            return true
        }
    }

    private mutating func readFields(_ json: inout PlainJSON, _ reader: RequestReader) -> Bool {
        let limit = reader.limits.fields
        fields = []
        return json.members { name, json in
            guard fields.count < limit, let key = reader.hotKey(name), let value = json.text(),
                // The schema's reader refuses keys that its map takes for one.
                !fields.contains(where: { $0.key == key })
            else { return false }
            fields.add(Row.Field(key, value))
            return true
        }
    }
}

extension Array {
    /// As `append`. Nearly all of these lists have one element, and an array of one is made at once,
    /// where an empty one has to grow.
    @inline(__always)
    fileprivate mutating func add(_ element: Element) {
        if isEmpty { self = [element] } else { append(element) }
    }
}

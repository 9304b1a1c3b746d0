/// An item of a strip. A strip is a row that scrolls sideways: an ordered list of items (rule D1).
///
/// It is a reference to one object, as a row is: each change of a strip copies the list of its items.
public struct Item: @unchecked Sendable {
    // Immutable, as are the objects that it holds.
    private let store: ItemStore

    /// Its identity in its row.
    public var id: ID { store.header.id }
    /// The text that people read; it may be empty.
    public var title: String { store.title }
    /// One of the item kinds of its row's kind (F13); nil: none.
    public var kind: ID? { store.header.kind }
    /// In the order of their keys' bytes, each key once.
    public var fields: [Row.Field] { store.fields }
    /// The effects of selecting it; empty: its kind's `tap`, or else its row's kind's.
    public var tap: [Effect] { store.header.tap }
    /// Bytes of all text, as the strip limit counts them.
    package var byteCount: Int { store.header.byteCount }

    /// Fields may come in any order. Of two fields with one key, the last is kept.
    public init(
        _ id: ID, title: String = "", kind: ID? = nil, fields: [Row.Field] = [], tap: [Effect] = []
    ) {
        store = ItemStore.make(
            id, title: title, kind: kind, fields: Row.Field.sorted(fields),
            tap: tap.map(\.normalized))
    }

    /// Whether this is its identity. Compared where it lies, without a copy of it.
    fileprivate func has(_ id: ID) -> Bool {
        store.withUnsafeMutablePointerToHeader { $0.pointee.id == id }
    }

    /// The digest of `tap`. It travels with the item, so that viewers in other languages need not compute it.
    public var tapDigest: UInt64 { CanonicalWriter.hash { $0.write(tap) } }

    func write(to writer: inout CanonicalWriter) { store.lend { writer.append($0) } }

    /// The item after these changes.
    package func applying(_ changes: Changes) -> Item {
        let content = Row.Content(fields: fields).with(
            Command.Changes(fields: changes.fields, unset: changes.unset))
        return Item(
            id, title: changes.title ?? title, kind: changes.kind ?? kind, fields: content.fields,
            tap: changes.tap ?? tap)
    }

    /// Changes of an item. What is nil or absent stays as it is.
    public struct Changes: Equatable, Sendable {
        /// The new title.
        public var title: String?
        /// Fields to set; others stay.
        public var fields: [Row.Field]
        /// Keys of fields to remove, before `fields` are set.
        public var unset: [ID]
        /// The effects of selecting it.
        public var tap: [Effect]?
        /// The new kind; `.some(nil)`: none any more.
        public var kind: ID??

        /// Changes; by default none.
        public init(
            title: String? = nil, kind: ID?? = nil, fields: [Row.Field] = [], unset: [ID] = [],
            tap: [Effect]? = nil
        ) {
            self.kind = kind
            self.title = title
            self.fields = fields
            self.unset = unset
            self.tap = tap.map { $0.map(\.normalized) }
        }

        /// Titles are compared by bytes.
        public static func == (a: Changes, b: Changes) -> Bool {
            let titles: (ID?, ID?) = (a.title.map { ID($0) }, b.title.map { ID($0) })
            return titles.0 == titles.1 && a.fields == b.fields && a.unset == b.unset
                && a.tap == b.tap && a.kind == b.kind
        }
    }

    /// One op on a strip's items.
    public enum Step: Equatable, Sendable {
        /// Behind another item; nil: as the first.
        case insert(Item, after: ID?)
        case remove(ID)
        /// Takes the items out, then inserts them in this order behind another; nil: first.
        case move([ID], after: ID?)
        case set(ID, Changes)
    }
}

extension Item: Equatable {
    /// Titles are compared by bytes.
    public static func == (a: Item, b: Item) -> Bool { a.store.isEqual(to: b.store) }
}

/// Where a strip is scrolled to. It names an item, so that it survives inserts and removals (D4).
public struct Scroll: Equatable, Sendable {
    /// The first visible item.
    public var item: ID
    /// The part of it that is scrolled out, from 0 to 1.
    public var fraction: Double

    /// A place as given.
    public init(_ item: ID, fraction: Double = 0) {
        self.item = item
        // Zero has two bit patterns.
        self.fraction = fraction == 0 ? 0 : fraction
    }
}

extension Row.Content {
    /// The place of an item, from 0.
    public func index(of item: ID) -> Int? { items.index(of: item) }
}

extension [Item] {
    /// Applies an op. Throws if it does not fit, and has changed nothing then.
    package mutating func apply(_ step: Item.Step) throws(Mismatch) {
        switch step {
        case .insert(let item, let after):
            if index(of: item.id) != nil { throw .op("item \(item.id) is there already") }
            insert(item, at: try place(after: after))
        case .remove(let id): remove(at: try place(of: id))
        case .move(let ids, let after):
            var others = self
            var moved: [Item] = []
            for id in ids { moved.append(others.remove(at: try others.place(of: id))) }
            others.insert(contentsOf: moved, at: try others.place(after: after))
            self = others
        case .set(let id, let changes):
            let place = try place(of: id)
            self[place] = self[place].applying(changes)
        }
    }

    /// The place of an item, from 0.
    package func index(of item: ID) -> Int? { firstIndex { $0.has(item) } }

    fileprivate func place(of item: ID) throws(Mismatch) -> Int {
        guard let index = index(of: item) else { throw .op("no item \(item)") }
        return index
    }

    fileprivate func place(after item: ID?) throws(Mismatch) -> Int {
        guard let item else { return 0 }
        return try place(of: item) + 1
    }
}

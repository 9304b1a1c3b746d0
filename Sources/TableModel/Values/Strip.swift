/// An item of a strip: a row that scrolls sideways is an ordered list of them (design rule D1).
public struct Item: Sendable {
    /// Its identity in its row.
    public let id: ID
    /// What people read; may be empty.
    public var title: String
    /// In the order of their keys' bytes, each key once.
    public private(set) var fields: [Row.Field]
    /// What selecting it does to its row; empty: what the kind says.
    public var tap: [Effect]

    /// An item; fields may come in any order, and of two with one key the last is kept.
    public init(_ id: ID, title: String = "", fields: [Row.Field] = [], tap: [Effect] = []) {
        self.id = id
        self.title = title
        self.fields = Row.Field.sorted(fields)
        self.tap = tap.map(\.normalized)
    }

    /// Bytes of all text, as the strip limit counts them.
    var byteCount: Int {
        let tapBytes = tap.isEmpty ? 0 : tapWriter.bytes.count
        return fields.reduce(id.byteCount + title.utf8.count + tapBytes) {
            $0 + $1.key.byteCount + $1.value.utf8.count
        }
    }

    private var tapWriter: CanonicalWriter {
        var writer = CanonicalWriter()
        writer.write(UInt64(tap.count))
        for effect in tap { effect.write(to: &writer) }
        return writer
    }

    /// Of `tap`: it travels with the item, so that other languages need not repeat its form.
    public var tapDigest: UInt64 { tapWriter.hash }

    func write(to writer: inout CanonicalWriter) {
        writer.write(id)
        writer.write(title)
        writer.write(UInt64(fields.count))
        for field in fields {
            writer.write(field.key)
            writer.write(field.value)
        }
        writer.write(tap.isEmpty ? 0 as UInt64 : tapDigest)
    }

    /// The item after these changes.
    func applying(_ changes: Changes) -> Item {
        var content = Row.Content(fields: fields)
        content.change(unset: changes.unset, set: changes.fields)
        return Item(
            id, title: changes.title ?? title, fields: content.fields, tap: changes.tap ?? tap)
    }

    /// What becomes of an item; nil and absent leave things as they are.
    public struct Changes: Equatable, Sendable {
        /// The new title.
        public var title: String?
        /// To set; others stay.
        public var fields: [Row.Field]
        /// Keys of fields to remove, before `fields` are set.
        public var unset: [ID]
        /// What selecting it does.
        public var tap: [Effect]?

        /// Changes; by default none.
        public init(
            title: String? = nil, fields: [Row.Field] = [], unset: [ID] = [], tap: [Effect]? = nil
        ) {
            self.title = title
            self.fields = fields
            self.unset = unset
            self.tap = tap.map { $0.map(\.normalized) }
        }

        /// Titles compare by bytes.
        public static func == (a: Changes, b: Changes) -> Bool {
            let titles: (ID?, ID?) = (a.title.map { ID($0) }, b.title.map { ID($0) })
            return titles.0 == titles.1 && a.fields == b.fields && a.unset == b.unset
                && a.tap == b.tap
        }
    }

    /// One step of a change of a strip.
    public enum Step: Equatable, Sendable {
        /// Behind another item, or as the first.
        case insert(Item, after: ID?)
        case remove(ID)
        /// They leave their places, then stand in this order behind another, or first.
        case move([ID], after: ID?)
        case set(ID, Changes)
    }
}

extension Item: Equatable {
    /// By bytes.
    public static func == (a: Item, b: Item) -> Bool {
        a.id == b.id && ID(a.title) == ID(b.title) && a.fields == b.fields && a.tap == b.tap
    }
}

/// Where a strip is scrolled to: by item, so that it survives inserts and removals (D4).
public struct Scroll: Equatable, Sendable {
    /// The first that is visible.
    public var item: ID
    /// How much of it is scrolled out, from 0 to 1.
    public var fraction: Double

    /// A place as given.
    public init(_ item: ID, fraction: Double = 0) {
        self.item = item
        // Zero has two bit patterns.
        self.fraction = fraction == 0 ? 0 : fraction
    }
}

extension Row.Content {
    /// Carries out a step. Throws where it does not fit.
    mutating func apply(_ step: Item.Step) throws(Mismatch) {
        var items = items
        switch step {
        case .insert(let item, let after):
            if items.index(of: item.id) != nil { throw .op("item \(item.id) is there already") }
            items.insert(item, at: try items.place(after: after))
        case .remove(let id): items.remove(at: try items.place(of: id))
        case .move(let ids, let after):
            var moved: [Item] = []
            for id in ids { moved.append(items.remove(at: try items.place(of: id))) }
            items.insert(contentsOf: moved, at: try items.place(after: after))
        case .set(let id, let changes):
            let place = try items.place(of: id)
            items[place] = items[place].applying(changes)
        }
        self.items = items
    }

    /// Of an item, from 0.
    public func index(of item: ID) -> Int? { items.index(of: item) }
}

extension [Item] {
    fileprivate func index(of item: ID) -> Int? {
        firstIndex { $0.id == item }
    }

    fileprivate func place(of item: ID) throws(Mismatch) -> Int {
        guard let index = index(of: item) else { throw .op("no item \(item)") }
        return index
    }

    fileprivate func place(after item: ID?) throws(Mismatch) -> Int {
        guard let item else { return 0 }
        return try place(of: item) + 1
    }
}

extension Row {
    /// Kind, title and fields of a row.
    ///
    /// They are packed. The content of a row lies in the row itself. Each property is made on
    /// request.
    public struct Content: Hashable, @unchecked Sendable {
        /// The content's own, or a row's. Immutable, as are the objects that it holds.
        @usableFromInline let store: RowStore

        init(of store: RowStore) { self.store = store }

        /// Fields may come in any order. Of two fields with one key, the last is kept.
        public init(
            kind: KindID = .plainKind, title: String = "", fields: [Field] = [],
            actions: RowActions? = nil, items: [Item] = [], states: [Kind.State] = []
        ) {
            let extras = RowExtras(
                actions: actions?.isEmpty == true ? nil : actions, items: items, states: states)
            self.init(kind, title, fields: Field.sorted(fields), extras.boxed)
        }

        /// - Parameter fields: in the order of their keys, each key once.
        private init(_ kind: KindID, _ title: String, fields: [Field], _ extras: RowExtras.Box?) {
            let head = PackedWriter.size(kind: kind) + PackedWriter.size(title)
            let size = fields.reduce(head + PackedWriter.size(UInt64(fields.count))) {
                $0 + PackedWriter.size($1.key) + PackedWriter.size($1.value)
            }
            store = RowStore.make(id: .none, .init(extras: extras), textCount: size) { writer in
                writer.put(kind: kind)
                writer.put(title)
                writer.put(UInt64(fields.count))
                for field in fields {
                    writer.put(field.key)
                    writer.put(field.value)
                }
            }
        }

        /// A kind registered in the table.
        public var kind: KindID {
            get { withTexts { $0.isPlain ? .plainKind : ID(utf8: $0.kind) } }
            set { self = with(Command.Changes(kind: newValue)) }
        }

        /// The text that people read first; it may be empty.
        public var title: String {
            get { withTexts { String(packed: $0.title) } }
            set { self = with(Command.Changes(title: newValue)) }
        }

        /// In the order of their keys' bytes, each key once.
        public var fields: [Field] {
            withTexts { texts in
                if texts.fieldCount == 0 { return [] }
                var fields: [Field] = []
                fields.reserveCapacity(texts.fieldCount)
                texts.forEachField { key, value in
                    fields.append(Field(ID(utf8: key), String(packed: value)))
                }
                return fields
            }
        }

        /// How many fields there are.
        public var fieldCount: Int { withTexts(\.fieldCount) }

        /// The value of the field with this key.
        public func value(of key: ID) -> String? {
            key.withLetters { key in
                withTexts { texts in
                    var found: String?
                    texts.forEachField { other, value in
                        if other.hasSameBytes(as: key) { found = String(packed: value) }
                    }
                    return found
                }
            }
        }

        /// The row's own swipe actions; nil: the kind's.
        public var actions: RowActions? {
            get { store.header.extras?.all.actions }
            set { self = with(RowExtras(actions: newValue, items: items, states: states)) }
        }

        /// The items of a strip, in order.
        public var items: [Item] {
            get { store.header.extras?.all.items ?? [] }
            set { self = with(RowExtras(actions: actions, items: newValue, states: states)) }
        }

        /// The states of the row's own, in the order of toggling; empty: its kind's (F11).
        public var states: [Kind.State] {
            get { store.header.extras?.all.states ?? [] }
            set { self = with(RowExtras(actions: actions, items: items, states: newValue)) }
        }

        /// Whether there is nothing but kind, title and fields.
        package var hasOnlyTexts: Bool {
            store.withUnsafeMutablePointerToHeader { head in
                guard let box = head.pointee.extras else { return true }
                return box.all.actions == nil && box.all.items.isEmpty && box.all.states.isEmpty
            }
        }

        private func with(_ extras: RowExtras) -> Content {
            Content(of: store.with(id: .none, .init(extras: extras.boxed)))
        }

        /// The extras of the content, without those of a row.
        var ownExtras: RowExtras.Box? {
            guard let all = store.header.extras?.all else { return nil }
            return RowExtras(actions: all.actions, items: all.items, states: all.states).boxed
        }

        /// Sets one field.
        public mutating func set(_ field: Field) { self = with(Command.Changes(fields: [field])) }

        /// Removes the field with this key, if there is one.
        public mutating func unset(_ key: ID) { self = with(Command.Changes(unset: [key])) }

        /// Bytes of all text, as the row limit counts them.
        public var byteCount: Int {
            withTexts { texts in
                var count = texts.kind.count + texts.title.count + (actions?.byteCount ?? 0)
                for state in states { count += state.expansion.text.utf8.count + 8 }
                texts.forEachField { count += $0.count + $1.count }
                return count
            }
        }

        /// Titles and values are compared by bytes: a change of normalisation is a change.
        public static func == (a: Content, b: Content) -> Bool {
            if a.store === b.store { return true }
            // Equal text has equal bytes: fields are sorted, and a number has one packed form.
            let isSameText = a.store.withText { text in
                b.store.withText { text.hasSameBytes(as: $0) }
            }
            return isSameText && a.actions == b.actions && a.items == b.items
                && a.states == b.states
        }

        /// Consistent with `==`. Leaves out the fields.
        public func hash(into hasher: inout Hasher) {
            withTexts { texts in
                hasher.combine(bytes: texts.kind)
                hasher.combine(bytes: texts.title)
            }
        }
    }

    /// A named text of a row.
    public struct Field: Hashable, Sendable {
        /// Its name, unique in the row.
        public var key: ID
        /// Its text; may be empty.
        public var value: String

        /// By default as given.
        public init(_ key: ID, _ value: String) {
            self.key = key
            self.value = value
        }

        /// Values are compared by bytes.
        public static func == (a: Field, b: Field) -> Bool {
            a.key == b.key && a.value.hasSameBytes(as: b.value)
        }

        /// Consistent with `==`. Uses the key alone.
        public func hash(into hasher: inout Hasher) { hasher.combine(key) }

        /// Sorted by key; of two fields with one key, the last is kept. One sort for all: inserting
        /// them one by one would take a second for the fields of one request.
        package static func sorted(_ fields: [Field]) -> [Field] {
            if fields.count < 2 { return fields }
            let order = fields.indices.sorted {
                fields[$0].key == fields[$1].key ? $0 < $1 : fields[$0].key < fields[$1].key
            }
            var result: [Field] = []
            result.reserveCapacity(fields.count)
            for index in order {
                if result.last?.key == fields[index].key { result.removeLast() }
                result.append(fields[index])
            }
            return result
        }
    }
}

/// Views of a row's texts, for encoders. Valid only inside `withTexts`.
@usableFromInline package struct RowTexts {
    /// UTF-8, as are the others.
    @usableFromInline package let kind: UnsafeRawBufferPointer
    @usableFromInline package let title: UnsafeRawBufferPointer
    @usableFromInline package let fieldCount: Int
    /// Whether the kind is `ID.plainKind`.
    @usableFromInline let isPlain: Bool
    /// The kind, packed.
    @usableFromInline let packedKind: UnsafeRawBufferPointer
    /// The bytes packed in front of the fields.
    @usableFromInline package let head: UnsafeRawBufferPointer
    /// The packed fields: their number, then each key and value.
    @usableFromInline package let fields: UnsafeRawBufferPointer
    @usableFromInline let firstField: UnsafeRawPointer

    @inlinable static var plainKind: StaticString { "row" }

    // Inlined, in other modules too: most calls want one of them, and do not pay for the others.
    @inlinable @inline(__always)
    init(_ text: UnsafeRawBufferPointer, _ start: UnsafeRawPointer) {
        var reader = PackedReader(start)
        let kindCount = Int(reader.number())
        isPlain = kindCount == 0
        kind =
            isPlain
            ? UnsafeRawBufferPointer(
                start: Self.plainKind.utf8Start, count: Self.plainKind.utf8CodeUnitCount)
            : reader.bytes(kindCount - 1)
        packedKind = UnsafeRawBufferPointer(start: start, count: reader.place - start)
        title = reader.text()
        head = UnsafeRawBufferPointer(start: start, count: reader.place - start)
        fields = UnsafeRawBufferPointer(
            start: reader.place, count: text.count - (reader.place - start))
        fieldCount = Int(reader.number())
        firstField = reader.place
    }

    /// Visits the fields in the order of their keys.
    @inlinable @inline(__always)
    package func forEachField(
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void
    ) {
        var reader = PackedReader(firstField)
        for _ in 0..<fieldCount {
            let key = reader.text()
            body(key, reader.text())
        }
    }
}

extension Row.Content {
    /// Lends the texts without making strings of them.
    @inlinable @inline(__always)
    package func withTexts<Result>(_ body: (RowTexts) -> Result) -> Result {
        store.withText { text in
            guard let start = text.baseAddress else {
                preconditionFailure("a row's text is never empty")
            }
            return body(RowTexts(text, start))
        }
    }
}

extension ID {
    /// The id of content that belongs to no row.
    static let none: ID = ""
}

// The selection, in tables that keep it (design rule F15).

extension Row {
    /// The selected part of a row.
    public enum Selection: Hashable, Sendable {
        /// The row itself.
        case row
        /// An item of a strip.
        case item(ID)

        /// The item, if it is one.
        public var item: ID? {
            if case .item(let id) = self { return id }
            return nil
        }

        /// The selection of a row, or of an item of it.
        public init(item: ID?) { self = item.map { .item($0) } ?? .row }

        func write(to writer: inout CanonicalWriter) {
            writer.write("selected")
            writer.write(optional: item?.text)
        }
    }
}

extension Settings {
    /// Whether a table keeps what is selected.
    public enum SelectionScope: String, Sendable, CaseIterable {
        /// A selection is news, which changes nothing by itself.
        case none
        /// Each viewer keeps what it has selected.
        case viewer
        /// The table keeps the one row, or item, that is selected: everybody sees it.
        case shared
    }
}

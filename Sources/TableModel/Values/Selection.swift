// What is selected, in tables that keep it (design rule F15).

extension Row {
    /// What of a row is selected.
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

extension Decision {
    /// The ops that keep a selection; none where the table does not.
    func keeping(_ selection: Row.Selection, of row: Row) -> [Op] {
        guard table.settings.selection == .shared, row.selection != selection else { return [] }
        return unmarking(but: row.id) + [.mark(row.id, selection)]
    }

    private func unmarking(but id: RowID?) -> [Op] {
        table.selectedRows.filter { $0 != id }.sorted().map { .mark($0, nil) }
    }

    /// Keeps a selection, without what its `tap` does and without news of it. Without a row nothing
    /// is selected any more.
    func mark(_ id: RowID?, item: ID?) throws(Rejection) -> Plan {
        guard table.settings.selection == .shared else {
            throw Rejection(
                .viewerScope, "This table does not keep what is selected.", field: "row")
        }
        guard let id else {
            guard item == nil else {
                throw Rejection(.noSuchRow, "An item is of a row: name it.", field: "row")
            }
            return Plan(unmarking(but: nil))
        }
        let row = try row(id, field: "row")
        try checkSelectable(row, item: item)
        return Plan(keeping(Row.Selection(item: item), of: row), rows: .one(id))
    }

    /// Rule D2: of a strip an item is selected, of another row the row.
    func checkSelectable(_ row: Row, item: ID?) throws(Rejection) {
        let isStrip = try kind(row.content.kind).isStrip
        if let item {
            guard isStrip else {
                throw Rejection(
                    .notStrip, "Row \"\(row.id.text)\" is no strip, and has no items.",
                    field: "item")
            }
            guard row.content.index(of: item) != nil else {
                throw Rejection(
                    .noSuchItem, "Row \"\(row.id.text)\" has no item \"\(item.text)\".",
                    field: "item")
            }
        } else if isStrip {
            throw Rejection(
                .stripBlank, "Select an item of the strip, not the blank between items.",
                field: "item")
        }
    }

    /// Ends selections that cannot be in the table as it is: of items that are gone, of a row that is
    /// a strip now, and all where the table does not keep them.
    func unmarkingMisfits() -> [Op] {
        table.selectedRows.sorted().filter { id in
            guard table.settings.selection == .shared, let row = table.row(id) else { return true }
            return !table.canKeepSelection(of: row)
        }.map { .mark($0, nil) }
    }
}

extension Table {
    /// Whether what is selected of the row is there to be selected.
    func canKeepSelection(of row: Row) -> Bool {
        row.selection.map { canKeep($0, of: row) } ?? true
    }

    /// Rule D2: of a strip an item, of another row the row.
    package func canKeep(_ selection: Row.Selection, of row: Row) -> Bool {
        let isStrip = kinds[row.content.kind]?.isStrip == true
        switch selection {
        case .row: return !isStrip
        case .item(let id): return isStrip && row.content.index(of: id) != nil
        }
    }
}

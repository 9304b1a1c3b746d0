import TableModel

// The selection, in tables that keep it (design rule F15).

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
        try require(
            table.settings.selection == .shared, or: .viewerScope,
            "This table does not keep what is selected.", field: "row")
        guard let id else {
            try require(item == nil, or: .noSuchRow, "An item is of a row: name it.", field: "row")
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
            try require(
                isStrip, or: .notStrip, "Row \"\(row.id.text)\" is no strip, and has no items.",
                field: "item")
            try require(
                row.content.index(of: item) != nil, or: .noSuchItem,
                "Row \"\(row.id.text)\" has no item \"\(item.text)\".", field: "item")
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

internal import TableModel

// What is selected, in tables that keep it.

extension WireRow.Selection {
    init(_ selection: Row.Selection) {
        if let id = selection.item { item = id.text }
    }

    func read() throws(Rejection) -> Row.Selection {
        Row.Selection(item: hasItem ? try ID(read: item, "item") : nil)
    }
}

extension WireOp.Mark {
    init(_ id: RowID, _ selection: Row.Selection?) {
        row = id.text
        if let selection { selected = WireRow.Selection(selection) }
    }

    func read() throws(Rejection) -> Op {
        .mark(
            try ID(read: row, "row"),
            hasSelected
                ? try within("selected") { () throws(Rejection) in try selected.read() } : nil)
    }
}

extension WireCommand.Mark {
    init(_ id: RowID?, _ item: ID?) {
        if let id { row = id.text }
        if let item { self.item = item.text }
    }
}

extension RequestReader {
    func mark(_ wire: WireCommand.Mark) throws(Rejection) -> Command.Verb {
        .mark(
            wire.hasRow ? try id(wire.row, "row") : nil,
            item: wire.hasItem ? try id(wire.item, "item") : nil)
    }
}

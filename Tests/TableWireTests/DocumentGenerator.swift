import TableModel
import TableSync
import TableWire

/// Random documents of the command line, and the frame before a request.
extension Generator {
    mutating func behalf() throws -> Behalf {
        let role = [nil, "viewer", "operator", "handler", "editor", "admin"][below(6)]
        let tables = maybe { $0.list(1...3) { $0.id().text + "*" } }
        return try Behalf(name: id().text, role: role ?? "", tables: tables)
    }

    /// Nothing refers to another row: whatever a table takes.
    mutating func table() throws -> Table {
        let table = Table(
            restoring: id(), history: id128(), revision: number(), kinds: list { $0.kind() },
            settings: settings())
        table.restoreEditing(flag())
        for index in 0..<below(4) {
            let section = ID("section\(index)")
            try table.appendSection(section, title: text())
            for number in 0..<below(5) {
                let row = row()
                let named = Row(
                    id: ID("\(index).\(number)"), content: row.content, version: row.version,
                    createdMs: row.createdMs, expansion: row.expansion, swipe: row.swipe,
                    performed: row.performed, scroll: row.scroll, changedMs: row.changedMs,
                    movedMs: row.movedMs, claim: row.claim, selection: row.selection,
                    cameFrom: row.cameFrom)
                try table.appendRow(named, to: section)
            }
        }
        for _ in 0..<below(2) { table.restore(invocation()) }
        return table
    }

    mutating func stateDocument() throws -> StateDocument {
        StateDocument(try table(), epoch: id128())
    }

    mutating func changeDocument() -> ChangeDocument {
        ChangeDocument(table: id(), epoch: id128(), diff: diff())
    }

    mutating func sessionLine() throws -> SessionLine {
        switch below(3) {
        case 0: return .header(SessionHeader(table: id(), atMs: number()))
        case 1: return .state(SessionState(try table(), epoch: id128(), atMs: number()))
        default: return .change(changeDocument(), atMs: number())
        }
    }
}

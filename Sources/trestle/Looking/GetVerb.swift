import ArgumentParser
import TableClient
import TableLayout
import TableModel
import TablePredicate
import TableSync

struct GetVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Print one row.",
        discussion: """
            For people it prints a property per line, under the names that --where and --columns \
            of `show` take. With -o ndjson it prints the row as an object, as `show` does.

              trestle get board t41
              trestle -o ndjson get board t41 | jq .version
            """)

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Argument(help: "The row.", completion: Live.rows) var row: String
    @OptionGroup var options: Options

    func carryOut(_ connection: Connection) throws {
        var query = Query()
        (query.row, query.most) = (ID(row), 1)
        let finding = try connection.find(query, in: table)
        guard let placed = finding.rows.first else {
            throw Failure(Rejection.noRow(ID(row), field: "row"))
        }
        let (table, epoch) = (finding.table, finding.epoch)
        let document = Documents.row(placed)
        try connection.show(
            Report(
                json: {
                    Documents.reply(Reply(about: table, epoch: epoch), adding: []).dropLast()
                        + ",\"row\":\(document)}"
                },
                ndjson: { [document] }, names: { [row] },
                lines: { isWide in
                    var columns = Columns()
                    for (name, value) in Self.properties(of: placed, in: table) {
                        columns.append([name, value])
                    }
                    return columns.lines(in: isWide ? nil : Output.size?.columns, yielding: [1])
                }))
    }

    private static func properties(
        of placed: PlacedRow, in table: Table
    ) -> [(name: String, value: String)] {
        let row = placed.row
        let beganMs = Age.beganMs(of: row, kind: table.kinds[row.content.kind])
        let seconds = Age.seconds(since: beganMs, nowMs: wallClockMs())
        var found = [
            ("id", row.id.text), ("title", row.content.title), ("kind", row.content.kind.text),
            ("section", placed.section.text), ("index", "\(placed.index)"),
            ("version", "\(row.version)"), ("state", row.expansion.text),
            ("age", Age.text(seconds: seconds)),
        ]
        if let swipe = row.swipe { found.append(("swipe", swipe.rawValue)) }
        if let claim = row.claim {
            let note = claim.note.isEmpty ? "" : ": \(claim.note)"
            found.append(("claimed by", claim.holder.text + note))
        }
        if let sleep = row.sleep {
            let clock = RowFace.Clock(nowMs: wallClockMs(), zoneSeconds: zoneSeconds())
            found.append(("sleeps", sleep.text(clock)))
        }
        found += row.content.fields.map { ("field.\($0.key.text)", $0.value) }
        if !row.content.items.isEmpty {
            found.append(("items", "\(row.content.items.count)"))
            found += row.content.items.map { ("  \($0.id.text)", $0.title) }
        }
        found += row.performed.filter { $0.item == nil }.map { performed in
            let name = "action.\(performed.action.text)"
            if case .failed(let reason) = performed.state { return (name, "failed: \(reason)") }
            let tried = table.triedText(performed, zoneSeconds: zoneSeconds())
            return (name, tried ?? performed.state.name)
        }
        return found
    }
}

import StrictYAML
import TableModel
import TableSync
import TableWire

/// The JSON of results. Lists and mappings stand there also when they are empty.
enum Documents {
    typealias Pairs = [(key: String, value: Draft)]

    /// `{"ok":true,"table","revision",…}`, as the daemon would say it in JSON.
    static func reply(_ reply: Reply, adding more: Pairs? = nil) -> String {
        var pairs: Pairs = [("ok", .flag(true))]
        if let client = reply.client {
            pairs.append(("client", .text(client.text)))
            if let number = reply.number { pairs.append(("number", .integer(number))) }
        }
        if let table = reply.table { pairs.append(("table", .text(table.text))) }
        if let history = reply.history { pairs.append(("history", .text(history.description))) }
        pairs.append(("epoch", .text(reply.epoch.description)))
        if let revision = reply.revision { pairs.append(("revision", .integer(revision))) }
        if let more { return Draft.mapping(pairs + more).json }
        pairs.append(("unchanged", .flag(reply.isUnchanged)))
        pairs.append(("rows", .list(reply.landings.map(landing))))
        if case .manyDone(let rows, _) = reply.answer {
            pairs.append(("rowCount", .integer(UInt64(rows))))
        }
        if !reply.invocations.isEmpty {
            pairs.append(("invocations", .list(reply.invocations.map(invocation))))
        }
        return Draft.mapping(pairs).json
    }

    private static func landing(_ landing: Landing) -> Draft {
        var pairs: Pairs = [("row", .text(landing.row.text))]
        if let section = landing.section { pairs.append(("section", .text(section.text))) }
        if let index = landing.index { pairs.append(("index", .integer(UInt64(index)))) }
        if let after = landing.after { pairs.append(("after", .text(after.text))) }
        if let version = landing.version { pairs.append(("version", .integer(version))) }
        if let note = landing.note { pairs.append(("note", .text(note))) }
        return .mapping(pairs)
    }

    private static func invocation(_ invocation: Invocation) -> Draft {
        var pairs: Pairs = [
            ("id", .text(invocation.id.text)), ("row", .text(invocation.row.text)),
            ("action", .text(invocation.action.text)),
        ]
        if let item = invocation.item { pairs.append(("item", .text(item.text))) }
        return .mapping(
            pairs + [
                ("deadline", .number(invocation.deadlineSeconds)),
                ("attempts", .integer(UInt64(invocation.attempts))),
            ])
    }

    static func table(_ table: TableSummary) -> Draft {
        .mapping([
            ("table", .text(table.table.text)), ("history", .text(table.history.description)),
            ("revision", .integer(table.revision)), ("rows", .integer(UInt64(table.rows))),
            ("sections", .integer(UInt64(table.sections))),
            ("digest", .text(table.digest.lowerHex)), ("oldest", .integer(table.oldest)),
        ])
    }

    static func figures(_ figures: [String: UInt64]) -> Draft {
        .mapping(figures.sorted { ID($0.key) < ID($1.key) }.map { ($0.key, .integer($0.value)) })
    }

    /// The document of `show`, which is also the first line of `watch`.
    static func state(_ table: Table, epoch: ID128) -> String {
        Encode.document(StateDocument(table, epoch: epoch))
    }

    static func change(_ diff: Diff, of table: TableID, epoch: ID128) -> String {
        Encode.document(ChangeDocument(table: table, epoch: epoch, diff: diff))
    }

    /// Rows that a condition has come to fit since the revision, since time has passed.
    static func fitting(_ rows: [RowID], of table: Table, epoch: ID128, timeMs: UInt64) -> String {
        Draft.mapping([
            ("table", .text(table.name.text)), ("epoch", .text(epoch.description)),
            ("revision", .integer(table.revision)), ("timeMs", .integer(timeMs)),
            ("fits", .list(rows.map { .text($0.text) })),
        ]).json
    }

    /// Each row of a table, with its section and index.
    static func rows(of table: Table) -> [String] {
        table.sections.flatMap { section in
            section.runs().joined().enumerated().map { index, row in
                self.row(row, section.id, index)
            }
        }
    }

    static func row(_ row: Row, _ section: SectionID, _ index: Int) -> String {
        Encode.document(row, section: section, index: index)
    }
}

import ArgumentParser
import TableClient
import TableFiles
import TableModel
import TableSync
import TableWire

struct ImportVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Bring rows of a file into a table: NDJSON, JSON, CSV, Markdown.",
        discussion: """
            Rows whose ids are in the table are set where they differ; other rows are added at \
            the bottom of their section. Fields that the file does not name stay, and so do rows \
            that it does not have; a row that stands in another section goes to the bottom of the \
            one that the file names. A row without an id gets one made of its content. So a file \
            can be imported again: the second time nothing changes.

            A row that is new takes from JSON and NDJSON also its age, when it was changed and \
            moved, what was performed on it, who had claimed it, how far it is open and what is \
            swiped open, as `trestle export` has them; of a row that is there these stay as they \
            are, but for how far it is open. An action that was pending is there as failed, since \
            its program is the other table's; a claim stands in the name that the file says, and \
            its time begins anew. Kinds come first: `trestle define`.

            Everything is checked before anything is sent. Up to 1,000 commands and 1 MiB go as \
            one revision, all or nothing; a larger file goes as several revisions, each all or \
            nothing. A daemon whose limits are larger (`batch_commands`, `request_bytes` in its \
            configuration) takes as much as they allow as one revision.

            NDJSON has one row per line; JSON is a list of rows, or what `trestle -o json export` \
            prints, with the titles of sections; CSV has a header with `title` and, as wanted, `id`, `kind`, `section`: all \
            other columns are fields. Markdown has sections as headings and rows as a task list; \
            what is ticked has the field `done` with the value `yes`, and what is not has no such \
            field. In braces stand an id, a kind and other fields. Anything else in it is refused.

              ## grill
              - [ ] Ribeye, medium {#t41 .ticket qty=2}
              - [x] Sole

              {"id":"t50","title":"Sole","section":"fish","fields":{"qty":"2"}}
            """)

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Argument(help: "The file; - is standard input.", completion: .file()) var file: String
    @Option(help: "ndjson, json, csv or markdown (default: by the file's name, else ndjson).")
    var format: FileFormat?
    @Flag(help: "Make the table if it is not there.") var create = false
    @OptionGroup var options: Options

    func carryOut(_ session: Session) throws {
        let bytes = try Files.bytes(at: file, atMost: ImportFile.fileBytes)
        let format = format?.rows ?? RowFormat(fileName: file) ?? .ndjson
        let name = Files.name(of: file)
        let rows = try ImportFile.parse(bytes, format: format, name: name)
        let sections = try ImportFile.sections(bytes, format: format, name: name)
        let limits = try session.client().hello(by: session.deadline).limits
        let local = try copy(session)
        let plan = ImportPlan(rows, sections: sections, for: local.table)
        let batches = plan.batches(for: local.table, limits: limits)
        let fault = ImportPlan.fault(in: batches, on: local.table, limits: limits)
        if var fault {
            fault.file = name
            throw fault
        }
        if !local.isThere { _ = try session.perform(.create, on: table) }
        var reply: Reply?
        let progress = Progress("importing into \(table)")
        defer { progress.clear() }
        for (number, batch) in batches.enumerated() {
            progress.show(number, of: batches.count)
            let commands = batch.map(\.command)
            reply = try session.perform(.batch(commands, ifRevision: nil), on: table)
        }
        progress.clear()
        try show(plan.counts, batches.count, reply, local, session)
    }

    /// A copy of the table to try things on; an empty one where it is yet to be made.
    private func copy(
        _ session: Session
    ) throws -> (table: Table, epoch: ID128, isThere: Bool) {
        do {
            let (table, epoch) = try session.table(table)
            return (table, epoch, true)
        } catch ClientError.refused(let rejection) where rejection.code == .noSuchTable {
            guard create else { throw Failure(rejection) }
            let none = ID128(high: 0, low: 0)
            return (Table(name: ID(table), history: none), none, false)
        }
    }

    private func show(
        _ counts: ImportPlan.Counts, _ batches: Int, _ last: Reply?,
        _ local: (table: Table, epoch: ID128, isThere: Bool), _ session: Session
    ) throws {
        var reply =
            last
            ?? Reply(
                table: ID(table), history: local.isThere ? local.table.history : nil,
                epoch: local.epoch, revision: local.table.revision,
                .done(rows: [], unchanged: true))
        reply.client = nil
        let figures: Documents.Pairs = [
            ("rows", .integer(UInt64(counts.rows))), ("added", .integer(UInt64(counts.added))),
            ("changed", .integer(UInt64(counts.changed))),
            ("same", .integer(UInt64(counts.rows - counts.added - counts.changed))),
            ("batches", .integer(UInt64(batches))),
        ]
        let same = counts.rows - counts.added - counts.changed
        try session.show(
            Report(
                json: { Documents.reply(reply, adding: [("import", .mapping(figures))]) },
                ndjson: nil, names: { counts.ids.map(\.text) },
                lines: { _ in
                    let revision = reply.revision.map { "; revision \($0)" } ?? ""
                    return [
                        TextLine(
                            "\(counts.rows.of("row")): \(counts.added) added, "
                                + "\(counts.changed) changed, \(same) as they were\(revision)")
                    ]
                        + (counts.leftClosed == 0
                            ? []
                            : [
                                TextLine(
                                    "left closed, since there are no actions behind that edge: "
                                        + counts.leftClosed.of("row"))
                            ])
                }))
    }
}

/// `--format`
enum FileFormat: String, ExpressibleByArgument, CaseIterable {
    case ndjson, json, csv, markdown

    var rows: RowFormat {
        switch self {
        case .ndjson: return .ndjson
        case .json: return .json
        case .csv: return .csv
        case .markdown: return .markdown
        }
    }
}

struct ExportVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print the rows of a table as import reads them.",
        discussion: """
            NDJSON and JSON hold all that a row is, JSON also sections without rows and the \
            titles of sections: `import` into an empty table with the same kinds gives the same \
            rows. Versions and revisions are the table's own, and what is pending there stays \
            there. CSV and Markdown hold kind, section, title and fields only. Row kinds and \
            settings are what `trestle kinds` prints; history and edit mode are in a \
            backup.

              trestle export board > board.ndjson
              trestle import copy board.ndjson --create
            """)

    static var forms: [OutputForm] { [.table, .json, .ndjson] }

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Option(help: "ndjson, json, csv or markdown (default: by --output, else ndjson).")
    var format: FileFormat?
    @OptionGroup var options: Options

    func carryOut(_ session: Session) throws {
        let format = format?.rows ?? (session.form == .json ? .json : .ndjson)
        if session.form == .json, format != .json {
            throw ValidationError("-o json and --format \(format.rawValue) exclude each other.")
        }
        let (table, _) = try session.table(table)
        let text =
            switch format {
            case .markdown: ExportFile.markdown(of: table)
            case .json: ExportFile.json(of: table)
            case .ndjson, .csv: ExportFile.write(PlacedRow.all(of: table), format: format)
            }
        // Of the others nothing that a terminal would act upon stands as it is.
        guard format == .csv || format == .markdown, Output.isTerminal else {
            return try Output.write(text)
        }
        let end: Character = format == .csv ? "\r\n" : "\n"
        try Output.lines(
            text.split(separator: end, omittingEmptySubsequences: format == .csv)
                .map { TextLine(String($0)) })
    }
}

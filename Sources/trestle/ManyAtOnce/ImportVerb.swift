public import ArgumentParser
import TableClient
import TableDecisions
public import TableFiles
import TableModel
import TableSync
import TableWire

struct ImportVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Bring rows of a file into a table: NDJSON, JSON, CSV, Markdown.",
        discussion: """
            A row whose id is in the table is changed where it differs. Any other row is added at \
            the bottom of its section. Fields that the file does not name stay, and so do rows \
            that it does not have. A row that stands in another section moves to the bottom of the \
            section that the file names. A row without an id gets one made of its content. So a \
            file can be imported again: the second time nothing changes.

            JSON and NDJSON also hold a row's age, when it was changed and moved, what was \
            performed on it, who had claimed it, how far it is expanded and which side is swiped \
            open, as `trestle export` writes them. A new row takes all of this. A row that is \
            there takes only how far it is expanded and which side is swiped open. A pending \
            action arrives as failed: its program belongs to the other table. A claim keeps its \
            holder's name, and its time begins anew.

            The kinds of the rows must be registered first (`trestle define`). With --create and a \
            file that `trestle -o json export` wrote, the new table gets its kinds and settings \
            from the file.

            Everything is checked before anything is sent. Up to 1,000 commands and 1 MiB are one \
            revision, all or nothing. A larger file becomes several revisions, each all or \
            nothing.

            NDJSON has one row per line. JSON is a list of rows, or what `trestle -o json export` \
            prints.

            CSV has a header with `title` and, if you like, `id`, `kind`, `section`, in any case; \
            all other columns are fields. The header says whether commas, semicolons or tabs \
            separate the values; a line `sep=|` before it names another separator. An empty cell \
            clears the field of its row. An empty title, kind or section stays as it is. Lines of \
            separators alone are skipped. A text may be UTF-8, or UTF-16 with its byte order mark.

            Markdown has a heading for each section and a task list of rows. A ticked row has the \
            field `done` with the value `yes`, an unticked row has no such field. Braces hold an \
            id, a kind and other fields. A task within a task is refused: a row has no rows below \
            it. Anything else is refused too.

              ## grill
              - [ ] Ribeye, medium {#t41 .ticket qty=2}
              - [x] Sole

              {"id":"t50","title":"Sole","section":"fish","fields":{"qty":"2"}}
            """)

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Argument(help: "The file; - is standard input.", completion: .file()) var file: String
    @Option(help: "ndjson, json, csv or markdown (default: by the file's name, else ndjson).")
    var format: RowFormat?
    @Flag(help: "Make the table if it is not there.") var create = false
    @OptionGroup var options: Options

    func carryOut(_ connection: Connection) throws {
        let bytes = try Files.bytes(
            at: file, for: "import", on: table, atMost: ImportFile.fileBytes)
        let format = format ?? RowFormat(fileName: file) ?? .ndjson
        let name = Files.name(of: file)
        let rows = try ImportFile.parse(bytes, format: format, name: name)
        let sections = try ImportFile.sections(bytes, format: format, name: name)
        let limits = try connection.client().hello(by: connection.deadline).limits
        let local = try copy(connection)
        let definitions =
            local.isThere ? nil : try ImportFile.definitions(bytes, format: format, name: name)
        if let definitions { try define(definitions, on: local.table, limits, name) }
        let plan = ImportPlan(rows, sections: sections, for: local.table)
        let batches = plan.batches(
            for: local.table, limits: limits, after: definitions.map { .define($0) })
        // With the definitions, which are the first step, on a table that does not have them yet.
        let trial = definitions == nil ? local.table : emptyTable
        let fault = ImportPlan.fault(in: batches, on: trial, limits: limits)
        if var fault {
            fault.file = name
            if fault.code == Rejection.Code.noSuchKind.rawValue, definitions == nil {
                fault.message += hint(isThere: local.isThere)
            }
            throw fault
        }
        if !local.isThere { _ = try connection.perform(.create, on: table) }
        var reply: Reply?
        let progress = Progress("importing into \(table)")
        defer { progress.clear() }
        for (number, batch) in batches.enumerated() {
            progress.show(number, of: batches.count)
            let commands = batch.map(\.command)
            reply = try connection.perform(.batch(commands, ifRevision: nil), on: table)
        }
        progress.clear()
        try show(plan.counts, batches.count, reply, local, connection)
    }

    /// A copy of the table to try things on; an empty one where it is yet to be made.
    private func copy(
        _ connection: Connection
    ) throws -> (table: Table, epoch: ID128, isThere: Bool) {
        do {
            let (table, epoch) = try connection.table(table)
            return (table, epoch, true)
        } catch ClientError.refused(let rejection) where rejection.code == .noSuchTable {
            guard create else { throw Failure(rejection) }
            return (emptyTable, ID128(high: 0, low: 0), false)
        }
    }

    private var emptyTable: Table { Table(name: ID(table), history: ID128(high: 0, low: 0)) }

    /// The plan of the rows goes by the kinds that they will find.
    private func define(
        _ definitions: Command.Definitions, on table: Table, _ limits: Limits, _ name: String
    ) throws {
        switch reduce(Command(.define(definitions)), on: table, limits: limits, nowMs: 0) {
        case .success(let plan): _ = table.apply(plan, cause: Cause(verb: "import"))
        case .failure(let rejection):
            var failure = Failure(rejection)
            (failure.file, failure.line) = (name, 1)
            throw failure
        }
    }

    /// How the kinds come there.
    private func hint(isThere: Bool) -> String {
        let define = "`trestle define \(table) KINDS`"
        if isThere { return " Register the kinds of the rows first: \(define)." }
        return " The file has no kinds: `trestle create \(table)` and \(define) come first. "
            + "What `trestle -o json export` prints has them."
    }

    private func show(
        _ counts: ImportPlan.Counts, _ batches: Int, _ last: Reply?,
        _ local: (table: Table, epoch: ID128, isThere: Bool), _ connection: Connection
    ) throws {
        var reply =
            last
            ?? Reply(
                table: ID(table), history: local.isThere ? local.table.history : nil,
                epoch: local.epoch, revision: local.table.revision,
                .done(rows: [], unchanged: true))
        reply.client = nil
        let same = counts.rows - counts.added - counts.changed
        let figures: Documents.Pairs = [
            ("rows", .integer(UInt64(counts.rows))), ("added", .integer(UInt64(counts.added))),
            ("changed", .integer(UInt64(counts.changed))), ("same", .integer(UInt64(same))),
            ("batches", .integer(UInt64(batches))),
        ]
        let revision = reply.revision.map { "; revision \($0)" } ?? ""
        let summary =
            "\(counts.rows.of("row")): \(counts.added) added, \(counts.changed) changed, "
            + "\(same) as they were\(revision)"
        try connection.show(
            reply, adding: [("import", .mapping(figures))], names: counts.ids.map(\.text),
            lines: { _ in [TextLine(summary)] + TextLine.leftClosed(counts.leftClosed) })
    }
}

extension RowFormat: ExpressibleByArgument {}

struct ExportVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print the rows of a table as import reads them.",
        discussion: """
            NDJSON and JSON hold everything about each row. JSON also holds the kinds and \
            settings of the table, the titles of sections, and sections without rows: `import \
            --create` makes the same table from it. CSV and Markdown hold kind, section, title and \
            fields only. No export has versions, revisions, pending actions and edit mode: a backup \
            has them. No file has the history.

            A spreadsheet performs a cell of a CSV file that begins with =, +, -, @, a tab or the \
            end of a line. With --for-spreadsheets such a cell gets a ' in front, which `import` \
            takes away again, and Excel sees that the file is UTF-8.

              trestle -o json export board > board.json
              trestle import copy board.json --create
              trestle export board --for-spreadsheets > board.csv
            """)

    static var forms: [OutputForm] { [.table, .json, .ndjson] }

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Option(help: "ndjson, json, csv or markdown (default: by --output, else ndjson).")
    var format: RowFormat?
    @Flag(help: "CSV in which no cell is a formula.") var forSpreadsheets = false
    @OptionGroup var options: Options

    func validate() throws {
        if forSpreadsheets, let format, format != .csv {
            throw ValidationError("--for-spreadsheets goes with --format csv.")
        }
    }

    func carryOut(_ connection: Connection) throws {
        let byForm = connection.form == .json ? RowFormat.json : .ndjson
        let format = forSpreadsheets ? .csv : format ?? byForm
        if connection.form == .json, format != .json {
            throw ValidationError("-o json and --format \(format.rawValue) exclude each other.")
        }
        let (table, _) = try connection.table(table)
        let text =
            switch format {
            case .markdown: ExportFile.markdown(of: table)
            case .json: ExportFile.json(of: table)
            case .ndjson, .csv:
                ExportFile.write(
                    PlacedRow.all(of: table), format: format, forSpreadsheets: forSpreadsheets)
            }
        // Of the others nothing that a terminal would act upon stands as it is.
        guard format == .csv || format == .markdown, Output.isTerminal else {
            // Without the mark Excel reads other letters than ASCII's as Windows-1252.
            return try Output.write((forSpreadsheets ? "\u{FEFF}" : "") + text)
        }
        let end: Character = format == .csv ? "\r\n" : "\n"
        try Output.lines(
            text.split(separator: end, omittingEmptySubsequences: format == .csv)
                .map { TextLine(String($0)) })
    }
}

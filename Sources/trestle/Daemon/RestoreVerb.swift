import ArgumentParser
import StrictYAML
import TableClient
import TableModel
import TableSync
import TableWire

struct RestoreVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Put tables of a backup back: all of them at once, or none.",
        usage: """
            trestle restore <file> [--table <table> [--to <name>]] [--replace] [<options>]
            trestle restore <file> --check [<options>]
            """,
        discussion: """
            Each table comes back as it was, at the revision that it had, and begins a new \
            history: earlier changes cannot be undone. If one of the tables exists already, \
            nothing is restored, unless --replace is given. Then the restored table takes its \
            place, also on every screen. Leases end. Actions that handlers had not completed wait \
            for them again, and fail if their deadlines have passed.

            The file is checked before anything is sent: each part by its hash, each table by its \
            digest. All tables appear at the end, in one step, whatever is restarted in between. \
            --check only checks the file: it needs no daemon and changes nothing.

              trestle restore monday.backup
              trestle restore monday.backup --table board --to board-monday
              trestle restore --check monday.backup
            """)

    @Argument(help: "The file; - is standard input.", completion: .file()) var file: String
    @Option(help: "Restore only this table of the backup.") var table: String?
    @Option(help: .value("name", "With --table: its new name.")) var to: String?
    @Flag(help: "Replace tables that exist already.") var replace = false
    @Flag(help: "Only check the file, and say what is in it.") var check = false
    @OptionGroup var options: Options

    /// Bytes of parts in one request. Each request is one commit, and others are served between two.
    private static let stepBytes = 256 << 10
    /// Bytes that a request has at most besides its parts.
    private static let stepOverhead = 1 << 10

    func validate() throws {
        if to != nil, table == nil { throw ValidationError("--to goes with --table.") }
        if check, replace || table != nil {
            throw ValidationError("--check looks at the whole file, and changes nothing.")
        }
    }

    func carryOut(_ connection: Connection) throws {
        let contents = try BackupContents(file)
        if check { return try show(contents.tables, says: "is sound", reply: nil, connection) }
        let chosen = try choose(from: contents)
        try refuseIfThere(chosen, connection)
        let parts = contents.parts(of: chosen, named: to.map { ID($0) })
        guard !parts.isEmpty else { return try show([], says: "restored", reply: nil, connection) }
        let reply = try send(parts, connection)
        guard case .tables(let tables) = reply.answer else { throw connection.surprise }
        try show(tables, says: "restored", reply: reply, connection)
    }

    private func choose(from contents: BackupContents) throws -> [BackupContents.Part] {
        guard let table else { return contents.all }
        guard let one = contents.all.first(where: { $0.summary.table == ID(table) }) else {
            throw Failure(
                .noSuchThing, code: "noSuchTable",
                "\(Files.name(of: file)) has no table \"\(table)\"")
        }
        return [one]
    }

    /// The daemon refuses that too, in the end; a large backup would have been sent for nothing.
    private func refuseIfThere(_ chosen: [BackupContents.Part], _ connection: Connection) throws {
        guard !replace else { return }
        let present = try connection.tables().tables
        let names = to.map { [ID($0)] } ?? chosen.map(\.summary.table)
        guard let first = names.first(where: { name in present.contains { $0.table == name } })
        else { return }
        throw Failure(
            Rejection(
                .exists, "There is a table \"\(first.text)\" already: --replace replaces it."))
    }

    private func send(_ parts: [[UInt8]], _ connection: Connection) throws -> Reply {
        let client = try connection.client()
        let progress = Progress("restoring")
        defer { progress.clear() }
        let room = try client.hello(by: connection.deadline).limits.requestBytes - Self.stepOverhead
        var index = 0
        while index < parts.count {
            progress.show(index, of: parts.count)
            var some: [[UInt8]] = []
            var bytes = 0
            for part in parts[index...] {
                if !some.isEmpty, bytes + part.count > min(Self.stepBytes, room) { break }
                some.append(part)
                bytes += part.count
            }
            let step = RestoreStep.parts(some, index: index)
            _ = try connection.accepted(
                try client.perform(.restore(step), on: nil, by: connection.deadline))
            index += some.count
        }
        let end = RestoreStep.finish(parts: parts.count, replaces: replace)
        return try connection.accepted(
            try client.perform(.restore(end), on: nil, by: connection.longDeadline))
    }

    private func show(
        _ tables: [TableSummary], says what: String, reply: Reply?, _ connection: Connection
    ) throws {
        let list = ("tables", Draft.list(tables.map { Documents.table($0) }))
        let all = tables.reduce(0) { $0 + $1.rows }
        try connection.show(
            Report(
                json: {
                    guard var reply else { return Draft.mapping([("ok", .flag(true)), list]).json }
                    (reply.client, reply.number) = (nil, nil)
                    return Documents.reply(reply, adding: [list])
                },
                ndjson: { tables.map { Documents.table($0).json } },
                names: { tables.map(\.table.text) },
                lines: { _ in
                    tables.map {
                        TextLine(
                            "\($0.table.text) \(what): \($0.rows.of("row")), "
                                + "revision \($0.revision)")
                    } + [TextLine("\(tables.count.of("table")), \(all.of("row"))")]
                }))
    }
}

/// A backup that was read and found sound.
struct BackupContents {
    private(set) var all: [Part] = []
    private var parts: [[UInt8]] = []

    struct Part {
        var summary: TableSummary
        fileprivate var range: Range<Int>
    }

    /// More than a machine holds in memory beside what it restores to.
    private static let fileBytes = 64 << 30

    /// Reads all of it. Whether it fits into a daemon's limits is for the daemon to say.
    init(_ file: String) throws {
        let name = Files.name(of: file)
        let bytes = try Files.bytes(at: file, atMost: Self.fileBytes)
        let staging = StagedTables(codec: WireCodec())
        let progress = Progress("reading \(name)")
        defer { progress.clear() }
        var starts: [Int] = []
        do {
            var reader = try BackupReader(bytes)
            while let part = try reader.next() {
                progress.show(reader.position, of: bytes.count)
                try staging.add(part, within: Limits(), wasChecked: true)
                if staging.begun > starts.count { starts.append(parts.count) }
                parts.append(part)
            }
            try staging.finish(within: Limits(), wasChecked: true)
        } catch let fault as BackupFault {
            throw Failure(.badData, "\(name) \(fault)")
        } catch let rejection as Rejection {
            throw Failure(.badData, "\(name) is no sound backup: \(rejection.message)")
        }
        let ends = starts.dropFirst() + [parts.count]
        for (table, (start, end)) in zip(staging.tables, zip(starts, ends)) {
            all.append(Part(summary: TableSummary(table), range: start..<end))
        }
    }

    var tables: [TableSummary] { all.map(\.summary) }

    /// The parts to send for these tables. With `name` there is one table, which gets this name.
    func parts(of chosen: [Part], named name: TableID?) -> [[UInt8]] {
        chosen.flatMap { table in
            var some = Array(parts[table.range])
            if let name, let first = some.first,
                case .table(var start)? = try? WireCodec().decodePart(first, limits: nil)
            {
                start.table = name
                some[0] = WireCodec().encode(.table(start))
            }
            return some
        }
    }
}

extension TableSummary {
    /// The summary of a table without a past.
    fileprivate init(_ table: Table) {
        self.init(
            table: table.name, history: table.history, revision: table.revision, rows: table.count,
            sections: table.sections.count, digest: table.digest, oldest: table.revision)
    }
}

import ArgumentParser
import StrictYAML
import TableClient
import TableModel
import TableSync
import TableWire

struct BackupVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Write all tables, as they are at one moment, into one file.",
        discussion: """
            The file holds everything that the digests of the tables cover: kinds, settings, \
            sections, rows with their ages, versions and states, claims, and the actions that \
            handlers have not completed yet. It holds no history: after a restore, earlier changes \
            cannot be undone. The daemon serves everybody meanwhile.

            The file appears when it is whole and on disk. Only its owner can read it. An existing \
            file is replaced only with --force. If it is a symbolic link, the file that it leads to is \
            replaced. Devices and pipes are not replaced. The file - is standard output: then there is \
            no summary, and a restart of the daemon ends the backup.

              trestle backup /var/backups/trestle-$(date +%F).backup
              trestle restore --check /var/backups/trestle-$(date +%F).backup
            """)

    static var forms: [OutputForm] { [.table, .wide, .json, .name] }

    @Argument(help: "The file; - is standard output.", completion: .file()) var file: String
    @Flag(help: "Replace the file if it is there.") var force = false
    @OptionGroup var options: Options

    /// The daemon may be restarted so often while a file is written.
    private static let mostTries = 3

    func carryOut(_ connection: Connection) throws {
        let place = file == "-" ? file : try NewFile.place(of: file, replacing: force)
        HalfFile.prepare()
        _ = try connection.client().hello(by: connection.deadline)
        for left in (0..<Self.mostTries).reversed() {
            do {
                if file == "-" {
                    _ = try download(connection) { try Output.write($0) }
                    return
                }
                let output = try NewFile(place)
                let (first, tables, bytes) = try download(connection) { try output.write($0) }
                try output.finish(replacing: force)
                return try show(first, tables, bytes, connection)
            } catch let failure as Failure where failure.code == "noSuchSnapshot" {
                // The daemon was restarted.
                if left == 0 || file == "-" { throw failure }
            }
        }
    }

    /// Pulls all chunks. Returns the first answer, the tables that it captured, and the size of all in bytes.
    private func download(
        _ connection: Connection, _ write: ([UInt8]) throws -> Void
    ) throws -> (Reply, [TableSummary], Int) {
        let progress = Progress("backing up")
        defer { progress.clear() }
        let reply = try connection.ask(.backup(id: nil, chunk: 0))
        guard case .backup(let first) = reply.answer else { throw connection.surprise }
        var writer = BackupWriter()
        var bytes = 0
        func put(_ piece: [UInt8]) throws {
            bytes += piece.count
            try write(piece)
        }
        try put(writer.beginning)
        var chunk = first
        while true {
            for part in chunk.parts { try put(writer.part(part)) }
            guard chunk.chunk + 1 < first.chunks else { break }
            progress.show(chunk.chunk, of: first.chunks)
            let next = try connection.ask(.backup(id: first.id, chunk: chunk.chunk + 1))
            guard case .backup(let part) = next.answer, part.id == first.id,
                part.chunk == chunk.chunk + 1
            else { throw connection.surprise }
            chunk = part
        }
        try put(writer.end)
        return (reply, first.tables, bytes)
    }

    private func show(
        _ reply: Reply, _ tables: [TableSummary], _ bytes: Int, _ connection: Connection
    ) throws {
        var reply = reply
        reply.number = nil
        let rows = tables.reduce(0) { $0 + $1.rows }
        let summary = "\(tables.count.of("table")), \(rows.of("row")), \(bytes.of("byte"))"
        try connection.show(
            reply,
            adding: [
                ("file", .text(file)), ("bytes", .integer(UInt64(bytes))),
                ("tables", .list(tables.map(Documents.table))),
            ], names: tables.map(\.table.text), lines: { _ in [TextLine(summary)] })
    }
}

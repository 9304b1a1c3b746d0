import ArgumentParser
import TableModel
import TableSync

struct ForgetVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Make the past of rows be gone, for good.",
        discussion: """
            For personal data. Rows that are still in the table are removed first. Then history, \
            undo, recall, `show --at` and the daemon's files hold nothing of them any more. What \
            the same changes did to other rows stays. Nothing brings the past back.

            Backups, exports and recordings that were made before are files of your own: remove \
            them yourself. On a terminal the command asks. With --yes, and in a script without a \
            terminal, it does not ask.

              trestle forget board kim-4711 kim-4712
            """)

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Argument(help: "The rows' ids.", completion: Live.rows) var rows: [String]
    @Flag(help: "Forget them without asking.") var yes = false
    @OptionGroup var options: Options

    func carryOut(_ connection: Connection) throws {
        let what = "\(rows.count.of("row")) of \(table)"
        if !yes {
            try Output.needConsent("nothing was forgotten") {
                "Forget \(what), with all that is known of \(rows.count == 1 ? "it" : "them")?"
            }
        }
        let ids = rows.map { RowID($0) }
        let (held, _) = try connection.table(table)
        let present = ids.filter { held.row($0) != nil }
        if !present.isEmpty {
            _ = try connection.perform(.command(Command(.remove(Few(present)))), on: table)
        }
        let reply = try connection.perform(.forget(ids), on: table)
        try connection.show(
            reply, names: rows,
            [reply.isUnchanged ? "nothing was known of \(what)" : "forgot \(what)"])
    }
}

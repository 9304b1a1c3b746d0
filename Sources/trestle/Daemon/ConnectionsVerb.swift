import ArgumentParser
import StrictYAML
import TableModel
import TableSync
import TableWire

struct ConnectionsVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "connections",
        abstract: "Show who is connected to the daemon, or end a connection.",
        usage:
            "trestle connections [list] [<options>]\n       trestle connections end <id> [<options>]",
        discussion: """
            list prints a line for each connection, the oldest first: its id, the user and the process or \
            address, since when, whether it asks or follows, the bytes in and out, what waits, and the \
            tables that it follows. A viewer has two connections. WAITS says how many bytes of its requests wait, \
            or for how long it has not read what was sent. With -o json: {"connections":[{"id","from",\
            "user","uid","sinceMs","subscribes","encrypted","receivedBytes","sentBytes","waitingBytes",\
            "unreadMs","topics","tables"}]}. What is empty is absent.

            end ends one. Its client may connect again: change the guest list, or revoke its key, if it \
            must not. Only an admin of all tables may ask.

              trestle connections
              trestle connections end 27-815300412345
            """)

    static var forms: [OutputForm] { [.table, .wide, .json, .ndjson, .name] }

    @Argument(help: "list or end.") var step = Step.list
    @Argument(help: "The connection's id, as list prints it.") var id: String?
    @OptionGroup var options: Options

    enum Step: String, ExpressibleByArgument, CaseIterable { case list, end }

    func validate() throws {
        if (step == .end) != (id != nil) {
            throw ValidationError("`connections end` takes an id, and nothing else does.")
        }
    }

    func carryOut(_ connection: Connection) throws {
        if let id {
            let reply = try connection.ask(.endConnection(id))
            return try connection.show(reply, ["The connection ends."])
        }
        let reply = try connection.ask(.connections)
        guard case .connections(let all) = reply.answer else { throw connection.surprise }
        try connection.show(
            reply, lists: ["connections": all.map { Encode.document($0) }], names: all.map(\.id),
            lines: { _ in lines(all) })
    }

    private func lines(_ all: [ConnectionSummary]) -> [TextLine] {
        var columns = Columns(
            ["ID", "USER", "FROM", "SINCE", "DOES", "IN", "OUT", "WAITS", "TABLES"],
            numbers: [5, 6])
        for one in all {
            let waits =
                one.unreadMs > 0
                ? "\(one.unreadMs / 1_000) s" : one.waitingBytes > 0 ? "\(one.waitingBytes) B" : "-"
            let more = one.topics > 0 && one.tables.isEmpty ? "\(one.topics) topics" : "-"
            columns.append([
                one.id, one.user ?? "-", one.from, Moments.text(one.sinceMs),
                one.subscribes ? "follows" : "asks", String(one.receivedBytes),
                String(one.sentBytes), waits,
                one.tables.isEmpty ? more : one.tables.joined(separator: " "),
            ])
        }
        return columns.lines
    }
}

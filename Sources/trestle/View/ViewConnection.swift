import Glibc
import TableClient
import TableModel
import TableSync
import TableTerminal

/// What a viewer has of the daemon: one client that follows the table, and one that commands.
final class ViewConnection {
    let endpoint: String
    let table: TableID
    let follower: Follower
    let sender: Sender
    private let commands: Client
    /// Names us in causes.
    let id: ID

    /// A daemon that is not there at the start is an error; later it is waited for.
    init(_ table: TableID, _ session: Session) throws {
        endpoint = try Endpoint.find(flag: session.endpoint)
        self.table = table
        let commands = try Client(endpoint)
        commands.name = session.name
        id = commands.id
        sender = try Sender(commands, by: session.deadline)
        self.commands = commands
        follower = try Follower(
            table, client: try session.client(), attends: true, by: session.deadline)
        follower.wake(on: commands)
    }

    /// Rows that were removed before this viewer came, newest first; none where they are not to
    /// be had.
    func removed() -> [Removed] {
        guard let held = follower.replica.table,
            let page = history(HistoryFilter(most: 500))
        else { return [] }
        return page.changes.flatMap { change in
            change.rows.filter { held.row($0) == nil }.map {
                Removed(row: $0, what: change.text, atMs: change.cause.timeMs)
            }
        }
    }

    /// Who swiped rows open before this viewer came, where that is still to be had.
    func openers() -> [RowID: ID] {
        guard let held = follower.replica.table else { return [:] }
        var openers: [RowID: ID] = [:]
        // Where many may be open at once, asking for each would keep the person waiting.
        for row in held.openRows.sorted().prefix(16) {
            let page = history(HistoryFilter(most: 1, row: row, verb: "swipe"))
            openers[row] = page?.changes.first?.cause.actor
        }
        return openers
    }

    private func history(_ filter: HistoryFilter) -> HistoryPage? {
        let deadline = Deadline(inMilliseconds: 1_000)
        let reply = try? commands.ask(.history(filter), about: table, by: deadline)
        guard case .history(let page)? = reply?.answer else { return nil }
        return page
    }
}

extension ViewVerb {
    var isInputTerminal: Bool { isatty(0) == 1 }
}

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
            case .history(let page)? = try? commands.ask(
                .history(HistoryFilter(most: 500)), about: table,
                by: Deadline(inMilliseconds: 1_000)
            ).answer
        else { return [] }
        return page.changes.flatMap { change in
            change.rows.filter { held.row($0) == nil }.map {
                Removed(row: $0, what: change.text, atMs: change.cause.timeMs)
            }
        }
    }
}

extension ViewVerb {
    var isInputTerminal: Bool { isatty(0) == 1 }
}

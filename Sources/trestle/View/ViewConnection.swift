import Glibc
import TableClient
import TableModel
import TableSync

/// What a viewer has of the daemon: one client that follows the table, and one that commands.
final class ViewConnection {
    let endpoint: String
    let table: TableID
    let follower: Follower
    let sender: Sender
    /// Names us in causes.
    let id: ID

    /// A daemon that is not there at the start is an error; later it is waited for.
    init(_ table: TableID, _ session: Session) throws {
        endpoint = try Endpoint.find(flag: session.endpoint)
        self.table = table
        let commands = try Client(endpoint)
        id = commands.id
        sender = try Sender(commands, by: session.deadline)
        follower = try Follower(table, client: try session.client(), by: session.deadline)
        follower.wake(on: commands)
    }
}

extension ViewVerb {
    var isInputTerminal: Bool { isatty(0) == 1 }
}

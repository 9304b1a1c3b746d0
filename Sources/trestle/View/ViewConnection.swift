import TableClient
import TableModel
import TableSync
import TableTerminal

/// A viewer's two connections to the daemon: one follows, one commands. Neither ever waits.
final class ViewConnection {
    let endpoint: String
    let table: TableID
    /// How another table's connections are made.
    let options: Connection
    let follower: Follower
    let sender: Sender
    var id: ID { sender.id }

    init(_ table: TableID, _ connection: Connection) throws {
        endpoint = try Endpoint.find(flag: connection.endpoint)
        self.table = table
        options = connection
        let commands = try connection.client(at: endpoint)
        sender = Sender(commands)
        let watching = try connection.client(at: endpoint)
        follower = try Follower(table, client: watching, attends: true, as: commands)
        follower.wake(on: watching)
        follower.wake(on: commands)
    }

    /// How the table that is shown stands to the daemon's; nil: no daemon has answered yet.
    var state: Replica.Freshness? {
        guard follower.hasConnected else { return nil }
        // In whole seconds: a board need not be drawn anew for less.
        if case .stale(let ms) = follower.freshness { return .stale(forMs: ms / 1_000 * 1_000) }
        return follower.freshness
    }
}

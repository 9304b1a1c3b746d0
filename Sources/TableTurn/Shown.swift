import TableModel
import TableSync

/// The state of each table that may be told: where its newest durable revision led. It is that of
/// the server, unless something waits for the journal.
struct Shown {
    private struct State {
        var history: ID128
        var revision: UInt64
        var digest: UInt64
    }

    private var tables: [TableID: State] = [:]

    /// All that a server holds, after recovery.
    init(_ server: Server) {
        for live in server.tables.values {
            tables[live.table.name] = State(
                history: live.table.history, revision: live.table.revision,
                digest: live.table.digest)
        }
    }

    /// This is published now.
    mutating func note(_ outgoing: Ready.Outgoing) {
        let publication = outgoing.publication
        if publication.isDropped {
            tables[publication.table] = nil
        } else if let history = publication.history {
            if let head = publication.welcome {
                tables[publication.table] = State(
                    history: history, revision: head.revision, digest: head.digest)
            }
            if let last = outgoing.head {
                tables[publication.table] = State(
                    history: history, revision: last.revision, digest: last.digest)
            }
        }
    }

    /// The welcome of a new subscriber.
    func welcome(to name: TableID, of server: Server) -> Publication {
        Publication(
            table: name, history: tables[name]?.history, epoch: server.epoch,
            welcome: head(of: name, server), isWelcome: true)
    }

    /// For each table, in the order of their names. Each says when it is sent: a viewer whose own clock is wrong
    /// tells by it how old rows are.
    func heartbeats(of server: Server, at timeMs: UInt64) -> [Publication] {
        tables.keys.sorted().map {
            Publication(
                table: $0, history: tables[$0]?.history, epoch: server.epoch, timeMs: timeMs,
                heartbeat: head(of: $0, server))
        }
    }

    private func head(of name: TableID, _ server: Server) -> Head? {
        guard let state = tables[name] else { return nil }
        var oldest = state.revision
        // The kept diffs may begin beyond the told revision; then nothing before it can be replayed.
        if let live = server.tables[name], live.table.history == state.history {
            oldest = min(oldest, live.state.oldest)
        }
        return Head(revision: state.revision, digest: state.digest, oldest: oldest)
    }
}

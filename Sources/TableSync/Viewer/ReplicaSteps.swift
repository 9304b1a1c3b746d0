public import TableModel

extension Replica {
    /// How many chunks are requested at once.
    static let credit = 4
    /// How many diffs may wait for a snapshot. Beyond it they are dropped, and replayed later.
    static let mostWaiting = 10_000
    /// After this silence the table is stale: three heartbeats.
    static let staleMs: UInt64 = 3_000
    /// After this silence the replica subscribes again, before anything shows as stale.
    static let silenceMs: UInt64 = 2_000
    static let retryBaseMs: UInt64 = 500

    /// What the owner of a replica has to do, or to show, in this order.
    public enum Step: Equatable, Sendable {
        /// Subscribe (again) to the table's topic.
        case subscribe
        /// Send this, and give the answer to `answered` with the same tag.
        case ask(Request.Verb, tag: UInt64)
        /// A whole table has come; it is in `table`.
        case installed
        /// This diff was applied to `table`.
        case applied(Diff)
        /// There is no such table, or it was dropped.
        case absent
        /// The daemon was restarted: how our table relates to its table.
        case compared(Standing.Relation)
        /// Something did not fit; a snapshot heals it.
        case mismatch(String)
    }

    /// How the shown table relates to the daemon's.
    public enum Freshness: Equatable, Sendable {
        /// Nothing was ever heard.
        case connecting
        case live
        /// Nothing was heard for this long, or the replica is catching up.
        case stale(forMs: UInt64)
        case disconnected
        /// The daemon answers, and has no such table.
        case absent
    }

    /// A snapshot on its way.
    struct Pull {
        var id: String?
        var history: ID128?
        var building: Table?
        var revision: UInt64 = 0
        var digest: UInt64 = 0
        var chunks = 1
        var next = 0
        var asked = 0
        /// The requested chunks by tag.
        var tags: [UInt64: Int] = [:]
        var arrived: [Int: SnapshotChunk] = [:]
    }
}

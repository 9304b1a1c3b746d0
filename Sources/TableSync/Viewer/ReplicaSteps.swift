public import TableModel

extension Replica {
    /// Chunks on their way at once: the credit.
    static let credit = 4
    /// Diffs that may wait for a snapshot; beyond it they are dropped, and replayed later.
    static let mostWaiting = 10_000
    /// Without a word for so long, what is shown is stale: three heartbeats.
    static let staleMs: UInt64 = 3_000
    /// Without a word for so long, the subscription is made anew: before anything shows as stale.
    static let silenceMs: UInt64 = 2_000
    static let retryBaseMs: UInt64 = 500

    /// What the owner of a replica has to do, or to show, in this order.
    public enum Step: Equatable, Sendable {
        /// Subscribe (again) to the table's topic.
        case subscribe
        /// Send this, and give the answer to `answered` with the same tag.
        case ask(Request.Verb, tag: UInt64)
        /// A whole table is there: `table` holds it.
        case installed
        /// `table` went on by this diff.
        case applied(Diff)
        /// There is no such table, or no more.
        case absent
        /// After another start of the daemon: how what was held stands to what it has.
        case compared(Standing.Relation)
        /// Something did not fit, and is healed by a snapshot.
        case mismatch(String)
    }

    /// How what is shown relates to the daemon's table.
    public enum Freshness: Equatable, Sendable {
        /// Nothing was ever heard.
        case connecting
        case live
        /// Nothing was heard for so long, or the table is being caught up with.
        case stale(forMs: UInt64)
        case disconnected
        /// The daemon is heard, and has no such table.
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
        /// Chunk by tag, of those on their way.
        var tags: [UInt64: Int] = [:]
        var arrived: [Int: SnapshotChunk] = [:]
    }
}

public import TableModel

extension Replica {
    /// How many chunks are requested at once.
    static let credit = 4
    /// How many diffs may wait for a snapshot. Beyond it they are dropped, and replayed later.
    static let mostWaiting = 10_000
    static let retryBaseMs: UInt64 = 500
    /// A snapshot of which nothing came for so long is not waited for: the daemon has let it go.
    static let letGoMs: UInt64 = 60_000

    /// A step that the owner of a replica has to take, or to show, in this order.
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
}

public import TableModel

extension Replica {
    /// How many chunks are requested at once.
    static let credit = 4
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

    /// The news that the table has not taken: beyond a gap, or while it is pulled or compared.
    struct Ahead {
        var diffs: [Diff] = []
        /// The history that was heard of.
        var history: ID128?
        /// The newest revision of it that was heard of. Below it the replica is not live.
        var revision: UInt64 = 0

        /// How many diffs may wait. Beyond it they are dropped, and replayed later.
        private static let most = 10_000

        mutating func hold(_ diff: Diff) {
            if diffs.count >= Self.most { diffs = [] }
            diffs.append(diff)
        }
    }

    /// When an unanswered question counts as lost.
    struct Retry {
        private(set) var dueMs: UInt64 = 0
        var attempts = 0
        /// Numbers in 0..<1 that spread the retries of many viewers.
        private let jitter: () -> Double
        private static let baseMs: UInt64 = 500

        init(jitter: @escaping () -> Double) { self.jitter = jitter }

        /// Asks again later than the last time.
        mutating func backOff(_ nowMs: UInt64) {
            attempts += 1
            set(nowMs)
        }

        /// Asks again after a time that doubles from half a second to eight, with jitter.
        mutating func set(_ nowMs: UInt64) {
            let base = Self.baseMs << UInt64(min(max(attempts, 1) - 1, 4))
            dueMs = nowMs + base + UInt64(Double(base) * min(max(jitter(), 0), 1))
        }

        /// Nothing is missing: a question that comes is the first.
        mutating func reset(_ nowMs: UInt64) { (attempts, dueMs) = (0, nowMs) }
    }
}

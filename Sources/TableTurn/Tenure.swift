import JournalPort
import TableModel
import TableSync

/// The knowledge of a turn about who writes: on a journal of one process it never changes.
struct Tenure {
    /// The term that the state belongs to; nil: this process may not write.
    var term: UInt64?
    /// The state was thrown away, and the journal could not be read since.
    var mustStartAnew = false
    /// When the journal is read next.
    private(set) var startAnewDueMs: UInt64 = 0
    /// The state of the tables when the journal had last caught up.
    var settled = SettledState()

    private static let startAnewPauseMs: UInt64 = 500

    init(term: UInt64?) { self.term = term }

    /// The journal cannot be read. Until it can, this process answers for itself alone, as one that is out of touch.
    mutating func mustWait(nowMs: UInt64) {
        (mustStartAnew, term) = (true, nil)
        startAnewDueMs = nowMs + Self.startAnewPauseMs
    }

    /// The duty of this process in a service of several.
    func duty(by journal: any Journal) -> Server.Duty {
        if !journal.isCurrent || mustStartAnew { return .outOfTouch }
        return term == nil ? .standby(leader: journal.leaders) : .leader
    }

    /// How large the tables were when nothing waited for the journal.
    struct SettledState {
        var position: UInt64 = 0
        var tables = 0
        var rows = 0

        /// The position at which rows were counted.
        private var countedAt: UInt64 = 0
        private var countDueMs: UInt64 = 0

        /// Rows are counted ten times a second at most: there may be many tables, and turns.
        mutating func note(_ server: Server, nowMs: UInt64) {
            (position, tables) = (server.position, server.tables.count)
            // One that was too soon is made up for in a later turn, though nothing changes any more.
            guard countedAt != position, nowMs >= countDueMs else { return }
            (countedAt, countDueMs) = (position, nowMs + 100)
            rows = server.tables.values.reduce(0) { $0 + $1.table.count }
        }
    }
}

import TableModel
import TableSync
import TableWire

/// A law that must hold whatever happens; a violation is reported by its name. Where each is looked at:
/// `LawsOfTheJournal`, `LawsOfTables`, `LawsOfAnswers`, `LawsOfEphemeral`, and `Viewer` for its own.
package enum Law: String, CaseIterable, Sendable {
    // Decide, persist, apply, publish, reply.
    case commitBeforePublish
    case commitBeforeReply
    /// A diff is encoded once: what is published and replayed is what was journaled.
    case sameBytesEverywhere
    case endsAfterDiskError
    /// A journal that does not answer makes the daemon wait, not grow.
    case aheadIsBounded
    case readOnlyWhenFull
    /// Recovery from the disk leads to the state in memory, and no viewer ever sees another state.
    case recoveryIsWhole

    // Identity.
    case revisionsFollow
    case historyIsNew
    case epochIsNew

    // Joining, losing, rejoining.
    case digestsAgree
    /// A viewer goes on by diffs and snapshots alone.
    case cursorMovesByDiffs
    case heartbeatMovesNothing
    case liveIsJustified
    case standingIsRight
    case replayLeadsOn
    /// The inverse leads through the states that were.
    case rewindLeadsBack
    /// A query finds the rows that stand in the table at the revision that its answer tells.
    case queryIsOfOneRevision

    // Commands.
    case carriedOutOnce
    /// A number that is sent again gets the first answer's words.
    case sameAnswer
    case acknowledgedIsKept
    case refusedChangesNothing
    case unknownOnlyIfForgotten
    /// An undo restores content, place and age.
    case undoRestores
    case undoTakesTheRightOne

    // The interactions' invariants.
    /// Order is a permutation, sections partition it, `exclusive` has one open row at most,
    /// editing none; and the digest is that of the content.
    case tableIsWhole
    case versionsFollowContent
    /// A press on what was performed already, or a moment ago, does nothing.
    case actsOnce
    /// Each attempt of an invocation ends once, and there are no more than allowed.
    case attemptsEndOnce
    /// None begins in the pause after a failure, unless somebody wished it.
    case attemptsBeginInTime
    /// The effects of a success follow no failure, and those of a failure follow no success.
    case thenOrElse
    /// A row that sleeps is given to nobody who asks for the next one.
    case sleepersAreLeft
    /// Paused work is never begun.
    case pausedIsNotBegun
    case oneLeasePerRow
    case liftedRowIsClosed
    case leaseEndsInTime
    /// That of everybody ends though nobody ends it.
    case editModeEndsInTime
    /// After a pause of the daemon, too.
    case nobodyThereIsLate
    case leaseIDIsNew
    /// Lifting and letting go change swipes only.
    case dragsChangeOrderOnlyByDrop

    /// Faults stop, and everything comes to head: viewers, writers, leases, invocations.
    case comesToRest
}

/// Holds a run against the laws. It knows what reached the disk and what was said to whom, and
/// nothing of the server.
final class Laws {
    let trace: Trace
    private(set) var violation: (law: Law, text: String)?
    let codec = WireCodec()

    /// The content of the disk in this line of time: a restore goes back to that of the backup.
    var ledger = Ledger()
    /// Digests of committed states.
    var digests: [Point: UInt64] = [:]
    var diffsOnDisk: Set<[UInt8]> = []
    var droppedHistories: Set<ID128> = []
    /// That are or were in a table.
    var rowsOnDisk: [TableID: Set<RowID>] = [:]
    var epoch: ID128?
    var epochs: Set<ID128> = []
    var hasForgotten = false
    /// The date has been set, so that pauses end by another one.
    var isDateSet = false

    var issued: [Numbered: Request] = [:]
    /// Commands that somebody else has sent with the same client and number.
    var forged: Set<Numbered> = []
    /// Where the answers to those go.
    var forgedRoutes: Set<Route> = []
    var heard: [Numbered: Reply] = [:]

    var leases: [ID: KnownLease] = [:]
    /// Leases whose holders' words had come when this turn began.
    var spokenOf: Set<ID> = []
    /// Leases that this turn has called late.
    var calledLate: [ID] = []
    /// When nobody was to be called late, for the last time.
    var unjudgedMs: UInt64 = 0
    /// The tables in edit mode.
    var edits: [TableID: KnownEdit] = [:]
    /// When the disk was full, and nothing could be ended, for the last time.
    var fullMs: UInt64 = 0

    init(trace: Trace) {
        self.trace = trace
    }

    func note(_ line: @autoclosure () -> String) { trace.note(line()) }

    func demand(_ holds: Bool, _ law: Law, _ text: @autoclosure () -> String) {
        if holds || violation != nil { return }
        violation = (law, text())
        trace.note("VIOLATED \(law.rawValue): \(text())")
    }
}

/// One table's state, named.
struct Point: Hashable {
    var history: ID128
    var revision: UInt64
}

/// One command of one client.
struct Numbered: Hashable, CustomStringConvertible {
    var client: ID
    var number: UInt64
    var description: String { "\(client)#\(number)" }
}

/// The content of the journal on disk, by our own reckoning.
struct Ledger {
    /// A table, led on by each diff that reached the disk, and what undo goes by.
    struct Shadow {
        let table: Table
        var revisions: [UInt64: Revision] = [:]
        /// When what was performed on each row.
        var lately: [RowID: [Deed: UInt64]] = [:]
    }

    /// A revision as it was.
    struct Revision {
        var undoes: UInt64?
        var undoneBy: UInt64?
        var isPickedForUndo: Bool
        /// Later changes may have left nothing of it, or it is forgotten in part.
        var mayBeReplaced: Bool
        /// The rows that it was about.
        var rows: Set<RowID>
        var isPartial = false
    }

    var position: UInt64 = 0
    var tables: [TableID: Shadow] = [:]
    var changes: [Numbered: Int] = [:]
    var answers: [Numbered: [UInt8]] = [:]

    /// Tables are objects: a copy has its own.
    func copy() -> Ledger {
        var copy = self
        copy.tables = tables.mapValues { Shadow(table: $0.table.copy(), revisions: $0.revisions) }
        return copy
    }

    func point(of name: TableID) -> Point? {
        tables[name].map { Point(history: $0.table.history, revision: $0.table.revision) }
    }
}

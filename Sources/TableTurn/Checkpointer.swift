package import JournalPort
import TableModel
package import TableSync
import TableWire

/// Writes checkpoints in slices between turns, so that start-up stays fast and no turn gets long.
///
/// What a checkpoint holds is captured at its beginning, in O(rows / 64). A row that a capture holds is not
/// changed in place, so the tables go on meanwhile. The latest diffs are captured when it is their turn. Those
/// that have gone by then would be held for it alone: as many bytes again, where many rows come.
package struct Checkpointer {
    /// A checkpoint is due after so many bytes of entries, or as many as the last one had: then
    /// writing checkpoints at most doubles what is written.
    package var afterBytes: UInt64
    /// The room on the disk, as its owner says. Where nobody looks there is room for all.
    package var room = Room()

    /// The room on a disk.
    package struct Room: Sendable {
        /// Bytes that a checkpoint may take. With none of them no checkpoint begins.
        package var bytes = UInt64.max
        /// There is no room for commits either.
        package var isShort = false

        /// Room for everything.
        package init() {}

        /// As it is.
        package init(bytes: UInt64, isShort: Bool) { (self.bytes, self.isShort) = (bytes, isShort) }
    }

    private var pending: [Pending] = []
    private var next = 0
    private var isWriting = false
    /// All parts are written, and it is being made durable.
    private var isFinishing = false
    private var sizes = Sizes()
    /// The one that is being written is to be rid of parts of a restore.
    private var ridsOfStaleParts = false
    private var notBeforeMs: UInt64 = 0
    private var isCompacting = true
    /// The journal prepares something.
    private var isTending = false
    /// One is due. It is of the tables as they are, so that it waits until all of that is durable.
    private(set) var waitsForRest = false
    private var commits = Commits()
    private var delay = Delay()

    /// Between two slices, so that commands are not held up, nor the disk kept busy.
    private static let busyPauseMs: UInt64 = 5
    /// The pause when no requests come: a start that is soon finds the checkpoint finished.
    private static let quietPauseMs: UInt64 = 2
    /// Between two looks at what the journal holds: a journal may ask the system for them.
    private static let idleMs: UInt64 = 50

    private static let sessionsPerPiece = 256

    /// Bytes of checkpoints.
    private struct Sizes {
        /// Those of the last one.
        var last: UInt64 = 0
        /// Those of this one that are written.
        var written: UInt64 = 0
        /// As many as one had that did not fit.
        var tried: UInt64 = 0
        /// Bytes since the last checkpoint from which on another is tried that may not fit either; 0: none was.
        var nextTry: UInt64 = 0

        /// All of this one is written.
        mutating func finish() { self = Sizes(last: written) }

        /// This one did not fit. Tables may have become less since, and without a checkpoint nothing is removed. What is
        /// written in vain is no more than what is committed.
        mutating func giveWay(_ figures: JournalFigures) {
            tried = max(tried, written)
            nextTry = 2 * figures.bytesSinceCheckpoint
        }

        /// Whether a checkpoint is worth a try: one that does not fit makes way. Tables may have become less, so the
        /// size of the last one does not tell. After one that made way it is tried where there is so much room, or
        /// when the journal has become twice as long.
        func mayFit(in room: Room, _ figures: JournalFigures) -> Bool {
            guard room.bytes > 0 else { return false }
            return room.bytes >= max(last, figures.checkpointBytes, tried)
                || figures.bytesSinceCheckpoint > nextTry
        }
    }

    /// Whether anything is committed at present.
    private struct Commits {
        private var seenPosition: UInt64 = 0
        private var grewAtMs: UInt64 = 0
        /// Nothing was committed for a while.
        private(set) var areQuiet = false

        /// Without a commit for so long nobody waits, and a quarter of the bytes is enough.
        private static let quietMs: UInt64 = 1_000

        mutating func look(at position: UInt64, nowMs: UInt64) {
            if position != seenPosition { (seenPosition, grewAtMs) = (position, nowMs) }
            areQuiet = nowMs &- grewAtMs >= Self.quietMs
        }
    }

    /// The delay of checkpoints by restores, also where one restore follows another.
    private struct Delay {
        /// Bytes since the last checkpoint when restores began to hold up the next; nil: none does.
        private var bytesBefore: UInt64?
        /// The bytes by which the journal has grown since.
        private(set) var grown: UInt64 = 0

        mutating func note(isRestoring: Bool, _ bytes: UInt64) {
            let before = bytesBefore ?? bytes
            bytesBefore = isRestoring ? before : nil
            grown = isRestoring ? bytes - min(bytes, before) : 0
        }
    }

    private enum Pending {
        case piece(CapturedPiece)
        /// The kept diffs of a table up to a revision.
        case diffs(Server.LiveTable, upTo: UInt64)
    }

    package init(afterBytes: UInt64) { self.afterBytes = afterBytes }

    /// Whether the loop should come back soon, though nothing arrives.
    var isBusy: Bool { isWriting || isCompacting || isTending }
    /// Whether only removals go on, by want of room.
    var isMakingRoom: Bool { room.isShort && (isFinishing || isCompacting) }
    /// After so many milliseconds, if it is busy.
    var pauseMs: UInt64 { commits.areQuiet ? Self.quietPauseMs : Self.busyPauseMs }

    /// Writes a whole checkpoint at once, where no turns wait for it.
    package static func write(_ server: Server, to journal: any Journal) throws {
        var checkpointer = Checkpointer(afterBytes: 0)
        try checkpointer.begin(server: server, journal: journal)
        while checkpointer.isWriting { try checkpointer.writeSlice(to: journal) }
    }

    /// The tables are other ones from now on; what was begun is given up.
    mutating func startAnew() {
        (pending, isWriting, isFinishing, waitsForRest) = ([], false, false, false)
        delay = Delay()
        isCompacting = true
    }

    /// Does a little, if there is something to do. `isAtRest`: all that the tables hold is durable.
    mutating func work(
        server: Server, journal: any Journal, nowMs: UInt64, isAtRest: Bool
    ) throws {
        if isTending || nowMs >= notBeforeMs { isTending = try journal.tend() }
        guard nowMs >= notBeforeMs || (waitsForRest && isAtRest) else { return }
        commits.look(at: server.position, nowMs: nowMs)
        notBeforeMs = nowMs + (isBusy ? pauseMs : Self.idleMs)
        if isWriting {
            try writeSlice(to: journal)
        } else if isCompacting {
            try compact(journal)
        } else {
            // A standby may have by now what was kept for it alone.
            try compact(journal)
            if isCompacting { return }
            let figures = journal.figures
            delay.note(isRestoring: server.copies.isRestoring, figures.bytesSinceCheckpoint)
            let isNeeded =
                !server.copies.isRestoring && (server.copies.hasStaleParts || isDue(figures))
                && sizes.mayFit(in: room, figures)
            waitsForRest = isNeeded && !isAtRest
            if isNeeded, isAtRest { try begin(server: server, journal: journal) }
        }
    }

    private mutating func compact(_ journal: any Journal) throws {
        guard let covered = journal.figures.checkpoint else { return isCompacting = false }
        isCompacting = try journal.compact(before: covered &+ 1, atMost: 256) > 0
    }

    // MARK: Room

    /// Where nothing may be written: goes on with what is removed, and with a checkpoint of which all is written.
    /// The files that it replaces are room.
    mutating func makeRoom(in journal: any Journal, nowMs: UInt64) throws {
        guard room.isShort, nowMs >= notBeforeMs else { return }
        notBeforeMs = nowMs + (isMakingRoom ? pauseMs : Self.idleMs)
        if isFinishing { try finish(journal) } else { try compact(journal) }
    }

    /// Takes a checkpoint away that does not fit; false: none is being written.
    ///
    /// All at once, which takes milliseconds: else commits would be refused until it is gone.
    mutating func giveWay(server: Server, journal: any Journal) throws -> Bool {
        guard isWriting, !isFinishing else { return false }
        try journal.abandonCheckpoint()
        sizes.giveWay(journal.figures)
        if ridsOfStaleParts { server.copies.hasStaleParts = true }
        startAnew()
        return true
    }

    /// Ends a restore that holds up checkpoints for too long. In a turn, whose entry says so.
    mutating func watchRestore(_ server: Server) {
        guard server.copies.isRestoring else { return }
        server.giveUpRestoring(journalGrewBy: delay.grown)
        // The checkpoint begins before another restore does.
        if !server.copies.isRestoring { notBeforeMs = 0 }
    }

    private func isDue(_ figures: JournalFigures) -> Bool {
        if let isDue = figures.isCheckpointDue { return isDue }
        let bytes = max(afterBytes, sizes.last)
        return figures.bytesSinceCheckpoint > (commits.areQuiet ? bytes / 4 : bytes)
    }

    /// The parts of a checkpoint, one after the other, where there are no turns.
    package static func parts(of server: Server, _ body: ([UInt8]) throws -> Void) rethrows {
        var checkpointer = Checkpointer(afterBytes: 0)
        checkpointer.capture(server)
        while let piece = checkpointer.takePiece() { try body(Encode.checkpoint(piece.part)) }
    }

    private mutating func begin(server: Server, journal: any Journal) throws {
        try journal.beginCheckpoint()
        if server.copies.hasStaleParts {
            // A standby gets an entry that forgets like any other.
            try journal.forgetEarlier(beginsAnew: !server.duty.isLeader)
        }
        ridsOfStaleParts = server.copies.hasStaleParts
        server.copies.hasStaleParts = false
        delay = Delay()
        capture(server)
        sizes.written = 0
        isWriting = true
    }

    private mutating func capture(_ server: Server) {
        (pending, next) = ([], 0)
        if server.term != Server.Term() { pending.append(.piece(.whole(.term(server.term)))) }
        // By name: which diffs are kept when their turn comes would else differ in two processes.
        for (_, live) in server.tables.sorted(by: { $0.key < $1.key }) {
            let table = live.table
            let pieces = table.captured() + live.capturedMemory() + live.owners.captured()
            pending += pieces.map(Pending.piece)
            // So that viewers can catch up, and people undo, after a restart.
            pending.append(.diffs(live, upTo: table.revision))
        }
        capture(server.sessions)
    }

    private mutating func capture(_ book: SessionBook) {
        for (owner, sessions) in book.all {
            let clients = sessions.list.elements.map { ($0, $1) }
            let pieces = CapturedPiece.neighbours(
                clients.map(\.1.bytes), most: Self.sessionsPerPiece)
            // One without any says up to where they were evicted.
            for piece in pieces.isEmpty ? [0..<0] : pieces {
                let some = clients[piece].map { CheckpointPart.Client($0, $1) }
                let part = CheckpointPart.sessions(some, evictedTo: sessions.evictedTo, of: owner)
                pending.append(.piece(.whole(part)))
            }
        }
    }

    private mutating func writeSlice(to journal: any Journal) throws {
        guard let piece = takePiece() else { return try finish(journal) }
        let bytes = Encode.checkpoint(piece.part)
        try journal.appendToCheckpoint(bytes)
        sizes.written += UInt64(bytes.count)
    }

    /// The next piece to write; nil: that was all.
    private mutating func takePiece() -> CapturedPiece? {
        while next < pending.count {
            let place = next
            switch pending[place] {
            case .piece(let piece):
                // Rows that have changed since are held for nothing else.
                pending[place] = .piece(.rows([]))
                next += 1
                return piece
            case .diffs(let live, let revision):
                let pieces = live.capturedDiffs(upTo: revision).map(Pending.piece)
                pending.replaceSubrange(place...place, with: pieces)
            }
        }
        return nil
    }

    /// Asks until it is durable; meanwhile turns go on.
    private mutating func finish(_ journal: any Journal) throws {
        isFinishing = true
        guard try journal.finishCheckpoint() else { return }
        pending = []
        (isWriting, isFinishing) = (false, false)
        isCompacting = true
        sizes.finish()
    }
}

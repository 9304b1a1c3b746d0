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
        package init(bytes: UInt64, isShort: Bool) {
            (self.bytes, self.isShort) = (bytes, isShort)
        }
    }

    private var pending: [Pending] = []
    private var next = 0
    private var isWriting = false
    /// All parts are written, and it is being made durable.
    private var isFinishing = false
    private var lastBytes: UInt64 = 0
    private var writtenBytes: UInt64 = 0
    /// As many bytes as one had that did not fit.
    private var triedBytes: UInt64 = 0
    /// Bytes since the last checkpoint from which on another is tried that may not fit either; 0: none was.
    private var nextTryBytes: UInt64 = 0
    /// The one that is being written is to be rid of parts of a restore.
    private var ridsOfStaleParts = false
    private var notBeforeMs: UInt64 = 0
    private var isCompacting = true
    /// The journal prepares something.
    private var isTending = false
    /// One is due. It is of the tables as they are, so that it waits until all of that is durable.
    private(set) var waitsForRest = false
    private var seenPosition: UInt64 = 0
    private var grewAtMs: UInt64 = 0
    /// Nothing was committed for a while.
    private var isQuiet = false
    /// Bytes since the last checkpoint when restores began to hold up the next; nil: none does.
    private var bytesAtRestore: UInt64?
    /// The bytes by which the journal has grown since.
    private var grownInRestores: UInt64 = 0

    /// Between two slices, so that commands are not held up, nor the disk kept busy.
    private static let busyPauseMs: UInt64 = 5
    /// The pause when no requests come: a start that is soon finds the checkpoint finished.
    private static let quietPauseMs: UInt64 = 2
    /// Between two looks at what the journal holds: a journal may ask the system for them.
    private static let idleMs: UInt64 = 50

    /// Without a commit for so long nobody waits, and a quarter of the bytes is enough.
    private static let quietMs: UInt64 = 1_000

    private static let sessionsPerPiece = 256

    private enum Pending {
        case piece(CapturedPiece)
        /// The kept diffs of a table up to a revision.
        case diffs(Server.LiveTable, upTo: UInt64)
    }

    package init(afterBytes: UInt64) {
        self.afterBytes = afterBytes
    }

    /// Whether the loop should come back soon, though nothing arrives.
    var isBusy: Bool { isWriting || isCompacting || isTending }
    /// Whether only removals go on, by want of room.
    var isMakingRoom: Bool { room.isShort && (isFinishing || isCompacting) }
    /// After so many milliseconds, if it is busy.
    var pauseMs: UInt64 { isQuiet ? Self.quietPauseMs : Self.busyPauseMs }

    /// Writes a whole checkpoint at once, where no turns wait for it.
    package static func write(_ server: Server, to journal: any Journal) throws {
        var checkpointer = Checkpointer(afterBytes: 0)
        try checkpointer.begin(server: server, journal: journal)
        while checkpointer.isWriting { try checkpointer.writeSlice(to: journal) }
    }

    /// The tables are other ones from now on; what was begun is given up.
    mutating func startAnew() {
        (pending, isWriting, isFinishing, waitsForRest) = ([], false, false, false)
        (bytesAtRestore, grownInRestores) = (nil, 0)
        isCompacting = true
    }

    /// Does a little, if there is something to do. `isAtRest`: all that the tables hold is durable.
    mutating func work(
        server: Server, journal: any Journal, nowMs: UInt64, isAtRest: Bool
    ) throws {
        isTending = try journal.tend()
        guard nowMs >= notBeforeMs || (waitsForRest && isAtRest) else { return }
        if server.position != seenPosition { (seenPosition, grewAtMs) = (server.position, nowMs) }
        isQuiet = nowMs &- grewAtMs >= Self.quietMs
        notBeforeMs = nowMs + (isBusy ? pauseMs : Self.idleMs)
        if isWriting {
            try writeSlice(to: journal)
        } else if isCompacting {
            try compact(journal)
        } else {
            let figures = journal.figures
            noteGrowth(server, figures.bytesSinceCheckpoint)
            let isNeeded =
                !server.copies.isRestoring && (server.copies.hasStaleParts || isDue(figures))
                && mayFit(figures)
            waitsForRest = isNeeded && !isAtRest
            if isNeeded, isAtRest { try begin(server: server, journal: journal) }
        }
    }

    private mutating func compact(_ journal: any Journal) throws {
        let covered = journal.figures.checkpoint ?? 0
        isCompacting = try journal.compact(before: covered, atMost: 256) > 0
    }

    // MARK: Room

    /// Where nothing may be written: goes on with what is removed, and with a checkpoint of which all is written.
    /// The files that it replaces are room.
    mutating func makeRoom(in journal: any Journal, nowMs: UInt64) throws {
        guard isMakingRoom, nowMs >= notBeforeMs else { return }
        notBeforeMs = nowMs + pauseMs
        if isFinishing { try finish(journal) } else { try compact(journal) }
    }

    /// Takes a checkpoint away that does not fit; false: none is being written.
    ///
    /// All at once, which takes milliseconds: else commits would be refused until it is gone.
    mutating func giveWay(server: Server, journal: any Journal) throws -> Bool {
        guard isWriting, !isFinishing else { return false }
        try journal.abandonCheckpoint()
        triedBytes = max(triedBytes, writtenBytes)
        // Tables may have become less since, and without a checkpoint nothing is removed. What is written in
        // vain is no more than what is committed.
        nextTryBytes = 2 * journal.figures.bytesSinceCheckpoint
        if ridsOfStaleParts { server.copies.hasStaleParts = true }
        startAnew()
        return true
    }

    /// Whether a checkpoint is worth a try: one that does not fit makes way. Tables may have become less, so the
    /// size of the last one does not tell. After one that made way it is tried where there is so much room, or when the
    /// journal has become twice as long.
    private func mayFit(_ figures: JournalFigures) -> Bool {
        guard room.bytes > 0 else { return false }
        let bytes = max(lastBytes, figures.checkpointBytes, triedBytes)
        return room.bytes >= bytes || figures.bytesSinceCheckpoint > nextTryBytes
    }

    /// By how much the journal grows while restores hold up checkpoints, also where one restore follows
    /// another.
    private mutating func noteGrowth(_ server: Server, _ bytes: UInt64) {
        let before = bytesAtRestore ?? bytes
        bytesAtRestore = server.copies.isRestoring ? before : nil
        grownInRestores = server.copies.isRestoring ? bytes - min(bytes, before) : 0
    }

    /// Ends a restore that holds up checkpoints for too long. In a turn, whose entry says so.
    mutating func watchRestore(_ server: Server) {
        guard server.copies.isRestoring else { return }
        server.giveUpRestoring(journalGrewBy: grownInRestores)
        // The checkpoint begins before another restore does.
        if !server.copies.isRestoring { notBeforeMs = 0 }
    }

    private func isDue(_ figures: JournalFigures) -> Bool {
        if let isDue = figures.isCheckpointDue { return isDue }
        let bytes = max(afterBytes, lastBytes)
        return figures.bytesSinceCheckpoint > (isQuiet ? bytes / 4 : bytes)
    }

    /// The parts of a checkpoint, one after the other, where there are no turns.
    package static func parts(of server: Server, _ body: ([UInt8]) throws -> Void) rethrows {
        var checkpointer = Checkpointer(afterBytes: 0)
        checkpointer.capture(server)
        while let piece = checkpointer.takePiece() { try body(Encode.checkpoint(piece.part)) }
    }

    private mutating func begin(server: Server, journal: any Journal) throws {
        try journal.beginCheckpoint()
        ridsOfStaleParts = server.copies.hasStaleParts
        server.copies.hasStaleParts = false
        (bytesAtRestore, grownInRestores) = (nil, 0)
        capture(server)
        writtenBytes = 0
        isWriting = true
    }

    private mutating func capture(_ server: Server) {
        (pending, next) = ([], 0)
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
        writtenBytes += UInt64(bytes.count)
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
        lastBytes = writtenBytes
        (triedBytes, nextTryBytes) = (0, 0)
    }
}

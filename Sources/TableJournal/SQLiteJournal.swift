import Glibc
public import JournalPort

/// A journal in one SQLite database, `journal.db`, with the file `acknowledged` beside it.
///
/// An entry is one row, and a commit is one synced append to SQLite's write-ahead log. A hash chain
/// through all rows finds damage that SQLite does not look for. `acknowledged` finds commits that
/// have vanished from the end.
public final class SQLiteJournal: Journal {
    /// What marks the database as ours: "TRST" in its header.
    public static let applicationID: Int32 = 0x5452_5354

    /// What was noticed at opening. The caller logs it.
    public let warnings: [JournalWarning]
    /// See `Journal`.
    public var canCopyLog = true

    let path: String
    /// Held so that the lock outlives every use of the files.
    private let directory: StateDirectory
    /// Nil once closed.
    private var connection: Connection?
    private var isPoisoned = false
    private var commits: UInt64 = 0

    /// The newest entry.
    private(set) var head: ChainPoint
    /// The point before the oldest retained entry.
    var base: ChainPoint
    /// The newest complete checkpoint.
    var checkpoint: Checkpoint?
    /// The checkpoint under way.
    var building: Building?
    /// The number for the next checkpoint's first part.
    var nextPart: UInt64
    var bytesSinceCheckpoint: UInt64
    /// The largest accepted entry or part in bytes; smaller only in tests.
    var payloadLimit = Limits.payloadBytes

    /// A checkpoint under way.
    struct Building {
        var checkpoint: Checkpoint
        /// Payload bytes of the entries that it will cover and no complete checkpoint covers.
        var bytesCovered: UInt64
    }

    /// Opens the journal in `directory`, and creates or migrates it as needed.
    ///
    /// - Parameter now: milliseconds since 1970, recorded with a migration.
    /// - Throws: `JournalError`. The files then stay as they were found, except that a migration
    ///   may have been applied (after a copy was made).
    public convenience init(directory: StateDirectory, now: () -> Int64) throws {
        try self.init(directory: directory, migrations: Migration.all, now: now)
    }

    init(directory: StateDirectory, migrations: [Migration], now: () -> Int64) throws {
        self.directory = directory
        let acknowledged = try AcknowledgedFile(path: directory.file("acknowledged"))
        let content = try acknowledged.read()
        try directory.settleLog()
        let database = try Database.open(
            in: directory, promised: content.position, migrations: migrations, now: now)
        let connection = try Connection(database, acknowledged)
        let stored = try connection.load()
        path = database.path
        warnings = try connection.warnings(comparing: content, with: stored)
        base = stored.base
        head = stored.head
        checkpoint = stored.checkpoint
        bytesSinceCheckpoint = try connection.bytes(after: stored.checkpoint?.covered.position ?? 0)
        nextPart = stored.checkpoint?.endPart ?? 1
        self.connection = connection
        // Removes what an unfinished checkpoint left. Nobody is waiting yet, so slices are not
        // needed.
        while try sweepParts(atMost: Limits.rowsPerSweep) > 0 {}
        _ = try database.shrink()
        try acknowledged.write(promise)
        try acknowledged.tidy()
    }

    /// One for ever: only one process can open this journal.
    public var term: UInt64? { 1 }

    /// The position of the newest entry; 0 when there never was one.
    public var durable: UInt64 { head.position }

    /// Figures for status pages and metrics.
    public var figures: JournalFigures {
        let entries = head.position - base.position
        return JournalFigures(
            position: head.position, oldest: entries > 0 ? base.position + 1 : nil,
            entries: entries, checkpoint: checkpoint?.covered.position,
            bytesSinceCheckpoint: bytesSinceCheckpoint,
            bytesOnDisk: [path, path + "-wal"].map(size).reduce(0, +), commits: commits)
    }

    /// Makes `entry` durable in one commit: it is on disk when this returns.
    ///
    /// - Throws: `JournalError`; whatever it is, the journal then refuses all later writes.
    public func submit(_ entry: [UInt8], position: UInt64, term: UInt64) throws {
        try write { connection in
            try entry.withUnsafeBytes { payload in
                try refuseTooLarge(payload)
                let number = head.position + 1
                guard position == number else {
                    throw JournalError.entryOutOfTurn(path: path, position: position, next: number)
                }
                let chain = Chain.link(after: head.chain, number: number, payload: payload)
                // A single statement is its own transaction. BEGIN and COMMIT would add nothing.
                try connection.insertEntry.run(
                    "append an entry", number, chain, payload: payload)
                head = ChainPoint(position: number, chain: chain)
            }
            commits += 1
            bytesSinceCheckpoint += UInt64(entry.count)
            try settle(connection)
        }
    }

    /// Copies the write-ahead log into the database, empties it, and closes the files.
    ///
    /// After a failed write it only closes them and leaves the files to recovery. The lock is kept
    /// until the `StateDirectory` is released.
    /// - Throws: `JournalError` if the log could not be emptied. Nothing is lost then.
    public func close() throws {
        guard let connection else { return }
        defer { self.connection = nil }
        guard !isPoisoned else { return }
        try connection.database.emptyLog()
        try connection.acknowledged.write(promise)
        try connection.acknowledged.tidy()
    }

    /// The only way to write. After any failure, nothing more is written.
    ///
    /// A sync that failed once may succeed when repeated although the data never reached the disk.
    /// Without `isSynced`, what `body` commits becomes durable with the next synced commit. Use it
    /// only for what nobody has been told.
    func write<Result>(
        isSynced: Bool = true, _ body: (Connection) throws -> Result
    ) throws -> Result {
        let connection = try writable()
        do {
            guard !isSynced else { return try body(connection) }
            return try connection.database.unsynced { try body(connection) }
        } catch {
            isPoisoned = true
            throw error
        }
    }

    func opened() throws -> Connection {
        guard let connection else { throw JournalError.closed(path: path) }
        return connection
    }

    @discardableResult
    func writable() throws -> Connection {
        guard !isPoisoned else { throw JournalError.poisoned(path: path) }
        return try opened()
    }

    /// Follows each commit: acknowledges it, and keeps the log short.
    func settle(_ connection: Connection) throws {
        try connection.acknowledged.write(promise)
        try connection.database.copyLog(from: Limits.logPages)
    }

    func refuseTooLarge(_ payload: UnsafeRawBufferPointer) throws {
        guard payload.count <= payloadLimit else {
            throw JournalError.payloadTooLarge(bytes: payload.count, limit: payloadLimit)
        }
    }

    private var promise: Promise {
        Promise(newest: head, checkpoint: checkpoint?.covered.position ?? 0)
    }

    private func size(_ path: String) -> UInt64 {
        var status = stat()
        return stat(path, &status) == 0 ? UInt64(clamping: status.st_size) : 0
    }
}

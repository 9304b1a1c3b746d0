import JournalFormat
public import JournalPort

/// The journal of one machine: a log of entries in segments, checkpoints in files of their own, and the
/// file `acknowledged` beside them (docs/decisions/0024-log.md).
///
/// An entry is durable when `submit` returns: one write and one sync. Everything else is done between
/// turns, in `tend`, `appendToCheckpoint` and `compact`; the syncs of that have a thread of their own.
public final class LogJournal: Journal {
    /// The warnings of the opening. The caller logs them.
    public let warnings: [JournalWarning]
    /// See `Journal`.
    public var hasRoom = true

    /// Drawn when the log began: another one is another log.
    package let logNumber: UInt64
    let disk: any Disk
    let limits: Limits
    /// Held so that the lock outlives every use of the files.
    private let directory: StateDirectory?
    /// The parts that are kept though a checkpoint covers them: a standby reads them.
    package var kept = Kept()
    /// Until it is recovered.
    var room: HeapRoom?
    /// Nil once closed.
    private var log: Log?
    private let acknowledged: AcknowledgedFile
    private var isPoisoned = false
    private var commits: UInt64 = 0
    /// The newest complete checkpoint.
    private(set) var checkpoint: Checkpoint?
    /// The checkpoint under way.
    private var building: CheckpointFile?
    private var bytesSinceCheckpoint: UInt64
    /// The position before the oldest entry that counts as retained. A segment is kept as a whole, so
    /// that its file may hold older ones.
    private(set) var base: UInt64

    /// Opens the journal in `directory`. It begins one if there is none, and takes over what an older
    /// daemon left.
    ///
    /// - Parameters:
    ///   - directory: of which this process has the lock.
    ///   - goesOn: is called with each segment that is read, for whoever wants to know that it goes on.
    /// - Throws: `JournalError`. Nothing that was acknowledged is removed then.
    public convenience init(directory: StateDirectory, goesOn: () -> Void = {}) throws {
        try self.init(
            FileDisk(path: directory.path), Limits(), directory: directory, goesOn: goesOn)
    }

    init(
        _ disk: any Disk, _ limits: Limits, directory: StateDirectory? = nil,
        goesOn: () -> Void = {}
    ) throws {
        (self.disk, self.limits, self.directory) = (disk, limits, directory)
        let promise = try AcknowledgedFile.read(in: disk)
        let id = try Beginning(disk, limits, promise).manifest().log
        logNumber = id
        room = try HeapRoom(for: disk)
        var reader = LogReader(disk, id: id, limits, promise: promise)
        let opening = try reader.read(goesOn)
        (checkpoint, warnings) = (opening.checkpoint, opening.warnings)
        bytesSinceCheckpoint = opening.bytesSinceCheckpoint
        base = opening.log.base.position
        // The names are as they were read, whatever the process before did not live to sync. A promise is
        // durable at once, so it may only be made of what has its name.
        if limits.syncsNames, limits.syncsNamesFirst { try disk.sync() }
        acknowledged = try AcknowledgedFile(
            disk, Promise(newest: opening.log.head, checkpoint: checkpoint?.covered.position ?? 0))
        if limits.syncsNames, acknowledged.isNew || !limits.syncsNamesFirst { try disk.sync() }
        log = opening.log
    }

    // MARK: Entries

    /// One for ever: only one process can open this journal.
    public var term: UInt64? { 1 }

    /// The position of the newest entry; 0 when there never was one.
    public var durable: UInt64 { head.position }

    var head: ChainPoint { log?.head ?? closedHead }
    private var closedHead = ChainPoint.start

    /// Appends an entry: it is durable when this returns.
    ///
    /// - Throws: `JournalError`; the journal then refuses all later writes.
    public func submit(_ entry: [UInt8], position: UInt64, term: UInt64) throws {
        try write { log in
            try refuseTooLarge(entry.count)
            guard position == log.head.position + 1 else {
                throw JournalError.entryOutOfTurn(
                    path: disk.path, position: position, next: log.head.position + 1)
            }
            try entry.withUnsafeBytes { try log.append($0) }
            commits += 1
            bytesSinceCheckpoint += UInt64(entry.count)
            acknowledged.store(promise)
        }
    }

    /// Figures for status pages and metrics.
    public var figures: JournalFigures {
        let newest = head.position
        let files =
            (log?.fileBytes ?? 0) + (checkpoint?.fileBytes ?? 0) + (building?.fileBytes ?? 0)
        return JournalFigures(
            position: newest, entries: newest - base,
            checkpoint: checkpoint?.covered.position, bytesSinceCheckpoint: bytesSinceCheckpoint,
            bytesOnDisk: UInt64(files), commits: commits,
            checkpointBytes: UInt64(checkpoint?.fileBytes ?? 0))
    }

    // MARK: Checkpoints

    /// Begins a checkpoint that covers every entry up to `durable` as it is now.
    ///
    /// - Throws: `JournalError.checkpointOutOfTurn` if one is under way.
    public func beginCheckpoint() throws {
        try writable()
        guard building == nil else {
            throw JournalError.checkpointOutOfTurn(doing: "begin a checkpoint during another")
        }
        try write { log in
            let number = (checkpoint?.number ?? 0) + 1
            building = try CheckpointFile(
                disk, limits, Checkpoint(log: log.id, number: number, covering: log.head),
                bytesCovered: bytesSinceCheckpoint)
        }
    }

    /// Adds a part.
    ///
    /// - Throws: `JournalError.checkpointOutOfTurn` if none is under way. After any other error,
    ///   all later writes are refused.
    public func appendToCheckpoint(_ part: [UInt8]) throws {
        let building = try checkpointBegun("add a part to a checkpoint")
        guard building.isOpen else {
            throw JournalError.checkpointOutOfTurn(doing: "add a part to a finished checkpoint")
        }
        try write { _ in
            try refuseTooLarge(part.count)
            try part.withUnsafeBytes { try building.add($0) }
        }
    }

    /// Goes on completing the checkpoint under way; true when it is the newest complete one.
    ///
    /// - Throws: `JournalError.checkpointOutOfTurn` if none is under way. After any other error,
    ///   all later writes are refused.
    public func finishCheckpoint() throws -> Bool {
        let building = try checkpointBegun("finish a checkpoint")
        return try write { log in
            guard try building.finish() else { return false }
            if let checkpoint { kept.replaced.append(checkpoint.number) }
            removeReplaced(log)
            checkpoint = building.checkpoint
            bytesSinceCheckpoint -= building.bytesCovered
            self.building = nil
            acknowledged.store(promise)
            return true
        }
    }

    /// Gives up the checkpoint under way, if any.
    public func abandonCheckpoint() throws {
        try write { _ in
            try building?.giveUp()
            building = nil
        }
    }

    /// Removes what is no longer needed; see `Journal`. Segments go as a whole, and most of them are used
    /// again. Where there is no room they give theirs back, and nothing is renamed, which may need some.
    public func compact(before position: UInt64, atMost: Int) throws -> Int {
        guard atMost > 0 else { return 0 }
        return try write { log in
            removeReplaced(log)
            if try log.removals.work() { return 1 }
            guard let covered = checkpoint?.covered.position, position > 0 else { return 0 }
            let end = min(position - 1, covered, kept.after ?? .max)
            if end > base {
                let count = min(end - base, UInt64(atMost))
                base += count
                return Int(count)
            }
            return try log.retire(upTo: base, recycles: hasRoom) ? 1 : 0
        }
    }

    /// See `Journal`. Files are removed in place of being used again.
    public func forgetEarlier(beginsAnew: Bool) throws {
        try write { try $0.forgetEarlier(beginsAnew: beginsAnew) }
    }

    /// Prepares the next segment, a little at a time; see `Journal`.
    public func tend() throws -> Bool {
        try write { log in
            guard hasRoom || log.spares.isBusy else { return false }
            try log.spares.tend(isWanted: hasRoom && log.isHalfFull)
            return log.spares.isBusy
        }
    }

    // MARK: The end

    /// Makes the file `acknowledged` durable and closes the files.
    ///
    /// After a failed write it only closes them and leaves the files to recovery. The lock is kept
    /// until the `StateDirectory` is released.
    public func close() throws {
        guard log != nil else { return }
        defer {
            closedHead = head
            (log, building) = (nil, nil)
        }
        guard !isPoisoned else { return }
        try acknowledged.tidy(promise)
    }

    private var promise: Promise {
        Promise(newest: head, checkpoint: checkpoint?.covered.position ?? 0)
    }

    /// Replaced checkpoints go, but for one that a standby copies.
    private func removeReplaced(_ log: Log) {
        let held = kept.checkpoint
        for number in kept.replaced where number != held {
            log.removals.add(FileName.checkpoint(number: number).text)
        }
        kept.replaced.removeAll { $0 != held }
    }

    /// Appends entries of another journal with one sync. False: they do not lead to this chain, and nothing was
    /// written.
    package func submit(copied entries: [[UInt8]], leadingTo chain: UInt64) throws -> Bool {
        var point = head
        for entry in entries {
            point.position += 1
            point.chain = entry.withUnsafeBytes {
                Chain.link(after: point.chain, number: point.position, payload: $0)
            }
        }
        guard point.chain == chain else { return false }
        if entries.isEmpty { return true }
        try write { log in
            let durable = log.head.position
            for entry in entries {
                try refuseTooLarge(entry.count)
                try entry.withUnsafeBytes { try log.append($0, isSynced: false, durable: durable) }
                bytesSinceCheckpoint += UInt64(entry.count)
            }
            try log.sync()
            commits += UInt64(entries.count)
            acknowledged.store(promise)
        }
        return true
    }

    /// The only way to write. After any failure, nothing more is written.
    ///
    /// A sync that failed once may succeed when repeated although the data never reached the disk.
    private func write<Result>(_ body: (Log) throws -> Result) throws -> Result {
        let log = try writable()
        do {
            return try body(log)
        } catch {
            isPoisoned = true
            throw error
        }
    }

    func opened() throws -> Log {
        guard let log else { throw JournalError.closed(path: disk.path) }
        return log
    }

    @discardableResult
    private func writable() throws -> Log {
        guard !isPoisoned else { throw JournalError.poisoned(path: disk.path) }
        return try opened()
    }

    private func checkpointBegun(_ doing: String) throws -> CheckpointFile {
        try writable()
        guard let building else { throw JournalError.checkpointOutOfTurn(doing: doing) }
        return building
    }

    private func refuseTooLarge(_ count: Int) throws {
        guard count <= limits.payloadBytes else {
            throw JournalError.payloadTooLarge(bytes: count, limit: limits.payloadBytes)
        }
    }
}

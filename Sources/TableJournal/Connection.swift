/// The open database with its prepared statements, and the file beside it.
final class Connection {
    let database: Database
    let acknowledged: AcknowledgedFile
    let insertEntry: Statement
    let selectChain: Statement
    let deleteEntries: Statement
    let updateBase: Statement
    let insertPart: Statement
    let deleteParts: Statement
    let replaceCheckpoint: Statement

    init(_ database: Database, _ acknowledged: AcknowledgedFile) throws {
        self.database = database
        self.acknowledged = acknowledged
        insertEntry = try database.prepare(
            "INSERT INTO entries (position, chain, payload) VALUES (?1, ?2, ?3)")
        selectChain = try database.prepare("SELECT chain FROM entries WHERE position = ?1")
        deleteEntries = try database.prepare("DELETE FROM entries WHERE position <= ?1")
        updateBase = try database.prepare(
            "UPDATE base SET position = ?1, chain = ?2, seal = ?3 WHERE id = 1")
        insertPart = try database.prepare(
            "INSERT INTO parts (number, chain, payload) VALUES (?1, ?2, ?3)")
        deleteParts = try database.prepare(
            """
            DELETE FROM parts WHERE number IN (
                SELECT number FROM parts WHERE number >= ?1 AND number < ?2
                ORDER BY number LIMIT ?3
            )
            """)
        replaceCheckpoint = try database.prepare(
            """
            INSERT OR REPLACE INTO checkpoint
                (id, position, chain, first_part, parts, last_chain, seal)
            VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6)
            """)
    }

    /// The chain after the entry at `position`, or nil if there is no such entry.
    func chain(at position: UInt64) throws -> UInt64? {
        defer { selectChain.reset() }
        try selectChain.bind([position])
        return try selectChain.step("look up entry \(position)") ? selectChain.word(0) : nil
    }

    /// Payload bytes of the entries after `position`.
    func bytes(after position: UInt64) throws -> UInt64 {
        let statement = try database.prepare(
            "SELECT coalesce(sum(length(payload)), 0) FROM entries WHERE position > ?1")
        try statement.bind([position])
        return try statement.step("add up the entries") ? statement.count(0) ?? 0 : 0
    }
}

/// The ends of what the database holds, each consistent in itself and with the others.
struct Stored: Equatable {
    var base: ChainPoint
    var head: ChainPoint
    var checkpoint: Checkpoint?
}

extension Connection {
    /// Reads the ends and checks them; what lies between is left to recovery.
    func load() throws -> Stored {
        let path = database.path
        let base = try loadBase()
        let head = try loadHead() ?? base
        guard head.position >= base.position else {
            throw JournalError.entryDamaged(path: path, position: head.position)
        }
        let checkpoint = try loadCheckpoint()
        let covered = checkpoint?.covered.position
        // Only entries that a checkpoint covers are ever removed.
        guard covered ?? 0 >= base.position else {
            throw JournalError.checkpointDamaged(path: path, position: covered, part: nil)
        }
        guard covered ?? 0 <= head.position else {
            throw JournalError.entryMissing(path: path, position: head.position + 1)
        }
        return Stored(base: base, head: head, checkpoint: checkpoint)
    }

    private func loadBase() throws -> ChainPoint {
        let row = try database.prepare("SELECT position, chain, seal FROM base WHERE id = 1")
        guard try row.step("read where the entries begin"),
            let position = row.count(0), let chain = row.word(1), let seal = row.word(2),
            case let base = ChainPoint(position: position, chain: chain), base.seal == seal
        else { throw JournalError.baseDamaged(path: database.path) }
        return base
    }

    private func loadHead() throws -> ChainPoint? {
        let row = try database.prepare(
            "SELECT position, chain FROM entries ORDER BY position DESC LIMIT 1")
        guard try row.step("read the newest entry") else { return nil }
        guard let position = row.count(0), let chain = row.word(1) else {
            throw JournalError.entryDamaged(path: database.path, position: row.count(0) ?? 0)
        }
        return ChainPoint(position: position, chain: chain)
    }

    private func loadCheckpoint() throws -> Checkpoint? {
        let row = try database.prepare(
            """
            SELECT position, chain, first_part, parts, last_chain, seal FROM checkpoint
            WHERE id = 1
            """)
        guard try row.step("read the checkpoint's header") else { return nil }
        guard let position = row.count(0), let chain = row.word(1), let first = row.count(2),
            let parts = row.count(3), let last = row.word(4), let seal = row.word(5),
            case let checkpoint = Checkpoint(
                covered: ChainPoint(position: position, chain: chain), firstPart: first,
                parts: parts, lastChain: last),
            checkpoint.seal == seal
        else {
            throw JournalError.checkpointDamaged(
                path: database.path, position: row.count(0), part: nil)
        }
        return checkpoint
    }

    /// Refuses a journal that holds less than, or something else than, what was acknowledged.
    func warnings(
        comparing content: AcknowledgedFile.Content, with stored: Stored
    ) throws -> [JournalWarning] {
        let promise: Promise
        switch content {
        case .missing:
            let isExpected = stored.head.position == 0
            return isExpected ? [] : [.acknowledgedMissing(path: acknowledged.path)]
        case .unreadable:
            return [.acknowledgedUnreadable(path: acknowledged.path)]
        case .promise(let content):
            promise = content
        }
        let path = database.path
        let newest = promise.newest
        guard newest.position <= stored.head.position else {
            throw JournalError.acknowledgedLost(
                path: path, end: stored.head.position, acknowledged: newest.position)
        }
        let covered = stored.checkpoint?.covered.position
        guard promise.checkpoint <= covered ?? 0 else {
            throw JournalError.checkpointLost(
                path: path, found: covered, acknowledged: promise.checkpoint)
        }
        // An older promise whose entry was compacted away since has nothing to be compared with.
        guard newest.position >= stored.base.position else { return [] }
        let found =
            newest.position == stored.base.position
            ? stored.base.chain : try chain(at: newest.position)
        guard let found else {
            throw JournalError.entryMissing(path: path, position: newest.position)
        }
        guard found == newest.chain else {
            throw JournalError.acknowledgedDiffers(path: path, position: newest.position)
        }
        return []
    }
}

extension AcknowledgedFile.Content {
    /// The newest position known to have been acknowledged.
    var position: UInt64 {
        if case .promise(let promise) = self { promise.newest.position } else { 0 }
    }
}

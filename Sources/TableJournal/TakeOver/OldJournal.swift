import JournalFormat

/// The journal of the daemons before: one SQLite database, `journal.db`. It is only read.
///
/// Its chain is computed as today's, so entries keep their positions and chains.
struct OldJournal {
    private let database: Database
    private let path: String
    /// The point before the oldest entry.
    let base: ChainPoint
    let head: ChainPoint
    let checkpoint: Header?

    /// What marks the database as ours: "TRST" in its header.
    static let applicationID: Int64 = 0x5452_5354
    /// The newest schema that there ever was.
    private static let newestSchema = 1

    /// The header of its checkpoint.
    struct Header {
        var covered: ChainPoint
        var firstPart: UInt64
        var parts: UInt64
        var lastChain: UInt64
        var firstChain: UInt64 { Chain.seal(covered.position, covered.chain, firstPart) }
    }

    /// Nil if a daemon made the file and did not live to write anything.
    init?(path: String) throws {
        let database = try Database(path: path)
        try database.beAlone()
        guard try Self.isJournal(database) else { return nil }
        (self.database, self.path) = (database, path)
        base = try Self.base(of: database)
        head = try Self.head(of: database) ?? base
        checkpoint = try Self.checkpoint(of: database)
        let covered = checkpoint?.covered.position
        // Only entries that a checkpoint covers were ever removed.
        guard covered ?? 0 >= base.position else {
            throw JournalError.checkpointDamaged(path: path, position: covered, part: nil)
        }
        guard head.position >= base.position, covered ?? 0 <= head.position else {
            throw JournalError.entryMissing(path: path, position: head.position + 1)
        }
    }

    private static func isJournal(_ database: Database) throws -> Bool {
        let doing = "read the header"
        let application = try database.integer("PRAGMA application_id", doing: doing) ?? 0
        let version = try database.integer("PRAGMA user_version", doing: doing) ?? 0
        let tables = try database.integer("SELECT count(*) FROM sqlite_schema", doing: doing) ?? 0
        let path = database.path
        guard application == applicationID else {
            guard application == 0, version == 0, tables == 0 else {
                throw JournalError.foreignDatabase(path: path, applicationID: application)
            }
            return false
        }
        guard version > 0 else {
            throw JournalError.structureDamaged(
                path: path, message: "its schema number is \(version)")
        }
        guard version <= newestSchema else {
            throw JournalError.newerSchema(path: path, found: version, known: newestSchema)
        }
        let found = try database.text("PRAGMA integrity_check(1)", doing: "check the structure")
        guard found == "ok" else {
            throw JournalError.structureDamaged(path: path, message: found ?? "no answer")
        }
        return true
    }

    private static func base(of database: Database) throws -> ChainPoint {
        let row = try database.prepare("SELECT position, chain, seal FROM base WHERE id = 1")
        guard try row.step("read where the entries begin"), let position = row.count(0),
            let chain = row.word(1), row.word(2) == Chain.seal(position, chain)
        else {
            throw JournalError.structureDamaged(
                path: database.path, message: "where its entries begin is not what was written")
        }
        return ChainPoint(position: position, chain: chain)
    }

    private static func head(of database: Database) throws -> ChainPoint? {
        let row = try database.prepare(
            "SELECT position, chain FROM entries ORDER BY position DESC LIMIT 1")
        guard try row.step("read the newest entry") else { return nil }
        guard let position = row.count(0), let chain = row.word(1) else {
            throw JournalError.entryDamaged(path: database.path, position: row.count(0) ?? 0)
        }
        return ChainPoint(position: position, chain: chain)
    }

    private static func checkpoint(of database: Database) throws -> Header? {
        let row = try database.prepare(
            """
            SELECT position, chain, first_part, parts, last_chain, seal FROM checkpoint
            WHERE id = 1
            """)
        guard try row.step("read the checkpoint's header") else { return nil }
        guard let position = row.count(0), let chain = row.word(1), let first = row.count(2),
            let parts = row.count(3), let last = row.word(4),
            row.word(5) == Chain.seal(position, chain, first, parts, last)
        else {
            throw JournalError.checkpointDamaged(
                path: database.path, position: row.count(0), part: nil)
        }
        return Header(
            covered: ChainPoint(position: position, chain: chain), firstPart: first,
            parts: parts, lastChain: last)
    }

    /// The parts of the checkpoint, each checked.
    func parts(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard let checkpoint else { return }
        var (index, chain) = (UInt64(0), checkpoint.firstChain)
        let rows = try database.prepare(
            "SELECT number, chain, payload FROM parts WHERE number >= ?1 AND number < ?2 "
                + "ORDER BY number")
        try rows.bind([checkpoint.firstPart, checkpoint.firstPart &+ checkpoint.parts])
        let covered = checkpoint.covered.position
        while try rows.step("read part \(index) of the checkpoint") {
            let number = checkpoint.firstPart &+ index
            guard rows.count(0) == number, let payload = rows.blob(2),
                case let link = Chain.link(after: chain, number: number, payload: payload),
                rows.word(1) == link
            else {
                throw JournalError.checkpointDamaged(path: path, position: covered, part: index)
            }
            try body(payload)
            chain = link
            index += 1
        }
        guard index == checkpoint.parts, chain == checkpoint.lastChain else {
            throw JournalError.checkpointDamaged(path: path, position: covered, part: index)
        }
    }

    /// The entries, each checked, with the point that each leads to.
    func entries(_ body: (ChainPoint, UnsafeRawBufferPointer) throws -> Void) throws {
        var last = base
        // All rows, including those that should not exist: they are damage as well.
        let rows = try database.prepare(
            "SELECT position, chain, payload FROM entries ORDER BY position")
        while try rows.step("read entry \(last.position + 1)") {
            let next = last.position + 1
            guard let position = rows.count(0), position <= next else {
                throw JournalError.entryMissing(path: path, position: next)
            }
            guard position == next, let payload = rows.blob(2),
                case let link = Chain.link(after: last.chain, number: next, payload: payload),
                rows.word(1) == link
            else { throw JournalError.entryDamaged(path: path, position: position) }
            last = ChainPoint(position: next, chain: link)
            if let covered = checkpoint?.covered, covered.position == next, covered != last {
                throw JournalError.checkpointDamaged(path: path, position: next, part: nil)
            }
            try body(last, payload)
        }
        guard last == head else {
            throw JournalError.entryMissing(path: path, position: last.position + 1)
        }
    }
}

public import JournalPort

extension SQLiteJournal {
    /// Hands over everything retained, and checks the chain on the way; see `Journal`.
    ///
    /// - Throws: a `JournalError` that names the entry or the part at fault, or what `body` throws.
    public func recover(_ body: (Recovered) throws -> Void) throws -> JournalSummary {
        let database = try opened().database
        var summary = JournalSummary()
        if let checkpoint {
            try body(.checkpoint(position: checkpoint.covered.position, parts: checkpoint.parts))
            var parts = PartsRead(of: checkpoint)
            _ = try read(&parts, from: database, while: { true }, body)
            parts.add(to: &summary)
        }
        var entries = EntriesRead(after: base)
        _ = try read(&entries, from: database, while: { true }, body)
        entries.add(to: &summary)
        return summary
    }

    /// Hands over the entries after a position, checking the chain as it goes; see `Journal`.
    ///
    /// - Throws: a `JournalError` that names the entry at fault, or what `body` throws.
    public func entries(
        after position: UInt64, _ body: (UInt64, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let connection = try opened()
        if position >= head.position { return }
        var start = base
        if position != base.position {
            guard position > base.position, let chain = try connection.chain(at: position) else {
                throw JournalError.entryMissing(path: path, position: position + 1)
            }
            start = ChainPoint(position: position, chain: chain)
        }
        var entries = EntriesRead(after: start)
        _ = try read(&entries, from: connection.database, while: { true }) { item in
            if case .entry(let position, let bytes) = item { try body(position, bytes) }
        }
    }

    /// Reads everything and also lets SQLite check the structure of the database.
    ///
    /// - Throws: a `JournalError` that names what is at fault.
    public func verify() throws -> JournalSummary {
        let summary = try recover { _ in }
        let found = try opened().database.text(
            "PRAGMA integrity_check(1)", doing: "check the structure")
        try accept(structure: found)
        return summary
    }

    func accept(structure found: String?) throws {
        guard found == "ok" else {
            throw JournalError.structureDamaged(path: path, message: found ?? "no answer")
        }
    }

    // MARK: In slices

    /// How far the parts of a checkpoint have been read.
    struct PartsRead {
        let checkpoint: Checkpoint
        private(set) var index: UInt64 = 0
        private(set) var chain: UInt64
        private var bytes: UInt64 = 0

        init(of checkpoint: Checkpoint) {
            self.checkpoint = checkpoint
            chain = checkpoint.firstChain
        }

        mutating func advance(to link: UInt64, bytes count: Int) {
            chain = link
            index += 1
            bytes += UInt64(count)
        }

        func add(to summary: inout JournalSummary) {
            summary.checkpoint = checkpoint.covered.position
            summary.parts = index
            summary.partBytes = bytes
        }
    }

    /// How far the entries have been read.
    struct EntriesRead {
        /// The latest entry, or the point before the first.
        var last: ChainPoint
        private var count: UInt64 = 0
        private var bytes: UInt64 = 0

        init(after base: ChainPoint) {
            last = base
        }

        mutating func advance(to entry: ChainPoint, bytes count: Int) {
            last = entry
            self.count += 1
            bytes += UInt64(count)
        }

        func add(to summary: inout JournalSummary) {
            summary.position = last.position
            summary.entries = count
            summary.entryBytes = bytes
        }
    }

    /// Reads on, at least one part. True after the last part.
    func read(
        _ parts: inout PartsRead, from database: Database, while goesOn: () -> Bool,
        _ body: (Recovered) throws -> Void
    ) throws -> Bool {
        let checkpoint = parts.checkpoint
        let covered = checkpoint.covered.position
        let rows = try database.prepare(
            """
            SELECT number, chain, payload FROM parts WHERE number >= ?1 AND number < ?2
            ORDER BY number
            """)
        try rows.bind([checkpoint.firstPart &+ parts.index, checkpoint.endPart])
        while try rows.step("read part \(parts.index) of the checkpoint") {
            let number = checkpoint.firstPart &+ parts.index
            guard rows.count(0) == number, let payload = rows.blob(2),
                case let link = Chain.link(after: parts.chain, number: number, payload: payload),
                rows.word(1) == link
            else {
                throw JournalError.checkpointDamaged(
                    path: path, position: covered, part: parts.index)
            }
            try body(.part(payload))
            parts.advance(to: link, bytes: payload.count)
            if !goesOn() { return false }
        }
        guard parts.index == checkpoint.parts, parts.chain == checkpoint.lastChain else {
            throw JournalError.checkpointDamaged(path: path, position: covered, part: parts.index)
        }
        return true
    }

    /// Reads on, at least one entry. True after the last entry.
    func read(
        _ entries: inout EntriesRead, from database: Database, while goesOn: () -> Bool,
        _ body: (Recovered) throws -> Void
    ) throws -> Bool {
        // All rows, including those that should not exist: they are damage as well.
        let isFirst = entries.last == base
        let rows = try database.prepare(
            isFirst
                ? "SELECT position, chain, payload FROM entries ORDER BY position"
                : """
                SELECT position, chain, payload FROM entries WHERE position > ?1
                ORDER BY position
                """)
        if !isFirst { try rows.bind([entries.last.position]) }
        try compareWithCheckpoint(entries.last)
        while try rows.step("read entry \(entries.last.position + 1)") {
            let expected = entries.last.position + 1
            guard let position = rows.count(0), position <= expected else {
                throw JournalError.entryMissing(path: path, position: expected)
            }
            let before = entries.last.chain
            guard position == expected, let payload = rows.blob(2),
                case let link = Chain.link(after: before, number: position, payload: payload),
                rows.word(1) == link
            else { throw JournalError.entryDamaged(path: path, position: position) }
            let entry = ChainPoint(position: position, chain: link)
            try compareWithCheckpoint(entry)
            try body(.entry(position: position, payload))
            entries.advance(to: entry, bytes: payload.count)
            if !goesOn() { return false }
        }
        guard entries.last == head else {
            throw JournalError.entryMissing(path: path, position: entries.last.position + 1)
        }
        return true
    }

    /// Refuses a checkpoint that covers other entries than these.
    private func compareWithCheckpoint(_ entry: ChainPoint) throws {
        guard let covered = checkpoint?.covered, covered.position == entry.position else { return }
        guard covered == entry else {
            throw JournalError.checkpointDamaged(
                path: path, position: covered.position, part: nil)
        }
    }
}

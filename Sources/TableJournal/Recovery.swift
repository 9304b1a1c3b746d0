extension SQLiteJournal {
    /// Hands over everything retained, checking the chain as it goes; see `Journal`.
    ///
    /// - Throws: a `JournalError` that names the entry or the part at fault, or what `body` throws.
    public func recover(_ body: (Recovered) throws -> Void) throws -> JournalSummary {
        let database = try opened().database
        var summary = JournalSummary()
        if let checkpoint {
            try body(.checkpoint(position: checkpoint.covered.position, parts: checkpoint.parts))
            try readParts(of: checkpoint, from: database, into: &summary, body)
        }
        try readEntries(from: database, into: &summary, body)
        return summary
    }

    /// Reads everything and also lets SQLite check the structure of the database.
    ///
    /// - Throws: a `JournalError` that names what is at fault.
    public func verify() throws -> JournalSummary {
        let summary = try recover { _ in }
        let found = try opened().database.text(
            "PRAGMA integrity_check(1)", doing: "check the structure")
        guard found == "ok" else {
            throw JournalError.structureDamaged(path: path, message: found ?? "no answer")
        }
        return summary
    }

    private func readParts(
        of checkpoint: Checkpoint, from database: Database, into summary: inout JournalSummary,
        _ body: (Recovered) throws -> Void
    ) throws {
        let covered = checkpoint.covered.position
        let rows = try database.prepare(
            """
            SELECT number, chain, payload FROM parts WHERE number >= ?1 AND number < ?2
            ORDER BY number
            """)
        try rows.bind([checkpoint.firstPart, checkpoint.endPart])
        var chain = checkpoint.firstChain
        var index: UInt64 = 0
        while try rows.step("read part \(index) of the checkpoint") {
            let number = checkpoint.firstPart &+ index
            guard rows.count(0) == number, let payload = rows.blob(2),
                case let link = Chain.link(after: chain, number: number, payload: payload),
                rows.word(1) == link
            else {
                throw JournalError.checkpointDamaged(path: path, position: covered, part: index)
            }
            try body(.part(payload))
            chain = link
            index += 1
            summary.partBytes += UInt64(payload.count)
        }
        guard index == checkpoint.parts, chain == checkpoint.lastChain else {
            throw JournalError.checkpointDamaged(path: path, position: covered, part: index)
        }
        summary.checkpoint = covered
        summary.parts = index
    }

    private func readEntries(
        from database: Database, into summary: inout JournalSummary,
        _ body: (Recovered) throws -> Void
    ) throws {
        // All rows, also those that should not be there: they are damage as well.
        let rows = try database.prepare(
            "SELECT position, chain, payload FROM entries ORDER BY position")
        var last = base
        try compareWithCheckpoint(last)
        while try rows.step("read entry \(last.position + 1)") {
            let expected = last.position + 1
            guard let position = rows.count(0), position <= expected else {
                throw JournalError.entryMissing(path: path, position: expected)
            }
            guard position == expected, let payload = rows.blob(2),
                case let link = Chain.link(after: last.chain, number: position, payload: payload),
                rows.word(1) == link
            else { throw JournalError.entryDamaged(path: path, position: position) }
            last = Anchor(position: position, chain: link)
            try compareWithCheckpoint(last)
            try body(.entry(position: position, payload))
            summary.entries += 1
            summary.entryBytes += UInt64(payload.count)
        }
        guard last == head else {
            throw JournalError.entryMissing(path: path, position: last.position + 1)
        }
        summary.position = last.position
    }

    /// Refuses a checkpoint that was taken of other entries than these.
    private func compareWithCheckpoint(_ entry: Anchor) throws {
        guard let covered = checkpoint?.covered, covered.position == entry.position else { return }
        guard covered == entry else {
            throw JournalError.checkpointDamaged(
                path: path, position: covered.position, part: nil)
        }
    }
}

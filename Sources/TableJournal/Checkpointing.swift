extension SQLiteJournal {
    /// Begins a checkpoint that covers every entry up to `position` as it is now. Writes nothing.
    ///
    /// - Throws: `JournalError.checkpointOutOfTurn` if one is begun already.
    public func beginCheckpoint() throws {
        try writable()
        guard building == nil else {
            throw JournalError.checkpointOutOfTurn(doing: "begin a checkpoint during another")
        }
        try write { _ in
            building = Building(
                checkpoint: Checkpoint(covering: head, firstPart: nextPart),
                bytesCovered: bytesSinceCheckpoint)
        }
    }

    /// Adds a part, in a commit of its own.
    ///
    /// - Throws: `JournalError.checkpointOutOfTurn` if none was begun; any other error also ends
    ///   all later writes.
    public func appendToCheckpoint(_ part: [UInt8]) throws {
        var next = try checkpointBegun("add a part to a checkpoint").checkpoint
        try write(isSynced: false) { connection in
            try part.withUnsafeBytes { payload in
                try refuseTooLarge(payload)
                let number = next.endPart
                next.lastChain = Chain.link(
                    after: next.lastChain, number: number, payload: payload)
                try connection.insertPart.run(
                    "write part \(next.parts) of a checkpoint", number, next.lastChain,
                    payload: payload)
            }
            next.parts += 1
            building?.checkpoint = next
            nextPart = next.endPart
            try connection.database.copyLog(from: Limits.logPages)
        }
    }

    /// Makes the checkpoint that was begun the newest complete one, in one commit.
    ///
    /// - Throws: `JournalError.checkpointOutOfTurn` if none was begun; any other error also ends
    ///   all later writes.
    public func finishCheckpoint() throws {
        let finished = try checkpointBegun("finish a checkpoint")
        let header = finished.checkpoint
        try write { connection in
            try connection.replaceCheckpoint.run(
                "finish a checkpoint", header.covered.position, header.covered.chain,
                header.firstPart, header.parts, header.lastChain, header.seal)
            checkpoint = header
            building = nil
            bytesSinceCheckpoint -= finished.bytesCovered
            try settle(connection)
        }
    }

    /// Gives up the checkpoint that was begun, if any. Writes nothing.
    public func abandonCheckpoint() throws {
        try write { _ in building = nil }
    }

    /// Removes at most `atMost` rows that are no longer needed, in one commit; see `Journal`.
    ///
    /// The space is used again by later entries; the file does not shrink.
    public func compact(before position: UInt64, atMost: Int) throws -> Int {
        guard atMost > 0 else { return 0 }
        let swept = try sweepParts(atMost: atMost)
        guard swept == 0 else { return swept }
        guard let covered = checkpoint?.covered.position, position > 0 else { return 0 }
        let end = min(position - 1, covered)
        guard end > base.position else { return 0 }
        let count = min(end - base.position, UInt64(atMost))
        try removeEntries(upTo: base.position + count)
        return Int(count)
    }

    private func removeEntries(upTo position: UInt64) throws {
        try write(isSynced: false) { connection in
            guard let chain = try connection.chain(at: position) else {
                throw JournalError.entryMissing(path: path, position: position)
            }
            let next = ChainPoint(position: position, chain: chain)
            let doing = "remove entries up to \(position)"
            try connection.database.transaction(doing) {
                try connection.deleteEntries.run(doing, position)
                try connection.updateBase.run(doing, position, chain, next.seal)
            }
            base = next
            try connection.database.copyLog(from: Limits.logPages)
        }
    }

    /// Removes parts that belong neither to the newest complete checkpoint nor to the one that is
    /// being written: those before, between and, if none is being written, after them.
    func sweepParts(atMost: Int) throws -> Int {
        let first = checkpoint?.firstPart ?? 0
        let end = checkpoint?.endPart ?? 0
        let begun = building?.checkpoint.firstPart ?? UInt64(Int64.max)
        return try write(isSynced: false) { connection in
            for (from, below) in [(0, first), (end, begun)] where from < below {
                try connection.deleteParts.run(
                    "remove the parts of an old checkpoint", from, below, UInt64(atMost))
                let removed = connection.deleteParts.changes
                guard removed == 0 else {
                    try connection.database.copyLog(from: Limits.logPages)
                    return removed
                }
            }
            return 0
        }
    }

    private func checkpointBegun(_ doing: String) throws -> Building {
        try writable()
        guard let building else { throw JournalError.checkpointOutOfTurn(doing: doing) }
        return building
    }
}

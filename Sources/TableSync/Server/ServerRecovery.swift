public import TableModel

/// Why the entries of a journal do not fit together.
public struct RecoveryError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A sentence that names what does not fit.
    public var description: String
    /// From a sentence without a full stop.
    public init(_ description: String) { self.description = description }
}

// Recovery: the newest checkpoint, then each journal entry, applied as a viewer applies a diff.

extension Server {
    /// Takes over a table from a checkpoint.
    public func restore(_ table: Table) { hold(table) }

    /// Takes over the remembered answers from a checkpoint.
    public func restore(_ sessions: SessionBook) { self.sessions = sessions }

    /// The journal has been read up to here.
    public func restored(position: UInt64) { self.position = position }

    /// Applies one record of a journal entry. The caller skips the entries that the checkpoint
    /// covers.
    ///
    /// - Parameters:
    ///   - record: of the entry.
    ///   - position: of the entry in the journal.
    ///   - comparing: the digest after each change with the one that was journaled. Else
    ///     `hasJournaledDigests` says in the end whether they are the same.
    public func replay(
        _ record: Ready.Record, position: UInt64, comparing: Bool = true
    ) throws(RecoveryError) {
        self.position = position
        switch record {
        case .created(let name, let history):
            hold(Table(name: name, history: history))
        case .dropped(let name): tables.remove(name)
        case .forgot(let name, let rows): replayForgotten(rows, of: name)
        case .changed(let name, let bytes, let inverse):
            try replay(bytes, inverse: inverse, of: name, position, comparing)
        case .answered(let client, let user, let opened, let answered):
            sessions.remember(
                answered, of: user.map { .principal($0.id) } ?? .unknown, client: client,
                opened: opened, position: position, within: bounds.sessions)
        case .staged(let client, let user, let index, let part):
            try replayStaged(part, index: index, of: client, user, position)
        case .restored(let tables): try replayRestored(tables, position)
        case .promoted(let term, let histories):
            try replayPromoted(term, histories, position)
        }
    }

    /// Whether each table has the digest that its newest change had when it was journaled.
    public var hasJournaledDigests: Bool {
        tables.values.allSatisfy { live in
            live.log.digest(at: live.log.head).map { $0 == live.table.digest } ?? true
        }
    }

    /// Forgets everything recovered, so that recovery can start again.
    public func forgetRecovered() {
        tables.removeAll()
        sessions = SessionBook()
        (position, tables.term) = (0, Term())
        copies.restoring = nil
    }

    /// The state in memory was refused, and the durable one cannot be read yet: no table is told of until
    /// another server is made of it. `position` is the newest that was ever told.
    public func forgetRefused(position: UInt64) {
        tables.removeAll()
        copies.restoring = nil
        self.position = position
        handlers = Handlers()
    }

    private func replay(
        _ bytes: [UInt8], inverse: [UInt8]?, of name: TableID, _ position: UInt64, _ comparing: Bool
    ) throws(RecoveryError) {
        guard let live = tables[name] else {
            throw RecoveryError("entry \(position) changes table \"\(name)\", which is not there")
        }
        guard let diff = codec.decodeDiff(bytes[...]) else {
            throw RecoveryError("entry \(position) has a diff that cannot be read")
        }
        let closing = live.closing(by: diff)
        do throws(Mismatch) {
            if comparing { try live.table.apply(diff) } else { try live.table.applyUnchecked(diff) }
        } catch {
            throw RecoveryError("entry \(position) does not fit table \"\(name)\": \(error)")
        }
        live.note(diff.ops, of: diff.cause, nowMs: nil)
        if !closing.isEmpty || !live.abandoned.isEmpty {
            live.follow(diff.ops, closing: closing)
            tables.mayHaveAbandoned = true
        }
        let change = live.log.store(EncodedChange(diff: bytes, inverse: inverse))
        tables.keep(DiffLog.Entry(diff, change), of: live)
    }

    /// Takes over from a checkpoint whose the claims and held invocations of a table are.
    public func restore(_ owners: Owners, of name: TableID) { tables[name]?.restore(owners) }

    /// Takes over the latest diffs of a table and their inverses from a checkpoint, up to the table's
    /// revision.
    public func restore(_ kept: CheckpointPart.Log, of name: TableID) throws(RecoveryError) {
        guard let live = tables[name], let first = kept.changes.first,
            let base = live.table.revision.reduced(by: kept.changes.count)
        else { return }
        // A log needs the digest of the revision before its first entry. Checkpoints of before do not
        // say it. At revision 0 it is a new table's then. Otherwise the first diff is dropped, and its
        // digest is the one.
        var log: DiffLog
        if let digest = kept.digest {
            log = DiffLog(from: base, digest: digest)
        } else if base == 0 {
            let new = Table(name: name, history: live.table.history)
            log = DiffLog(from: 0, digest: new.digest)
        } else {
            log = DiffLog(from: base + 1, digest: codec.outline(first.diff)?.digest)
        }
        let (redos, partial) = (Set(kept.redos), Set(kept.partial))
        for (place, change) in kept.changes.enumerated().dropFirst(Int(log.oldest - base)) {
            guard let outline = codec.outline(change.diff), outline.base == log.head else {
                throw RecoveryError("the log of table \"\(name)\" has a diff that does not fit")
            }
            var entry = DiffLog.Entry(outline, log.store(change))
            if redos.contains(place) { entry.mark.isRedo = true }
            entry.isPartial = partial.contains(place)
            log.append(entry, within: tables.retention, rows: live.table.count)
        }
        tables.replaceLog(of: live, by: log)
    }
}

extension UInt64 {
    fileprivate func reduced(by number: Int) -> UInt64? {
        let (less, overflow) = subtractingReportingOverflow(UInt64(number))
        return overflow ? nil : less
    }
}

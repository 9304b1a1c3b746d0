public import TableModel

/// Why a journal and what its entries say do not fit together.
public struct RecoveryError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A sentence that names what does not fit.
    public var description: String
    init(_ description: String) { self.description = description }
}

// Recovery: newest checkpoint, then each journal entry, applied as a viewer applies a diff.

extension Server {
    /// Takes over a table from a checkpoint.
    public func restore(_ table: Table) {
        tables[table.name] = Held(table: table, limit: retention)
    }

    /// Takes over the remembered answers from a checkpoint.
    public func restore(_ sessions: Sessions) {
        self.sessions = sessions
    }

    /// The journal has been read up to here.
    public func restored(position: UInt64) {
        self.position = position
    }

    /// Applies one record of a journal entry. The caller passes over the entries that the
    /// checkpoint covers.
    public func replay(_ record: Ready.Record, position: UInt64) throws(RecoveryError) {
        self.position = position
        switch record {
        case .created(let name, let history):
            let table = Table(name: name, history: history, removedPlaces: limits.removedPlaces)
            tables[name] = Held(table: table, limit: retention)
        case .dropped(let name): tables[name] = nil
        case .changed(let name, let bytes): try replay(bytes, of: name, position)
        case .answered(let client, let answered):
            sessions.remember(answered, client: client, position: position)
        }
    }

    private func replay(
        _ bytes: [UInt8], of name: TableID, _ position: UInt64
    ) throws(RecoveryError) {
        guard let table = tables[name]?.table else {
            throw RecoveryError("entry \(position) changes table \"\(name)\", which is not there")
        }
        guard let diff = codec.decodeDiff(bytes) else {
            throw RecoveryError("entry \(position) has a diff that cannot be read")
        }
        do throws(Mismatch) {
            try table.apply(diff)
        } catch {
            throw RecoveryError("entry \(position) does not fit table \"\(name)\": \(error)")
        }
        tables[name]?.log.append(bytes, digest: diff.digest)
    }

    /// Feeds the log for replay with a diff that the checkpoint covers already.
    public func retain(_ diffs: [(bytes: [UInt8], digest: UInt64)], of name: TableID) {
        guard let held = tables[name], let base = held.table.revision.reduced(by: diffs.count)
        else { return }
        // What the table was at the base of the first of them is not known.
        let digest = diffs.isEmpty ? held.table.digest : nil
        var log = DiffLog(from: base, digest: digest, limit: retention)
        for diff in diffs { log.append(diff.bytes, digest: diff.digest) }
        tables[name]?.log = log
    }
}

extension UInt64 {
    fileprivate func reduced(by number: Int) -> UInt64? {
        let (less, overflow) = subtractingReportingOverflow(UInt64(number))
        return overflow ? nil : less
    }
}

internal import TableModel
internal import TableSync

/// Writes the journal's entries, in memory that is used again for each.
final class BinaryEntryWriter: EntryWriter {
    /// The records of the entry, as fields of it. Its time goes in front, and is known at the end.
    private var records = FieldWriter(capacity: BinaryEntryWriter.usualBytes)

    /// The inverses of the change that was begun, in the order of its ops. A large one does not stay in memory.
    private var inverses = FieldWriter(capacity: BinaryEntryWriter.inverseBytes)
    private var change = Change()

    /// A record that was begun.
    private struct Change {
        var record = FieldWriter.Opened()
        var changed = FieldWriter.Opened()
        var diff = FieldWriter.Opened()
        /// The inverse is kept up to so many bytes.
        var inverseBytes = 0
        /// Where each inverse but the first begins.
        var inverses: [Int] = []
        /// What the record and its diff have taken.
        var byteCount = 0
        var diffBytes = 0
    }

    private static let usualBytes = 16 << 10
    private static let inverseBytes = 1 << 10
    /// A large entry does not stay in memory.
    private static let mostKept = 1 << 20
    /// What a command's answer takes at least, as a rule.
    private static let recordBytes = 0x80

    var isEmpty: Bool { records.count == 0 }
    var byteCount: Int { records.count }

    func removeAll() {
        if records.count > Self.mostKept {
            records = FieldWriter(capacity: Self.usualBytes)
        } else {
            records.removeAll(from: 0)
        }
    }

    func finish(timeMs: UInt64) -> [UInt8] {
        defer { removeAll() }
        return FieldWriter.bytes(within: records.count + 16) { entry in
            entry.write(1, timeMs)
            entry.append(records.written)
        }
    }

    func begin(
        changed table: TableID, base: UInt64, cause: borrowing Cause, inverseBytes: Int
    ) {
        // About as long as the change before.
        change.record = records.open(2, about: change.byteCount)
        change.changed = records.open(3, about: change.byteCount)
        records.write(1, table)
        change.diff = records.open(2, about: change.diffBytes)
        change.inverseBytes = inverseBytes
        inverses.removeAll(from: 0)
        records.headOfDiff(base: base, cause)
    }

    func add(_ op: Op, of run: ArraySlice<Op>, on table: Table) {
        if run.count == 1 {
            records.opOfDiff(op)
        } else {
            for op in run { records.opOfDiff(op) }
        }
        // Too much already: it is not kept.
        if inverses.count > change.inverseBytes { return }
        if inverses.count > 0 { change.inverses.append(inverses.count) }
        if run.count == 1, table.writeInverse(of: op, to: &inverses) { return }
        for step in table.inverse(of: run) { inverses.write(step: step) }
    }

    func end(digest: UInt64) -> EncodedChange {
        records.endOfDiff(digest: digest)
        change.diffBytes = records.close(change.diff)
        if !change.inverses.isEmpty { putLastInverseFirst() }
        let isKept = inverses.count <= change.inverseBytes
        let inverseBytes = isKept ? inverses.count : nil
        if !isKept { inverses = FieldWriter(capacity: Self.inverseBytes) }
        inverses.append(records.written(last: change.diffBytes))
        let both = inverses.bytes
        inverses.removeAll(from: inverseBytes ?? 0)
        if isKept { records.write(3, inverses.written) }
        if both.count > Self.mostKept { inverses = FieldWriter(capacity: Self.inverseBytes) }
        change.byteCount = records.close(change.changed)
        records.close(change.record)
        return EncodedChange(both, inverseBytes: inverseBytes)
    }

    /// Each was written before its ops were applied, so that the last one comes first.
    private func putLastInverseFirst() {
        let all = inverses.bytes
        inverses.removeAll(from: 0)
        var end = all.count
        for start in change.inverses.reversed() + [0] {
            inverses.write(encoded: all[start..<end])
            end = start
        }
        change.inverses = []
    }

    private func add(changed table: TableID, diff: [UInt8], inverse: [UInt8]?) {
        // With the heads of its parts, as a rule.
        let size = table.byteCount + diff.count + (inverse?.count ?? 0) + 7
        records.write(2, about: size + 3) { record in
            record.write(3, about: size) { changed in
                changed.write(1, table)
                changed.write(2, diff)
                if let inverse { changed.write(3, inverse) }
            }
        }
    }

    func add(answered client: ID, user: ProvenID?, _ answered: Sessions.Answered) {
        records.write(2, about: Self.recordBytes) { record in
            record.write(4, about: Self.recordBytes) { $0.write(answered, of: client, user) }
        }
    }

    func add(_ record: Ready.Record) {
        switch record {
        case .changed(let table, let diff, let inverse):
            add(changed: table, diff: diff, inverse: inverse)
        case .answered(let client, let user, let answered):
            add(answered: client, user: user, answered)
        case .created(let table, let history):
            records.write(2) { record in
                record.write(1) { created in
                    created.write(1, table)
                    created.write(2, hex: history)
                }
            }
        case .dropped(let table): records.write(2) { $0.write(2, table) }
        case .staged(let client, let index, let part):
            records.write(2) { record in
                record.write(5) { staged in
                    staged.write(1, client)
                    staged.write(2, UInt64(index))
                    staged.write(3, part)
                }
            }
        case .restored(let tables):
            records.write(2) { record in
                record.write(6) { restored in
                    for one in tables {
                        restored.write(1) { table in
                            table.write(1, one.table)
                            table.write(2, hex: one.history)
                        }
                    }
                }
            }
        }
    }
}

extension FieldWriter {
    /// An answer, in an entry or in a checkpoint, where its client stands around it.
    mutating func write(_ answered: Sessions.Answered, of client: ID?, _ user: ProvenID?) {
        if let client { write(1, client) }
        write(2, answered.number)
        write(3, fixed: answered.requestHash)
        write(4, answered.reply)
        if let user { write(5, user.id) }
    }
}

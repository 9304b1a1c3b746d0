internal import TableModel
internal import TableSync

/// Writes the journal's entries. Its memory is used again: to make an array for each turn costs more than to copy its
/// bytes once.
final class BinaryEntryWriter: EntryWriter {
    /// The records of this turn, behind room for its time, which is known at the end.
    private var records = BinaryEntryWriter.begun()
    /// The entry before. Its memory is used again when nobody holds it any more.
    private var entry: [UInt8] = []

    /// The inverses of the change that was begun, in the order of its ops. More than 1 MiB does not stay in memory.
    private var inverses = FieldWriter(capacity: BinaryEntryWriter.inverseBytes)
    /// The fields with the last one first.
    private var ordered = FieldWriter(capacity: BinaryEntryWriter.inverseBytes)
    private var change = Change()
    /// The diff that was begun as JSON, which is written from the same values; empty: no viewer reads it.
    private var text = FieldWriter(capacity: BinaryEntryWriter.inverseBytes)
    /// The bytes of the latest reply.
    private var replyBytes = 0

    /// The digits of the latest reply: nearly always those of the next.
    private var history = FieldWriter.HexDigits(ID128(high: 0, low: 0))
    private var epoch = FieldWriter.HexDigits(ID128(high: 0, low: 0))

    /// A record that was begun.
    private struct Change {
        var record = FieldWriter.Opened()
        var changed = FieldWriter.Opened()
        var diff = FieldWriter.Opened()
        /// The inverse is kept up to so many bytes.
        var inverseBytes = 0
        /// It comes to more.
        var isTooLarge = false
        /// Where each inverse but the first begins.
        var inverses: [Int] = []
        /// The bytes of the record and its diff.
        var byteCount = 0
        var diffBytes = 0
        /// Where the digest stands in the text.
        var digestPlace = 0
    }

    /// A tag and a time since 1972 and before 2109.
    private static let headBytes = 7
    private static let inverseBytes = 1 << 10
    /// The room for large entries grows as they do.
    private static let mostExpected = 1 << 20

    private static func begun() -> FieldWriter {
        var writer = FieldWriter(capacity: inverseBytes)
        writer.write(encoded: [UInt8](repeating: 0, count: headBytes))
        return writer
    }

    var isEmpty: Bool { byteCount == 0 }
    var byteCount: Int { records.count - Self.headBytes }

    func removeAll() { records.removeAll(from: Self.headBytes) }

    func finish(timeMs: UInt64) -> (entry: [UInt8], shift: Int) {
        // Between two changes nothing is in it.
        ordered.removeAll(from: 0)
        ordered.write(1, timeMs)
        let shift = ordered.count - Self.headBytes
        // While somebody holds the entry before, this one takes as much memory as that has room for.
        let isFarTooLarge = entry.capacity > 4 * max(records.count, Self.inverseBytes)
        entry.removeAll(keepingCapacity: !isFarTooLarge)
        entry.append(contentsOf: ordered.written)
        entry.append(contentsOf: records.written(Self.headBytes..<records.count))
        let made = entry
        if records.count > Self.mostExpected {
            records = Self.begun()
            entry = []
        }
        removeAll()
        return (made, shift)
    }

    /// Writes behind what is written.
    @inline(__always)
    private func write<Result>(_ body: (inout FieldWriter) -> Result) -> Result { body(&records) }

    func begin(
        changed table: TableID, base: UInt64, cause: borrowing Cause, inverseBytes: Int,
        asText: Bool
    ) {
        inverses.removeAll(from: 0)
        (change.inverseBytes, change.isTooLarge) = (inverseBytes, false)
        write { records in
            // About as long as the change before.
            change.record = records.open(2, about: change.byteCount)
            change.changed = records.open(3, about: change.byteCount)
            records.write(1, table)
            change.diff = records.open(2, about: change.diffBytes)
            records.binary { $0.head(base: base, digest: 0, cause) }
        }
        text.removeAll(from: 0)
        if asText { change.digestPlace = text.beginDiff(base: base, cause) }
    }

    func add(_ op: borrowing Op, of run: ArraySlice<Op>?, on table: Table) {
        write { records in
            if let run {
                for op in run { records.write(op) }
            } else {
                records.write(op)
            }
        }
        if text.count > 0 {
            if let run {
                for op in run { text.writeText(op) }
            } else {
                text.writeText(op)
            }
        }
        // Too much already: it is not kept.
        if change.isTooLarge || inverses.count > change.inverseBytes { return }
        if inverses.count > 0 { change.inverses.append(inverses.count) }
        let together = run.flatMap { $0.isOfItems ? table.inverse(of: $0) : nil }
        let steps = together ?? table.writeInverse(of: op, to: &inverses) ?? []
        for step in steps { inverses.write(step: step) }
    }

    func prepared(_ ops: [Op], inverse: [Op], asText: Bool) -> PreparedOps {
        PreparedOps(
            ops: FieldWriter.bytes { writer in for op in ops { writer.write(op) } },
            text: asText ? FieldWriter.bytes { text in for op in ops { text.writeText(op) } } : [],
            inverse: FieldWriter.bytes { writer in for op in inverse { writer.write(step: op) } })
    }

    func add(_ prepared: [PreparedOps]) {
        write { records in
            records.reserve(prepared.reduce(0) { $0 + $1.ops.count + $1.inverse.count })
            for one in prepared { records.write(encoded: one.ops) }
        }
        if text.count > 0 {
            text.reserve(prepared.reduce(0) { $0 + $1.text.count })
            for one in prepared { text.write(encoded: one.text) }
        }
        // Too much already: it is not kept.
        let size = prepared.reduce(0) { $0 + $1.inverse.count }
        change.isTooLarge = inverses.count + size > change.inverseBytes
        if change.isTooLarge { return }
        if inverses.count > 0 { change.inverses.append(inverses.count) }
        inverses.reserve(size)
        for one in prepared { inverses.write(encoded: one.inverse) }
    }

    func end(
        digest: UInt64, _ keep: (UnsafeRawBufferPointer, UnsafeRawBufferPointer?) -> Void
    ) -> (place: Range<Int>, text: [UInt8]) {
        if !change.inverses.isEmpty { putLastInverseFirst() }
        let isKept = !change.isTooLarge && inverses.count <= change.inverseBytes
        let place = write { records in
            records.write(5, fixed: digest)
            change.diffBytes = records.close(change.diff)
            let end = records.count
            if isKept { records.write(3, inverses.written) }
            let behind = records.count - end
            change.byteCount = records.close(change.changed)
            records.close(change.record)
            let diffEnd = records.count - behind
            let place = diffEnd - change.diffBytes..<diffEnd
            keep(records.written(place), isKept ? inverses.written : nil)
            return place
        }
        if inverses.count > Self.mostExpected || !isKept {
            inverses = FieldWriter(capacity: Self.inverseBytes)
            ordered = FieldWriter(capacity: Self.inverseBytes)
        }
        if text.count == 0 { return (place, []) }
        text.endDiff(digest, at: change.digestPlace)
        let bytes = text.bytes
        if text.count > Self.mostExpected { text = FieldWriter(capacity: Self.inverseBytes) }
        return (place, bytes)
    }

    /// Each was written before its ops were applied, so that the last one comes first.
    private func putLastInverseFirst() {
        ordered.removeAll(from: 0)
        var end = inverses.count
        while end > 0 {
            let start = change.inverses.popLast() ?? 0
            ordered.append(inverses.written(start..<end))
            end = start
        }
        swap(&inverses, &ordered)
    }

    private func add(changed table: TableID, diff: [UInt8], inverse: [UInt8]?) {
        // With the heads of its parts, as a rule.
        let size = table.byteCount + diff.count + (inverse?.count ?? 0) + 7
        write {
            $0.write(2, about: size + 3) { record in
                record.write(3, about: size) { changed in
                    changed.write(1, table)
                    changed.write(2, diff)
                    if let inverse { changed.write(3, inverse) }
                }
            }
        }
    }

    func add(
        done request: Request, opened: UInt64?, requestHash: UInt64, epoch: ID128, unchanged: Bool,
        landing rows: Few<RowID>, notes: [RowID: Note]?, in table: Table, tellsTable: Bool,
        remember: (UnsafeRawBufferPointer) -> Void
    ) -> (place: Range<Int>, text: [UInt8])? {
        guard let client = request.client, let number = request.number else { return nil }
        let user = request.sender.provenIdentity
        if history.id != table.history { history = FieldWriter.HexDigits(table.history) }
        if self.epoch.id != epoch { self.epoch = FieldWriter.HexDigits(epoch) }
        let place = write { records in
            let place = records.answer(
                to: client, number, requestHash, user, opened, about: replyBytes
            ) {
                $0.binary {
                    $0.reply(
                        to: request, history: tellsTable ? history : nil, epoch: self.epoch,
                        unchanged: unchanged, landing: rows, notes: notes, in: table)
                }
            }
            replyBytes = place.count
            remember(records.written(place))
            return place
        }
        if !request.isText { return (place, []) }
        let text = Written.json {
            $0.reply(
                to: request, history: tellsTable ? history : nil, epoch: self.epoch,
                unchanged: unchanged, landing: rows, notes: notes, in: table)
        }
        return (place, text)
    }

    func add(
        answered client: ID, user: ProvenID?, opened: UInt64?, _ answered: Sessions.Answered
    ) -> Range<Int> {
        write { records in
            records.answer(
                to: client, answered.number, answered.requestHash, user, opened, about: replyBytes
            ) { $0.write(encoded: answered.reply) }
        }
    }

    func add(_ record: Ready.Record) {
        switch record {
        case .changed(let table, let diff, let inverse):
            add(changed: table, diff: diff, inverse: inverse)
        case .answered(let client, let user, let opened, let answered):
            _ = add(answered: client, user: user, opened: opened, answered)
        case .created(let table, let history):
            add { record in
                record.write(1) { created in
                    created.write(1, table)
                    created.write(2, hex: history)
                }
            }
        case .dropped(let table): add { $0.write(2, table) }
        case .forgot(let table, let rows):
            add { record in
                record.write(15) { forgot in
                    if let table { forgot.write(1, table) }
                    for row in rows { forgot.write(2, row) }
                }
            }
        case .staged(let client, let user, let index, let part):
            add { record in
                record.write(5) { staged in
                    staged.write(1, client)
                    staged.write(2, UInt64(index))
                    staged.write(3, part)
                    if let user { staged.write(4, user.id) }
                }
            }
        case .restored(let tables):
            add { $0.write(6) { $0.histories(1, tables) } }
        case .promoted(let term, let tables):
            add { record in
                record.write(13) { promoted in
                    promoted.write(1, term)
                    promoted.histories(2, tables)
                }
            }
        }
    }

    private func add(_ record: (inout FieldWriter) -> Void) {
        write { $0.write(2, message: record) }
    }
}

extension FieldWriter {
    fileprivate mutating func histories(_ number: UInt64, _ tables: [Ready.Record.Restored]) {
        for one in tables {
            write(number) { table in
                table.write(1, one.table)
                table.write(2, hex: one.history)
            }
        }
    }

    /// An answer as a record of an entry, with a reply of about so many bytes; returns where its reply lies.
    @inline(__always)
    fileprivate mutating func answer(
        to client: ID, _ number: UInt64, _ requestHash: UInt64, _ user: ProvenID?,
        _ opened: UInt64?, about replyBytes: Int, reply write: (inout FieldWriter) -> Void
    ) -> Range<Int> {
        // Nearly all take 128 or more with what stands around the reply.
        let byteCount = max(0x80, replyBytes)
        let record = open(2, about: byteCount)
        let answered = open(4, about: byteCount)
        self.write(1, client)
        self.write(2, number)
        self.write(3, fixed: requestHash)
        let reply = open(4, about: replyBytes)
        write(&self)
        let size = close(reply)
        let end = count
        if let user { self.write(5, user.id) }
        if let opened { self.write(6, opened) }
        let behind = count - end
        close(answered)
        close(record)
        return count - behind - size..<count - behind
    }

    /// Begins a diff as JSON; returns where its digest is to stand.
    fileprivate mutating func beginDiff(base: UInt64, _ cause: borrowing Cause) -> Int {
        var place = 0
        put("{")
        json { sink in
            sink.number(1, "base", shown: base)
            sink.hex(2, "digest", 0)
            // Digits, quotation mark and comma.
            place = sink.out.pointee.count - 18
            sink.message(3, "cause") { cause.write(to: &$0) }
        }
        put("\"ops\":[")
        return place
    }

    fileprivate mutating func writeText(_ op: borrowing Op) {
        json { $0.message(4, "") { op.write(to: &$0, isInverse: false) } }
    }

    /// Ends the list of ops and the diff.
    fileprivate mutating func endDiff(_ digest: UInt64, at place: Int) {
        put(digitsOf: digest, at: place)
        putEnd("]")
        putEnd("}")
        removeAll(from: count - 1)
    }

    /// An op of a diff.
    fileprivate mutating func write(_ op: Op) {
        binary { $0.message(4, "ops") { op.write(to: &$0, isInverse: false) } }
    }
}

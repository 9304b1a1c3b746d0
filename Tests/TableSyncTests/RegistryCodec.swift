import Synchronization
import TableModel
import TableSync

/// A codec whose bytes are indices into a list of the values themselves. Two encodings of one value
/// differ, so a test notices a diff that was encoded twice.
final class RegistryCodec: Codec {
    private struct Values {
        var diffs: [Diff] = []
        var replies: [Reply] = []
        var steps: [[Op]] = []
        var parts: [CheckpointPart] = []
        var entries: [[Ready.Record]] = []
    }

    private let values = Mutex(Values())
    private static let replyMark: UInt64 = 1 << 63

    func encode(_ diff: Diff) -> [UInt8] {
        values.withLock {
            $0.diffs.append(diff)
            return Self.bytes(UInt64($0.diffs.count - 1))
        }
    }

    func decodeDiff(_ bytes: ArraySlice<UInt8>) -> Diff? {
        guard let index = Self.index(bytes) else { return nil }
        return values.withLock {
            index < UInt64($0.diffs.count) ? $0.diffs[Int(index)] : nil
        }
    }

    func outline(_ bytes: ArraySlice<UInt8>) -> DiffOutline? {
        decodeDiff(bytes).map { DiffOutline($0) }
    }

    func encode(_ steps: [Op]) -> [UInt8] {
        values.withLock {
            $0.steps.append(steps)
            return Self.bytes(UInt64($0.steps.count - 1))
        }
    }

    func decodeSteps(_ bytes: ArraySlice<UInt8>) -> [Op]? {
        guard let index = Self.index(bytes) else { return nil }
        return values.withLock { index < UInt64($0.steps.count) ? $0.steps[Int(index)] : nil }
    }

    func end(ofSteps number: Int, in bytes: ArraySlice<UInt8>) -> Int? { nil }

    func encode(_ part: CheckpointPart) -> [UInt8] {
        values.withLock {
            $0.parts.append(part)
            return Self.bytes(UInt64($0.parts.count - 1))
        }
    }

    func decodePart(_ bytes: [UInt8], limits: Limits?) throws(Rejection) -> CheckpointPart {
        let part = Self.index(bytes).flatMap { index in
            values.withLock { index < UInt64($0.parts.count) ? $0.parts[Int(index)] : nil }
        }
        guard let part else { throw Rejection(.malformed, "These bytes are no part.") }
        return part
    }

    func mayMention(_ rows: RowSearch, _ diff: ArraySlice<UInt8>) -> Bool { true }

    func encode(_ reply: Reply) -> [UInt8] {
        values.withLock {
            $0.replies.append(reply)
            return Self.bytes(UInt64($0.replies.count - 1) | Self.replyMark)
        }
    }

    /// The last reply of a turn; nil: there is none, or it is of another kind.
    func lastReply(of ready: Ready) -> Reply? {
        ready.replies.last.flatMap { reply($0, of: ready) }
    }

    func reply(_ answer: Ready.Answer, of ready: Ready) -> Reply? {
        switch answer.body {
        case .reply(let reply): reply
        case .recorded(let place): ready.entry.flatMap { decodeReply($0[place]) }
        case .remembered(let bytes): decodeReply(bytes[...])
        default: nil
        }
    }

    func decodeReply(_ bytes: ArraySlice<UInt8>) -> Reply? {
        guard let index = Self.index(bytes), index & Self.replyMark != 0 else { return nil }
        let place = index & ~Self.replyMark
        return values.withLock {
            place < UInt64($0.replies.count) ? $0.replies[Int(place)] : nil
        }
    }

    func makeEntryWriter() -> any EntryWriter { RegistryEntryWriter(self) }

    func encode(entry records: [Ready.Record]) -> [UInt8] {
        values.withLock {
            $0.entries.append(records)
            return Self.bytes(UInt64($0.entries.count - 1))
        }
    }

    /// The records of an entry; none of nil.
    func records(of entry: [UInt8]?) -> [Ready.Record] {
        // Behind it are the bytes of what is told.
        guard let index = entry.flatMap({ Self.index($0.prefix(8)) }) else { return [] }
        return values.withLock { $0.entries[Int(index)] }
    }

    private static func bytes(_ index: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: index >> UInt64(8 * $0)) }
    }

    private static func index(_ bytes: some Collection<UInt8>) -> UInt64? {
        guard bytes.count == 8 else { return nil }
        return bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// Keeps the records of an entry as they are, and behind the entry's index what is told of them.
final class RegistryEntryWriter: EntryWriter {
    private let codec: RegistryCodec
    private var records: [Ready.Record] = []

    init(_ codec: RegistryCodec) { self.codec = codec }

    var isEmpty: Bool { records.isEmpty }
    private(set) var byteCount = 0
    private var told: [UInt8] = []

    private func tell(_ bytes: [UInt8]) -> Range<Int> {
        defer { told += bytes }
        return told.count..<told.count + bytes.count
    }

    func add(_ record: Ready.Record) {
        records.append(record)
        byteCount += 64
        switch record {
        case .changed(_, let diff, let inverse): byteCount += diff.count + (inverse?.count ?? 0)
        case .answered(_, _, _, let answered): byteCount += answered.reply.count
        case .staged(_, _, _, let part): byteCount += part.count
        case .created, .dropped, .forgot, .restored, .promoted: break
        }
    }

    /// What was begun.
    private struct Change {
        let table: TableID
        var diff: Diff
        var inverses: [[Op]] = []
        let inverseBytes: Int
    }

    private var change: Change?

    func begin(
        changed table: TableID, base: UInt64, cause: borrowing Cause, inverseBytes: Int,
        asText: Bool
    ) {
        change = Change(
            table: table, diff: Diff(base: base, digest: 0, cause: copy cause, ops: []),
            inverseBytes: inverseBytes)
    }

    func add(_ op: borrowing Op, of run: ArraySlice<Op>?, on table: Table) {
        let run = run ?? [copy op]
        change?.diff.ops += run
        change?.inverses.append(table.inverse(of: run))
    }

    func prepared(_ ops: [Op], inverse: [Op], asText: Bool) -> PreparedOps {
        PreparedOps(ops: codec.encode(ops), text: [], inverse: codec.encode(inverse))
    }

    func add(_ prepared: [PreparedOps]) {
        for one in prepared {
            change?.diff.ops += codec.decodeSteps(one.ops[...]) ?? []
            change?.inverses.append(codec.decodeSteps(one.inverse[...]) ?? [])
        }
    }

    func end(
        digest: UInt64, _ keep: (UnsafeRawBufferPointer, UnsafeRawBufferPointer?) -> Void
    ) -> (place: Range<Int>, text: [UInt8]) {
        guard var ended = change else { preconditionFailure("no change was begun") }
        change = nil
        ended.diff.digest = digest
        let diff = codec.encode(ended.diff)
        let inverse = codec.encode(ended.inverses.reversed().flatMap { $0 })
        let kept = inverse.count > ended.inverseBytes ? nil : inverse
        add(.changed(ended.table, diff: diff, inverse: kept))
        diff.withUnsafeBytes { diff in
            guard let kept else { return keep(diff, nil) }
            kept.withUnsafeBytes { keep(diff, $0) }
        }
        return (tell(diff), [])
    }

    func add(
        done request: Request, opened: UInt64?, requestHash: UInt64, epoch: ID128, unchanged: Bool,
        landing rows: Few<RowID>, notes: [RowID: Note]?, in table: Table, tellsTable: Bool,
        remember: (UnsafeRawBufferPointer) -> Void
    ) -> (place: Range<Int>, text: [UInt8])? { nil }

    func add(
        answered client: ID, user: ProvenID?, opened: UInt64?, _ answered: Sessions.Answered
    ) -> Range<Int> {
        add(.answered(client: client, user: user, opened: opened, answered))
        return tell(answered.reply)
    }

    func finish(timeMs: UInt64) -> (entry: [UInt8], shift: Int) {
        defer { removeAll() }
        let index = codec.encode(entry: records)
        return (index + told, index.count)
    }

    func removeAll() { (records, byteCount, told) = ([], 0, []) }
}

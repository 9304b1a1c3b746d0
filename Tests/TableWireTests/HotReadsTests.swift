import TableModel
import TableSync
import Testing

@testable import TableWire

/// What the journal's bytes are read as by hand is what the schema reads in them, on whatever bytes:
/// those that were written, cut short, and changed. Where the schema refuses, nothing is taken.
@Suite("The journal's bytes by hand")
struct HotReadsTests {
    private var read = (byHand: 0, all: 0)

    private mutating func compare<Value: Equatable>(
        _ bytes: [UInt8], _ byHand: (UnsafeRawBufferPointer) -> Value?,
        _ schema: (UnsafeRawBufferPointer) throws -> Value
    ) {
        let (fast, slow) = bytes.withUnsafeBytes { (byHand($0), try? schema($0)) }
        read.all += 1
        guard let fast else { return }
        read.byHand += 1
        #expect(fast == slow, "\(bytes)")
    }

    private mutating func compareEntry(_ bytes: [UInt8]) {
        compare(bytes, Decode.hotEntry) {
            let wire = try WireJournalEntry.parse($0, .binary)
            let records = try wire.records.readAll("records") { record throws(Rejection) in
                try record.read()
            }
            return JournalEntry(timeMs: wire.timeMs, records: records)
        }
    }

    private mutating func comparePart(_ bytes: [UInt8]) {
        compare(bytes, Decode.hotCheckpoint) { try WireCheckpointPart.parse($0, .binary).read() }
    }

    private mutating func compareDiff(_ bytes: [UInt8]) {
        compare(bytes, Decode.hotDiff) { try WireDiff.parse($0, .binary).read() }
    }

    private mutating func compareInverse(_ bytes: [UInt8]) {
        compare(bytes, Decode.hotInverse) {
            try WireWayBack.parse($0, .binary).ops.readAll("ops") { op throws(Rejection) in
                try op.read()
            }
        }
    }

    private func outline(_ bytes: [UInt8]) -> DiffOutline? {
        bytes.withUnsafeBytes { Decode.hotOutline($0) }
    }

    /// Random values: nearly all of them are read by hand.
    @Test mutating func values() {
        var generator = Generator(seed: 21)
        for _ in 0..<2_000 {
            compareEntry(Encode.entry(generator.entry()))
            comparePart(Encode.checkpoint(generator.checkpointPart()))
            let diff = generator.diff()
            compareDiff(Encode.diff(diff, form: .binary))
            // As libraries write it, with a map in no order.
            compareDiff(WireDiff(diff, .binary).bytes(.binary))
            compareInverse(Encode.inverse(diff.ops))
        }
        #expect(read.byHand * 2 > read.all, "\(read)")
    }

    /// What nearly all of a journal is made of.
    @Test mutating func frequent() {
        let row = Row(id: "r2", content: .init(title: "Milk", fields: [.init("é", "")]))
        let ops =
            Frequent.ops + [
                .insert(row, .after("a")),
                .restore("a", Traces(version: 3, changedMs: 1, movedMs: 2)),
            ]
        let diff = Diff(base: 300, digest: 0xAB, cause: Frequent.cause, ops: ops)
        let bytes = Encode.diff(diff, form: .binary)
        let back = Encode.inverse(ops)
        let answered = Sessions.Answered(number: 1, requestHash: .max, reply: [1, 2])
        let entry = Encode.entry(
            JournalEntry(
                timeMs: 5,
                records: [
                    .changed("t", diff: bytes, inverse: back),
                    .changed("t", diff: bytes, inverse: nil),
                    .changed("t", diff: bytes, inverse: []),
                    .answered(client: "w1", user: "uid:1", opened: 300, answered),
                    .answered(client: "w1", user: "uid:1", opened: nil, answered),
                    .answered(client: "w1", user: nil, opened: 0, answered), .dropped("u"),
                ]))
        let parts: [CheckpointPart] = [
            .rows([.init(section: "main", title: "M", rows: [Frequent.row, row])]), .rows([]),
            .log(
                .init(
                    changes: [
                        .init(diff: bytes, inverse: back), .init(diff: bytes, inverse: nil),
                    ],
                    redos: [1], digest: 1 << 60)),
            .log(.init(changes: [.init(diff: bytes, inverse: back)], redos: [0])), .log(.init()),
            .sessions(
                [.init("w1", .init(answers: [answered], floor: 2, usedAt: 3))], evictedTo: 0,
                of: .principal("uid:1")),
            .sessions([], evictedTo: 7, of: .others),
            .sessions([], evictedTo: 7, of: .otherChildren(of: "uid:1")),
            .sessions([], evictedTo: 7, of: .principal("uid:1/a/b")),
            .sessions([], evictedTo: 7, of: .principal("uid:1/a/")),
            .sessions(
                [.init("w1", .init(answers: [answered], floor: 2, usedAt: 3))], evictedTo: 0,
                of: .unknown),
        ]
        everywhere(bytes) { $0.compareDiff($1) }
        everywhere(back) { $0.compareInverse($1) }
        everywhere(entry) { $0.compareEntry($1) }
        for part in parts { everywhere(Encode.checkpoint(part)) { $0.comparePart($1) } }
    }

    /// Whole, which is read by hand, cut short at each byte, and with each bit flipped.
    private mutating func everywhere(
        _ bytes: [UInt8], _ compare: (inout Self, [UInt8]) -> Void
    ) {
        let before = read.byHand
        compare(&self, bytes)
        #expect(read.byHand == before + 1, "\(bytes)")
        for end in bytes.indices { compare(&self, Array(bytes[..<end])) }
        for place in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[place] ^= 1 << UInt8(bit)
                compare(&self, damaged)
            }
        }
    }

    /// Messages of every sort, with bytes changed, removed, doubled, or taken from elsewhere.
    @Test mutating func mutations() {
        var generator = Generator(seed: 22)
        for _ in 0..<30_000 {
            let choice = generator.below(4)
            var bytes =
                switch choice {
                case 0: Encode.entry(generator.entry())
                case 1: Encode.checkpoint(generator.checkpointPart())
                case 2: Encode.diff(generator.diff(), form: .binary)
                default: Encode.inverse(generator.diff().ops)
                }
            guard bytes.count > 1, bytes.count < 2_000 else { continue }
            for _ in 0...generator.below(3) { generator.mutate(&bytes) }
            switch choice {
            case 0: compareEntry(bytes)
            case 1: comparePart(bytes)
            case 2: compareDiff(bytes)
            default: compareInverse(bytes)
            }
        }
        #expect(read.byHand > 1_000, "\(read)")
    }

    /// Faces in faces, down to where the schema's reader stops: at the same depth for both.
    @Test mutating func depths() {
        for depth in 1...60 {
            let bytes = Self.nested(depth, around: Encode.checkpoint(.rows([])))
            comparePart(bytes)
            compareDiff(bytes)
            compareEntry(bytes)
        }
        var generator = Generator(seed: 24)
        // A row whose actions hold so many levels, in a part and in a diff.
        for depth in 60...90 {
            let deep = Self.nested(depth, around: [])
            let row =
                Self.field(1, Array("r".utf8)) + Self.field(2, Array("row".utf8))
                + Self.field(11, deep)
            let slice = Self.field(1, Array("main".utf8)) + Self.field(3, row)
            comparePart(Self.field(2, Self.field(1, slice)))
            let insert = Self.field(1, row) + Self.field(3, Array("main".utf8))
            let head = Encode.diff(
                Diff(base: 1, digest: generator.next(), cause: Cause(verb: "add"), ops: []),
                form: .binary)
            compareDiff(head + Self.field(4, Self.field(1, insert)))
        }
    }

    /// A message in field 1 of a message, and so on.
    private static func nested(_ depth: Int, around bytes: [UInt8]) -> [UInt8] {
        (0..<depth).reduce(bytes) { inner, _ in field(1, inner) }
    }

    private static func field(_ number: UInt64, _ content: [UInt8]) -> [UInt8] {
        var writer = FieldWriter(capacity: content.count + 16)
        writer.write(number, content)
        return writer.bytes
    }

    /// What a log keeps of a diff is the same, whether all of it was read or not.
    @Test func outlines() {
        var generator = Generator(seed: 23)
        var byHand = 0
        for _ in 0..<5_000 {
            let diff = generator.diff()
            let bytes = Encode.diff(diff, form: .binary)
            if let outline = outline(bytes) {
                byHand += 1
                #expect(outline == DiffOutline(diff))
            }
            #expect(WireCodec().outline(bytes[...]) == DiffOutline(diff))
        }
        #expect(byHand > 100)
        #expect(WireCodec().outline([1, 2, 3]) == nil)
    }
}

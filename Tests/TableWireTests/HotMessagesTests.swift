import TableSync
import Testing

@testable import TableModel
@testable import TableWire

/// What is written and read by hand is what the schema gives, and nothing that the schema refuses
/// is taken.
@Suite("Frequent messages by hand")
struct HotMessagesTests {
    @Test func diffs() throws {
        var generator = Generator(seed: 11)
        var mixed = 0
        for _ in 0..<5_000 {
            let diff = generator.diff()
            let bytes = Encode.hot(diff)
            if Set(diff.ops.map(\.isHot)).count == 2 { mixed += 1 }
            // Not byte for byte: the library orders a map's keys by its own rule.
            let schema = WireDiff(diff, .binary).bytes(.binary)
            #expect(bytes.count == schema.count)
            #expect(try decodeDiff(bytes, .binary).get() == decodeDiff(schema, .binary).get())
        }
        #expect(mixed > 100)
    }

    @Test func replies() {
        var generator = Generator(seed: 12)
        var byHand = 0
        for _ in 0..<5_000 {
            let reply = generator.reply()
            guard let bytes = Encode.hot(reply) else { continue }
            byHand += 1
            #expect(bytes == WireReply(reply, .binary).bytes(.binary))
        }
        #expect(byHand > 100)
    }

    /// An inverse that is written at once is what its ops are when they are written.
    @Test func inverses() throws {
        var generator = Generator(seed: 14)
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        var rows: [RowID: Row] = [:]
        for _ in 0..<60 {
            let row = generator.row()
            rows[row.id] = row
        }
        var steps: [Op] = [.insertSection("main", title: "", after: nil)]
        for id in rows.keys.sorted() { steps += rows[id].map { [.insert($0, .top("main"))] } ?? [] }
        _ = try #require(table.apply(Plan(steps: steps), cause: Cause(verb: "batch")))
        var quick = 0
        var (before, form): ([Op], [UInt8]) = ([], [])
        for _ in 0..<10_000 {
            let op = generator.op()
            let ops = table.inverse(of: op)
            // Of any two, frequent or not, one stands behind the other.
            let next = WireCodec().encode(ops)
            #expect(WireCodec().join([form, next]) == WireCodec().encode(before + ops))
            (before, form) = (ops, next)
            guard let bytes = WireCodec().encodeInverse(of: op, on: table) else { continue }
            if !ops.isEmpty { quick += 1 }
            #expect(bytes == WireCodec().encode(ops), "\(op)")
            #expect(WireCodec().decodeSteps(bytes)?.count == ops.count)
        }
        #expect(quick > 500)
    }

    /// Where rows are now is written as if it had been a value before.
    @Test func landings() throws {
        var generator = Generator(seed: 15)
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        let steps: [Op] = [
            .insertSection("main", title: "", after: nil),
            .insert(Row(id: "a", content: .init()), .top("main")),
            .insert(Row(id: "id7", content: .init()), .after("a")),
        ]
        _ = try #require(table.apply(Plan(steps: steps), cause: Cause(verb: "batch")))
        for _ in 0..<500 {
            let rows: [RowID] = generator.list { $0.flag() ? ["a", "id7"][$0.below(2)] : $0.id() }
            let note = generator.maybe { $0.text() }
            let request = generator.request()
            let epoch = ID128(high: 3, low: generator.number())
            let (unchanged, tellsTable) = (generator.flag(), generator.flag())
            let bytes = WireCodec().encodeDone(
                request, epoch: epoch, unchanged: unchanged, landing: rows, note: note, in: table,
                tellsTable: tellsTable)
            let reply = Reply(
                client: request.client, number: request.number, table: request.table,
                history: tellsTable ? table.history : nil, epoch: epoch,
                revision: tellsTable ? table.revision : nil,
                .done(
                    rows: rows.map { Landing(of: $0, in: table, note: note) },
                    unchanged: unchanged))
            #expect(bytes == WireCodec().encode(reply))
        }
    }

    @Test func chunks() throws {
        var generator = Generator(seed: 13)
        for number in 0..<200 {
            let slices = (0..<3).map { index in
                SnapshotChunk.Slice(
                    section: ID("s\(index)"), title: index == 0 ? "" : "Section",
                    rows: (0..<number % 7).map { _ in generator.row() })
            }
            let chunk = SnapshotChunk(
                id: "x-1", revision: 5, digest: 77, chunk: number % 2, chunks: 3, rows: 9,
                kinds: number % 2 == 0 ? [Kind("row")] : [],
                settings: number % 2 == 0 ? Settings() : nil, slices: slices)
            let reply = Reply(
                number: 4, table: "t", history: ID128(high: 1, low: 2),
                epoch: ID128(high: 3, low: 4), revision: 5, .snapshot(chunk))
            let bytes = try #require(Encode.hotChunk(reply))
            #expect(try decodeReply(bytes, .binary).get() == reply)
            #expect(bytes.count == WireReply(reply, .binary).bytes(.binary).count)
            let part = Encode.checkpoint(.rows(slices))
            #expect(try part.withUnsafeBytes { try Decode.checkpoint($0) } == .rows(slices))
        }
    }
}

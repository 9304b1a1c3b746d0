import TableModel
import TableSync
import Testing

@testable import TableWire

/// JSON that is written by hand is what the schema's objects give.
@Suite("JSON by hand")
struct HotJSONTests {
    @Test func replies() {
        var generator = Generator(seed: 41)
        var byHand = 0
        for _ in 0..<5_000 {
            let reply = generator.reply()
            // Its members have another order.
            if case .snapshot = reply.answer { continue }
            let binary = Encode.reply(reply, form: .binary)
            let schema = WireReply(reply, .json).bytes(.json)
            #expect(Encode.reply(encoded: binary[...], form: .json) == schema)
            #expect(Encode.reply(encoded: binary[...], form: .binary) == binary)
            if Encode.hotJSON(reply: binary[...]) != nil { byHand += 1 }
        }
        #expect(byHand > 50, "\(byHand)")
        #expect(Encode.reply(encoded: [1, 2, 3], form: .json) == nil)
    }

    @Test func publications() {
        var generator = Generator(seed: 42)
        var byHand = 0
        for _ in 0..<5_000 {
            var publication = generator.publication()
            if publication.diffs.count > 1 { publication.diffs.removeLast(generator.below(2)) }
            let encoded = EncodedDiffs(
                publication.diffs.map { Encode.diff($0, form: .binary)[...] })
            var head = publication
            head.diffs = []
            let written = Encode.publication(head, encodedDiffs: encoded, form: .json)
            #expect(written == Encode.publication(publication, form: .json))
            if Encode.hotJSON(publication, encoded) != nil { byHand += 1 }
        }
        // Whatever ops they have.
        #expect(byHand > 100, "\(byHand)")
    }

    @Test func frequent() {
        let ops =
            Frequent.ops + [
                .perform("a", .init("go", .done)), .perform("a", .init("go", .failed("why"))),
                .perform("a", .init("go", .pending(.init(revision: 3, index: 1)))),
            ]
        let causes = [Frequent.cause, Cause(verb: "set", timeMs: 9)]
        for (op, cause) in ops.flatMap({ op in causes.map { (op, $0) } }) {
            let diff = Diff(base: 300, digest: 0xAB, cause: cause, ops: [op, op])
            let publication = Publication(
                table: "t", history: ID128(high: 1, low: 2), epoch: ID128(high: 3, low: 4),
                timeMs: 5, diffs: [diff, diff])
            let encoded = EncodedDiffs(
                publication.diffs.map { Encode.diff($0, form: .binary)[...] })
            let bytes = Encode.hotJSON(publication, encoded)
            #expect(bytes == Encode.publication(publication, form: .json), "\(op)")
        }
    }

    /// Digits are made eight at once.
    @Test func numbers() {
        var generator = Generator(seed: 45)
        var numbers = (0...UInt64(30_000)).map { $0 }
        for digits in 0..<19 {
            let power = (0..<digits).reduce(UInt64(1)) { power, _ in power * 10 }
            numbers += [power - 1, power, power + 1, power &* 11, power * 9, power &* 99]
        }
        numbers += (0..<64).flatMap { bits in (0..<200).map { _ in generator.next() >> bits } }
        for number in numbers + [.max, .max - 1] {
            let bytes = FieldWriter.bytes { $0.put(decimal: number) }
            #expect(bytes == Array(String(number).utf8))
        }
    }

    /// What has to be escaped, at each place of a text.
    @Test func texts() {
        let letters =
            (UInt32(0)...0x100).compactMap { Unicode.Scalar($0) } + ["\u{2028}", "日", "🧵"]
        for letter in letters {
            for (before, after) in [(0, 0), (1, 2), (7, 0), (3, 9), (20, 1)] {
                let text =
                    String(repeating: "x", count: before) + String(letter)
                    + String(repeating: "ü", count: after)
                let reply = Reply(
                    table: ID(text), epoch: ID128(high: 3, low: 4),
                    .done(rows: [], unchanged: true))
                let bytes = Encode.hotJSON(reply: Encode.reply(reply, form: .binary)[...])
                #expect(bytes == WireReply(reply, .json).bytes(.json), "\(text)")
            }
        }
    }

    @Test func listsOfTables() {
        var generator = Generator(seed: 44)
        for number in 0..<300 {
            let summaries = (0..<number % 9).map { _ in
                TableSummary(
                    table: generator.id(), history: generator.id128(),
                    revision: generator.next(), rows: number, sections: number % 3,
                    digest: generator.next(), oldest: generator.number())
            }
            let reply = Reply(
                client: number % 2 == 0 ? "c1" : nil, number: 4, epoch: ID128(high: 3, low: 4),
                .tables(summaries))
            #expect((Encode.hotJSONTables(reply) != nil) == !summaries.isEmpty)
            #expect(Encode.reply(reply, form: .json) == WireReply(reply, .json).bytes(.json))
        }
    }

    @Test func chunks() throws {
        var generator = Generator(seed: 43)
        for number in 0..<300 {
            let slices = (0..<number % 4).map { index in
                SnapshotChunk.Slice(
                    section: ID("s\(index)"), title: index == 0 ? "" : "Section",
                    rows: (0..<number % 7).map { _ in
                        generator.flag()
                            ? generator.row()
                            : Row(id: generator.id(), content: .init(title: generator.text()))
                    })
            }
            let chunk = SnapshotChunk(
                id: "x-1", revision: 5, digest: 77, chunk: number % 2, chunks: 3, rows: 9,
                kinds: number % 2 == 0 ? [generator.kind()] : [],
                settings: number % 2 == 0 ? Settings() : nil, slices: slices)
            let reply = Reply(
                number: 4, table: "t", history: ID128(high: 1, low: 2),
                epoch: ID128(high: 3, low: 4), revision: 5, .snapshot(chunk))
            let bytes = Encode.reply(reply, form: .json)
            // Not byte for byte: the slices are the last member here.
            let schema = WireReply(reply, .json).bytes(.json)
            #expect(bytes.count == schema.count)
            #expect(decodeReply(bytes, .json) == decodeReply(schema, .json))
        }
    }
}

import TableSync
import Testing

@testable import TableModel
@testable import TableValues
@testable import TableWire

/// The entry's writer puts together the bytes that its parts have when they are written as values.
@Suite("Entries that are written piece by piece")
struct EntryWriterTests {
    /// A change that is written op by op is what its diff and its inverse are when they are written.
    @Test func changes() throws {
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
        for _ in 0..<3_000 {
            // Each on the table as it is: what is written does not depend on what comes of it.
            let written = generator.diff()
            let (ops, cause, base) = (written.ops, written.cause, written.base)
            let inverse = ops.reversed().flatMap { table.inverse(of: $0) }
            let size = WireCodec().encode(inverse).count
            let most = generator.flag() ? size : generator.below(size + 1)
            let writer = BinaryEntryWriter()
            let asText = generator.flag()
            writer.begin(
                changed: "t", base: base, cause: cause, inverseBytes: most, asText: asText)
            for op in ops { writer.add(op, of: [op], on: table) }
            var kept: (diff: [UInt8], inverse: [UInt8]?) = ([], nil)
            let (place, text) = writer.end(digest: written.digest) { diff, inverse in
                kept = (Array(diff), inverse.map { Array($0) })
            }
            #expect(kept.diff == WireCodec().encode(written))
            // Without ops the list is left out, and no change is without ops.
            if !asText || !ops.isEmpty {
                #expect(text == (asText ? Encode.diff(written, form: .json) : []))
            }
            #expect(kept.inverse == (size > most ? nil : WireCodec().encode(inverse)))
            let record = Ready.Record.changed("t", diff: kept.diff, inverse: kept.inverse)
            let timeMs = generator.flag() ? 5 : 1_700_000_000_000 as UInt64
            let (entry, shift) = writer.finish(timeMs: timeMs)
            #expect(entry == Encode.entry(JournalEntry(timeMs: timeMs, records: [record])))
            #expect(shift == (timeMs == 5 ? -5 : 0))
            #expect(Array(entry[place.lowerBound + shift..<place.upperBound + shift]) == kept.diff)
        }
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
        let writer = BinaryEntryWriter()
        for _ in 0..<500 {
            let rows = Few<RowID>(
                generator.list { $0.flag() ? ["a", "id7"][$0.below(2)] : $0.id() })
            let notes: [RowID: Note]? = generator.maybe { generator in
                Dictionary(
                    rows.prefix(2).map { ($0, Note(generator.text(), Saying(generator.text()))) }
                ) { $1 }
            }
            var request = generator.request()
            (request.client, request.number) = (generator.id(), generator.number())
            let epoch = ID128(high: 3, low: generator.number())
            let (unchanged, tellsTable) = (generator.flag(), generator.flag())
            let hash = generator.number()
            let opened = generator.flag() ? generator.number() : nil
            var bytes: [UInt8] = []
            request.isText = generator.flag()
            let (place, text) = try #require(
                writer.add(
                    done: request, opened: opened, requestHash: hash, epoch: epoch,
                    unchanged: unchanged,
                    landing: rows, notes: notes, in: table, tellsTable: tellsTable
                ) { bytes = Array($0) })
            let (entry, shift) = writer.finish(timeMs: 1_700_000_000_000)
            #expect(shift == 0 && Array(entry[place]) == bytes)
            let answered = Sessions.Answered(
                number: try #require(request.number), requestHash: hash, reply: bytes)
            let record = Ready.Record.answered(
                client: try #require(request.client), user: request.sender.provenIdentity,
                opened: opened, answered)
            let journaled = JournalEntry(timeMs: 1_700_000_000_000, records: [record])
            #expect(entry == Encode.entry(journaled))
            let reply = Reply(
                client: request.client, number: request.number, table: request.table,
                history: tellsTable ? table.history : nil, epoch: epoch,
                revision: tellsTable ? table.revision : nil,
                .done(
                    rows: rows.map { Landing(of: $0, in: table, note: notes?[$0]) },
                    unchanged: unchanged))
            #expect(bytes == WireCodec().encode(reply))
            #expect(text == (request.isText ? Encode.reply(reply, form: .json) : []))
        }
    }

    /// An entry stays what it is while others are written, whatever its time, and takes no more memory than it needs.
    @Test func entriesThatAreHeld() {
        var generator = Generator(seed: 16)
        let writer = BinaryEntryWriter()
        var held: [(entry: [UInt8], encoded: [UInt8])] = []
        for number in 0..<60 {
            let staged =
                generator.bytes() + [UInt8](repeating: 7, count: number % 20 == 3 ? 900_000 : 300)
            let record = Ready.Record.staged(client: "c", user: nil, index: number, part: staged)
            writer.add(record)
            let timeMs: UInt64 = number % 3 == 0 ? 5 : 1_700_000_000_000
            let entry = writer.finish(timeMs: timeMs).entry
            held.append((entry, Encode.entry(JournalEntry(timeMs: timeMs, records: [record]))))
            #expect(writer.isEmpty)
        }
        for (entry, encoded) in held {
            #expect(entry == encoded && entry.capacity <= 8 * max(encoded.count, 1 << 10))
        }
    }
}

import TableModel
import TableSync
import TableWire
import Testing

/// A diff is encoded once: messages put together around its bytes are those that the schema gives.
@Suite("Messages around encoded diffs")
struct FastPathTests {
    @Test func publications() {
        var generator = Generator(seed: 1)
        for _ in 0..<500 {
            let publication = generator.publication()
            let encoded = EncodedDiffs(
                publication.diffs.map { Encode.diff($0, form: .binary)[...] })
            let whole = Encode.publication(publication, form: .binary)
            #expect(Encode.publication(publication, encodedDiffs: encoded) == whole)
            var head = publication
            head.diffs = []
            #expect(Encode.publication(head, encodedDiffs: encoded) == whole)
        }
    }

    @Test func replays() {
        var generator = Generator(seed: 2)
        for _ in 0..<500 {
            let publication = Publication(
                table: "t", history: generator.id128(), epoch: generator.id128(),
                diffs: generator.list { $0.diff() })
            var reply = generator.reply()
            reply.answer = .replay(publication, head: generator.number())
            let encoded = EncodedDiffs(
                publication.diffs.map { Encode.diff($0, form: .binary)[...] })
            let bytes = Encode.reply(reply, encodedDiffs: encoded)
            #expect(bytes == Encode.reply(reply, form: .binary))
            #expect(decodeReply(bytes, .binary) == .success(reply))
        }
    }

    /// The journal keeps the very bytes that are published.
    @Test func journal() {
        var generator = Generator(seed: 3)
        let diff = Encode.diff(generator.diff(), form: .binary)
        let entry = JournalEntry(timeMs: 1, records: [.changed("t", diff: diff, inverse: [1])])
        guard case .success(let decoded) = decodeEntry(Encode.entry(entry)),
            case .changed(_, let kept, [1]) = decoded.records[0]
        else {
            Issue.record("not decoded")
            return
        }
        #expect(kept == diff)
    }
}

import JournalPort
import TableModel
import TableSync
import TableTurn
import TableWire
import Testing

/// Recovery compares digests in the end, and still names the entry after which they differ.
@Suite struct RecoveryTests {
    private final class Listed: Journal {
        private let entries: [[UInt8]]
        private(set) var readings = 0

        init(_ entries: [JournalEntry]) { self.entries = entries.map { Encode.entry($0) } }

        var position: UInt64 { UInt64(entries.count) }
        var figures: JournalFigures {
            JournalFigures(
                position: position, entries: position, checkpoint: nil,
                bytesSinceCheckpoint: 0, bytesOnDisk: 0, commits: 0)
        }
        let term: UInt64? = 1
        var durable: UInt64 { position }
        func submit(_ entry: [UInt8], position: UInt64, term: UInt64) throws {}
        func entries(
            after position: UInt64, _ body: (UInt64, UnsafeRawBufferPointer) throws -> Void
        ) throws {}
        func beginCheckpoint() throws {}
        func appendToCheckpoint(_ part: [UInt8]) throws {}
        func finishCheckpoint() throws -> Bool { true }
        func abandonCheckpoint() throws {}
        func compact(before position: UInt64, atMost: Int) throws -> Int { 0 }
        func close() throws {}

        func recover(_ body: (Recovered) throws -> Void) throws -> JournalSummary {
            readings += 1
            for (index, entry) in entries.enumerated() {
                try entry.withUnsafeBytes {
                    try body(.entry(position: UInt64(index + 1), $0))
                }
            }
            return JournalSummary()
        }
    }

    /// A table of three rows, one in each entry. `wrong` has another digest than it leads to.
    private func journal(wrong: Int?) throws -> Listed {
        let history = ID128(high: 1, low: 2)
        let table = Table(name: "t", history: history)
        var entries = [
            JournalEntry(timeMs: 1, records: [.created("t", history: history)])
        ]
        var steps: [[Op]] = [[.insertSection("main", title: "", after: nil)]]
        for id: RowID in ["a", "b", "c"] {
            steps.append([.insert(Row(id: id, content: .init(title: "T")), .top("main"))])
        }
        for (index, ops) in steps.enumerated() {
            var diff = Diff(
                base: table.revision, digest: 0, cause: Cause(verb: "add", timeMs: 5), ops: ops)
            try table.applyUnchecked(diff)
            diff.digest = table.digest ^ (index == wrong ? 1 : 0)
            let bytes = Encode.diff(diff, form: .binary)
            entries.append(
                JournalEntry(timeMs: 5, records: [.changed("t", diff: bytes, inverse: nil)]))
        }
        return Listed(entries)
    }

    private func server() -> Server {
        Server(
            epoch: ID128(high: 3, low: 4), limits: Limits(), codec: WireCodec(),
            makeID: { ID128(high: 5, low: 6) })
    }

    @Test func whatFitsIsReadOnce() throws {
        let journal = try journal(wrong: nil)
        let server = server()
        var steps = 0
        try Recovery.bring(server, upTo: journal) { steps += 1 }
        #expect(journal.readings == 1)
        #expect(steps == 5, "whoever waits is told that it goes on")
        #expect(server.tables["t"]?.table.count == 3 && server.position == 5)
        #expect(server.tables["t"]?.table.fault() == nil)
    }

    /// After each term another one can begin.
    @Test(arguments: [0, 1, UInt64.max]) func aTermThatCannotBeginIsNamed(number: UInt64) throws {
        #expect(throws: RecoveryError.self) {
            try server().replay(.promoted(term: number, []), position: 1)
        }
    }

    @Test func whatDiffersIsNamed() throws {
        let journal = try journal(wrong: 3)
        #expect {
            try Recovery.bring(server(), upTo: journal)
        } throws: { error in
            "\(error)".contains("entry 5 does not fit table \"t\"")
        }
        #expect(journal.readings == 2)
    }
}

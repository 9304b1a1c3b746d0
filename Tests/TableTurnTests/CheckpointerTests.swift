import JournalPort
import TableModel
import TableSync
import TableWire
import Testing

@testable import TableTurn

/// When checkpoints begin.
@Suite struct CheckpointerTests {
    /// One restore after the other holds them up, until the journal has grown by too much.
    @Test func aRestoreDoesNotHoldThemUpForEver() throws {
        let journal = FakeJournal(isPrompt: true)
        let server = Server(
            epoch: ID128(high: 1, low: 2), limits: Limits(), codec: WireCodec(),
            makeID: { ID128(high: 3, low: 4) })
        let table = Table(name: "t", history: ID128(high: 5, low: 6))
        let part = WireCodec().encode(table.captured()[0].part)
        var number: UInt64 = 0
        func begin() {
            number += 1
            server.begin(nowMs: 1_000)
            server.receive(
                Request(client: "c", number: number, .restore(.parts([part], index: 0))),
                requestHash: number, from: 0)
            _ = server.finish()
        }
        var checkpointer = Checkpointer(afterBytes: 1_000)
        var nowMs: UInt64 = 0
        var entries = 0
        func work() throws {
            for _ in 0..<4 {
                nowMs += 100
                server.begin(nowMs: 1_000)
                checkpointer.watchRestore(server)
                if server.finish().entry != nil { entries += 1 }
                try checkpointer.work(
                    server: server, journal: journal, nowMs: nowMs, isAtRest: true)
            }
        }
        begin()
        journal.grown = 100 << 20
        try work()
        for _ in 0..<4 {
            journal.grown += 120 << 20
            begin()
            try work()
            #expect(server.isRestoring && journal.checkpoints == 0 && entries == 0)
        }
        journal.grown += 120 << 20
        try work()
        // The journal says so, once.
        #expect(!server.isRestoring && journal.checkpoints >= 1 && entries == 1)
        // The next has all of it again.
        journal.grown = 0
        begin()
        try work()
        #expect(server.isRestoring)
    }

    /// A piece comes every 5 ms while commands come, and every 2 ms where none has come for a second.
    @Test func whereNoCommandsComePiecesComeSooner() throws {
        let journal = FakeJournal()
        let server = Server(
            epoch: ID128(high: 1, low: 2), limits: Limits(), codec: WireCodec(),
            makeID: { ID128(high: 3, low: 4) })
        var checkpointer = Checkpointer(afterBytes: 1_000)
        func pause(atMs nowMs: UInt64) throws -> UInt64 {
            try checkpointer.work(server: server, journal: journal, nowMs: nowMs, isAtRest: true)
            return checkpointer.pauseMs
        }
        server.restored(position: 1)
        #expect(try pause(atMs: 10_000) == 5)
        #expect(try pause(atMs: 10_999) == 5)
        #expect(try pause(atMs: 11_100) == 2)
        server.restored(position: 2)
        #expect(try pause(atMs: 11_200) == 5)
    }

    /// Diffs that go while a checkpoint is written are not held for it. What it has leads to its tables, whenever
    /// it comes to them.
    @Test(arguments: [0, 1, 4, 9, 10, 30]) func diffsAreThoseThatAreKeptWhenTheyAreWritten(
        more: Int
    ) throws {
        let journal = FakeJournal(isPrompt: true)
        func server() -> Server {
            Server(
                epoch: ID128(high: 1, low: 2), limits: Limits(), codec: WireCodec(),
                retention: Retention(diffs: 10), makeID: { ID128(high: 3, low: 4) })
        }
        let busy = server()
        var number = 0
        func change() {
            busy.begin(nowMs: 1_000)
            let add = Command(.add(.init(id: ID("\(number)"), .init(), at: .top)))
            let verb: Request.Verb = number == 0 ? .create : .command(add)
            busy.receive(Request(table: "t", verb), requestHash: 0, from: 0)
            number += 1
            if let entry = busy.finish().entry {
                journal.submit(entry, position: UInt64(number), term: 1)
            }
        }
        for _ in 0...20 { change() }
        let live = try #require(busy.tables["t"])
        let (revision, digest) = (live.table.revision, live.table.digest)
        var checkpointer = Checkpointer(afterBytes: 0)
        var nowMs: UInt64 = 0
        func work() throws {
            nowMs += 100
            try checkpointer.work(server: busy, journal: journal, nowMs: nowMs, isAtRest: true)
        }
        while journal.checkpoints == 0 { try work() }
        for _ in 0..<more { change() }
        while journal.covered == nil { try work() }

        let restored = server()
        try Recovery.bring(restored) { read in
            try read(.checkpoint(position: 21, parts: UInt64(journal.parts.count)))
            for part in journal.parts { try part.withUnsafeBytes { try read(.part($0)) } }
            return JournalSummary()
        }
        let state = try #require(restored.tables["t"]).state
        #expect(state.revision == revision && state.digest == digest)
        #expect(state.oldest == min(revision, revision - 10 + UInt64(more)))
    }
}

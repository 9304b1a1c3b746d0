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
        func work() throws {
            for _ in 0..<4 {
                nowMs += 100
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
            #expect(server.isRestoring && journal.checkpoints == 0)
        }
        journal.grown += 120 << 20
        try work()
        #expect(!server.isRestoring && journal.checkpoints >= 1)
        // The next has all of it again.
        journal.grown = 0
        begin()
        try work()
        #expect(server.isRestoring)
    }
}

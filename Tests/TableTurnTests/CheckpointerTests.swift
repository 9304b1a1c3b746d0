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
            #expect(server.copies.isRestoring && journal.checkpoints == 0 && entries == 0)
        }
        journal.grown += 120 << 20
        try work()
        // The journal says so, once.
        #expect(!server.copies.isRestoring && journal.checkpoints >= 1 && entries == 1)
        // The next has all of it again.
        journal.grown = 0
        begin()
        try work()
        #expect(server.copies.isRestoring)
    }

    /// What the journal asks for is no growth: a restore goes on, and the checkpoint comes after it.
    @Test func whatTheJournalAsksForEndsNoRestore() throws {
        let rig = try Rig(isPrompt: true)
        let table = Table(name: "t", history: ID128(high: 5, low: 6))
        let part = WireCodec().encode(table.captured()[0].part)
        func send(_ number: UInt64, _ step: RestoreStep) {
            rig.network.arrived.append(Request(client: "c", number: number, .restore(step)))
        }
        send(1, .parts([part], index: 0))
        for _ in 0..<4 { try rig.run(afterMs: 100) }
        #expect(rig.turn.server.copies.isRestoring)
        rig.journal.isCheckpointDue = true
        for _ in 0..<4 { try rig.run(afterMs: 100) }
        #expect(rig.turn.server.copies.isRestoring && rig.journal.checkpoints == 0)
        send(2, .finish(parts: 1, replaces: false))
        for _ in 0..<4 { try rig.run(afterMs: 100) }
        #expect(rig.turn.server.tables["t"] != nil && rig.journal.checkpoints > 0)
        let count = rig.journal.checkpoints
        rig.journal.isCheckpointDue = false
        rig.journal.grown = 1 << 40
        for _ in 0..<20 { try rig.run(afterMs: 100) }
        #expect(rig.journal.checkpoints <= count + 1)
    }

    // MARK: Room

    /// A checkpoint of which one part is written.
    private func begun() throws -> Rig {
        let rig = try Rig(isPrompt: true, checkpointAfter: 1_000)
        try rig.makeTable()
        rig.turn.checkpointer.room = .init(bytes: 1, isShort: false)
        rig.journal.grown = 2_000
        while rig.journal.parts.isEmpty { try rig.run(afterMs: 100) }
        return rig
    }

    /// One that does not fit makes way for commits. It is not begun again and again, but where there is room, or
    /// when the journal has become twice as long.
    @Test(arguments: [false, true]) func oneThatDoesNotFitMakesWay(byRoom: Bool) throws {
        let rig = try begun()
        let journal = rig.journal
        #expect(try rig.turn.giveWay() && journal.abandoned == 1)
        #expect(try !rig.turn.giveWay())
        for _ in 0..<40 { try rig.run(afterMs: 100) }
        #expect(journal.checkpoints == 1)
        if byRoom {
            rig.turn.checkpointer.room = .init(bytes: 1 << 20, isShort: false)
        } else {
            journal.grown = 10_000
            // Where there is nothing at all it is not tried either.
            rig.turn.checkpointer.room = .init(bytes: 0, isShort: false)
            for _ in 0..<40 { try rig.run(afterMs: 100) }
            #expect(journal.checkpoints == 1)
            rig.turn.checkpointer.room = .init(bytes: 1, isShort: false)
        }
        while journal.covered == nil { try rig.run(afterMs: 100) }
        #expect(journal.checkpoints == 2 && journal.abandoned == 1)
    }

    /// Tables may have become less: where the last one would not fit the next is tried, once it is due.
    @Test func aSmallerOneIsTriedWhereTheLastWouldNotFit() throws {
        let rig = try begun()
        rig.journal.grown = 0
        for _ in 0..<40 { try rig.run(afterMs: 100) }
        #expect(rig.journal.covered != nil && rig.journal.checkpoints == 1)
        rig.journal.grown = 1_500
        for _ in 0..<40 { try rig.run(afterMs: 100) }
        #expect(rig.journal.checkpoints > 1)
    }

    /// It would have removed them.
    @Test func oneThatMakesWayLeavesStaleParts() throws {
        let rig = try Rig(isPrompt: true)
        try rig.makeTable()
        rig.turn.server.copies.hasStaleParts = true
        while rig.journal.parts.isEmpty { try rig.run(afterMs: 100) }
        #expect(!rig.turn.server.copies.hasStaleParts)
        #expect(try rig.turn.giveWay() && rig.turn.server.copies.hasStaleParts)
    }

    /// Where nothing may be changed by want of room, what makes room goes on: removing, and a checkpoint of which
    /// all is written.
    @Test func withoutRoomOnlyWhatMakesSomeGoesOn() throws {
        let rig = try begun()
        let journal = rig.journal
        journal.pending = .max
        for _ in 0..<40 { try rig.run(afterMs: 100) }
        #expect(try !rig.turn.giveWay(), "all is written")
        (journal.pending, journal.removable) = (3, 3)
        rig.turn.server.room.isReadOnly = true
        for _ in 0..<20 { try rig.run(afterMs: 100) }
        #expect(journal.pending == 3 && journal.removable == 3, "it is not the disk")
        rig.turn.checkpointer.room = .init(bytes: 0, isShort: true)
        #expect(rig.turn.untilNext(rig.clock.nowMs) <= 5)
        for _ in 0..<20 { try rig.run(afterMs: 100) }
        #expect(journal.covered != nil && journal.removable == 0)
        #expect(rig.turn.untilNext(rig.clock.nowMs) > 5)
        journal.grown = 1 << 30
        for _ in 0..<20 { try rig.run(afterMs: 100) }
        #expect(journal.checkpoints == 1)
    }

    // MARK: Pace

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

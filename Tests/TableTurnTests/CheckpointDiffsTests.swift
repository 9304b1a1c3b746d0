import JournalPort
import TableModel
import TableSync
import TableWire
import Testing

@testable import TableTurn

/// A start from a checkpoint has the past that was there.
@Suite struct CheckpointDiffsTests {
    private static func server(keeping diffs: Int) -> Server {
        Server(
            epoch: ID128(high: 1, low: 2), limits: Limits(), codec: WireCodec(),
            retention: Retention(diffs: diffs), makeID: { ID128(high: 3, low: 4) })
    }

    @discardableResult
    private static func ask(_ server: Server, _ verb: Request.Verb) -> Reply.Answer? {
        server.begin(nowMs: 1_000)
        server.receive(Request(table: "t", verb), requestHash: 0, from: 0)
        guard case .reply(let reply)? = server.finish().replies.first?.body else { return nil }
        return reply.answer
    }

    private static func code(_ answer: Reply.Answer?) -> Rejection.Code? {
        if case .refused(let rejection)? = answer { return rejection.code }
        return nil
    }

    private static func add(_ id: RowID) -> Request.Verb {
        .command(Command(.add(.init(id: id, .init(), at: .top))))
    }

    /// A server of the parts that this one writes, as `change` leaves the diffs in them.
    private static func started(
        from server: Server, keeping diffs: Int,
        change: (inout CheckpointPart.Log) -> Void = { _ in }
    ) throws -> Server {
        let journal = FakeJournal(isPrompt: true)
        try Checkpointer.write(server, to: journal)
        let restored = Self.server(keeping: diffs)
        try Recovery.bring(restored) { read in
            let count = UInt64(journal.parts.count)
            try read(.checkpoint(position: server.position, parts: count))
            for part in journal.parts {
                var part = part
                if case .log(var log) = try part.withUnsafeBytes({ try Decode.checkpoint($0) }) {
                    change(&log)
                    part = Encode.checkpoint(.log(log))
                }
                try part.withUnsafeBytes { try read(.part($0)) }
            }
            return JournalSummary()
        }
        return restored
    }

    /// Also of a table whose first diffs have gone, in several parts.
    @Test(arguments: [3, 300, 600, 1_000]) func noneIsLost(kept: Int) throws {
        let busy = Self.server(keeping: kept)
        Self.ask(busy, .create)
        for number in 0..<700 { Self.ask(busy, Self.add(ID("\(number)"))) }
        var server = busy
        for _ in 0..<3 {
            server = try Self.started(from: server, keeping: kept)
            let (live, before) = (
                try #require(server.tables["t"]), try #require(busy.tables["t"])
            )
            #expect(live.state == before.state && live.keptDiffs == before.keptDiffs)
        }
        // Back to the oldest, step by step, by ways back with the digests of before.
        let table = try #require(server.tables["t"]).table
        let oldest = try #require(server.tables["t"]).state.oldest
        let far = Request.Verb.rewind(
            history: table.history, since: oldest + 1, to: oldest)
        guard case .rewind(let steps)? = Self.ask(server, far),
            case .rewind(let same)? = Self.ask(busy, far)
        else {
            Issue.record("it does not go back to the oldest")
            return
        }
        #expect(steps == same && steps.map(\.revision) == [oldest])
        let beyond = Command(.undo(revision: oldest, mine: false))
        if oldest > 0 { #expect(Self.code(Self.ask(server, .command(beyond))) == .compacted) }
        let undo = Command(.undo(revision: oldest + 1, mine: false))
        #expect(Self.code(Self.ask(server, .command(undo))) == nil)
        #expect(server.tables["t"]?.table.count == 699)
    }

    /// Checkpoints of before do not say the digest before the first diff: it is lost, and only at the
    /// first start.
    @Test func oneThatDoesNotSayTheDigestIsRead() throws {
        let busy = Self.server(keeping: 10)
        Self.ask(busy, .create)
        for number in 0..<20 { Self.ask(busy, Self.add(ID("\(number)"))) }
        var server = try Self.started(from: busy, keeping: 10) { $0.digest = nil }
        #expect(server.tables["t"]?.state.oldest == 11 && server.tables["t"]?.keptDiffs == 9)
        server = try Self.started(from: server, keeping: 10)
        #expect(server.tables["t"]?.state.oldest == 11 && server.tables["t"]?.keptDiffs == 9)
    }

    /// What took an undo back is no undo, though the undo is not kept any more.
    @Test(arguments: [nil, 2] as [UInt64?]) func aRedoStaysOne(byNumber: UInt64?) throws {
        let busy = Self.server(keeping: 2)
        Self.ask(busy, .create)
        Self.ask(busy, Self.add("a"))
        Self.ask(busy, .command(Command(.undo(revision: nil, mine: false))))
        let back = byNumber.map { Command.Verb.undo(revision: $0, mine: false) }
        Self.ask(busy, .command(Command(back ?? .redo(mine: false))))
        Self.ask(busy, Self.add("b"))
        #expect(busy.tables["t"]?.state.oldest == 2 && busy.tables["t"]?.table.count == 2)
        let redo = Request.Verb.command(Command(.redo(mine: false)))
        #expect(Self.code(Self.ask(busy, redo)) == .nothingToUndo)
        let server = try Self.started(from: busy, keeping: 2)
        #expect(server.tables["t"]?.state.oldest == 2)
        #expect(Self.code(Self.ask(server, redo)) == .nothingToUndo)
        // A checkpoint of before does not say it. The verb does.
        guard byNumber == nil else { return }
        let old = try Self.started(from: busy, keeping: 2) { $0.redos = [] }
        #expect(Self.code(Self.ask(old, redo)) == .nothingToUndo)
    }
}

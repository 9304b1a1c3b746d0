import JournalPort
import TableModel
import TableSync
import TableWire
import Testing

@testable import TableTurn

/// `forget` leaves nothing of a row's past in memory, in checkpoints and in the journal.
@Suite struct ForgettingTests {
    private static let secret = "Kim has a nut allergy"

    private final class Desk {
        let server: Server
        var entries: [[UInt8]] = []
        private var number: UInt64 = 0

        init(_ server: Server? = nil) {
            self.server = server ?? Self.empty
        }

        static var empty: Server {
            Server(
                epoch: ID128(high: 1, low: 2), limits: Limits(), codec: WireCodec(),
                makeID: { ID128(high: 3, low: 4) })
        }

        @discardableResult
        func send(_ verb: Request.Verb) throws -> Reply.Answer {
            number += 1
            server.begin(nowMs: 1_000 + number)
            server.receive(
                Request(client: "c", number: number, table: "t", verb), requestHash: number,
                from: 1)
            let ready = server.finish()
            if let entry = ready.entry { entries.append(entry) }
            switch try #require(ready.replies.first).body {
            case .reply(let reply): return reply.answer
            case .recorded(let range):
                let bytes = try #require(ready.entry)[range]
                return try Array(bytes).withUnsafeBytes {
                    try Decode.reply($0, form: .binary).answer
                }
            default: throw Surprise()
            }
        }

        @discardableResult
        func json(_ command: String) throws -> Reply.Answer {
            let bytes = Array(#"{"table":"t","command":{\#(command)}}"#.utf8)
            var request = Request(.hello)
            let refusal = bytes.withUnsafeBytes {
                Decode.request($0, form: .json, limits: SharedLimits(Limits()), into: &request)
            }
            if let refusal { throw refusal }
            return try send(request.verb)
        }

        @discardableResult
        func command(_ verb: Command.Verb) throws -> Reply.Answer {
            try send(.command(Command(verb)))
        }

        /// The desk after a restart, from the journal or from a checkpoint.
        func restarted(byCheckpoint: Bool) throws -> Desk {
            var parts: [[UInt8]] = []
            if byCheckpoint { Checkpointer.parts(of: server) { parts.append($0) } }
            let other = Self.empty
            try Recovery.bring(other) { body in
                let count = UInt64(entries.count)
                if byCheckpoint {
                    try body(.checkpoint(position: count, parts: UInt64(parts.count)))
                    for part in parts { try part.withUnsafeBytes { try body(.part($0)) } }
                }
                for (place, entry) in entries.enumerated() {
                    try entry.withUnsafeBytes {
                        try body(.entry(position: UInt64(place) + 1, $0))
                    }
                }
                return JournalSummary()
            }
            let desk = Desk(other)
            (desk.entries, desk.number) = (entries, number)
            return desk
        }
    }

    private struct Surprise: Error {}

    private func board() throws -> Desk {
        let desk = Desk()
        try desk.send(.create)
        try desk.command(.section("s", title: "S"))
        try desk.command(.add(Command.Add(id: "a", .init(title: "A"), section: "s")))
        try desk.command(.add(Command.Add(id: "kim", .init(title: Self.secret), section: "s")))
        try desk.command(.add(Command.Add(id: "b", .init(title: "B"), section: "s")))
        try desk.command(.move(["kim", "a"], section: "s", .bottom, .rebase))
        var changes = Command.Changes()
        changes.title = "\(Self.secret)!"
        try desk.command(.set("kim", changes))
        try desk.command(.remove(["kim", "b"]))
        return desk
    }

    private func holds(_ desk: Desk) -> Bool {
        var all: [UInt8] = []
        Checkpointer.parts(of: desk.server) { all += $0 }
        return String(decoding: all, as: UTF8.self).contains(Self.secret)
    }

    private func code(_ answer: Reply.Answer) -> Rejection.Code? {
        if case .refused(let rejection) = answer { rejection.code } else { nil }
    }

    private func texts(_ desk: Desk) throws -> [String] {
        guard case .history(let page) = try desk.send(.history(HistoryFilter(most: 100))) else {
            throw Surprise()
        }
        return page.changes.map(\.text)
    }

    @Test(arguments: [nil, true, false]) func nothingIsLeftOfIt(restart: Bool?) throws {
        var desk = try board()
        #expect(holds(desk))
        let digest = try #require(desk.server.tables["t"]).table.digest
        #expect(try desk.send(.forget(["kim"])) == .done(rows: [], unchanged: false))
        if let restart { desk = try desk.restarted(byCheckpoint: restart) }
        #expect(!holds(desk))
        let told = try texts(desk)
        // Beside which row another one was put is that one's past.
        #expect(
            told == [
                "c removed \"B\"", "forgotten", "c moved \"A\" after \"b\"",
                "c added \"B\" after \"kim\"", "forgotten", "c added \"A\" at the top of S",
                "c made section \"S\"",
            ])
        #expect(try code(desk.command(.recall(["kim"]))) == .noSuchRow)
        let live = try #require(desk.server.tables["t"])
        #expect(live.table.digest == digest && live.table.row("kim") == nil)
    }

    /// No viewer is led over a revision of which something is missing.
    @Test(arguments: [nil, true, false]) func olderRevisionsAreNotReached(restart: Bool?) throws {
        var desk = try board()
        let history = try #require(desk.server.tables["t"]).table.history
        try desk.send(.forget(["kim"]))
        try desk.command(.add(Command.Add(id: "c", .init(title: "C"), section: "s")))
        if let restart { desk = try desk.restarted(byCheckpoint: restart) }
        let head = try #require(desk.server.tables["t"]).table.revision
        #expect(try #require(desk.server.tables["t"]).state.oldest == head - 1)
        #expect(
            try code(desk.send(.rewind(history: history, since: head, to: head - 2)))
                == .compacted)
        guard
            case .rewind(let steps) = try desk.send(
                .rewind(history: history, since: head, to: head - 1))
        else { throw Surprise() }
        #expect(steps.count == 1)
    }

    /// An undo takes back what the same revision did to another row, as before.
    @Test(arguments: [nil, true, false]) func othersComeBack(restart: Bool?) throws {
        var desk = try board()
        try desk.send(.forget(["kim"]))
        if let restart { desk = try desk.restarted(byCheckpoint: restart) }
        _ = try desk.command(.undo(revision: nil, mine: false))
        let table = try #require(desk.server.tables["t"]).table
        #expect(table.row("b")?.content.title == "B" && table.row("kim") == nil)
        #expect(table.rows.map(\.id) == ["b", "a"])
    }

    @Test func aRowThatIsThereIsRefused() throws {
        let desk = try board()
        #expect(try code(desk.send(.forget(["kim", "a"]))) == .exists)
        #expect(try code(desk.send(.forget([]))) == .malformed)
        #expect(try desk.send(.forget(["nobody"])) == .done(rows: [], unchanged: true))
        #expect(holds(desk))
    }

    /// An answer to a handler has the row that it works on.
    @Test(arguments: [nil, true, false]) func answersAreWithoutIt(restart: Bool?) throws {
        var desk = Desk()
        try desk.send(.create)
        try desk.json(
            #""define":{"kinds":[{"id":"job","trailing":{"actions":[{"id":"run","effect":[{"invoke":{"deadline":60,"then":[{"remove":true}]}}]}]}}]}"#
        )
        try desk.json(#""add":{"id":"kim","kind":"job","title":"\#(Self.secret)"}"#)
        try desk.json(#""act":{"row":"kim","action":"run"}"#)
        guard case .done(_, _, let taken) = try desk.command(.take(action: nil, atMost: 1)),
            let id = taken.first?.id
        else { throw Surprise() }
        if let live = desk.server.tables["t"], live.table.row("kim") == nil {
            #expect(try code(desk.send(.forget(["kim"]))) == .conflict)
        } else {
            #expect(try code(desk.send(.forget(["kim"]))) == .exists)
        }
        try desk.command(.finish(id, .done))
        #expect(try desk.send(.forget(["kim"])) == .done(rows: [], unchanged: false))
        if let restart { desk = try desk.restarted(byCheckpoint: restart) }
        #expect(!holds(desk))
    }

    /// The journal begins anew with the entry, and a checkpoint follows at once.
    @Test func theJournalForgets() throws {
        let rig = try Rig(isPrompt: true)
        try rig.makeTable()
        let before = rig.journal.checkpoints
        rig.network.arrived.append(
            Request(client: "c", number: 1, table: "t", .forget(["nobody"])))
        for _ in 0..<8 { try rig.run(afterMs: 100) }
        #expect(rig.journal.forgotten == [true, false] && rig.journal.checkpoints == before + 1)
    }
}

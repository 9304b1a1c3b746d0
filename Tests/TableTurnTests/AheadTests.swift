import TableDecisions
import TableModel
import TableSync
import TableWire
import Testing

@testable import TableTurn

/// Commands on very many rows: they are decided on between turns, and carried out in one.
@Suite struct AheadTests {
    /// A table whose rows count as very many, and slices that are short.
    private func makeRig(_ rows: Int = 300, limits more: (inout Limits) -> Void = { _ in }) throws
        -> Rig
    {
        var limits = Limits()
        (limits.aheadRows, limits.aheadBytes) = (20, 400)
        more(&limits)
        let rig = try Rig(isPrompt: true, limits: limits)
        try rig.makeTable()
        for id in 0..<rows {
            let content = Row.Content(
                title: "Row \(id)", fields: [.init("n", id % 3 == 0 ? "0" : "1")])
            rig.send(
                .command(
                    Command(.add(.init(id: RowID("r\(id)"), content, section: nil, at: .bottom)))))
        }
        try rig.run()
        rig.clock.lookNs = 1_000_000
        rig.network.forgetSaid()
        return rig
    }

    private func each(_ condition: String, _ changes: Command.Changes) -> Request.Verb {
        .command(Command(.each(Command.Each(.set(Command.Each.noRow, changes), where: condition))))
    }

    private func table(_ rig: Rig) throws -> Table {
        try #require(rig.turn.server.tables["t"]).table
    }

    private let done = Command.Changes(fields: [.init("n", "done")])

    /// Runs until a command of this name has led to a revision; each time `meanwhile` is called before. Returns the
    /// diff, the table before it, and the diffs after it in the same turn.
    private func run(
        _ rig: Rig, until verb: String, most: Int = 200, meanwhile: (Int) -> Void = { _ in }
    ) throws -> (diff: Diff, before: Table, later: [Diff]) {
        var refused: [Rejection] = []
        for turn in 0..<most {
            for case .refused(let why) in rig.network.replies.map(\.answer) { refused.append(why) }
            meanwhile(turn)
            let before = try table(rig).copy()
            rig.network.forgetSaid()
            try rig.run()
            let diffs = rig.network.diffs
            for (index, diff) in diffs.enumerated() {
                if diff.cause.verb == verb { return (diff, before, Array(diffs[(index + 1)...])) }
                try before.apply(diff)
            }
        }
        throw Missing(refused: refused)
    }
    private struct Missing: Error {
        let refused: [Rejection]
    }

    @Test func aSetOfManyRowsIsDecidedOnWhileOthersAreAnswered() throws {
        let rig = try makeRig()
        rig.send(each("field.n == \"1\"", done))
        var answered = 0
        let (diff, before, later) = try run(rig, until: "each") { turn in
            answered += rig.network.replies.count
            rig.send(.command(Command(.set("r7", .init(title: "\(turn)")))))
        }
        #expect(answered > 3)
        #expect(diff.ops.count == 200)
        for diff in [diff] + later { try before.apply(diff) }
        let now = try table(rig)
        #expect(now.digest == before.digest && now.digest == now.recomputedDigest())
        #expect(now.rows.count { $0.content.value(of: "n") == "done" } == 200)
        #expect(now.rows.allSatisfy { before.row($0.id)?.version == $0.version })
        // The old rows are let go, and nothing is left to do.
        try rig.run()
        try rig.run()
        #expect(!rig.turn.server.isBusyAhead)
    }

    /// It comes to what a decision in one go comes to, on the table as it is then, whatever others have done meanwhile.
    @Test(arguments: 0..<40)
    func itIsAsIfItHadBeenDecidedOnAtOnce(_ seed: Int) throws {
        var dice = SystemRandomNumberGenerator()
        let rig = try makeRig(.random(in: 21...400, using: &dice))
        let conditions = [
            "field.n == \"1\"", "field.n != \"1\" or title ~ \"7\"", "version > 20",
            "title ~ \"2\" and not asleep", "section == \"main\"", "age >= 0",
        ]
        let condition = try #require(conditions.randomElement(using: &dice))
        let changes = [
            done, Command.Changes(title: "T"), Command.Changes(unset: ["n"]),
            Command.Changes(title: "T", fields: [.init("n", "1"), .init("m", "2")]),
        ][seed % 4]
        rig.send(each(condition, changes))
        let (diff, before, later) = try run(rig, until: "each") { turn in
            // From one sender, later numbers would push out the one that is decided on ahead.
            for _ in 0..<Int.random(in: 0...3) {
                rig.send(.command(Command(other(turn))), by: "bob")
            }
        }
        let command = Command(
            .each(Command.Each(.set(Command.Each.noRow, changes), where: condition)))
        let plan = try reduce(command, on: before, limits: Limits(), nowMs: diff.cause.timeMs).get()
        let copy = before.copy()
        let expected = try #require(copy.apply(plan, cause: diff.cause))
        #expect(expected.digest == diff.digest)
        #expect(Set(expected.ops.flatMap(\.rows)) == Set(diff.ops.flatMap(\.rows)))
        for diff in [diff] + later { try before.apply(diff) }
        let now = try table(rig)
        #expect(now.digest == before.digest && now.recomputedDigest() == now.digest)
        #expect(now.fault() == nil)
        // A change that others made after it may be in the way.
        if later.isEmpty { try undo(diff, rig) }
    }

    /// The undo brings back what nobody has changed since.
    private func undo(_ diff: Diff, _ rig: Rig) throws {
        let changed = Set(diff.ops.flatMap(\.rows))
        rig.network.forgetSaid()
        rig.send(.command(Command(.undo(revision: diff.revision, mine: false))))
        let (back, before, later) = try run(rig, until: "undo") { turn in
            rig.send(
                .command(
                    Command(
                        .add(
                            .init(id: RowID("u\(turn)"), .init(title: "U"), section: nil, at: .top))
                    )))
            rig.send(.command(Command(.expand(RowID("r\(turn)"), .expanded))))
        }
        #expect(back.cause.undoes == diff.revision)
        #expect(Set(back.ops.flatMap(\.rows)) == changed)
        for diff in [back] + later { try before.apply(diff) }
        let now = try table(rig)
        #expect(now.digest == before.digest && now.recomputedDigest() == now.digest)
        #expect(now.fault() == nil)
        rig.send(.command(Command(.undo(revision: diff.revision, mine: false))))
        try rig.run()
        try rig.run()
        guard case .refused(let rejection) = rig.network.replies.last?.answer else {
            Issue.record("it was undone twice")
            return
        }
        #expect(rejection.code == .alreadyUndone)
    }

    private func other(_ turn: Int) -> Command.Verb {
        let row = RowID("r\(Int.random(in: 0..<420))")
        switch Int.random(in: 0..<8) {
        case 0: return .remove([row])
        case 1: return .move([row], section: nil, .top, .rebase)
        case 2: return .set(row, .init(fields: [.init("n", "1")]))
        case 3: return .set(row, .init(title: "new \(turn)"))
        case 4: return .claim([row], note: "", ttlSeconds: nil)
        case 5: return .expand(row, nil)
        case 6:
            return .add(
                .init(
                    id: RowID("x\(turn)"), .init(title: "X", fields: [.init("n", "1")]),
                    section: nil, at: .top))
        default: return .define(.init(kinds: [Kind(KindID("k\(turn)"))]))
        }
    }

    /// Rows that others have changed since keep what they have got, or are in the way; the others come back.
    @Test func anUndoOfManyRowsBringsTheirTextsAndTimesBack() throws {
        let rig = try makeRig()
        let old = try table(rig).copy()
        rig.send(each("field.n == \"1\"", done))
        _ = try run(rig, until: "each")
        rig.send(.command(Command(.set("r1", .init(title: "later")))))
        rig.send(.command(Command(.move(["r2"], section: nil, .top, .rebase))))
        try rig.run()
        rig.send(.command(Command(.undo(revision: 301, mine: false))))
        let (diff, _, _) = try run(rig, until: "undo") { turn in
            rig.send(.command(Command(.set("r3", .init(title: "\(turn)")))))
        }
        #expect(diff.cause.undoes == 301)
        let now = try table(rig)
        for row in now.rows {
            let before = try #require(old.row(row.id))
            #expect(row.content.value(of: "n") == before.content.value(of: "n"))
            if ["r1", "r2", "r3"].contains(row.id) { continue }
            #expect(row.changedMs == before.changedMs && row.movedMs == before.movedMs)
        }
        #expect(now.row("r1")?.content.title == "later")
        #expect(now.digest == now.recomputedDigest() && now.fault() == nil)
    }

    /// The journal leads to the same table.
    @Test func aRestartFindsTheSame() throws {
        let rig = try makeRig()
        rig.send(each("title ~ \"Row\"", .init(title: "T")))
        _ = try run(rig, until: "each")
        rig.send(.command(Command(.undo(revision: nil, mine: false))))
        _ = try run(rig, until: "undo")
        let server = Server(
            epoch: ID128(high: 7, low: 9), limits: Limits(), codec: WireCodec(),
            makeID: { ID128(high: 1, low: 2) })
        try Recovery.bring(server, upTo: rig.journal)
        let (found, now) = (try #require(server.tables["t"]).table, try table(rig))
        #expect(found.digest == now.digest && found.revision == now.revision)
        #expect(found.rows.map(\.version) == now.rows.map(\.version))
    }

    /// One row refuses it: nothing is done, and all that refuse are counted.
    @Test func allOfItIsDoneOrNothing() throws {
        let rig = try makeRig { $0.titleBytes = 30 }
        rig.send(each("field.n == \"0\"", .init(title: String(repeating: "x", count: 31))))
        for _ in 0..<30 { try rig.run() }
        guard case .refused(let rejection) = rig.network.replies.last?.answer else {
            Issue.record("it was not refused")
            return
        }
        #expect(rejection.code == .tooLarge && rejection.field == "command.each.set.title")
        #expect(rejection.message.contains("100 of 100 rows refuse it"))
        #expect(rig.network.diffs.isEmpty && !rig.turn.server.isBusyAhead)
    }

    /// Its field stands beside the verb, as that of a command on few rows.
    @Test(arguments: [Command.Name.each, .undo]) func aConditionIsRefusedByItsOwnPath(
        _ name: Command.Name
    ) throws {
        let rig = try makeRig()
        rig.send(each("field.n == \"0\"", done))
        let diff = try run(rig, until: "each").diff
        rig.network.forgetSaid()
        var command = Command(.undo(revision: diff.revision, mine: false))
        if name == .each {
            command = Command(
                .each(Command.Each(.set(Command.Each.noRow, done), where: "field.n == \"1\"")))
        }
        command.ifRevision = 1
        rig.send(.command(command))
        for _ in 0..<30 { try rig.run() }
        guard case .refused(let rejection) = rig.network.replies.last?.answer else {
            Issue.record("it was not refused")
            return
        }
        #expect(rejection.code == .stale && rejection.field == "command.ifRevision")
    }

    /// The new texts are held until the command is carried out: it is given up as soon as they are too much.
    @Test func textsThatAreTooLargeTogetherAreNotMadeFirst() throws {
        let rig = try makeRig(3_000)
        let text = String(repeating: "x", count: 15_000)
        let command = Command(
            .each(
                Command.Each(
                    .set(Command.Each.noRow, .init(fields: [.init("n", text)])),
                    where: "title ~ \"Row\"")))
        let table = try table(rig)
        var limits = Limits()
        limits.aheadRows = 20
        let context = DecisionContext(nowMs: 1)
        let ahead = try #require(
            Ahead.begin(command, on: table, SharedLimits(limits), context))
        var made = 0
        while ahead.work(on: table, { _, ops, _ in made += ops.weight }) {}
        #expect(made > Limits.eachInverseBytes / 2 && made < Limits.eachInverseBytes + (2 << 20))
        #expect(ahead.isReady(for: table))
        let refusal = #expect(throws: Rejection.self) {
            try ahead.settled(command, on: table, context)
        }
        #expect(refusal?.code == .tooLarge)
    }

    /// An action that was performed on some rows does not make the undo one long turn.
    @Test func anUndoIsDecidedOnAheadWhereSomeRowsWereActedOn() throws {
        let rig = try makeRig()
        var (kind, action) = (Kind("k"), Action("page"))
        action.effects = [.invoke(deadlineSeconds: 60, then: [])]
        kind.trailing = ActionGroup(actions: [action])
        rig.send(.command(Command(.define(.init(kinds: [kind])))))
        for id: RowID in ["r1", "r4"] {
            rig.send(.command(Command(.set(id, .init(kind: "k")))))
            rig.send(.command(Command(.act(.init("page", on: id)))))
        }
        for _ in 0..<5 { try rig.run() }
        let old = try table(rig).copy()
        #expect(old.row("r1")?.performed.isEmpty == false)
        rig.send(each("field.n == \"1\"", done))
        let revision = try run(rig, until: "each").diff.revision
        rig.send(.command(Command(.undo(revision: revision, mine: false))))
        var turns = 0
        _ = try run(rig, until: "undo") { turns = $0 }
        #expect(turns > 2)
        let now = try table(rig)
        for row in now.rows {
            let before = try #require(old.row(row.id))
            #expect(row.content == before.content)
            #expect(row.performed == before.performed)
        }
        #expect(now.digest == now.recomputedDigest() && now.fault() == nil)
    }

    /// It is begun anew where kinds change, but not for ever.
    @Test func kindsThatChangeWithEachTurnDoNotHoldItUp() throws {
        let rig = try makeRig()
        rig.send(each("field.n == \"1\"", done))
        let (diff, _, _) = try run(rig, until: "each", most: 120) { turn in
            rig.send(.command(Command(.define(.init(kinds: [Kind(KindID("k\(turn)"))])))))
        }
        #expect(diff.ops.count == 200)
    }

    /// A sender that is gone, or whose request was lost, holds nobody up.
    @Test func whatNobodyAsksForIsGivenUp() throws {
        let rig = try makeRig()
        let server = rig.turn.server
        var request = Request(client: "ada", table: "t", each("title ~ \"Row\"", done))
        (request.number, request.opened) = (9_999, 0)
        #expect(!server.isPrepared(request, requestHash: 1))
        #expect(server.isBusyAhead)
        var other = request
        (other.client, other.number) = ("bob", 1)
        #expect(!server.isPrepared(other, requestHash: 2))
        // A longer pause of the clock would count as one in which the daemon did not run.
        for _ in 0..<150 where server.isBusyAhead {
            rig.clock.nowMs += 100
            try rig.run()
        }
        #expect(!server.isBusyAhead)
    }
}

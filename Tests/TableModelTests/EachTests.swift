import SeededNumbers
import TableDecisions
import TableModel
import Testing

@testable import TableValues

/// A command on each row that a condition fits.
struct EachTests {
    private static let noRow = Command.Each.noRow

    /// Rows r0 to r5 are in main, the others in s; each third is for driver 7.
    private func ledger(_ count: Int = 12) -> Ledger {
        let ledger = Ledger()
        var card = Kind("card")
        var mark = Action("mark")
        mark.effects = [.set([.init("marked", "yes")])]
        var page = Action("page")
        page.effects = [.invoke(deadlineSeconds: 9, then: [])]
        card.trailing = ActionGroup(actions: [mark, page])
        ledger.perform(.define(.init(kinds: [card])))
        for index in 0..<count {
            let content = Row.Content(
                kind: "card", title: "t\(index)",
                fields: [.init("driver", index % 3 == 0 ? "7" : "8")])
            ledger.perform(
                .add(
                    .init(
                        id: ID("r\(index)"), content, section: index < 6 ? "main" : "s",
                        at: .bottom)))
        }
        return ledger
    }

    private func refusal(
        _ each: Command.Each, on ledger: Ledger, ifClaimed: Bool = false
    ) -> Rejection? {
        let command = Command(.each(each), ifClaimed: ifClaimed)
        guard case .failure(let rejection) = ledger.perform([command]) else { return nil }
        return rejection
    }

    @Test func oneRevisionForAllThatFitAndOneUndo() throws {
        let ledger = ledger()
        let (revision, digest) = (ledger.table.revision, ledger.table.digest)
        let change = Command.Verb.set(Self.noRow, .init(fields: [.init("driver", "9")]))
        let each = Command.Each(change, where: "field.driver == 7")
        let plan = try ledger.perform(.each(each)).get()
        #expect(plan.rows.map(\.text) == ["r0", "r3", "r6", "r9"])
        #expect(ledger.table.revision == revision + 1)
        #expect(ledger.table.rows.count { $0.content.value(of: "driver") == "9" } == 4)
        // None fits any more.
        #expect(try ledger.perform(.each(each)).get() == Plan([]))
        #expect(ledger.table.revision == revision + 1)
        _ = try ledger.perform(.undo(revision: nil, mine: false)).get()
        #expect(ledger.table.rows.count { $0.content.value(of: "driver") == "7" } == 4)
        #expect(ledger.table.digest == digest)
    }

    @Test func aSectionAndALimit() throws {
        let ledger = ledger()
        let removed = Command.Each(.remove(.none), where: "title ~ 't'", section: "s", limit: 2)
        #expect(try ledger.perform(.each(removed)).get().rows.map(\.text) == ["r6", "r7"])
        let move = Command.Verb.move(.none, section: "s", .top, .rebase)
        let plan = try ledger.perform(
            .each(.init(move, where: "index < 2", section: "main"))
        ).get()
        #expect(plan.ops.count == 1)
        #expect(ledger.table.section("s")?.row(at: 0)?.id == "r0")
    }

    @Test(arguments: 1...20) func theSameAsOneByOne(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let ledger = ledger(8 + random.below(20))
        let verbs: [Command.Verb] = [
            .set(Self.noRow, .init(title: "x", fields: [.init("n", "\(seed)")])),
            .set(Self.noRow, .init(kind: .plainKind)), .remove(.none),
            .claim(.none, note: "n", ttlSeconds: 9), .act(.init("page", on: Self.noRow)),
            .act(.init("mark", on: Self.noRow)),
        ]
        for _ in 0..<12 {
            let each = Command.Each(
                random.pick(verbs),
                where: random.pick(["index < 3", "field.driver == 7", "version > 4"]),
                section: random.once(in: 3) ? "s" : nil, limit: random.once(in: 2) ? 3 : nil)
            let context = DecisionContext(nowMs: ledger.nowMs + 7, client: "ada", past: ledger)
            let result = reduce(Command(.each(each)), on: ledger.table, limits: Limits(), context)
            guard case .success(let plan) = result else { continue }
            let commands = plan.rows.compactMap { each.verb.about(.one($0)) }.map { Command($0) }
            #expect(commands.count == plan.rows.count)
            let batch = reduce(batch: commands, on: ledger.table, limits: Limits(), context)
            #expect(try batch.get().ops == plan.ops)
            #expect(try ledger.perform(.each(each)).get() == plan)
            #expect(ledger.table.fault() == nil)
        }
    }

    @Test func whatHoldsForOneHoldsForEach() {
        let ledger = ledger()
        let missing = refusal(
            .init(.act(.init("nothing", on: Self.noRow)), where: "index < 3"), on: ledger)
        #expect(missing?.code == .noSuchAction)
        #expect(missing?.message.hasSuffix(" 6 of 6 rows refuse it: r0, r1, r2, …") == true)
        #expect(missing?.field == "each.act.action")
        // All of them have to be claimed.
        ledger.perform(.claim(["r0"], note: "", ttlSeconds: nil))
        let remove = Command.Each(.remove(.none), where: "index < 1")
        #expect(refusal(remove, on: ledger, ifClaimed: true)?.code == .notClaimed)
        // One row that refuses the command refuses it for all, and nothing has changed.
        ledger.perform(.act(.init("mark", on: "r3")))
        let revision = ledger.table.revision
        let mark = Command.Each(.act(.init("mark", on: Self.noRow)), where: "field.driver == 7")
        let done = refusal(mark, on: ledger)
        #expect(done?.code == .alreadyDone)
        #expect(done?.message.hasSuffix(" 1 of 4 rows refuses it: r3.") == true)
        #expect(ledger.table.revision == revision)
    }

    @Test func removedRowsThatFitComeBackInOneRevision() throws {
        let ledger = ledger()
        let digest = ledger.table.digest
        ledger.perform(.remove(["r0", "r1", "r3"]))
        ledger.perform(.remove(["r9"]))
        let revision = ledger.table.revision
        func recall(_ condition: String, section: SectionID? = nil, limit: Int? = nil) throws
            -> [String]
        {
            let each = Command.Each(
                .recall(.none), where: condition, section: section, limit: limit)
            return try ledger.perform(.each(each)).get().rows.map(\.text)
        }
        #expect(try recall("field.driver == 5") == [])
        #expect(ledger.table.revision == revision)
        #expect(try recall("field.driver == 7", limit: 1) == ["r9"])
        #expect(try recall("field.driver == 7", section: "s") == [])
        #expect(Set(try recall("field.driver == 7")) == ["r0", "r3"])
        #expect(ledger.table.revision == revision + 2)
        #expect(try recall("title ~ 't'") == ["r1"])
        #expect(ledger.table.digest == digest)
        // One undo takes them away again.
        _ = try ledger.perform(.undo(revision: revision + 2, mine: false)).get()
        #expect(ledger.table.row("r0") == nil && ledger.table.row("r3") == nil)
        #expect(ledger.table.row("r1") != nil && ledger.table.row("r9") != nil)
    }

    @Test func eachRowHasItsOwnReason() {
        let ledger = ledger()
        ledger.perform(.act(.init("mark", on: "r3")))
        ledger.perform(.set("r6", .init(kind: .plainKind)))
        ledger.perform(.set("r9", .init(kind: .plainKind)))
        let mark = Command.Each(.act(.init("mark", on: Self.noRow)), where: "field.driver == 7")
        let message = refusal(mark, on: ledger)?.message ?? ""
        #expect(message.hasPrefix("3 of 4 rows refuse it. r3: "), "\(message)")
        #expect(message.contains(" r6, r9: Row \"r6\" has no action \"mark\"."), "\(message)")
    }

    /// The only row that a condition fits is named, also where the sentence is about the action alone.
    @Test func oneRowThatRefusesIsNamed() {
        let ledger = ledger()
        var (kind, void) = (ledger.table.kinds["card"] ?? Kind("card"), Action("void"))
        void.asksToConfirm = true
        kind.trailing?.actions.append(void)
        ledger.perform(.define(.init(kinds: [kind])))
        func message(_ action: ID) -> String? {
            let act = Command.Verb.act(.init(action, on: Self.noRow))
            return refusal(.init(act, where: "id == 'r3'"), on: ledger)?.message
        }
        #expect(message("void") == "r3: A person must confirm \"void\" first.")
        #expect(message("nothing") == "Row \"r3\" has no action \"nothing\".")
    }

    /// In a table of 10,000 rows a condition may ask for the groups of all of them.
    @Test(arguments: [2, 5_000]) func groupsOfManyRows(count: Int) throws {
        let ledger = Ledger()
        var kind = Kind("ticket")
        kind.show.group = "order"
        let table = Table(
            restoring: "t", history: ID128(high: 1, low: 2), revision: 7, kinds: [kind],
            settings: Settings())
        try table.appendSection("s", title: "")
        for index in 0..<10_000 {
            let fields = [
                Row.Field("order", "\(index % count)"), .init("ready", index == 3 ? "no" : "yes"),
            ]
            let content = Row.Content(kind: "ticket", title: "", fields: fields)
            try table.appendRow(Row(id: ID("r\(index)"), content: content), to: "s")
        }
        let each = Command.Each(
            .set(Self.noRow, .init(title: "x")), where: "all(group where field.ready == 'yes')")
        let context = DecisionContext(nowMs: ledger.nowMs, client: "ada", past: ledger)
        let plan = try reduce(Command(.each(each)), on: table, limits: Limits(), context).get()
        #expect(plan.rows.count == 10_000 - 10_000 / count)
        #expect(!plan.rows.contains("r3"))
    }

    @Test func whatIsRefused() {
        let ledger = ledger()
        func code(_ verb: Command.Verb, _ condition: String, limit: Int? = nil) -> Rejection.Code? {
            refusal(.init(verb, where: condition, limit: limit), on: ledger)?.code
        }
        let remove = Command.Verb.remove(.none)
        #expect(code(remove, "index =") == .badValue)
        #expect(code(remove, String(repeating: " ", count: 5_000)) == .tooLarge)
        #expect(code(remove, "index < 1", limit: 0) == .badNumber)
        // The places of removed rows are no more.
        #expect(code(.recall(.none), "index < 1") == .badValue)
        #expect(code(.undo(revision: nil, mine: false), "index < 1") == .badValue)
        #expect(code(.each(.init(remove, where: "index < 1")), "index < 1") == .badValue)
        let nowhere = Command.Each(remove, where: "index < 1", section: "none")
        #expect(refusal(nowhere, on: ledger)?.code == .noSuchSection)
        let batch = [Command(.each(.init(remove, where: "index < 1"))), Command(.edit(true))]
        guard case .failure(let rejection) = ledger.perform(batch) else {
            Issue.record("it stands in a batch")
            return
        }
        #expect(rejection.code == .badValue)
    }

    /// Neither a condition of many parts nor one about all rows makes others wait.
    @Test func theWorkIsBounded() {
        let ledger = ledger(300)
        let all = Array(repeating: "any(rows where index > 999)", count: 120)
        let condition = all.joined(separator: " or ")
        #expect(refusal(.init(.remove(.none), where: condition), on: ledger) == nil)
        let nested = "any(rows where any(rows where any(rows where index > 999)))"
        #expect(refusal(.init(.remove(.none), where: nested), on: ledger) == nil)
        let long = Array(repeating: "index > 999", count: 250).joined(separator: " or ")
        #expect(refusal(.init(.remove(.none), where: long), on: ledger) == nil)
        for _ in 0..<1_400 { ledger.perform(.add(.init(.init()))) }
        for condition in [condition, long] {
            #expect(refusal(.init(.remove(.none), where: condition), on: ledger)?.code == .tooLarge)
        }
    }
}

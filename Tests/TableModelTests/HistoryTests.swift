import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

@Suite struct HistoryTests {
    /// Random commands that are all undone, the last first. Each table in between is equal to the
    /// one that was there, with its ages and versions.
    @Test(arguments: 1...8) func everythingIsUndone(seed: Int) throws {
        let ledger = Ledger()
        var commands = RandomCommands(seed: UInt64(seed), rows: 40, queues: true)
        while ledger.table.revision < 1_250 {
            commands.look(at: ledger.table)
            let batch =
                commands.random.once(in: 4) ? commands.batch() : [Command(commands.verb())]
            let isHandling = batch.contains { command in
                [.take, .release, .finish, .next].contains(command.verb.name)
            }
            if !isHandling { ledger.perform(batch, by: commands.client ?? "nobody") }
        }
        let changes = Int(ledger.table.revision)
        for revision in stride(from: changes, to: 0, by: -1) {
            let result = ledger.perform(.undo(revision: nil, mine: false))
            guard case .success(let plan) = result else {
                Issue.record("seed \(seed), revision \(revision): \(result)")
                return
            }
            // Revisions that changed nothing but a selection are passed over.
            let undone = Int(plan.undoes ?? 0)
            try #require(
                ledger.table.digest == ledger.digests[undone - 1],
                "seed \(seed), revision \(undone): \(ledger.changes[undone - 1].diff.ops)")
            if undone == 1 { break }
        }
        #expect(ledger.table.digest == ledger.digests[0])
        #expect(ledger.table.fault() == nil)
        #expect(ledger.table.recomputedDigest() == ledger.digests[0])
    }

    /// Later changes that pass are not in the way, but only so many are read.
    @Test func whatIsTooFarBackIsCompacted() throws {
        let ledger = Ledger()
        ledger.perform(.add(.init(id: "a", .init())))
        ledger.perform(.add(.init(id: "b", .init())))
        ledger.perform(.set("a", .init(title: "new")))
        let undo = Command.Verb.undo(revision: 3, mine: false)
        for count in 1...4_097 {
            ledger.perform(.expand("a", .height(count % 2 == 0 ? 9 : 8)))
            guard count >= 4_096 else { continue }
            let result = reduce(
                Command(undo), on: ledger.table, limits: Limits(),
                DecisionContext(nowMs: 1, past: ledger))
            if count == 4_096 { #expect(try result.get().rows == ["a"]) }
            guard count == 4_097, case .failure(let rejection) = result else { continue }
            #expect(rejection.code == .compacted && rejection.field == "undo.revision")
        }
    }

    @Test func rowsAreFoundInBytes() {
        let long = ID(String(repeating: "l", count: 200))
        let search = RowSearch(["a", "row 17", long])
        func isFound(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { search.mayBe(in: $0) } }
        #expect(isFound([9, 9, 1, 0x61]) && isFound([6] + Array("row 17".utf8) + [7]))
        #expect(isFound([0xc8, 1] + Array(long.text.utf8)))
        #expect(!isFound([]) && !isFound([2, 0x61]) && !isFound([6] + Array("row 18".utf8)))
        #expect(!isFound([0xc8]) && !isFound([6, 0x72]))
    }

    /// Rewinding leads back too, and makes no revisions.
    @Test(arguments: 1...4) func aTableIsLedBack(seed: Int) throws {
        let ledger = Ledger()
        var commands = RandomCommands(seed: UInt64(seed), rows: 30, queues: true)
        var versions: [[RowID: UInt64]] = [[:]]
        while ledger.table.revision < 600 {
            commands.look(at: ledger.table)
            let batch =
                commands.random.once(in: 4) ? commands.batch() : [Command(commands.verb())]
            let before = ledger.table.revision
            ledger.perform(batch, by: commands.client ?? "nobody")
            if ledger.table.revision > before { versions.append(Self.versions(ledger.table)) }
        }
        let table = ledger.table.copy()
        for revision in stride(from: Int(table.revision), to: 0, by: -1) {
            let inverse = try #require(ledger.changes[revision - 1].inverse)
            try table.rewind(inverse, to: ledger.digests[revision - 1])
            try #require(Self.versions(table) == versions[revision - 1], "revision \(revision)")
            if revision % 50 == 0 { try #require(table.fault() == nil) }
        }
        #expect(table.revision == 0)
    }

    private static func versions(_ table: Table) -> [RowID: UInt64] {
        Dictionary(uniqueKeysWithValues: table.rows.map { ($0.id, $0.version) })
    }

    /// Undo, redo and recall at any time, among all other commands. Each gives a valid table that
    /// every viewer has too, or names what is in the way.
    @Test(arguments: 1...12) func anythingGoesAtAnyTime(seed: Int) throws {
        let ledger = Ledger()
        let viewer = Table(name: "t", history: ID128(high: 1, low: 2))
        var commands = RandomCommands(seed: UInt64(100 + seed), rows: 20, queues: true)
        var refusals: Set<Rejection.Code> = []
        var undone = 0
        for _ in 0..<700 {
            commands.look(at: ledger.table)
            let before = ledger.table.revision
            let digest = ledger.table.digest
            let result = ledger.perform(
                [Command(Self.verb(&commands, ledger))], by: commands.client)
            switch result {
            case .failure(let rejection):
                refusals.insert(rejection.code)
                try #require(ledger.table.digest == digest && ledger.table.revision == before)
            case .success(let plan):
                if plan.undoes != nil { undone += 1 }
                if ledger.table.revision > before {
                    try viewer.apply(try #require(ledger.change(ledger.table.revision)).diff)
                }
            }
            try #require(ledger.table.fault() == nil, "seed \(seed): \(ledger.table.fault() ?? "")")
        }
        #expect(undone > 20)
        #expect(refusals.contains(.conflict))
        #expect(viewer.digest == ledger.table.digest)
    }

    private static func verb(_ commands: inout RandomCommands, _ ledger: Ledger) -> Command.Verb {
        let head = ledger.table.revision
        switch commands.random.below(12) {
        case 0: return .undo(revision: nil, mine: commands.random.once(in: 2))
        case 1, 2:
            let back = UInt64(commands.random.below(40))
            return .undo(revision: head > back ? head - back : 1, mine: false)
        case 3: return .redo(mine: commands.random.once(in: 2))
        case 4:
            let removed = ledger.table.removed.entries.map(\.row)
            return .recall(removed.isEmpty ? ["r1"] : [commands.random.pick(removed)])
        default: return commands.verb()
        }
    }

    // MARK: Undo

    static func board() -> Ledger {
        let ledger = Ledger()
        for id: RowID in ["a", "b", "c", "d", "e"] {
            ledger.perform(.add(.init(id: id, .init(title: "Table \(id.text)"))))
        }
        return ledger
    }

    static func order(_ ledger: Ledger) -> String {
        ledger.table.rows.map(\.id.text).joined()
    }

    @Test func anothersLaterChangeOfTheSameIsNamed() throws {
        let ledger = Self.board()
        ledger.perform(.set("b", .init(title: "mine")))
        let revision = ledger.table.revision
        ledger.perform(.set("b", .init(title: "theirs")), by: "bob")
        guard case .failure(let rejection) = ledger.perform(.undo(revision: revision, mine: false))
        else {
            Issue.record("undone")
            return
        }
        #expect(rejection.code == .conflict)
        #expect(
            rejection.message
                == "Revision 7 (bob, set) is in the way of revision 6: "
                + "it changed row \"b\": its title."
        )
    }

    /// No row is swiped open while it is dragged, even if another one is open too.
    @Test func anUndoOpensNoRowThatIsDragged() throws {
        let ledger = Self.board()
        ledger.perform(.define(.init(kinds: [.swipeable])))
        ledger.perform(.swipe("b", .trailing))
        ledger.perform(.swipe("b", nil))
        let closing = ledger.table.revision
        ledger.perform(.swipe("c", .trailing))
        let undo = Command(.undo(revision: closing, mine: false))
        let plan = try ledger.perform([undo], lifted: ["b": "bob"]).get()
        #expect(plan.ops == [.swipe("b", .trailing), .swipe("b", nil)])
        #expect(ledger.table.row("c")?.swipe == .trailing)
    }

    /// Rows that were expanded while the table was no accordion close when it is one again.
    @Test func anAccordionThatComesBackHasOneRowOpen() throws {
        let ledger = Self.board()
        var settings = Settings()
        settings.expandPolicy = .accordionTable
        ledger.perform(.define(.init(settings: settings)))
        ledger.perform(.undo(revision: nil, mine: false))
        ledger.perform(.expandAll(true))
        let plan = try ledger.perform(.redo(mine: false)).get()
        let others: [RowID] = ["b", "c", "d", "e"]
        #expect(Array(plan.ops.dropFirst()) == others.map { Op.expand($0, .collapsed) })
        #expect(ledger.table.settings == settings)
    }

    /// If several dragged rows are in the way, every process names the first by id.
    @Test func theFirstDraggedRowInTheWayIsNamed() throws {
        let ledger = Self.board()
        ledger.perform(.move(["e", "d", "c", "b"], section: nil, .top, .strict))
        let lifted: [RowID: ID] = ["b": "bob", "c": "bob", "d": "bob", "e": "bob"]
        let undo = Command(.undo(revision: nil, mine: false))
        guard case .failure(let rejection) = ledger.perform([undo], lifted: lifted) else {
            Issue.record("undone")
            return
        }
        #expect(rejection.message == "Row \"b\" is being dragged by bob.")
    }

    @Test func whatOthersDidElsewhereStays() throws {
        let ledger = Self.board()
        ledger.perform(.set("b", .init(title: "mine", fields: [.init("f", "1")])))
        let revision = ledger.table.revision
        ledger.perform(.set("b", .init(fields: [.init("g", "2")])), by: "bob")
        ledger.perform(.move(["b"], section: nil, .bottom, .rebase), by: "bob")
        _ = try ledger.perform(.undo(revision: revision, mine: false)).get()
        let row = try #require(ledger.table.row("b"))
        #expect(row.content.title == "Table b")
        #expect(row.content.fields == [.init("g", "2")])
        #expect(Self.order(ledger) == "acdeb")
    }

    @Test func aPlaceIsFoundThoughItsNeighboursWent() throws {
        let ledger = Self.board()
        ledger.perform(.move(["c"], section: nil, .top, .rebase))
        let revision = ledger.table.revision
        ledger.perform(.remove(["b"]), by: "bob")
        let plan = try ledger.perform(.undo(revision: revision, mine: false)).get()
        #expect(Self.order(ledger) == "acde")
        #expect(plan.note == "after a: b was removed")
    }

    /// The undo of one change is not in the way of the undo of another.
    @Test func anUndoBetweenIsInNobodysWay() throws {
        let ledger = Self.board()
        ledger.perform(.move(["c"], section: nil, .top, .rebase))
        let moved = ledger.table.revision
        ledger.perform(.set("c", .init(title: "new")), by: "bob")
        let renamed = ledger.table.revision
        _ = try ledger.perform(.undo(revision: moved, mine: false)).get()
        _ = try ledger.perform(.undo(revision: renamed, mine: false)).get()
        #expect(ledger.table.digest == ledger.digests[5])
    }

    @Test func aStoryReadsLikeASentence() throws {
        let ledger = Self.board()
        ledger.perform(.section("fry", title: "Fry"))
        ledger.perform(.move(["c"], section: "fry", .top, .rebase))
        ledger.perform(
            .set("a", .init(title: "Table A", fields: [.init("guests", "4")])), by: "bob")
        ledger.perform(.move(["a"], section: nil, .after("b"), .rebase))
        ledger.perform(.remove(["b"]), by: "bob")
        ledger.perform(.undo(revision: nil, mine: false))
        let stories = ledger.changes.map { Story($0, on: ledger.table).text }
        #expect(
            stories == [
                "ada added \"Table a\" at the top of main",
                "ada added \"Table b\" after \"Table A\"",
                "ada added \"Table c\" after \"Table b\"",
                "ada added \"Table d\" after \"Table c\"",
                "ada added \"Table e\" after \"Table d\"",
                "ada made section \"Fry\"",
                "ada moved \"Table c\" from main to Fry, at the top",
                "bob renamed \"Table a\" to \"Table A\" and set guests of it to \"4\"",
                "ada moved \"Table A\" after \"Table b\"",
                "bob removed \"Table b\"",
                "ada undid revision 10, and so brought back \"Table b\" at the top of main",
            ])
    }

    /// A page of history has hundreds of revisions, and the daemon does nothing else meanwhile, so
    /// a story must be quick to tell.
    @Test func aStoryOfThousandsOfStepsIsToldAtOnce() throws {
        let ledger = Ledger()
        for batch in 0..<20 {
            ledger.perform(
                (0..<1_000).map {
                    Command(.add(.init(id: ID("\(batch)-\($0)"), .init(title: "T\($0)"))))
                })
        }
        let stories = ledger.changes.map { Story($0, on: ledger.table).text }
        #expect(stories[1].hasSuffix(" and did 996 more things"))
        let one = Ledger()
        one.perform((0..<4).map { Command(.add(.init(id: ID("\($0)"), .init(title: "T\($0)")))) })
        #expect(Story(one.changes[0], on: one.table).text.hasSuffix(" and did 1 more thing"))
    }

    @Test func mineAreMine() throws {
        let ledger = Self.board()
        ledger.perform(.set("a", .init(title: "bob's")), by: "bob")
        ledger.perform(.set("b", .init(title: "ada's")))
        let plan = try ledger.perform(.undo(revision: nil, mine: true), by: "bob").get()
        #expect(plan.undoes == 6)
        #expect(ledger.table.row("a")?.content.title == "Table a")
        guard
            case .failure(let nothing) = ledger.perform(.undo(revision: nil, mine: true), by: "eve")
        else {
            Issue.record("undone")
            return
        }
        #expect(nothing.code == .nothingToUndo)
    }

    @Test func redoAndUndoAgain() throws {
        let ledger = Self.board()
        ledger.perform(.remove(["c"]))
        let (with, without) = (ledger.digests[5], ledger.digests[6])
        for _ in 0..<3 {
            _ = try ledger.perform(.undo(revision: nil, mine: false)).get()
            #expect(ledger.table.digest == with)
            _ = try ledger.perform(.redo(mine: false)).get()
            #expect(ledger.table.digest == without)
        }
        guard case .failure(let refused) = ledger.perform(.redo(mine: false)) else {
            Issue.record("redone")
            return
        }
        #expect(refused.code == .nothingToUndo)
        _ = try ledger.perform(.undo(revision: 6, mine: false)).get()
        guard case .failure(let twice) = ledger.perform(.undo(revision: 6, mine: false)) else {
            Issue.record("undone twice")
            return
        }
        #expect(twice.code == .alreadyUndone)
    }

    @Test func notInABatch() {
        let ledger = Self.board()
        let result = ledger.perform([
            Command(.undo(revision: nil, mine: false)), Command(.edit(true)),
        ])
        guard case .failure(let rejection) = result else {
            Issue.record("undone")
            return
        }
        #expect(rejection.code == .badValue && rejection.command == 0)
    }

    // MARK: Recall

    @Test func aBumpedTicketComesBackAsItWas() throws {
        let ledger = Ledger()
        var bump = Action("bump")
        bump.effects = [.set([.init("bumped", "yes")]), .remove]
        var ticket = Kind("ticket")
        ticket.trailing = ActionGroup(actions: [bump])
        ledger.perform(.define(.init(kinds: [ticket])))
        for id: RowID in ["a", "b", "c"] {
            ledger.perform(.add(.init(id: id, .init(kind: "ticket", title: id.text))))
        }
        ledger.perform(.expand("b", .expanded))
        let before = try #require(ledger.table.row("b"))
        ledger.perform(.swipe("b", .trailing))
        ledger.perform(.act(.init("bump", on: "b")))
        #expect(Self.order(ledger) == "ac")
        // A neighbour goes, and another comes.
        ledger.perform(.remove(["a"]), by: "bob")
        ledger.perform(.add(.init(id: "x", .init(kind: "ticket"), at: .bottom)), by: "bob")
        let plan = try ledger.perform(.recall(["b"])).get()
        #expect(Self.order(ledger) == "bcx")
        #expect(plan.note == "top of main: a was removed")
        let after = try #require(ledger.table.row("b"))
        #expect(after.hash == before.hash)
        #expect(after.createdMs == before.createdMs && after.swipe == nil)
        _ = try ledger.perform(.act(.init("bump", on: "b"))).get()
    }

    @Test func rowsThatWentTogetherComeBackOneByOne() throws {
        for order in [["b", "c", "d"], ["d", "c", "b"], ["c", "d", "b"]] as [[RowID]] {
            let ledger = Self.board()
            ledger.perform(.remove(["b", "c", "d"]))
            for id in order { _ = try ledger.perform(.recall([id])).get() }
            #expect(Self.order(ledger) == "abcde", "\(order)")
        }
        let ledger = Self.board()
        ledger.perform(.remove(["b"]))
        ledger.perform(.remove(["c"]))
        _ = try ledger.perform(.recall(["c", "b"])).get()
        #expect(Self.order(ledger) == "abcde")
    }

    @Test func aSectionThatWentIsMadeAnew() throws {
        let ledger = Self.board()
        ledger.perform(.section("grill", title: "The grill"))
        ledger.perform(.add(.init(id: "g", .init(), section: "grill")))
        ledger.perform(.remove(["g"]))
        ledger.perform(.removeSection("grill"))
        _ = try ledger.perform(.recall(["g"])).get()
        #expect(ledger.table.position(of: "g")?.section == "grill")
        #expect(ledger.table.section("grill")?.title == "The grill")
    }
}

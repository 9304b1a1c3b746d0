import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// Ops that go together are applied together. They do what each does by itself.
@Suite struct RunTests {
    /// Two strips of twenty items each, and a row that is none.
    private static func ledger() -> Ledger {
        let ledger = Ledger()
        var strip = Kind("strip")
        strip.isStrip = true
        ledger.perform(.define(.init(kinds: [strip])))
        for id: RowID in ["s", "t"] {
            var content = Row.Content(kind: "strip", title: id.text)
            content.items = (0..<20).map { Item(ID("i\($0)"), title: "\($0)") }
            ledger.perform(.add(.init(id: id, content)))
        }
        ledger.perform(.add(.init(id: "r", .init())))
        return ledger
    }

    /// Changes of items of one strip, or of both in turn, and sometimes of the strip besides.
    private static func batch(_ dice: inout SplitMix64, _ number: Int) -> [Command] {
        var all = (0..<20).map { ID("i\($0)") }
        var free: [ID] = []
        return (0..<Int.random(in: 2...30, using: &dice)).compactMap { step in
            let strip: RowID = dice.once(in: 6) ? "t" : "s"
            let place = Int.random(in: 0..<all.count, using: &dice)
            switch Int.random(in: 0..<7, using: &dice) {
            case 0 where strip == "s" && all.count > 4:
                free.append(all.remove(at: place))
                return Command(.item(strip, .remove([free[free.count - 1]])))
            case 1 where strip == "s":
                all.append(ID("n\(number)-\(step)"))
                let item = Item(all[all.count - 1], title: "new")
                return Command(.item(strip, .add(item, dice.pick([.top, .bottom]))))
            case 2 where strip == "s":
                return Command(.item(strip, .move([all[place]], dice.pick([.top, .bottom]))))
            case 3: return Command(.set(strip, .init(title: "\(number) \(step)")))
            case 4 where dice.once(in: 3): return Command(.expand(strip, .height(9)))
            default:
                let id = strip == "s" ? all[place] : ID("i\(place % 20)")
                return Command(.item(strip, .set(id, .init(title: "\(number).\(step)"))))
            }
        }
    }

    @Test(arguments: 1...30) func togetherIsOneByOne(seed: Int) throws {
        var dice = SplitMix64(seed: UInt64(seed))
        let ledger = Self.ledger()
        let single = Self.ledger().table
        let before = (ledger.table.digest, ledger.table.rows)
        let plan = try ledger.perform(Self.batch(&dice, seed)).get()
        let change = try #require(ledger.changes.last)
        var runs: [Int] = []
        plan.ops.forEachRun { runs.append($0.count) }
        #expect(runs.reduce(0, +) == plan.ops.count)

        let moment = Moment(revision: single.revision + 1, timeMs: change.diff.cause.timeMs)
        var inverses: [[Op]] = []
        for op in plan.ops {
            inverses.append(single.inverse(of: op))
            try single.apply(op, at: moment)
        }
        #expect(single.digest == ledger.table.digest)
        #expect(single.rows == ledger.table.rows)
        #expect(ledger.table.fault() == nil)

        // Both inverses lead back, the one of the runs and the one of the ops.
        let back = Moment(revision: single.revision, timeMs: 0, isInverse: true)
        for op in inverses.reversed().joined() { try single.apply(op, at: back) }
        #expect(single.digest == before.0 && single.rows == before.1)
        try ledger.table.apply(inverse: change.inverse ?? [], to: ledger.table.revision)
        #expect(ledger.table.digest == before.0 && ledger.table.rows == before.1)
        #expect(ledger.table.fault() == nil)
    }

    @Test func itemsOfOneStripGoTogether() throws {
        let ledger = Self.ledger()
        let ids = (1..<20).map { ID("i\($0)") }
        let plan = try ledger.perform(.item("s", .remove(ids))).get()
        var runs: [Int] = []
        plan.ops.forEachRun { runs.append($0.count) }
        #expect(runs == [19])
        // The strip's traces are restored once.
        #expect(ledger.changes.last?.inverse?.count == 20)
    }

    /// An undo of an undo does not have more ops each time.
    @Test func undoAndRedoStayAsLargeAsTheyAre() throws {
        let ledger = Self.ledger()
        for number in 0..<9 { ledger.perform(.add(.init(id: ID("r\(number)"), .init()))) }
        let moved: [RowID] = ["r2", "r3", "r7", "r4", "r", "s"]
        let changes: [[Command]] = [
            [Command(.move(Few(moved), section: nil, .bottom, .rebase))],
            [
                Command(.item("s", .remove((1..<9).map { ID("i\($0)") }))),
                Command(.set("s", .init(title: "other"))),
                Command(.item("s", .set("i10", .init(title: "other")))),
            ],
        ]
        for commands in changes {
            let before = (ledger.table.digest, ledger.table.rows.map(\.id))
            ledger.perform(commands)
            let after = ledger.table.rows.map(\.id)
            _ = try ledger.perform(.undo(revision: nil, mine: false)).get()
            #expect(ledger.table.digest == before.0)
            var sizes: Set<[Int]> = []
            for _ in 0..<4 {
                let redo = try ledger.perform(.redo(mine: false)).get()
                #expect(ledger.table.rows.map(\.id) == after)
                let undo = try ledger.perform(.undo(revision: nil, mine: false)).get()
                #expect(ledger.table.rows.map(\.id) == before.1)
                #expect(ledger.table.digest == before.0 && ledger.table.fault() == nil)
                sizes.insert([redo.ops.count, undo.ops.count])
            }
            #expect(sizes.count == 1)
        }
    }

    /// Rows that stood behind each other go back together.
    @Test func aBlockGoesBackInOneMove() throws {
        let ledger = Self.ledger()
        for number in 0..<9 { ledger.perform(.add(.init(id: ID("r\(number)"), .init()))) }
        ledger.perform(.move(["r7", "r2", "r3", "r4"], section: nil, .top, .rebase))
        let inverse = ledger.changes.last?.inverse ?? []
        #expect(
            inverse.prefix(2) == [
                .move(["r2", "r3", "r4"], .after("r1")), .move(["r7"], .after("r6")),
            ])
        #expect(inverse.count == 6)
    }
}

import SeededNumbers
import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// `recall` brings rows back from revisions in which they came and went.
@Suite struct RecallTests {
    /// A batch may remove a row and add another of its name, in any order: each time what `recall` brings back
    /// is one row, once.
    @Test func rowsThatComeAndGoInOneRevisionComeBackOnce() throws {
        let verbs: [Command.Verb] = [
            .remove(["b"]), .add(.init(id: "b", .init(title: "new"))),
            .set("b", .init(title: "changed")), .move(["b"], section: nil, .top, .strict),
        ]
        for seed in 0..<300 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            let ledger = HistoryTests.board()
            let old = try #require(ledger.table.row("b"))
            let batch = (0..<2 + random.below(6)).map { _ in Command(random.pick(verbs)) }
            guard case .success = ledger.perform(batch), ledger.table.row("b") == nil else {
                continue
            }
            let isOld = batch.first { $0.name == "add" || $0.name == "remove" }?.name == "remove"
            let plan = try ledger.perform(.recall(["b"])).get()
            #expect(plan.ops.count == 1 && ledger.table.fault() == nil)
            let row = try #require(ledger.table.row("b"))
            // As it was before the revision, since it was there.
            #expect(!isOld || row.content.title == old.content.title, "\(batch)")
        }
        // It was not there: as it was when it was removed.
        let ledger = HistoryTests.board()
        let add = Command(.add(.init(id: "z", .init(title: "new"))))
        _ = try ledger.perform([add, Command(.remove(["z"]))]).get()
        _ = try ledger.perform(.recall(["z"])).get()
        #expect(ledger.table.row("z")?.content.title == "new" && ledger.table.fault() == nil)
    }

    // MARK: Where they come back

    private static func places(_ table: Table) -> [String] {
        table.rows.map { row in
            "\(row.id.text) in \(table.position(of: row.id)?.section.text ?? "no section")"
        }
    }

    private static let sections: [SectionID] = ["grill", "fry"]

    /// With so many rows, each in one of the sections.
    private static func ledger(rows: Int, _ random: inout SplitMix64) -> Ledger {
        let ledger = Ledger()
        for section in sections { ledger.perform(.section(section, title: "")) }
        for number in 0..<rows {
            let section = random.pick(sections)
            ledger.perform(.add(.init(id: ID("\(number)"), .init(), section: section)))
        }
        return ledger
    }

    /// However a revision removed them, and however many are recalled at once, in whatever order.
    @Test(arguments: 0..<200 as Range<UInt64>) func rowsStandWhereTheyStood(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let ledger = Self.ledger(rows: 12, &random)
        let before = Self.places(ledger.table)
        let ids = ledger.table.rows.map(\.id).shuffled(using: &random)
        var leaving = ids.prefix(2 + random.below(8))
        var gone = leaving.shuffled(using: &random)
        var batch: [Command] = []
        while !leaving.isEmpty {
            let some = leaving.prefix(1 + random.below(3))
            batch.append(Command(.remove(Few(Array(some)))))
            leaving.removeFirst(some.count)
        }
        _ = try ledger.perform(batch).get()
        while !gone.isEmpty {
            let some = gone.prefix(1 + random.below(3))
            _ = try ledger.perform(.recall(Few(Array(some)))).get()
            gone.removeFirst(some.count)
            let missing = Set(gone.map(\.text))
            let there = before.filter { !missing.contains(String($0.prefix { $0 != " " })) }
            #expect(Self.places(ledger.table) == there)
        }
        #expect(ledger.table.fault() == nil)
    }

    /// Also where the same revision moved rows, those that it removed or others, from one section to another.
    @Test(arguments: 0..<300 as Range<UInt64>)
    func rowsStandAmongThoseThatWereNotMoved(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let ledger = Self.ledger(rows: 10, &random)
        let before = Self.places(ledger.table)
        var there = ledger.table.rows.map(\.id)
        var (moved, gone): (Set<RowID>, [RowID]) = ([], [])
        var batch: [Command] = []
        for _ in 0..<3 + random.below(6) where there.count > 4 {
            there.shuffle(using: &random)
            let some = Array(there.prefix(1 + random.below(3)))
            if random.once(in: 2) {
                batch.append(Command(.remove(Few(some))))
                there.removeFirst(some.count)
                gone += some
            } else {
                let anchor = random.pick([.top, .bottom, .after(there[3])] as [Anchor])
                let section = anchor == .after(there[3]) ? nil : random.pick(Self.sections)
                batch.append(Command(.move(Few(some), section: section, anchor, .strict)))
                moved.formUnion(some)
            }
        }
        guard !gone.isEmpty else { return }
        let change = ledger.table.revision
        _ = try ledger.perform(batch).get()
        let passed = Set(moved.subtracting(gone).map(\.text))
        func staying(_ places: [String], without missing: [RowID]) -> [String] {
            let left = passed.union(missing.map(\.text))
            return places.filter { !left.contains(String($0.prefix { $0 != " " })) }
        }
        gone.shuffle(using: &random)
        while !gone.isEmpty {
            let some = gone.prefix(1 + random.below(3))
            _ = try ledger.perform(.recall(Few(Array(some)))).get()
            gone.removeFirst(some.count)
            #expect(
                staying(Self.places(ledger.table), without: [])
                    == staying(before, without: gone), "\(change): \(batch)")
        }
        #expect(ledger.table.fault() == nil)
    }

    /// A revision that moved rows to another section and removed them there.
    @Test(arguments: [[["a", "b"]], [["a"], ["b"]], [["b"], ["a"]]] as [[[RowID]]])
    func rowsThatWereMovedFirstComeBackInTheirOrder(recalls: [[RowID]]) throws {
        let ledger = board(("x", "main"), ("a", "main"), ("b", "main"), ("d", "done"))
        let before = ledger.table.digest
        let moves = ["a", "b"].map { id in
            Command(.move([ID(id)], section: "done", .bottom, .strict))
        }
        _ = try ledger.perform(moves + [Command(.remove(["a", "b"]))]).get()
        for (index, ids) in recalls.enumerated() {
            let plan = try ledger.perform(.recall(Few(ids))).get()
            let note = recalls[index] == ["b"] && index == 0 ? "after x: a was removed" : nil
            #expect(plan.note == note)
        }
        #expect(ledger.table.digest == before)
    }

    @Test func aRowWhoseNeighbourWasMovedComesBackToItsSection() throws {
        for isRemovedFirst in [false, true] {
            let ledger = board(("x", "main"), ("n", "main"), ("b", "main"), ("d", "done"))
            let remove = Command(.remove(["b"]))
            let move = Command(.move(["n"], section: "done", .bottom, .strict))
            _ = try ledger.perform(isRemovedFirst ? [remove, move] : [move, remove]).get()
            let plan = try ledger.perform(.recall(["b"])).get()
            #expect(
                Self.places(ledger.table) == ["x in main", "b in main", "d in done", "n in done"])
            #expect(plan.note == "after x: n was moved")
        }
    }

    /// Nothing says where a row stood that was exchanged with another before it went.
    @Test func aRowThatWasExchangedComesBackToWhereItWent() throws {
        let ledger = board(("x", "main"), ("a", "main"), ("y", "done"), ("d", "done"))
        _ = try ledger.perform([Command(.swap("a", "d")), Command(.remove(["a"]))]).get()
        _ = try ledger.perform(.recall(["a"])).get()
        #expect(Self.places(ledger.table) == ["x in main", "d in main", "y in done", "a in done"])
    }

    private func board(_ rows: (RowID, SectionID)...) -> Ledger {
        let ledger = Ledger()
        for (id, section) in rows {
            ledger.perform(.add(.init(id: id, .init(), section: section)))
        }
        return ledger
    }

    @Test func rowsOfTwoSectionsComeBackToTheirOwn() throws {
        let ledger = board(("s1", "grill"), ("s2", "grill"), ("f1", "fry"), ("f2", "fry"))
        let before = ledger.table.digest
        ledger.perform(.remove(["s2", "f2"]))
        let plan = try ledger.perform(.recall(["s2", "f2"])).get()
        #expect(plan.notes == nil && ledger.table.digest == before)
    }

    /// It is not said that a row went which stood elsewhere.
    @Test func aRowBetweenOthersThatStayedComesBackWithoutANote() throws {
        let ledger = board(
            ("a", "main"), ("x", "main"), ("b", "main"), ("y", "main"), ("c", "main"))
        ledger.perform(.remove(["x", "y"]))
        let plan = try ledger.perform(.recall(["y"])).get()
        #expect(HistoryTests.order(ledger) == "abyc" && plan.notes == nil)
    }

    /// Also where the row above went later than it, in the same revision.
    @Test(arguments: [["x", "y"], ["y", "x"]] as [[RowID]])
    func theNearestThatIsLeftIsAboveAllThatWent(order: [RowID]) throws {
        let ledger = board(("a", "main"), ("b", "main"), ("x", "main"), ("y", "main"))
        ledger.perform(order.map { Command(.remove([$0])) })
        let plan = try ledger.perform(.recall(["y"])).get()
        #expect(HistoryTests.order(ledger) == "aby")
        #expect(plan.notes?.mapValues(\.text) == ["y": "after b: x was removed"])
    }

    @Test func anotherRowOfTheNameIsNotTheOldNeighbour() throws {
        let ledger = board(("a", "main"), ("x", "main"), ("y", "main"))
        ledger.perform(.remove(["x", "y"]))
        ledger.perform(.add(.init(id: "x", .init(), section: "pass")))
        let plan = try ledger.perform(.recall(["y"])).get()
        #expect(Self.places(ledger.table) == ["a in main", "y in main", "x in pass"])
        #expect(plan.notes?.mapValues(\.text) == ["y": "after a: x was moved"])
    }
}

import SeededNumbers
import TableLayout
import TableDecisions
import TableModel
import Testing

/// Changes elsewhere do not move the rows that a viewer looks at (C7).
struct ScrollAnchorTests {
    @discardableResult
    private func apply(
        _ table: Table, _ index: LayoutIndex, _ anchor: ScrollAnchor? = nil,
        _ verbs: Command.Verb...
    ) throws -> ScrollAnchor? {
        let plan = try reduce(
            batch: verbs.map { Command($0) }, on: table, limits: Limits(), nowMs: 0
        ).get()
        guard let diff = table.apply(plan, cause: Cause(verb: "test")) else { return anchor }
        return index.apply(diff, table, keeping: anchor)
    }

    /// Inserts, removals, moves, expansions, titles, above the anchor and below it.
    @Test func tenThousandEditsAboveDoNotMoveIt() throws {
        let table = try RandomTable.filled(2_000)
        let index = LayoutIndex(table, widthPoints: 320)
        var random = SplitMix64(seed: 3)
        let row: RowID = "r1500"
        var anchor = ScrollAnchor(row, withinPoints: 12.5)
        var above = (0..<1_500).map { ID("r\($0)") }
        let below = (1_501..<1_520).map { ID("r\($0)") }
        func onScreen() throws -> [Double] {
            let offset = try #require(index.contentOffset(of: anchor))
            return index.visible(from: offset, to: offset + 480).map { $0.y - offset }
        }
        let start = try onScreen()
        #expect(start.first == -12.5 && start.count > 7)
        var offsets: Set<Double> = []
        for number in 0..<10_000 {
            let one = random.pick(above)
            let verb: Command.Verb
            switch random.below(6) {
            case 0:
                above.append(ID("new \(number)"))
                let content = Row.Content(title: "new")
                verb = .add(.init(id: ID("new \(number)"), content, at: .before(one)))
            case 1:
                above.removeAll { $0 == one }
                verb = .remove([one])
            case 2: verb = .move([one], section: nil, .before(random.pick(above)), .strict)
            case 3: verb = .expand(one, random.pick([.expanded, .collapsed, .height(33.3)]))
            case 4: verb = .set(one, .init(title: String(repeating: "m ", count: random.below(99))))
            default: verb = .swipe(random.pick(below), .leading)
            }
            if case .move(let ids, _, .before(let other), _) = verb, ids == [other] { continue }
            anchor = try #require(try apply(table, index, anchor, verb))
            offsets.insert(try #require(index.contentOffset(of: anchor)))
            if number % 50 == 0 { try #require(try onScreen() == start, "edit \(number)") }
            let offset = try #require(index.contentOffset(of: anchor))
            try #require(index.frame(of: row)?.y == offset - 12.5, "edit \(number)")
        }
        // It did happen above.
        #expect(offsets.count > 1_000 && anchor == ScrollAnchor(row, withinPoints: 12.5))
        #expect(try onScreen() == start)
    }

    private func small() throws -> (Table, LayoutIndex) {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        for section in ["one", "none", "two"] as [SectionID] {
            try table.appendSection(section, title: "")
            if section == "none" { continue }
            for number in 0..<3 {
                let row = Row(
                    id: ID("\(section)\(number)"), content: .init(),
                    expansion: .height(Double(10 * (number + 1))))
                try table.appendRow(row, to: section)
            }
        }
        return (table, LayoutIndex(table, widthPoints: 320))
    }

    @Test func theNextRowTakesItsPlace() throws {
        let (table, index) = try small()
        let anchor = ScrollAnchor("one1", withinPoints: 15)
        // The rows below close the gap: the content offset is what it was.
        let next = try apply(table, index, anchor, .remove(["one1"]))
        #expect(next == ScrollAnchor("one2", withinPoints: 15))
        #expect(next.flatMap(index.contentOffset) == 25)
        // Also over an empty section, and over rows that go with it, in any order.
        let over = try apply(table, index, next, .remove(["two0", "one2", "two1"]))
        #expect(over == ScrollAnchor("two2", withinPoints: 15))
        // Nothing follows: the end of what is before.
        let last = try apply(table, index, over, .remove(["two2"]))
        #expect(last == ScrollAnchor("one0", withinPoints: 10))
        #expect(last.flatMap(index.contentOffset) == index.contentHeightPoints)
        #expect(try apply(table, index, last, .remove(["one0"])) == nil)
    }

    @Test func noFurtherThanItCanBeSeen() throws {
        let (table, index) = try small()
        let anchor = ScrollAnchor("one2", withinPoints: 29)
        let next = try apply(table, index, anchor, .remove(["one2"]))
        #expect(next == ScrollAnchor("two0", withinPoints: 10))
        let (other, its) = try small()
        let above = ScrollAnchor("one0", withinPoints: -100)
        #expect(
            try apply(other, its, above, .remove(["one0"]))
                == ScrollAnchor("one1", withinPoints: -100))
    }

    @Test func whoComesBackIsTheAnchorAgain() throws {
        let (table, index) = try small()
        let anchor = ScrollAnchor("one1", withinPoints: 5)
        let back = try apply(
            table, index, anchor, .remove(["one1"]),
            .add(.init(id: "one1", .init(), section: "two")))
        #expect(back == anchor)
        #expect(
            try apply(table, index, back, .move(["one1"], section: "one", .top, .strict)) == anchor)
        #expect(index.contentOffset(of: anchor) == 5)
        #expect(index.apply([.remove("nobody")], table, keeping: anchor) == anchor)
        let gone = ScrollAnchor("gone")
        #expect(
            index.apply([], table, keeping: gone) == nil && index.contentOffset(of: gone) == nil)
    }

    /// Random ops: as long as there are rows, there is an anchor, and it is one of them.
    @Test(arguments: 1...4)
    func thereIsAlwaysOne(seed: Int) throws {
        var rows = RandomTable(seed: UInt64(seed) &+ 40, rows: 12)
        let index = LayoutIndex(rows.table, widthPoints: 320)
        var anchor: ScrollAnchor?
        for step in 0..<500 {
            guard let diff = rows.step() else { continue }
            anchor = index.apply(diff, rows.table, keeping: anchor)
            if let anchor {
                try #require(rows.table.row(anchor.row) != nil, "seed \(seed), step \(step)")
            } else if let row = rows.table.rows.first {
                anchor = ScrollAnchor(row.id)
            }
        }
    }
}

/// Which costs grow with the table, and which do not. Measured as a ratio within one run.
struct LayoutCostTests {
    /// The median time to expand a row and to read its neighbour's offset.
    private func median(_ count: Int) throws -> (nanoseconds: Double, measured: Int) {
        let table = try RandomTable.filled(count, openOften: 50)
        let index = LayoutIndex(table, widthPoints: 320)
        _ = index.contentHeightPoints
        let before = index.measurements
        var random = SplitMix64(seed: 5)
        var times: [Duration] = []
        for _ in 0..<401 {
            let number = random.below(count - 1)
            let verb = Command.Verb.expand(ID("r\(number)"), nil)
            let plan = try reduce(Command(verb), on: table, limits: Limits(), nowMs: 0).get()
            _ = table.apply(plan, cause: Cause(verb: "test"))
            let start = ContinuousClock.now
            index.apply(plan.ops, table)
            _ = index.offset(of: ID("r\(number + 1)"))
            times.append(ContinuousClock.now - start)
        }
        times.sort()
        return (times[200] / .nanoseconds(1), index.measurements - before)
    }

    @Test func growsWithTheLogarithm() throws {
        #if DEBUG
            let large = 20_000
        #else
            let large = 200_000
        #endif
        // What else runs on the machine can only add: the best of three.
        var ratios: [Double] = []
        for _ in 0..<3 {
            let (big, small) = (try median(large), try median(1_000))
            ratios.append(big.nanoseconds / small.nanoseconds)
            // One text for each row that was opened, however many there are.
            #expect(big.measured <= 401 && small.measured <= 401)
        }
        #expect((ratios.min() ?? 0) < 6, "\(ratios)")
    }
}

import SeededNumbers
import TableLayout
import TableDecisions
import TableModel
import Testing

/// The index, compared with frames that are computed from scratch each time.
struct LayoutIndexTests {
    /// Every answer is the same as that of `TableFrames`, bit for bit.
    static func require(
        _ index: LayoutIndex, is table: Table, _ random: inout SplitMix64, _ note: String
    ) throws {
        let frames = TableFrames(table, widthPoints: index.widthPoints, metrics: index.metrics)
        try #require(index.fault() == nil, "\(note)")
        try #require(index.count == frames.rows.count, "\(note)")
        // Some questions before all is measured, in any order.
        for _ in 0..<3 where !frames.rows.isEmpty {
            let row = random.pick(frames.rows)
            let frame = try #require(index.frame(of: row.id))
            try #require(frame.y == row.y && frame.height == row.height, "\(note): \(row.id)")
            try #require(frame.expansion == row.expansion)
            let inside = row.y + row.height * Double(random.below(1_000)) / 1_000
            try #require(index.row(at: inside)?.row == row.id, "\(note): \(inside)")
            try #require(index.row(at: row.y) == ScrollAnchor(row.id), "\(note)")
            let end = row.y + Double(random.below(500))
            let seen = frames.rows.filter { $0.y < end && $0.y + $0.height > row.y }
            let visible = index.visible(from: row.y, to: end)
            try #require(visible.map(\.id) == seen.map(\.id), "\(note)")
            try #require(visible.map(\.y) == seen.map(\.y), "\(note)")

            let within = Double(random.below(400)) - 200
            let around = index.visible(
                around: ScrollAnchor(row.id, withinPoints: within), heightPoints: 320)
            let top = row.y + within
            let shown = frames.rows.filter { $0.y < top + 320 && $0.y + $0.height > top }
            try #require(around.map(\.id) == shown.map(\.id), "\(note)")
            try #require(around.map { $0.y + top } == shown.map(\.y), "\(note)")
        }
        if random.once(in: 2) { return }
        try #require(index.contentHeightPoints == frames.contentHeightPoints, "\(note)")
        try #require(index.unmeasuredCount == 0)
        for row in frames.rows {
            try #require(index.offset(of: row.id) == row.y, "\(note)")
            try #require(index.height(of: row.id) == row.height, "\(note)")
        }
        try #require(index.row(at: frames.contentHeightPoints) == nil)
    }

    @Test(arguments: 1...8)
    func answersAreThoseOfAllFrames(seed: Int) throws {
        var rows = RandomTable(seed: UInt64(seed), rows: seed % 2 == 0 ? 300 : 24)
        // Hundreds to begin with, in leaves of a tree of more than one level.
        while seed % 2 == 0, rows.table.count < 150 { rows.grow() }
        var random = SplitMix64(seed: UInt64(seed) &+ 1_000)
        let index = LayoutIndex(
            rows.table, widthPoints: 320, metrics: random.pick([.cell, .point]),
            cacheCapacity: random.pick([0, 4, 1_000]))
        var ops = 0
        for step in 0..<400 {
            if let diff = rows.step() {
                ops += diff.ops.count
                index.apply(diff, rows.table)
            }
            if random.once(in: 12) { index.setWidth(random.pick([320, 100.1, 1, 1e6])) }
            if step % (seed % 2 == 0 ? 4 : 1) == 0 {
                try Self.require(index, is: rows.table, &random, "seed \(seed), step \(step)")
            }
        }
        #expect(ops > 200 && rows.table.count > 5)
    }

    @Test func severalDiffsAtOnce() throws {
        var rows = RandomTable(seed: 77)
        var random = SplitMix64(seed: 78)
        let index = LayoutIndex(rows.table, widthPoints: 200)
        for step in 0..<60 {
            let ops = (0..<10).flatMap { _ in rows.step()?.ops ?? [] }
            index.apply(ops, rows.table)
            try Self.require(index, is: rows.table, &random, "step \(step)")
        }
    }

    /// After diffs of another table, or a gap, the index is rebuilt, and nothing traps.
    @Test func whatDoesNotFitIsMadeAnew() throws {
        var random = SplitMix64(seed: 5)
        var one = RandomTable(seed: 6)
        var other = RandomTable(seed: 7)
        for step in 0..<150 {
            let index = LayoutIndex(one.table, widthPoints: 320)
            let gap = LayoutIndex(one.table, widthPoints: 320)
            let ops = (other.step()?.ops ?? []) + (other.step()?.ops ?? [])
            _ = one.step()
            if let diff = one.step() {
                gap.apply(diff, one.table)
                try Self.require(gap, is: one.table, &random, "step \(step)")
            }
            index.apply(ops, one.table)
            _ = index.contentHeightPoints
            index.apply([.remove("nobody")], one.table)
            try Self.require(index, is: one.table, &random, "step \(step)")
        }
    }

    // MARK: What is measured, and when

    @Test func onlyWhatIsAskedForIsMeasured() throws {
        let table = try RandomTable.filled(7_000)
        let index = LayoutIndex(table, widthPoints: 320)
        #expect(index.measurements == 0 && index.unmeasuredCount == 1_000)
        // Row 0 is the only expanded one above, and row 7 the only one below on the screen.
        #expect(index.visible(from: 0, to: 500).count == 8)
        #expect(index.measurements == 2)
        let anchor = ScrollAnchor("r3500", withinPoints: 10)
        #expect(index.visible(around: anchor, heightPoints: 500).first?.y == -10)
        #expect(index.measurements == 4)
        #expect(index.measure(atMost: 100) == 896)
        #expect(index.measurements == 104)
        _ = index.contentHeightPoints
        #expect(index.measurements == 1_000)

        // Rows that do not depend on the width are not measured again; measured ones are remembered.
        index.setWidth(200)
        #expect(index.unmeasuredCount == 1_000 && index.height(of: "r1") == 60)
        #expect(index.measurements == 1_000)
        _ = index.contentHeightPoints
        index.setWidth(320)
        _ = index.contentHeightPoints
        #expect(index.measurements == 2_000)
    }

    private func change(_ table: Table, _ index: LayoutIndex, _ verb: Command.Verb) throws {
        let plan = try reduce(Command(verb), on: table, limits: Limits(), nowMs: 0).get()
        _ = table.apply(plan, cause: Cause(verb: "test"))
        index.apply(plan.ops, table)
    }

    @Test func aHeightIsKeptWithTheVersion() throws {
        let table = try RandomTable.filled(700)
        let index = LayoutIndex(table, widthPoints: 320)
        _ = index.contentHeightPoints
        #expect(index.measurements == 100)
        // A move, a swap, a swipe, a collapse and back: the same text.
        try change(table, index, .move(["r7"], section: nil, .bottom, .strict))
        try change(table, index, .swap("r14", "r1"))
        try change(table, index, .swipe("r21", .leading))
        try change(table, index, .expand("r28", .collapsed))
        try change(table, index, .expand("r28", .expanded))
        var kind = Kind(.plainKind)
        kind.canMove = false
        try change(table, index, .define(.init(kinds: [kind])))
        _ = index.contentHeightPoints
        #expect(index.measurements == 100)
        try change(table, index, .set("r35", .init(title: "other")))
        _ = index.contentHeightPoints
        #expect(index.measurements == 101)
        // Another kind's geometry is nobody's here; that of theirs is everybody's.
        try change(table, index, .define(.init(kinds: [Kind("card")])))
        #expect(index.unmeasuredCount == 0)
        kind.margins.bottom = 50
        try change(table, index, .define(.init(kinds: [kind])))
        #expect(index.unmeasuredCount == 100)
        let frames = TableFrames(table, widthPoints: 320)
        #expect(index.contentHeightPoints == frames.contentHeightPoints)
    }

    // MARK: Numbers

    @Test func heightsAreWholeUnits() throws {
        var random = SplitMix64(seed: 9)
        var heights: [Double] = []
        for _ in 0..<20_000 {
            let points = Double.random(in: 0...1e6, using: &random)
            let height = RowHeights.height(
                of: .init(), kind: Kind("k"), expansion: .height(points), widthPoints: 1,
                metrics: .point)
            #expect((height * 1_024).rounded() == height * 1_024)
            #expect(abs(height - points) <= 1.0 / 2_048 || height == 1.0 / 1_024)
            heights.append(height)
        }
        // So the order of summation is all the same.
        let sum = heights.reduce(0, +)
        #expect(heights.shuffled(using: &random).reduce(0, +) == sum)
        #expect(heights.sorted().reduce(0, +) == sum)
    }

    @Test func nothingTraps() throws {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        try table.appendSection("main", title: "")
        let marks = String(repeating: "\u{301}", count: 2_048)
        let states: [Expansion] = [
            .expanded, .height(1e6), .height(.infinity), .height(.nan), .height(-1), .collapsed,
            .height(.leastNonzeroMagnitude), .named("none"), .height(1e300),
        ]
        for (number, state) in states.enumerated() {
            let content = Row.Content(kind: "unregistered", title: marks)
            let row = Row(id: ID("r\(number)"), content: content, expansion: state)
            try table.appendRow(row, to: "main")
        }
        let numbers: [Double] = [.nan, .infinity, -.infinity, 0, -1, 1e300, 320, 1e-300]
        for width in numbers {
            let index = LayoutIndex(table, widthPoints: width)
            for one in numbers {
                let anchor = ScrollAnchor("r1", withinPoints: one)
                _ = index.row(at: one)
                _ = index.contentOffset(of: anchor)
                #expect(index.apply([], table, keeping: anchor)?.row == "r1")
                index.setWidth(one)
                for other in numbers {
                    _ = index.visible(from: one, to: other)
                    _ = index.visible(around: anchor, heightPoints: other)
                }
            }
            #expect(index.contentHeightPoints.isFinite && index.count == states.count)
            #expect(index.measure(atMost: -1) == 0 && index.offset(of: "nobody") == nil)
        }
    }
}

import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// Which costs grow with the table, and which do not. Measured as a ratio within one run.
struct CostTests {
    private func table(_ count: Int) throws -> Table {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        table.reserve(count)
        try table.appendSection("main", title: "main")
        for number in 0..<count {
            let content = Row.Content(title: "row number \(number)")
            try table.appendRow(Row(id: ID("row \(number)"), content: content), to: "main")
        }
        try table.apply(.define(.init(kinds: [.swipeable])), at: Moment(revision: 0, timeMs: 0))
        _ = table.digest
        return table
    }

    /// The median time of one command and its digest.
    private func median(
        _ count: Int, _ verb: (inout SplitMix64, Int) -> Command.Verb
    ) throws -> Double {
        let table = try table(count)
        var random = SplitMix64(seed: 5)
        var times: [Duration] = []
        for _ in 0..<401 {
            let command = Command(verb(&random, count))
            let start = ContinuousClock.now
            let plan = try reduce(command, on: table, limits: Limits(), nowMs: 0).get()
            _ = table.apply(plan, cause: Cause(verb: "test"))
            times.append(ContinuousClock.now - start)
        }
        times.sort()
        return times[200] / .nanoseconds(1)
    }

    private static func row(_ random: inout SplitMix64, _ count: Int) -> RowID {
        ID("row \(random.below(count))")
    }

    private static let verbs: [@Sendable (inout SplitMix64, Int) -> Command.Verb] = [
        { random, count in
            let number = random.below(count - 1)
            return .move(
                [ID("row \(number)")], section: nil, .after(ID("row \(number + 1)")), .strict)
        },
        { random, count in .move([row(&random, count)], section: nil, .top, .strict) },
        { random, count in .set(row(&random, count), .init(title: "\(random.next())")) },
        { random, count in .swap(row(&random, count), row(&random, count)) },
        { random, count in .swipe(row(&random, count), random.once(in: 2) ? .leading : .trailing) },
        { random, count in .expand(row(&random, count), .height(Double(1 + random.below(999)))) },
        { random, count in
            .add(
                .init(
                    id: ID("new \(random.next())"), .init(), at: .before(row(&random, count))))
        },
    ]

    @Test(arguments: verbs.indices)
    func growsWithTheLogarithm(_ index: Int) throws {
        #if DEBUG
            let large = 20_000
        #else
            let large = 200_000
        #endif
        let verb = Self.verbs[index]
        // Other programs on the machine can only add time: the best of three counts.
        let ratios = try (0..<3).map { _ in try median(large, verb) / median(1_000, verb) }
        #expect((ratios.min() ?? 0) < 8, "\(ratios)")
    }

    /// An accordion looks at the open rows only, not at all rows.
    @Test func anAccordionDoesNotReadTheTable() throws {
        func accordion(_ count: Int) throws -> Double {
            let table = try table(count)
            var settings = Settings()
            settings.expandPolicy = .accordionTable
            let plan = try reduce(
                Command(.define(.init(settings: settings))), on: table, limits: Limits(), nowMs: 0
            ).get()
            _ = table.apply(plan, cause: Cause(verb: "test"))
            var times: [Duration] = []
            for number in 0..<101 {
                let command = Command(.expand(ID("row \(number * 7)"), .expanded))
                let start = ContinuousClock.now
                _ = table.apply(
                    try reduce(command, on: table, limits: Limits(), nowMs: 0).get(),
                    cause: Cause(verb: "test"))
                times.append(ContinuousClock.now - start)
            }
            times.sort()
            return times[50] / .nanoseconds(1)
        }
        let ratios = try (0..<3).map { _ in try accordion(20_000) / accordion(1_000) }
        #expect((ratios.min() ?? 0) < 8, "\(ratios)")
    }

    /// A batch that expands and collapses all rows again and again tells of each row once.
    @Test func theRowsOfAChangeAreFoundInOnePass() throws {
        func telling(_ count: Int) throws -> Double {
            let ledger = Ledger()
            for number in 0..<20 { ledger.perform(.add(.init(id: ID("\(number)"), .init()))) }
            let batch = (0..<count).map { Command(.expandAll($0.isMultiple(of: 2))) }
            _ = try ledger.perform(batch).get()
            let change = try #require(ledger.changes.last)
            let start = ContinuousClock.now
            #expect(change.rows(atMost: 64).count == 20)
            _ = Story(change, on: ledger.table, about: "none").text
            return (ContinuousClock.now - start) / .nanoseconds(1)
        }
        let ratios = try (0..<3).map { _ in try telling(800) / telling(50) }
        #expect((ratios.min() ?? 0) < 64, "\(ratios)")
    }
}

import Testing

@testable import TableSync

/// By which date diffs get old.
@Suite struct AgingDateTests {
    @Test func theDateThatCountsGoesAtMostTwiceAsFastAsTime() {
        var date = AgingDate()
        #expect(date.look(nowMs: 1_000_000, elapsedMs: 5_000) == 1_000_000)
        #expect(date.look(nowMs: 1_001_000, elapsedMs: 6_000) == 1_001_000)
        // Ten years, for a moment.
        #expect(date.look(nowMs: 315_576_000_000, elapsedMs: 7_000) == 1_003_000)
        #expect(date.look(nowMs: 1_003_000, elapsedMs: 8_000) == 1_003_000)
        // A minute that lasts is made up for.
        #expect(date.look(nowMs: 1_064_000, elapsedMs: 9_000) == 1_005_000)
        #expect(date.look(nowMs: 1_123_000, elapsedMs: 68_000) == 1_123_000)
        // Nothing is too old because the date was set back, nor for the machine's sleep.
        #expect(date.look(nowMs: 500_000, elapsedMs: 69_000) == 500_000)
        #expect(date.look(nowMs: 9_500_000, elapsedMs: 9_069_000) == 9_500_000)
    }

    @Test func aDateThatJumpsLetsNothingGo() {
        let exchange = Exchange.live("a", "b", retention: Retention(seconds: 60))
        let server = exchange.server
        func kept() -> Int { server.tables[Exchange.table]?.keptDiffs ?? 0 }
        let count = kept()
        server.tidy(nowMs: exchange.nowMs, elapsedMs: 0)
        server.tidy(nowMs: exchange.nowMs + 315_576_000_000, elapsedMs: 1_000)
        server.tidy(nowMs: exchange.nowMs + 2_000, elapsedMs: 2_000)
        #expect(count > 1 && kept() == count)
        server.tidy(nowMs: exchange.nowMs + 120_000, elapsedMs: 120_000)
        #expect(kept() == 0)
    }
}

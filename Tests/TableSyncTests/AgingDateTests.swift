import Testing

@testable import TableSync

/// By which date diffs get old.
@Suite struct AgingDateTests {
    @Test func aDateThatWasSetForwardCountsOnceItHasLasted() {
        var date = AgingDate()
        func look(_ nowMs: UInt64, _ elapsedMs: UInt64) -> UInt64 {
            date.look(nowMs: nowMs, elapsedMs: elapsedMs, keptMs: 60_000)
        }
        #expect(look(1_000_000, 500_000) == 1_000_000)
        #expect(look(1_001_000, 501_000) == 1_001_000)
        // Ten years, for a moment.
        #expect(look(315_576_000_000, 502_000) == 1_002_000)
        #expect(look(1_003_000, 503_000) == 1_003_000)
        // Ten years that last, with a minute more in the end. What was before is a minute old by then.
        #expect(look(315_576_000_000, 504_000) == 1_004_000)
        #expect(look(315_576_056_000, 560_000) == 1_060_000)
        #expect(look(315_576_060_000, 564_000) == 1_064_000)
        #expect(look(315_576_115_000, 619_000) == 1_119_000)
        #expect(look(315_576_180_000, 624_000) == 315_576_120_000)
        // Nothing is too old because the date was set back, nor for the machine's sleep.
        #expect(look(500_000, 625_000) == 500_000)
        #expect(look(9_500_000, 9_625_000) == 9_500_000)
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

import TableModel
import TableSync
import Testing

/// A viewer that hears no publications, or fewer than others do.
struct ReplicaSilenceTests {
    /// Publications do not come, answers do. What is asked leads on, and is not called live.
    @Test func answersAloneDoNotMakeItLive() {
        let exchange = Exchange.live("a")
        exchange.add("b")
        let beganMs = exchange.nowMs
        for _ in 0..<60 {
            exchange.wait(500)
            exchange.answerAll()
            let silence = exchange.nowMs - beganMs
            if silence > 3_000 { #expect(exchange.freshness == .stale(forMs: silence)) }
        }
        #expect(exchange.replica.table?.revision == 2)
        exchange.hear(exchange.heartbeat)
        #expect(exchange.isInStep)
    }

    @Test func answersAloneDoNotProveThatThereIsNoTable() {
        let exchange = Exchange()
        exchange.start()
        exchange.hear(exchange.welcome)
        #expect(exchange.freshness == .absent)
        let beganMs = exchange.nowMs
        for _ in 0..<20 {
            exchange.wait(500)
            exchange.answerAll()
            if exchange.nowMs - beganMs > 3_000 { #expect(exchange.freshness != .absent) }
        }
        // It is made, and nobody says so.
        exchange.commit(.create)
        exchange.add("a")
        for _ in 0..<60 {
            exchange.wait(500)
            exchange.answerAll()
        }
        #expect(exchange.replica.table?.revision == 1 && exchange.freshness != .live)
        exchange.hear(exchange.heartbeat)
        #expect(exchange.isInStep)
    }

    @Test func aDropThatNobodyTellsOfIsNoticed() {
        let exchange = Exchange.live("a")
        exchange.commit(.drop)
        for _ in 0..<40 {
            exchange.wait(500)
            exchange.answerAll()
        }
        #expect(exchange.replica.table == nil && exchange.freshness != .absent)
        exchange.hear(exchange.welcome)
        #expect(exchange.freshness == .absent)
    }

    /// What was lost before is not silence now.
    @Test func whoIsHeardAgainIsFreshAtOnce() {
        let exchange = Exchange()
        exchange.start()
        exchange.hear(exchange.welcome)
        for _ in 0..<60 { exchange.wait(1_000) }
        #expect(exchange.freshness != .absent)
        for _ in 0..<20 {
            exchange.hear(exchange.welcome)
            #expect(exchange.freshness == .absent)
            _ = exchange.heard()
            exchange.wait(2_000)
            #expect(exchange.heard() == ["subscribe"] && exchange.freshness == .absent)
        }
    }

    /// How long silence is depends on the daemon (docs/PROTOCOL.md, "Following").
    @Test func silenceIsMeasuredInHeartbeats() {
        for beatMs in [200, 1_000, 5_000] as [UInt64] {
            let exchange = Exchange.live("a")
            exchange.replica.heartbeatMs = beatMs
            exchange.wait(2 * beatMs - 1)
            #expect(exchange.heard() == [])
            exchange.wait(1)
            #expect(exchange.heard() == ["subscribe"] && exchange.freshness == .live)
            exchange.nowMs += beatMs
            #expect(exchange.freshness == .live)
            exchange.nowMs += 1
            #expect(exchange.freshness == .stale(forMs: 3 * beatMs + 1))
        }
        let exchange = Exchange()
        for (said, kept) in [(0, 100), (.max, 60_000), (250, 250)] as [(UInt64, UInt64)] {
            exchange.replica.heartbeatMs = said
            #expect(exchange.replica.heartbeatMs == kept)
        }
    }
}

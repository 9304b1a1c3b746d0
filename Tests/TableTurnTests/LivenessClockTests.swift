import TableTurn
import Testing

/// The clock by which somebody counts as late: a pause of the daemon does not count.
@Suite struct LivenessClockTests {
    /// Turns of 10 ms for so long, each of which takes all in; true if at each somebody may be called
    /// late.
    private static func run(
        _ liveness: inout LivenessClock, _ ms: inout UInt64, for length: UInt64
    ) -> Bool {
        var judged = true
        let end = ms + length
        while ms < end {
            ms += 10
            liveness.turn(at: ms, planned: 10)
            judged = liveness.mayJudge(hasTakenAll: true) && judged
        }
        return judged
    }

    @Test func itGoesWithTheSystemsClock() {
        var (liveness, ms) = (LivenessClock(at: 5_000), UInt64(5_000))
        let judged = Self.run(&liveness, &ms, for: 60_000)
        #expect(judged && liveness.nowMs == 65_000)
        // The loop may have nothing to do for long.
        ms += 30_000
        liveness.turn(at: ms, planned: 30_000)
        let isAllowed = liveness.mayJudge(hasTakenAll: true)
        #expect(liveness.nowMs == 95_000 && isAllowed)
    }

    @Test(arguments: [7_000, 60_000, 86_400_000] as [UInt64])
    func aPauseDoesNotCount(pauseMs: UInt64) {
        var (liveness, ms) = (LivenessClock(at: 1_000), UInt64(1_000))
        _ = Self.run(&liveness, &ms, for: 1_000)
        let before = liveness.nowMs
        ms += pauseMs
        liveness.turn(at: ms, planned: 100)
        #expect(liveness.nowMs - before <= 350)
        // Connections come back within two seconds; then clients are heard.
        let resumed = ms
        while !liveness.mayJudge(hasTakenAll: true) {
            ms += 10
            liveness.turn(at: ms, planned: 10)
        }
        #expect((2_900...3_100).contains(ms - resumed))
    }

    @Test func aShortStallPutsOffLittle() {
        var (liveness, ms) = (LivenessClock(at: 1_000), UInt64(1_000))
        ms += 700
        liveness.turn(at: ms, planned: 100)
        let isEarly = liveness.mayJudge(hasTakenAll: true)
        #expect(liveness.nowMs == 1_350 && !isEarly)
        let judged = Self.run(&liveness, &ms, for: 340)
        #expect(!judged)
        ms += 20
        liveness.turn(at: ms, planned: 10)
        let isAllowed = liveness.mayJudge(hasTakenAll: true)
        #expect(isAllowed)
    }

    @Test func aSecondPauseTakesNothingFromTheFirstOnesGrace() {
        var (liveness, ms) = (LivenessClock(at: 1_000), UInt64(1_000))
        for _ in 0..<2 {
            ms += 7_000
            liveness.turn(at: ms, planned: 10)
            let judged = Self.run(&liveness, &ms, for: 500)
            #expect(!judged)
        }
        #expect(liveness.nowMs < 3_000)
    }

    /// A disk on which each commit takes a second: leases of those who are gone still end.
    @Test func pausesForEverDoNotKeepAnybodyForEver() {
        var (liveness, ms) = (LivenessClock(at: 1_000), UInt64(1_000))
        var judgements = 0
        for _ in 0..<120 {
            ms += 1_000
            liveness.turn(at: ms, planned: 10)
            if liveness.mayJudge(hasTakenAll: true) { judgements += 1 }
        }
        #expect(judgements >= 4 && liveness.nowMs >= 30_000)
    }

    @Test func aFloodPutsOffForASecond() {
        var (liveness, ms) = (LivenessClock(at: 1_000), UInt64(1_000))
        var first: UInt64?
        for _ in 0..<40 {
            ms += 100
            liveness.turn(at: ms, planned: 0)
            if liveness.mayJudge(hasTakenAll: false) { first = first ?? ms }
        }
        #expect(first == 2_000)
    }

    @Test func aClockThatGoesBackEndsNothing() {
        var liveness = LivenessClock(at: 1_000_000)
        liveness.turn(at: 5, planned: 10)
        liveness.turn(at: 15, planned: 10)
        #expect(liveness.nowMs == 1_000_010)
        liveness.turn(at: .max, planned: 10)
        #expect(liveness.nowMs == 1_000_270)
    }
}

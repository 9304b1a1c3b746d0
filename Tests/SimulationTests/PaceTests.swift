import TableDaemon
import Testing

/// A turn takes in requests for one to two times as long as its commit takes.
@Suite struct PaceTests {
    private static let commitNs: UInt64 = 300_000

    /// After many commits of `commitNs`.
    private static func settled(_ commitNs: UInt64 = commitNs) -> Pace {
        var pace = Pace()
        for _ in 0..<200 { pace.committed(in: commitNs) }
        return pace
    }

    /// As a multiple of the commit.
    private static func commits(_ pace: Pace) -> Double {
        Double(pace.drainNs) / Double(commitNs)
    }

    @Test func itIsTwoCommitsWhereTheDaemonNeverWaits() {
        var pace = Self.settled()
        for _ in 0..<1_000 { pace.waited(0) }
        #expect(abs(Self.commits(pace) - 2) < 0.01)
    }

    @Test func itIsOneCommitWhereTheDaemonWaits() {
        var pace = Self.settled()
        for _ in 0..<2 { pace.waited(Self.commitNs) }
        #expect(abs(Self.commits(pace) - 1) < 0.01)
        for _ in 0..<1_000 { pace.waited(Self.commitNs) }
        #expect(abs(Self.commits(pace) - 1) < 0.01)
    }

    @Test func itGrowsAgainSlowly() {
        var pace = Self.settled()
        for _ in 0..<2 { pace.waited(Self.commitNs) }
        for _ in 0..<50 { pace.waited(0) }
        #expect(abs(Self.commits(pace) - 1.5) < 0.01)
    }

    @Test(arguments: [1_000, 100_000, 4_000_000, 100_000_000] as [UInt64])
    func itFollowsTheDisk(commitNs: UInt64) {
        var pace = Self.settled(commitNs)
        let measured = Double(pace.drainNs) / Double(commitNs)
        #expect(abs(measured - 2) < 0.05)
        // Nothing that a clock can say breaks it.
        pace.committed(in: 0)
        pace.committed(in: 3_600_000_000_000)
        pace.waited(3_600_000_000_000)
        #expect(pace.drainNs > 0)
    }

    @Test func noTurnIsLongerThanAFifthOfASecond() {
        let pace = Self.settled(5_000_000_000)
        #expect(pace.drainNs > 190_000_000 && pace.drainNs <= 200_000_000)
    }

    @Test func oneCommitThatWasHeldUpCountsForLittle() {
        var pace = Self.settled()
        let before = pace.drainNs
        pace.committed(in: 5_000_000)
        #expect(Double(pace.drainNs) < 1.15 * Double(before))
    }
}

import TableTurn
import Testing

/// A turn takes in requests for one to two times as long as its commit takes.
@Suite struct IntakeBudgetTests {
    private static let commitNs: UInt64 = 300_000

    /// After many commits of `commitNs`.
    private static func settled(_ commitNs: UInt64 = commitNs) -> IntakeBudget {
        var intake = IntakeBudget()
        for _ in 0..<200 { intake.committed(in: commitNs) }
        return intake
    }

    /// As a multiple of the commit.
    private static func commits(_ intake: IntakeBudget) -> Double {
        Double(intake.drainNs) / Double(commitNs)
    }

    @Test func itIsTwoCommitsWhereTheDaemonNeverWaits() {
        var intake = Self.settled()
        for _ in 0..<1_000 { intake.waited(0) }
        #expect(abs(Self.commits(intake) - 2) < 0.01)
    }

    @Test func itIsOneCommitWhereTheDaemonWaits() {
        var intake = Self.settled()
        for _ in 0..<2 { intake.waited(Self.commitNs) }
        #expect(abs(Self.commits(intake) - 1) < 0.01)
        for _ in 0..<1_000 { intake.waited(Self.commitNs) }
        #expect(abs(Self.commits(intake) - 1) < 0.01)
    }

    @Test func itGrowsAgainSlowly() {
        var intake = Self.settled()
        for _ in 0..<2 { intake.waited(Self.commitNs) }
        for _ in 0..<50 { intake.waited(0) }
        #expect(abs(Self.commits(intake) - 1.5) < 0.01)
    }

    @Test(arguments: [1_000, 100_000, 4_000_000, 100_000_000] as [UInt64])
    func itFollowsTheDisk(commitNs: UInt64) {
        var intake = Self.settled(commitNs)
        let measured = Double(intake.drainNs) / Double(commitNs)
        #expect(abs(measured - 2) < 0.05)
        // Nothing that a clock can say breaks it.
        intake.committed(in: 0)
        intake.committed(in: 3_600_000_000_000)
        intake.waited(3_600_000_000_000)
        #expect(intake.drainNs > 0)
    }

    @Test func noTurnIsLongerThanAFifthOfASecond() {
        let intake = Self.settled(5_000_000_000)
        #expect(intake.drainNs > 190_000_000 && intake.drainNs <= 200_000_000)
    }

    @Test func oneCommitThatWasHeldUpCountsForLittle() {
        var intake = Self.settled()
        let before = intake.drainNs
        intake.committed(in: 5_000_000)
        #expect(Double(intake.drainNs) < 1.15 * Double(before))
    }
}

import TableTurn
import Testing

/// A turn takes in requests for one to two times as long as its commit and its publications take.
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

    /// Where a turn costs nothing that a clock sees, its wake-ups are to be shared all the same.
    @Test(arguments: [1_000, 20_000] as [UInt64])
    func aTurnOfLittleCostGrowsWhereNobodyHasToBeWaitedFor(commitNs: UInt64) {
        var intake = Self.settled(commitNs)
        let before = intake.drainNs
        #expect(before < 45_000)
        for _ in 0..<200_000 { intake.waited(0) }
        #expect((100_000...120_000).contains(intake.drainNs))
        // It shrinks within a few turns in which the clients had to be waited for.
        for _ in 0..<60 { intake.waited(1_000_000) }
        #expect(intake.drainNs <= before)
        // A disk that becomes slow does not find turns of a hundred times its commits.
        for _ in 0..<200_000 { intake.waited(0) }
        for _ in 0..<200 {
            intake.committed(in: 300_000)
            #expect(intake.drainNs <= 600_000)
        }
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

    /// Where a commit costs nothing, the publications say how long a turn is.
    @Test func itIsAsLongAsThePublicationsWhereACommitIsQuick() {
        var intake = IntakeBudget()
        for _ in 0..<200 { intake.committed(in: 10_000, publishing: 400_000) }
        #expect(abs(Double(intake.drainNs) / 1_620_000 - 1) < 0.01)
        // However many viewers there are, a turn is bounded.
        for _ in 0..<200 { intake.committed(in: 10_000, publishing: .max) }
        #expect(intake.drainNs <= 200_000_000)
    }
}

/// What libzmq's thread takes for publications.
@Suite struct SendingCostTests {
    /// After so many looks of 64 turns, in each of which the thread took 100 µs.
    private static func settled(toViewers: UInt64, toAskers: UInt64) -> UInt64 {
        var cost = SendingCost()
        var turns: UInt64 = 0
        for _ in 0..<64 * 20 {
            turns += 1
            cost.published {
                .init(
                    elsewhereNs: turns * 100_000, toViewers: turns * toViewers,
                    toAskers: turns * toAskers)
            }
        }
        return cost.ns
    }

    @Test func itIsTheViewersPart() {
        #expect(Self.settled(toViewers: 10, toAskers: 0) == 99_999)
        // Ten answers are twenty messages.
        #expect((33_300...33_334).contains(Self.settled(toViewers: 10, toAskers: 10)))
        #expect(Self.settled(toViewers: 0, toAskers: 10) == 0)
        #expect(Self.settled(toViewers: 0, toAskers: 0) == 0)
    }

    @Test func clocksThatGoBackBreakNothing() {
        var cost = SendingCost()
        for look in 0..<10 as Range<UInt64> {
            for _ in 0..<64 {
                cost.published {
                    .init(elsewhereNs: 1_000 - look, toViewers: 1_000 - look, toAskers: look)
                }
            }
        }
        #expect(cost.ns < 1_000)
    }
}

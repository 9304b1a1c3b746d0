import Testing

/// Faults that the simulation commits on request: a law that finds none of them is worth nothing.
enum PlantedBug: String, CaseIterable, Sendable {
    case publishBeforeCommit
    case replyBeforeCommit
    /// The daemon forgets in each turn what it answered before.
    case noDeduplication
    /// `.answered` records are left out of the journal.
    case answersNotJournaled
    /// Recovery passes over `.answered` records.
    case answersNotRecovered
    /// The newest entry is lost in a crash, and the epoch stays.
    case lostTailInOneEpoch
    /// A viewer believes that it is where a heartbeat says the daemon is.
    case heartbeatAdvances
    /// A viewer applies whatever comes next.
    case gapsUnnoticed
    /// The daemon replays from one revision too late.
    case replayTooLate
    case snapshotLacksRow
    case duplicateUnderNewNumber
    /// An answer that is given again says something else.
    case rememberedAnswerDiffers
}

@Suite struct PlantedBugTests {
    @Test(arguments: PlantedBug.allCases)
    func isFound(_ bug: PlantedBug) {
        for seed in 1...UInt64(300) {
            let simulation = Simulation(seed: seed, bug: bug)
            if simulation.run() != nil { return }
        }
        Issue.record("300 seeds did not find \(bug.rawValue)")
    }
}

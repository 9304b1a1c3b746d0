/// Faults that the simulation commits on request: laws that do not find them are worth nothing.
/// They stand in the ports around the turn, which lie, and in the ends of the protocol.
package enum PlantedBug: String, CaseIterable, Sendable {
    // The order of effects (`Journal.swift`, `Recovery.swift`, `Ports.swift`).
    /// Before the entry is submitted.
    case publishBeforeCommit
    case replyBeforeCommit
    /// After it is submitted, before it is durable.
    case publishBeforeDurable
    case replyBeforeDurable
    case stateKeptAfterRefusal
    /// Late leases are ended before the requests of the turn are taken in.
    case expiryBeforeIntake
    /// An entry whose outcome is unknown is submitted once more, without a look.
    case sentAgainAfterUnknown

    // The disk (`Disk.swift`, `Journal.swift`, `Recovery.swift`).
    /// Commits are written and not synced.
    case commitNotSynced
    /// An entry that a power cut has torn counts as far as it goes.
    case tornEntryTaken
    /// Entries that an earlier process left unsynced are served without a sync.
    case openedUnsynced
    /// The daemon goes on after a write that failed.
    case goesOnAfterDiskError
    /// Commands are carried out though the disk has no room.
    case fullDiskUnnoticed
    case unfinishedCheckpointTaken
    /// Entries go that no checkpoint covers.
    case compactsTooMuch
    /// The newest entry is lost in a crash.
    case lostTail

    // Identity (`Recovery.swift`, `Backup.swift`).
    case epochKept
    case restoreKeepsHistory
    /// The journal's position runs back in a restore.
    case restoreKeepsPosition

    // Commands (`Daemon.swift`, `Ports.swift`, `Run.swift`).
    /// The daemon forgets in each turn what it answered before.
    case noDeduplication
    /// Recovery passes over what was answered.
    case answersNotRecovered
    /// Recovery takes forgotten commands for new.
    case floorsNotRecovered
    /// A forgotten client counts as new, and its commands are carried out again.
    case forgottenRunsAgain
    case duplicateUnderNewNumber
    /// Answers are remembered by client alone, whoever's client it is.
    case answersByClientAlone
    /// An action of a moment ago may be performed again on the version that it made.
    case momentForgotten
    /// A take and a press end the pauses of what rests.
    case pauseCutShort
    /// An invocation may be tried once more than its kind says.
    case oneAttemptMore
    /// A worker that asks for the next row gets one that sleeps.
    case sleeperGivenOut
    /// A press resumes what is paused.
    case pauseUnheeded
    /// The effects of a failure follow a success too.
    case elseFollowsSuccess
    /// An answer that is given again says something else.
    case rememberedAnswerDiffers

    // Viewers (`Viewer.swift`).
    /// A viewer believes that it is where a heartbeat says the daemon is.
    case heartbeatAdvances
    /// A viewer applies whatever comes next.
    case gapsUnnoticed
    /// A viewer applies what it has applied once more.
    case oldDiffReapplied
    /// A viewer calls itself live whatever it heard.
    case alwaysLive
    /// A viewer waits for ever for what got lost.
    case neverAsksAgain
    /// The daemon replays from one revision too late.
    case replayTooLate
    case snapshotLacksRow

    // Time that passes, and the past (`Ports.swift`, `Daemon.swift`, `Recovery.swift`).
    /// Nobody looks whether leases are late.
    case leaseNotReleased
    /// Nobody looks whether edit mode for everybody is over.
    case editModeKept
    /// The time of a pause counts as everybody's silence.
    case pauseCounts
    /// The revision before the one that was meant is taken back.
    case undoOffByOne
    /// An undone row keeps the age that the change gave it.
    case undoForgetsAge
}

extension PlantedBug {
    /// It can only be seen where the journal answers late.
    package var needsLateJournal: Bool {
        switch self {
        case .publishBeforeDurable, .replyBeforeDurable, .stateKeptAfterRefusal,
            .sentAgainAfterUnknown:
            return true
        default: return false
        }
    }
}

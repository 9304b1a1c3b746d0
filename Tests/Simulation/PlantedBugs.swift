import TableTurn

/// Faults that the simulation commits on request: laws that do not find them are worth nothing.
/// Those of the order stand in `Turn` itself, the others in the ports around it.
package enum PlantedBug: String, CaseIterable, Sendable {
    // The order of effects (`PlantedFaults`).
    /// Before the entry is submitted.
    case publishBeforeCommit
    case replyBeforeCommit
    /// After it is submitted, before it is durable.
    case publishBeforeDurable
    case replyBeforeDurable
    case stateKeptAfterRefusal
    /// What is late is ended before it is known who has spoken.
    case expiryBeforeIntake
    /// An entry whose outcome is unknown is submitted once more, without a look.
    case sentAgainAfterUnknown

    // The disk (`Disk.swift`, `Journal.swift`, `Recovery.swift`).
    /// Commits are written and not synced.
    case commitNotSynced
    /// An entry that a power cut has torn counts as far as it goes.
    case tornEntryTaken
    /// What the process before left unsynced is served without a sync of one's own.
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
    /// Of whose older commands are forgotten recovery takes them for new.
    case floorsNotRecovered
    /// Who was forgotten counts as new, and is carried out again.
    case forgottenRunsAgain
    case duplicateUnderNewNumber
    /// Answers are remembered by client alone, whoever's client it is.
    case answersByClientAlone
    /// An action of a moment ago may be performed again on the version that it made.
    case momentForgotten
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

    // What passes, and the past (`PlantedFaults`, `Ports.swift`, `Recovery.swift`).
    /// Nobody looks whether leases are late.
    case leaseNotReleased
    /// What a pause of the daemon took counts as everybody's silence.
    case pauseCounts
    /// The revision before the one that was meant is taken back.
    case undoOffByOne
    /// What is undone keeps the age that the change gave it.
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

    /// Of the turn itself.
    var fault: PlantedFaults {
        switch self {
        case .publishBeforeCommit: return .publishesBeforeSubmit
        case .replyBeforeCommit: return .repliesBeforeSubmit
        case .publishBeforeDurable: return .publishesBeforeDurable
        case .replyBeforeDurable: return .repliesBeforeDurable
        case .stateKeptAfterRefusal: return .keepsRefusedState
        case .expiryBeforeIntake: return .expiresBeforeIntake
        case .sentAgainAfterUnknown: return .submitsAgainBlindly
        case .pauseCounts: return .countsPauses
        case .leaseNotReleased: return .keepsLateLeases
        default: return []
        }
    }
}

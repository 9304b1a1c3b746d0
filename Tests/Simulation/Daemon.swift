import JournalPort
import TableModel
import TableSync
import TableTurn
import TableWire

/// A daemon around the real `Turn`, with a network, a disk and a clock of the simulation's own.
/// Processes end between any two steps of a turn, and in the midst of the last two.
final class SimulatedDaemon {
    /// How a process ends.
    enum Crash {
        case killed, powerCut
    }

    /// Nil: no process runs, or none has come as far.
    var turn: Turn?
    var isUp = true
    var disk: SimulatedDisk
    var journal: SimulatedJournal?
    /// Some old, some new.
    var backups: [Backup] = []
    var restores: UInt64 = 0
    let laws: Laws
    let dice: Dice
    let bug: PlantedBug?
    let clock: SimulatedClock
    private(set) var limits: Limits
    /// Requests that are decided on ahead, and what their senders have sent after them.
    var postponed: [(route: Route, request: Request, hash: UInt64)] = []
    /// Sessions were let go, or may have been.
    private(set) var hasFewSessions = false
    let retention: Retention
    let checkpointAfter: UInt64
    let bounds: Turn.Bounds
    /// Nil: a journal that answers at once.
    var lateness: Lateness?

    init(
        laws: Laws, dice: Dice, bug: PlantedBug?, clock: SimulatedClock, lateness: Lateness?
    ) {
        self.laws = laws
        self.dice = dice
        self.bug = bug
        self.clock = clock
        self.lateness = lateness
        var limits = Limits()
        limits.repliesPerSession = dice.pick([64, 4])
        limits.removedPlaces = dice.pick([10_000, 5])
        limits.editSeconds = 3
        // Some decide on few rows as on very many.
        limits.aheadRows = dice.pick([10_000, 2, 0])
        limits.aheadBytes = dice.pick([1 << 20, 60, 0])
        self.limits = limits
        retention = Retention(
            diffs: dice.pick([1_000, 12, 3]), seconds: dice.pick([0, 0, 5]))
        checkpointAfter = UInt64(dice.pick([1_000_000, 20_000, 2_000]))
        var bounds = Turn.Bounds()
        if lateness != nil {
            bounds.entries = dice.pick([256, 8, 2])
            bounds.bytes = dice.pick([16 << 20, 20_000])
            bounds.replies = dice.pick([4_096, 12])
        }
        self.bounds = bounds
        disk = SimulatedDisk(laws: laws, bug: bug)
        changeLimits()
        restart()
    }

    /// As whoever edits the configuration before a start: of what is there, some has to go then.
    func changeLimits() {
        limits.sessions = dice.pick([10_000, 4, 2])
        if limits.sessions < 10_000 { hasFewSessions = true }
    }

    func makeServer() -> Server {
        Server(
            epoch: bug == .epochKept ? turn?.server.epoch ?? dice.id128() : dice.id128(),
            limits: limits, codec: bug == .undoForgetsAge ? AgelessCodec() : WireCodec(),
            retention: retention, makeID: { [dice] in dice.id128() })
    }

    /// The tables as the daemon holds them: perhaps ahead of the disk.
    var tables: [TableID: Server.LiveTable] {
        Dictionary(uniqueKeysWithValues: turn?.server.tables.map { ($0, $1) } ?? [])
    }

    /// The journal answers soon, and always.
    func calm() {
        guard lateness != nil else { return }
        lateness = .calm
        journal?.calm()
    }

    // MARK: One turn

    private enum Step: Int {
        case takenIn, decided, committed, published, replied
    }

    /// One turn of the loop; it may be the process's last.
    func run(_ street: Street, crash: Crash?) {
        guard let turn else { return }
        let inbox = SimulatedInbox(self, turn, street)
        defer { if self.turn !== turn { postponed = [] } }
        let outbox = SimulatedOutbox(self, street)
        journal?.betray = { [unowned outbox] in outbox.sayTooEarly($0) }
        if crash != nil { plan(Step(rawValue: dice.below(5)), inbox, outbox) }
        if bug == .noDeduplication { turn.server.restore(SessionBook()) }
        if bug == .momentForgotten {
            for live in turn.server.tables.values { live.table.forgetRecentDeeds() }
        }
        turn.server.room.isReadOnly = disk.isFull && bug != .fullDiskUnnoticed
        defer { if turn.server.sessions.evictedTo > 0 { laws.hasForgotten = true } }
        do {
            // A pause that was planned is none.
            try turn.run(inbox, outbox, plannedMs: bug == .pauseCounts ? 1_000_000 : 100)
        } catch is Killed {
            return end(crash ?? .killed)
        } catch is SimulatedDisk.Broken {
            laws.note("the disk fails")
            return end(crash ?? .killed)
        } catch {
            laws.demand(false, .recoveryIsWhole, "a turn ends with \(error)")
            return end(.killed)
        }
        if crash != nil { return end(crash ?? .killed) }
        if !turn.liveness.judges { laws.unjudgedMs = turn.liveness.nowMs }
        if turn.server.room.isReadOnly { laws.fullMs = turn.liveness.nowMs }
        laws.demand(
            turn.entriesAhead <= bounds.entries, .aheadIsBounded,
            "\(turn.entriesAhead) entries wait for the journal")
    }

    /// Where the process ends in this turn; at its end, if it does not come as far.
    private func plan(_ step: Step?, _ inbox: SimulatedInbox, _ outbox: SimulatedOutbox) {
        switch step {
        case .takenIn: inbox.isKilled = true
        case .decided: journal?.fuse = .beforeSync
        case .committed: journal?.fuse = .afterSync
        case .published:
            outbox.publicationsLeft = dice.chance(500) ? dice.below(3) : nil
            outbox.repliesLeft = 0
        case .replied, nil: outbox.repliesLeft = dice.below(4)
        }
    }
}

/// The process ends here.
struct Killed: Error {}

import Glibc
import Logging
import TableSync
import TableTransport
import TableTurn

// The loop around the turn. What happens in which order is in `Turn`; here is when a turn begins, and
// what has nothing to do with tables: keys of connections, systemd, signals, room on the disk.

extension Daemon {
    /// How long a journal that answers late is waited for at the end.
    private static let lastWaitMs: UInt64 = 5_000

    /// Serves until a signal asks to stop. Throws where going on would break a promise.
    public func run() throws {
        log.notice("ready", metadata: beginning)
        warnOfRollback()
        rememberPosition()
        if Visitors.areUnknown {
            log.warning(
                "users cannot be told apart: this process has a namespace of users (PrivateUsers)")
        }
        notify.ready(status: status)
        defer { try? sockets.willClose() }
        while !isStopping {
            let begin = Clock.monotonicNs
            let due = min(
                turn.untilNext(begin / 1_000_000), watchdog.untilNext(begin / 1_000_000),
                keyList == nil ? Self.lookEveryMs : KeyList.lookEveryMs)
            // Requests that may not be taken in wake nobody.
            let isOpen = turn.isOpen
            let hasMore = authenticator.hasMore || isOpen && costly.count > 0
            let wait = hasMore ? 0 : due
            poller.watch(requested, for: isOpen ? .readable : [])
            _ = try poller.wait(milliseconds: wait)
            let now = Clock.monotonicNs
            if isOpen { turn.waited(now - begin) }
            try runTurn(now, plannedMs: UInt64(wait))
            // To ask is a system call: only where there is something.
            if authenticator.hasMore || poller.ready(asked) != [] { try authenticator.decide() }
            if poller.ready(signalled) != [] { try handleSignals() }
        }
        notify.stopping()
        // One more turn for what has arrived. The rest is asked again.
        try runTurn(Clock.monotonicNs, plannedMs: 0)
        turn.isEnding = true
        // Nobody else is let in, and nothing but the journal wakes the last turns.
        for entry in [requested, asked, signalled] { poller.watch(entry, for: []) }
        let end = Clock.monotonicMs + Self.lastWaitMs
        while turn.entriesAhead > 0, Clock.monotonicMs < end {
            _ = try poller.wait(milliseconds: 10)
            try runTurn(Clock.monotonicNs, plannedMs: 10)
        }
        try turn.interruptWaiting(self)
        rememberPosition()
        try turn.journal.close()
        log.notice("stopped")
    }

    private func runTurn(_ beginNs: UInt64, plannedMs: UInt64) throws {
        try lookForRoom(beginNs / 1_000_000)
        let isBeat = try turn.run(self, self, plannedMs: plannedMs)
        let nowMs = Clock.monotonicMs
        diskSpace.written(turn.submittedBytes)
        if let fault = turn.checks.takeFault() {
            log.critical("a check found damage", metadata: ["fault": "\(fault)"])
        }
        lookAtKeys()
        if isToStepDown {
            isToStepDown = false
            stepDown()
        }
        tellOfMembership()
        if isBeat { notify.status(status) }
        if nowMs >= nextLookMs {
            lookAtPeers()
            audit.tell(log)
            rememberPosition()
        }
        if watchdog.isDue(nowMs) { notify.watchdog() }
    }

    /// Without room nothing is changed, before a commit could fail and end the process.
    private func lookForRoom(_ nowMs: UInt64) throws {
        let hasChanged = try lookAtDisk(nowMs)
        let refusal = turn.journal.refusesChanges
        let more = turn.journal.refusesMore
        // What is recovered anew begins without it.
        server.isReadOnly = diskSpace.isShort || refusal != nil
        server.takesOnlyLess = more != nil
        tell(ofRefusal: refusal ?? more)
        guard hasChanged else { return }
        if diskSpace.isShort {
            log.error("\(diskSpace.refusal): read-only until there is room", metadata: freeSpace)
        } else {
            log.notice("there is room again: changes are taken", metadata: freeSpace)
        }
        notify.status(status)
    }

    private var freeSpace: Logger.Metadata {
        ["free": "\(diskSpace.free ?? 0)", "reserve": "\(diskSpace.reserve)"]
    }

    /// Whether there is another answer than before. The disk of a service of several holds no journal.
    private func lookAtDisk(_ nowMs: UInt64) throws -> Bool {
        guard service == nil else { return false }
        var hasChanged = diskSpace.look(nowMs: nowMs)
        if hasChanged, diskSpace.isShort, try turn.giveWay() {
            log.warning(
                "a checkpoint did not fit on the disk: it was given up", metadata: freeSpace)
            _ = diskSpace.look(nowMs: nowMs, isAnew: true)
            hasChanged = diskSpace.isShort
        }
        if hasChanged || diskSpace.isShort {
            server.refusesBecause = diskSpace.lacksFiles ? diskSpace.refusal : nil
        }
        turn.journal.hasRoom = !diskSpace.isTight
        turn.checkpointer.room = .init(
            bytes: diskSpace.checkpointBytes, isShort: diskSpace.isShort)
        return hasChanged
    }

    private func handleSignals() throws {
        while let signal = try signals.receive() {
            switch signal.number {
            case SIGHUP: reload(signal)
            case SIGUSR1: stepDown()
            default:
                log.notice("stopping", metadata: ["signal": "\(signal.number)"])
                isStopping = true
            }
        }
    }
}

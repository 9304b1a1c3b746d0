import Glibc
import Logging
import TableSync
import TableTransport
import TableTurn

// The loop around the turn. What happens in which order is in `Turn`; here is when a turn begins, and
// what has nothing to do with tables: keys of connections, systemd, signals, room on the disk.

/// The sockets and descriptors that wake the loop.
struct WakeSources: ~Copyable {
    let signals: SignalDescriptor
    private var poller = Poller(capacity: 5)
    private let requests: Poller.Entry
    private let subscribed: Poller.Entry
    private let connecting: Poller.Entry
    private let signalled: Poller.Entry

    /// `journal` is the descriptor of a journal that answers late.
    init(
        _ sockets: Endpoints, _ connections: Connections, _ signals: consuming SignalDescriptor,
        _ journal: Int32?
    ) {
        self.signals = signals
        requests = poller.add(sockets.requests)
        subscribed = poller.add(sockets.publications)
        connecting = connections.authenticator.watch(with: &poller)
        signalled = poller.add(descriptor: self.signals.fileDescriptor)
        if let journal { _ = poller.add(descriptor: journal) }
    }

    /// Waits for so long at most. Requests that may not be taken in do not wake.
    mutating func wait(milliseconds: Int, takesRequests: Bool) throws {
        poller.watch(requests, takesRequests)
        _ = try poller.wait(milliseconds: milliseconds)
    }

    /// From now on nothing but the journal wakes.
    mutating func leaveOutAllButJournal() {
        for entry in [subscribed, connecting, signalled] { poller.watch(entry, false) }
    }

    var haveSubscriptions: Bool { poller.isReady(subscribed) }
    var haveConnections: Bool { poller.isReady(connecting) }
    var haveSignals: Bool { poller.isReady(signalled) }
}

extension Daemon {
    /// How long a journal that answers late is waited for at the end.
    private static let lastWaitMs: UInt64 = 5_000
    private static let lookEveryMs = 1_000

    /// Serves until a signal asks to stop. Throws where going on would break a promise.
    public func run() throws {
        log.lines.notice("ready", metadata: beginning)
        // A state directory that was put back, or is gone: nothing else would notice it.
        if let complaint = lastSeen?.complaint(atPosition: turn.journal.durable) {
            log.lines.warning("rollback", metadata: ["at": "\(complaint)"])
        }
        lastSeen?.write(position: turn.journal.durable)
        if Visitors.areUnknown {
            log.lines.warning(
                "users cannot be told apart: this process has a namespace of users (PrivateUsers)")
        }
        watchdog.notify.ready(status: status)
        defer { try? sockets.willClose() }
        while !isStopping { try runOnce() }
        watchdog.notify.stopping()
        // One more turn for what has arrived. The rest is asked again.
        try runTurn(Clock.monotonicNs, plannedMs: 0)
        turn.isEnding = true
        sources.leaveOutAllButJournal()
        let end = Clock.monotonicMs + Self.lastWaitMs
        while turn.entriesAhead > 0, Clock.monotonicMs < end {
            try sources.wait(milliseconds: 10, takesRequests: false)
            try runTurn(Clock.monotonicNs, plannedMs: 10)
        }
        try turn.interruptWaiting(outbox)
        membership.standby?.feed.end(outbox)
        lastSeen?.write(position: turn.journal.durable)
        try turn.journal.close()
        log.lines.notice("stopped")
    }

    private func runOnce() throws {
        let begin = Clock.monotonicNs
        // `min` allocates a list for more than three values.
        let looking = connections.areSealed ? KeyList.lookEveryMs : Self.lookEveryMs
        let due = min(
            turn.untilNext(begin / 1_000_000), watchdog.untilNext(begin / 1_000_000),
            min(looking, membership.standby?.untilNext ?? looking))
        let isOpen = turn.isOpen
        let wait = isOpen && inbox.hasPostponed ? 0 : due
        try sources.wait(milliseconds: wait, takesRequests: isOpen)
        let now = Clock.monotonicNs
        if isOpen { turn.waited(now - begin) }
        try runTurn(now, plannedMs: UInt64(wait))
        if sources.haveConnections { try connections.authenticator.decide() }
        if sources.haveSignals { try handleSignals() }
    }

    private func runTurn(_ beginNs: UInt64, plannedMs: UInt64) throws {
        try lookForRoom(beginNs / 1_000_000)
        inbox.subscriptions.isReady = sources.haveSubscriptions
        let before = log.tellsOfTurns ? (inbox.counters.requests, turn.journal.durable) : nil
        let isBeat = try turn.run(inbox, outbox, plannedMs: plannedMs)
        if let before { traceTurn(from: beginNs, before) }
        if let standby = membership.standby, standby.isAtWork {
            standby.journal?.reign = server.term
            try standby.feed.serve(server, outbox)
        }
        let nowMs = Clock.monotonicMs
        disk.written(turn.counters.submittedBytes)
        if let fault = turn.checks.takeFault() {
            log.lines.critical("a check found damage", metadata: ["fault": "\(fault)"])
        }
        let revoked = connections.lookAtKeys()
        if !revoked.isEmpty { inbox.dropRequests(ofKeys: revoked) }
        membership.turn(position: server.position)
        if isBeat { watchdog.notify.status(status) }
        if nowMs >= nextLookMs {
            nextLookMs = nowMs + UInt64(Self.lookEveryMs)
            if connections.tidy() { server.admission.forgetRights() }
            connections.look()
            log.tellLeftOut()
            membership.standby?.feed.keep(Clock.elapsedMs)
            lastSeen?.write(position: turn.journal.durable)
        }
        watchdog.turn(nowMs)
    }

    private func traceTurn(from beginNs: UInt64, _ before: (requests: UInt64, position: UInt64)) {
        let (requests, position) = (inbox.counters.requests, turn.journal.durable)
        guard requests > before.requests || position > before.position else { return }
        log.lines.trace(
            "turn",
            metadata: [
                "requests": "\(requests - before.requests)",
                "commits": "\(position - before.position)", "position": "\(position)",
                "us": "\((Clock.monotonicNs - beginNs) / 1_000)",
            ])
    }

    /// Without room nothing is changed, before a commit could fail and end the process.
    private func lookForRoom(_ nowMs: UInt64) throws {
        let hasChanged = try lookAtDisk(nowMs)
        let refusal = turn.journal.refusesChanges
        let more = turn.journal.refusesMore
        let server = server
        server.room.isReadOnly = disk.isShort || refusal != nil
        server.room.takesOnlyLess = more != nil
        if membership.tell(ofRefusal: refusal ?? more) {
            server.room.reason = membership.refusal
            watchdog.notify.status(status)
        }
        guard hasChanged else { return }
        if disk.isShort {
            log.lines.error("\(disk.refusal): read-only until there is room", metadata: freeSpace)
        } else {
            log.lines.notice("there is room again: changes are taken", metadata: freeSpace)
        }
        watchdog.notify.status(status)
    }

    private var freeSpace: Logger.Metadata {
        ["free": "\(disk.free ?? 0)", "reserve": "\(disk.reserve)"]
    }

    /// Whether there is another answer than before. The disk of a service of several holds no journal.
    private func lookAtDisk(_ nowMs: UInt64) throws -> Bool {
        guard membership.service == nil, disk.isDue(nowMs) else { return false }
        var hasChanged = disk.look(nowMs: nowMs)
        if hasChanged, disk.isShort, try turn.giveWay() {
            log.lines.warning(
                "a checkpoint did not fit on the disk: it was given up", metadata: freeSpace)
            _ = disk.look(nowMs: nowMs, isAnew: true)
            hasChanged = disk.isShort
        }
        if hasChanged || disk.isShort { server.room.reason = disk.lacksFiles ? disk.refusal : nil }
        turn.journal.hasRoom = !disk.isTight
        turn.checkpointer.room = .init(bytes: disk.checkpointBytes, isShort: disk.isShort)
        return hasChanged
    }

    private func handleSignals() throws {
        while let signal = try sources.signals.receive() {
            switch signal.number {
            case SIGHUP: reload(signal)
            case SIGUSR1: membership.stepDown()
            default:
                log.lines.notice("stopping", metadata: ["signal": "\(signal.number)"])
                isStopping = true
            }
        }
    }
}

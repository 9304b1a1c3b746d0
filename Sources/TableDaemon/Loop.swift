import Glibc
import Logging
import TableModel
import TableSync
import TableTransport
import TableWire

// The architecture on one screen. Each turn drains what has arrived, decides on it, and then does
// what `Ready` says, in its order.

extension Daemon {
    /// Each takes a fraction of a millisecond: others must not wait for a thousand of them.
    private static let mostDaemonRequestsPerTurn = 16
    /// Snapshots are encoded after the drain, a thousand rows in some milliseconds.
    private static let mostRowsPerTurn = 2_048

    /// Serves until a signal asks to stop. Throws where going on would break a promise.
    public func run() throws {
        log.notice("ready", metadata: beginning)
        notify.ready(status: status)
        while !isStopping {
            let begin = Clock.monotonicNs
            let wait = timers.untilNext(begin / 1_000_000, presence: server.untilPresence)
            let isBusy = checks.isBusy || checkpointer.isBusy && !server.isReadOnly
            let most = authenticator.hasMore ? 0 : isBusy ? 5 : wait
            _ = try poller.wait(milliseconds: min(wait, most))
            let end = Clock.monotonicNs
            pace.waited(end - begin)
            patience.turn(at: Clock.elapsedMs, planned: UInt64(wait))
            try turn(at: end)
            // To ask is a system call: only where there is something.
            if poller.ready(signalled) != [] { try handleSignals() }
        }
        notify.stopping()
        // What has arrived by now is still answered.
        try turn(at: Clock.monotonicNs)
        try journal.close()
        log.notice("stopped")
    }

    /// One turn: drain, decide, commit, publish, reply.
    func turn(at begin: UInt64) throws {
        let (nowMs, before) = (begin / 1_000_000, figures.requests)
        server.begin(nowMs: Clock.wallMs, monotonicMs: patience.nowMs)
        lookForRoom(nowMs)
        let judges = patience.mayJudge(hasTakenAll: try drain(from: begin))
        // By a virtual clock nothing is late by itself: who replays says what happened.
        let isWatching =
            !server.hasVirtualClock && (server.hasInvocations || server.hasPassing)
        if timers.watchIsDue(nowMs, isNeeded: isWatching) {
            if !server.isReadOnly {
                server.watchHandlers(monotonicMs: patience.nowMs, judges: judges)
            }
            server.watchPassing(judges: judges)
        }
        let ready = server.finish()
        try commit(ready)
        try publish(ready)
        try reply(to: ready)
        if figures.requests > before {
            figures.answered(figures.requests - before, in: Clock.monotonicNs - begin)
        }
        for presence in server.presences() { try publish(presence) }
        if authenticator.hasMore || poller.ready(asked) != [] { try authenticator.decide() }
        if poller.ready(subscriptions) != [] { try welcomeSubscribers() }
        if !server.isReadOnly {
            try checkpointer.work(server: server, journal: journal, nowMs: nowMs)
        }
        try workOnChecks(nowMs)
        if timers.heartbeatIsDue(nowMs) { try beat() }
        if timers.watchdogIsDue(nowMs) { notify.watchdog() }
        figures.turns += 1
    }

    /// Takes in what has arrived, up to a bound that keeps latency in hand; true if that was all.
    private func drain(from begin: UInt64) throws -> Bool {
        routes.removeAll(keepingCapacity: true)
        envelopes.removeAll()
        turnStats = nil
        var bytes = 0
        // Also those that nothing comes of: they take time too.
        var messages = 0
        let end = begin + pace.drainNs
        isAnyoneBlocked = PeerGuard.turn()
        let arrived = PeerGuard.Inbox.requests.arrived
        while messages < Self.mostRequestsPerTurn, bytes < Self.mostBytesPerTurn {
            guard try sockets.requests.receive(into: &incoming) else {
                PeerGuard.Inbox.requests.drained(of: arrived)
                return true
            }
            bytes += receive()
            messages += 1
            // What the daemon answers itself takes its time after the drain, and counts in it so.
            if server.daemonRequests >= Self.mostDaemonRequestsPerTurn
                || server.rowsAsked >= Self.mostRowsPerTurn
            {
                return false
            }
            if messages % 4 == 0, Clock.monotonicNs >= end { return false }
        }
        return false
    }

    /// Without room nothing is changed, before a commit could fail and end the process.
    private func lookForRoom(_ nowMs: UInt64) {
        guard room.look(nowMs: nowMs) else { return }
        server.isReadOnly = room.isShort
        journal.canCopyLog = !room.isShort
        let free: Logger.Metadata = ["free": "\(room.free ?? 0)", "reserve": "\(room.reserve)"]
        if room.isShort {
            log.error("the disk is full: read-only until there is room", metadata: free)
        } else {
            log.notice("there is room again: changes are taken", metadata: free)
        }
        notify.status(status)
    }

    private func commit(_ ready: Ready) throws {
        if ready.records.isEmpty { return }
        let begin = Clock.monotonicNs
        let entry = Encode.entry(JournalEntry(timeMs: ready.timeMs, records: ready.records))
        try journal.append(entry)
        room.written(entry.count)
        let took = Clock.monotonicNs - begin
        pace.committed(in: took)
        figures.commits.add(ns: took)
        guard journal.position == server.position else {
            throw DaemonError(
                .io, "the journal is at \(journal.position), the state at \(server.position)")
        }
    }

    private func handleSignals() throws {
        while let signal = try signals.next() {
            switch signal {
            case SIGHUP: reload()
            default:
                log.notice("stopping", metadata: ["signal": "\(signal)"])
                isStopping = true
            }
        }
    }
}

import Glibc
import TableModel
import TableSync
import TableTransport
import TableWire

// The architecture on one screen. Each turn drains what has arrived, decides on it, and then does
// what `Ready` says, in its order.

extension Daemon {
    /// Serves until a signal asks to stop. Throws where going on would break a promise.
    public func run() throws {
        log.notice("ready", metadata: ["tables": "\(server.tables.count)"])
        notify.ready(status: status)
        while !isStopping {
            let wait = timers.untilNext(Clock.monotonicMs)
            _ = try poller.wait(milliseconds: checkpointer.isBusy ? min(wait, 5) : wait)
            try turn()
            // To ask is a system call: only where there is something.
            if poller.ready(signalled) != [] { try handleSignals() }
        }
        notify.stopping()
        // What has arrived by now is still answered.
        try turn()
        try journal.close()
        log.notice("stopped")
    }

    /// One turn: drain, decide, commit, publish, reply.
    func turn() throws {
        let nowMs = Clock.monotonicMs
        server.begin(nowMs: Clock.wallMs)
        try drain()
        // By a virtual clock nothing is late by itself: who replays says what happened.
        let hasInvocations = server.hasInvocations && !server.hasVirtualClock
        if timers.handlersAreDue(nowMs, hasInvocations: hasInvocations) {
            server.watchHandlers(monotonicMs: nowMs)
        }
        let ready = server.finish()
        try commit(ready)
        try publish(ready)
        try reply(to: ready)
        if poller.ready(subscriptions) != [] { try welcomeSubscribers() }
        try checkpointer.work(server: server, journal: journal, nowMs: nowMs)
        if timers.heartbeatIsDue(nowMs) { try beat() }
        if timers.watchdogIsDue(nowMs) { notify.watchdog() }
        figures.turns += 1
    }

    /// Takes in what has arrived, up to a bound that keeps latency in hand.
    private func drain() throws {
        routes.removeAll(keepingCapacity: true)
        envelopes.removeAll()
        var bytes = 0
        let end = Clock.monotonicNs + pace.drainNs
        while routes.count < Self.mostRequestsPerTurn, bytes < Self.mostBytesPerTurn,
            try sockets.requests.receive(into: &incoming)
        {
            bytes += receive()
            if routes.count % 4 == 0, Clock.monotonicNs >= end { return }
        }
    }

    private func commit(_ ready: Ready) throws {
        if ready.records.isEmpty { return }
        let begin = Clock.monotonicNs
        try journal.append(Encode.entry(JournalEntry(timeMs: ready.timeMs, records: ready.records)))
        pace.committed(in: Clock.monotonicNs - begin)
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

package import JournalPort
import TableModel
package import TableSync

/// One turn of a table's life, over four ports. All that must happen in an order is in this order,
/// here and nowhere else, in the daemon and in the simulation:
///
/// 1. learn what became of the entries that were submitted, and say what waited for them;
/// 2. take in what has arrived, and decide on it;
/// 3. end what is late, which is known only then;
/// 4. submit one entry with all that was decided;
/// 5. when it is durable publish, then reply;
/// 6. say who is there, welcome subscribers, write a slice of a checkpoint, beat.
///
/// Where the journal answers at once, all of that is one turn. Elsewhere the turns go on meanwhile:
/// memory is ahead of the journal, and nothing of that leaves the process (law L2).
package final class Turn {
    /// The bounds on what waits for a journal that does not answer.
    package struct Bounds: Sendable {
        /// Entries that are not durable.
        package var entries = 256
        /// Bytes of them, and of the answers that wait for them.
        package var bytes = 16 << 20
        /// Answers that wait.
        package var replies = Turn.mostRequests

        /// The daemon's.
        package init() {}
    }

    /// Requests that one turn takes in, at most.
    package static let mostRequests = 4_096
    private static let mostBytes = 16 << 20

    /// The tables as they are decided on: perhaps ahead of the journal.
    package internal(set) var server: Server
    package let journal: any Journal
    let clock: any Clock
    let recover: (any Journal, Server?) throws -> Server

    var tenure: Tenure
    var ahead: Ahead
    var shown: Shown
    package var checks = Checks()
    var questions = Questions()
    package var checkpointer: Checkpointer
    package private(set) var liveness: LivenessClock
    private var intake = IntakeBudget()
    private var timers: Timers
    package internal(set) var counters = TurnCounters()
    /// At the end of the process: what waits for the journal is waited for, and nothing else is begun.
    package var isEnding = false

    /// Recovers the tables. `recover` makes a server of what the journal holds, now and whenever what
    /// is in memory was refused: each time with another epoch.
    package init(
        journal: any Journal, clock: any Clock, heartbeatMs: Int, checkpointAfterBytes: UInt64,
        bounds: Bounds = Bounds(), recover: @escaping (any Journal, Server?) throws -> Server
    ) throws {
        self.journal = journal
        self.clock = clock
        self.recover = recover
        tenure = Tenure(term: journal.term)
        server = try recover(journal, nil)
        shown = Shown(server)
        ahead = Ahead(bounds)
        liveness = LivenessClock(at: clock.elapsedMs)
        timers = Timers(heartbeatMs: heartbeatMs, nowMs: clock.monotonicMs)
        checkpointer = Checkpointer(afterBytes: checkpointAfterBytes)
    }

    // MARK: What the loop around it asks

    /// Whether requests are taken in. Not while this process may not write, nor while so much waits
    /// for the journal that no more may.
    package var isOpen: Bool {
        (tenure.term != nil || journal.isFollowed) && !isEnding && !ahead.isFull
            && !(checkpointer.waitsForRest && !ahead.isEmpty)
    }

    /// Entries that wait for the journal.
    package var entriesAhead: Int { ahead.items.count }

    /// Milliseconds after which a turn is due though nothing arrives, by the monotonic clock.
    package func untilNext(_ nowMs: UInt64) -> Int {
        // Nothing but heartbeats goes on in a turn that takes nothing in.
        guard isOpen else { return journalWait(timers.untilHeartbeat(nowMs)) }
        // Work that a turn would leave as it is must not call for one: the loop would not rest.
        let isInTouch = !server.duty.isOutOfTouch
        var wait = timers.untilNext(nowMs, presence: isInTouch ? server.untilPresence : nil)
        if let workers = server.untilWorkers, isInTouch {
            wait = min(wait, Int(min(workers, 60_000)))
        }
        if questions.explanations.isBusy, isInTouch {
            wait = min(wait, questions.explanations.untilNext(clock.monotonicNs))
        }
        if checks.isBusy, isInTouch { wait = min(wait, 5) }
        if questions.queries.isBusy || server.isBusyAhead, isInTouch { wait = 0 }
        if mayCheckpoint, isInTouch,
            server.room.isReadOnly ? checkpointer.isMakingRoom : checkpointer.isBusy
        {
            wait = min(wait, Int(checkpointer.pauseMs))
        }
        return journalWait(wait)
    }

    private func journalWait(_ wait: Int) -> Int {
        // A journal that wakes nobody is asked.
        !ahead.isEmpty && journal.descriptor == nil ? min(wait, 1) : wait
    }

    /// The loop has waited for so long, and something arrived or was due.
    package func waited(_ ns: UInt64) { intake.waited(ns) }

    /// Heartbeats go out as often from now on.
    package func setHeartbeat(everyMs: Int) {
        timers = Timers(heartbeatMs: everyMs, nowMs: clock.monotonicMs)
    }

    // MARK: The turn

    /// One turn; `plannedMs` is for how long the loop meant to wait before it. True: a heartbeat was
    /// due.
    @discardableResult
    package func run(_ inbox: some Inbox, _ outbox: some Outbox, plannedMs: UInt64) throws -> Bool {
        let nowMs = clock.monotonicMs
        counters.submittedBytes = 0
        try learn(outbox)
        if journal.isFollowed { server.duty = tenure.duty(by: journal) }
        // A checkpoint that waited for the journal begins before the next entry is submitted.
        if checkpointer.waitsForRest, ahead.isEmpty { try workOnCheckpoint(nowMs) }
        if isOpen {
            // While nothing is taken in, or everybody is turned away, nobody can be heard: that time does
            // not count.
            if !server.duty.isOutOfTouch { liveness.turn(at: clock.elapsedMs, planned: plannedMs) }
            try decide(nowMs, inbox, outbox)
        }
        try welcome(inbox, outbox)
        try workOnCheckpoint(nowMs)
        if !isEnding {
            try workOnChecks(nowMs, outbox)
            try workOnExplanations(outbox)
            try workOnQueries(inbox, outbox)
            workAhead()
        }
        let isBeat = timers.heartbeatIsDue(nowMs)
        if isBeat { try beat(outbox) }
        counters.turns += 1
        return isBeat
    }

    /// Goes on with what is decided ahead of its turn. What has arrived meanwhile is decided on before the next slice.
    private func workAhead() {
        guard server.hasAhead, isOpen else { return }
        let end = clock.monotonicNs + Queries.sliceNs
        server.workAhead { clock.monotonicNs >= end }
    }

    private var mayCheckpoint: Bool {
        (tenure.term != nil || journal.isOwnCopy && !tenure.mustStartAnew) && !isEnding
    }

    private func workOnCheckpoint(_ nowMs: UInt64) throws {
        guard mayCheckpoint else { return }
        if server.room.isReadOnly { return try checkpointer.makeRoom(in: journal, nowMs: nowMs) }
        try checkpointer.work(
            server: server, journal: journal, nowMs: nowMs, isAtRest: ahead.isEmpty)
    }

    /// There is no room for commits: a checkpoint that is being written makes way for them. False: there is
    /// none that could.
    package func giveWay() throws -> Bool {
        try checkpointer.giveWay(server: server, journal: journal)
    }

    private func decide(_ nowMs: UInt64, _ inbox: some Inbox, _ outbox: some Outbox) throws {
        let (begin, processor) = (clock.monotonicNs, clock.processorNs)
        counters.began(processorNs: processor)
        // The server never changes here, which the compiler cannot know: it would count a reference at each use.
        let server = server
        if journal.isFollowed, ahead.isEmpty { tenure.settled.note(server, nowMs: nowMs) }
        server.begin(nowMs: clock.wallMs, monotonicMs: liveness.nowMs)
        // By a virtual clock nothing happens by itself: who replays says what happened.
        if server.duty.isLeader, !server.admission.takesTimes { server.endAbandonedDrags() }
        inbox.begin(monotonicNs: begin, processorNs: processor)
        let (requests, isAll) = try takeIn(inbox, since: begin)
        endWhatIsLate(nowMs, judges: liveness.mayJudge(hasTakenAll: isAll))
        if server.hasWaitingWorkers {
            let servedNs = clock.monotonicNs + Queries.sliceNs
            server.serveWaiting(
                until: { clock.monotonicNs >= servedNs }, isThere: { inbox.isThere($0) },
                sign: { outbox.sign(&$0, $1) })
        }
        if server.duty.isLeader {
            checkpointer.watchRestore(server)
            server.forgetWhatIsOld()
        }
        var ready = server.finish()
        if ready.load.daemonRequests > 0 { ask(&ready, outbox) }
        for route in ready.unanswered { outbox.forget(route) }
        try submit(ready, outbox)
        if requests > 0 { counters.answered(requests, in: clock.monotonicNs - begin) }
        for presence in Self.inOrder(server.presences()) { try say(presence, outbox) }
    }

    /// Takes in what has arrived, up to a bound that keeps latency in hand; and whether that was all.
    ///
    /// Whatever is decided in a turn is answered at its end. So a costly request has a turn to itself: else
    /// a quick one that arrived during another costly one would wait for this one too.
    private func takeIn(
        _ inbox: some Inbox, since begin: UInt64
    ) throws -> (requests: UInt64, isAll: Bool) {
        let end = begin + intake.drainNs
        let server = server
        var bytes = 0
        // The postponed are counted when they are decided. They take time now, too.
        var (quick, postponed, costly) = (0, 0, 0)
        func takeCostly() throws -> Bool {
            guard let size = try inbox.receivePostponed(into: server) else { return false }
            bytes += size
            costly += 1
            return true
        }
        defer { intake.passed(hasTaken: costly > 0 || !inbox.hasPostponed) }
        if intake.owesCostly { _ = try takeCostly() }
        while quick + costly + postponed < Self.mostRequests, bytes < Self.mostBytes {
            var isCostly = false
            var isSlow = false
            switch try inbox.receive(into: server) {
            case .decided(let size, let tookLong):
                isSlow = tookLong
                bytes += size
                quick += 1
            case .postponed: postponed += 1
            case nil:
                isCostly = try quick == 0 && takeCostly()
                if !isCostly { return (UInt64(quick + costly), !inbox.hasPostponed) }
            }
            // These answers are made after the intake. They are bounded here, so that a turn stays
            // short.
            if server.isTurnFull { break }
            let looks = isCostly || isSlow || (quick + postponed) % 4 == 0
            if looks, clock.monotonicNs >= end { break }
        }
        return (UInt64(quick + costly), false)
    }

    /// Ends leases, claims, viewers and invocations whose time is over, a few times a second.
    private func endWhatIsLate(_ nowMs: UInt64, judges: Bool) {
        let server = server
        // By a virtual clock nothing is late by itself: who replays says what happened. Who does not
        // write ends nothing.
        let isDue = timers.watchIsDue(nowMs) {
            server.duty.isLeader && !server.admission.takesTimes
                && (server.hasInvocations || server.hasEphemeral)
        }
        guard isDue else { return }
        if !server.room.isReadOnly {
            server.watchHandlers(monotonicMs: liveness.nowMs, judges: judges)
        }
        server.watchEphemeral(judges: judges)
        timers.watch(within: server.untilWake, nowMs)
    }

    /// One entry with all that was decided, however many wait for it.
    private func submit(_ ready: Ready, _ outbox: some Outbox) throws {
        guard let entry = ready.entry else { return try sayWhatWasRead(ready, outbox) }
        guard let term = tenure.term else {
            preconditionFailure("nothing is decided without a term")
        }
        let begin = clock.monotonicNs
        if ready.forgets { try journal.forgetEarlier(beginsAnew: true) }
        try journal.submit(entry, position: ready.position, term: term)
        let took = clock.monotonicNs - begin
        counters.submittedBytes = entry.count
        if ahead.isEmpty, journal.durable >= ready.position {
            counters.commits.add(ns: took)
            try publish(ready.publications, outbox)
            let published = clock.monotonicNs - begin
            counters.delivered(ready.publications.count, in: published)
            let besides = published - took + outbox.sendingNs()
            intake.committed(in: took, publishing: besides)
            outbox.note(ready.audited)
            return try reply(ready.replies, in: entry, outbox)
        }
        ahead.add(ready, entry: entry, ns: begin)
    }

    /// Nothing was changed: what was read is of the newest state, and waits for that.
    private func sayWhatWasRead(_ ready: Ready, _ outbox: some Outbox) throws {
        if hasBeenStopped, !server.duty.isOutOfTouch {
            // A refusal stays in the audit even if the turn's entry is rejected.
            outbox.note(ready.audited)
            return ready.replies.forEach { outbox.forget($0.route) }
        }
        if ahead.isEmpty {
            outbox.note(ready.audited)
            return try release(ready.publications, ready.replies, in: [], outbox)
        }
        ahead.add(ready.audited)
        for answer in ready.replies {
            if let told = atRest(answer) {
                try outbox.reply(told, in: [])
            } else {
                ahead.add(answer)
            }
        }
    }

    // MARK: What nobody asked for

    /// Tells new subscribers that their subscription is live.
    private func welcome(_ inbox: some Inbox, _ outbox: some Outbox) throws {
        let newcomers = try inbox.newcomers()
        if newcomers.isEmpty { return }
        var told: Set<TableID> = []
        for newcomer in newcomers {
            // A welcome tells a revision. Viewers subscribe again until one comes.
            if server.duty.isOutOfTouch || hasBeenStopped { continue }
            if !newcomer.isPresence {
                let welcome = shown.welcome(to: newcomer.table, of: server)
                try outbox.welcome(welcome, form: newcomer.form)
            } else if told.insert(newcomer.table).inserted,
                let presence = server.presence(toNewcomerOf: newcomer.table)
            {
                try say(whole: presence, outbox)
            }
        }
    }

    private func beat(_ outbox: some Outbox) throws {
        server.tidy(nowMs: clock.wallMs, elapsedMs: clock.elapsedMs)
        // A state that may be out of date is not published: viewers notice, and look elsewhere.
        if server.duty.isOutOfTouch || hasBeenStopped { return }
        for heartbeat in shown.heartbeats(of: server, at: clock.wallMs) {
            try outbox.publish(heartbeat, encoded: EncodedDiffs())
        }
        for presence in Self.inOrder(server.fullPresences()) { try say(whole: presence, outbox) }
    }

    /// A server has its tables in any order: what is said has one.
    private static func inOrder(_ presences: [Presence]) -> [Presence] {
        presences.count > 1 ? presences.sorted { $0.table < $1.table } : presences
    }

    private func say(_ presence: Presence, _ outbox: some Outbox) throws {
        if ahead.isEmpty { try outbox.publish(presence) } else { ahead.add(presence) }
    }

    private func say(whole presence: Presence, _ outbox: some Outbox) throws {
        if ahead.isEmpty { try outbox.publish(presence) } else { ahead.add(whole: presence) }
    }
}

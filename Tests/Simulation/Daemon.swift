import TableDaemon
import TableHash
import TableJournal
import TableModel
import TableSync
import TableWire

/// The time: monotonic for the daemon and its clients, and the date, which people set.
struct SimulatedClock {
    var nowMs: UInt64 = 1_000
    var dateMs: UInt64 { UInt64(clamping: 1_763_715_600_000 + Int64(nowMs) + setByMs) }
    var setByMs: Int64 = 0
}

/// A daemon around the real `Server`, `Checkpointer` and `Restart`: does what `Ready` says in its
/// order. Processes end between any two stages and in the midst of the last two.
final class SimulatedDaemon {
    /// Who is to be told, and what.
    struct Outputs {
        var publish: (News) -> Void
        var reply: (Route, Reply) -> Void
    }

    /// How a process ends.
    enum Crash {
        case killed, powerCut
    }

    var server: Server
    var isUp = true
    var disk: SimulatedDisk
    var journal: SimulatedJournal?
    var checkpointer = Checkpointer(afterBytes: 0)
    var liveness = LivenessClock(at: SimulatedClock().nowMs)
    /// Some old, some new.
    var backups: [Backup] = []
    var restores: UInt64 = 0
    let laws: Laws
    let dice: Dice
    let bug: PlantedBug?
    let limits: Limits
    let retention: Retention
    let checkpointAfter: UInt64
    private var watchMs: UInt64 = 0
    private var heartbeatMs: UInt64 = 0

    init(laws: Laws, dice: Dice, bug: PlantedBug?) {
        self.laws = laws
        self.dice = dice
        self.bug = bug
        var limits = Limits()
        limits.repliesPerSession = dice.pick([64, 4])
        limits.sessions = dice.pick([10_000, 4, 2])
        limits.removedPlaces = dice.pick([10_000, 5])
        self.limits = limits
        retention = Retention(
            diffs: dice.pick([1_000, 12, 3]), seconds: dice.pick([0, 0, 5]))
        checkpointAfter = UInt64(dice.pick([1_000_000, 20_000, 2_000]))
        disk = SimulatedDisk(laws: laws, bug: bug)
        server = Self.server(dice.id128(), limits, retention, dice, bug)
        restart()
    }

    static func server(
        _ epoch: ID128, _ limits: Limits, _ retention: Retention, _ dice: Dice, _ bug: PlantedBug?
    ) -> Server {
        Server(
            epoch: epoch, limits: limits,
            codec: bug == .undoForgetsAge ? AgelessCodec() : WireCodec(), retention: retention,
            makeID: { dice.id128() })
    }

    // MARK: One turn

    private enum Stage: Int {
        case drained, decided, committed, published, replied
    }

    /// One turn of the loop; it may be the process's last.
    func turn(
        _ requests: [(route: Route, request: Request)], _ clock: SimulatedClock, crash: Crash?,
        _ outputs: Outputs
    ) {
        let last = crash == nil ? nil : Stage(rawValue: dice.below(5))
        let end = { self.end(crash ?? .killed) }
        if last == .drained { return end() }
        decide(requests, clock)
        let ready = server.finish()
        if bug == .publishBeforeCommit { publish(ready, outputs) }
        if bug == .replyBeforeCommit { reply(ready, outputs) }
        if last == .decided {
            // Written, and the process ends before the sync.
            if !ready.records.isEmpty, !disk.isFull { try? disk.write(.entry(entry(of: ready))) }
            return end()
        }
        guard commit(ready) else { return end() }
        if last == .committed { return end() }
        let isCut = last == .published && dice.chance(500)
        publish(ready, outputs, most: isCut ? dice.below(ready.publications.count + 1) : nil)
        if last == .published { return end() }
        reply(ready, outputs, most: last == .replied ? dice.below(ready.replies.count + 1) : nil)
        if last == .replied { return end() }
        for presence in server.presences().sorted(by: { $0.table < $1.table }) {
            outputs.publish(.presence(presence))
        }
        guard checkpoint(clock) else { return end() }
        beat(clock, outputs)
    }

    private func decide(
        _ requests: [(route: Route, request: Request)], _ clock: SimulatedClock
    ) {
        if bug == .noDeduplication { server.restore(Sessions()) }
        liveness.turn(at: clock.nowMs, planned: 100)
        let judges = liveness.mayJudge(hasTakenAll: true) || bug == .pauseCounts
        if !judges { laws.unjudgedMs = liveness.nowMs }
        let nowMs = bug == .pauseCounts ? clock.nowMs : liveness.nowMs
        server.begin(nowMs: clock.dateMs, monotonicMs: nowMs)
        server.isReadOnly = disk.isFull && bug != .fullDiskUnnoticed
        for (route, request) in requests {
            if case .drag(let drag) = request.verb {
                laws.holderIsHeard(drag, by: request.actor, nowMs: liveness.nowMs)
            }
            server.receive(misread(request), requestHash: Self.hash(request), from: route)
        }
        if clock.nowMs >= watchMs {
            watchMs = clock.nowMs + 100
            if !server.isReadOnly {
                server.watchHandlers(monotonicMs: nowMs, judges: judges)
            }
            if bug != .leaseNotReleased { server.watchEphemeral(judges: judges) }
        }
        if server.sessions.evictedTo > 0 { laws.hasForgotten = true }
    }

    /// A writer sends the same bytes under the same number: the laws hold it to that.
    private static func hash(_ request: Request) -> UInt64 {
        XXH64.hash(Array("\(request.client?.text ?? "")#\(request.number ?? 0)".utf8))
    }

    /// What a faulty daemon makes of a request.
    private func misread(_ request: Request) -> Request {
        var request = request
        if bug == .forgottenRunsAgain { request.opened = server.position }
        if bug == .undoOffByOne, case .command(var command) = request.verb,
            case .undo(let revision, let mine) = command.verb,
            let head = request.table.flatMap({ server.tables[$0]?.table.revision })
        {
            command.verb = .undo(revision: (revision ?? head).subtracting(1), mine: mine)
            request.verb = .command(command)
        }
        return request
    }

    private func entry(of ready: Ready) -> [UInt8] {
        Encode.entry(JournalEntry(timeMs: ready.timeMs, records: ready.records))
    }

    /// False: the process must end.
    private func commit(_ ready: Ready) -> Bool {
        guard !ready.records.isEmpty, let journal else { return true }
        do {
            try journal.append(entry(of: ready))
        } catch {
            laws.note("the disk fails")
            return bug == .goesOnAfterDiskError
        }
        return true
    }

    private func checkpoint(_ clock: SimulatedClock) -> Bool {
        guard !server.isReadOnly, let journal else { return true }
        do {
            try checkpointer.work(server: server, journal: journal, nowMs: clock.nowMs)
        } catch {
            laws.note("the disk fails in a checkpoint")
            return bug == .goesOnAfterDiskError
        }
        return true
    }

    // MARK: What it says

    private func publish(_ ready: Ready, _ outputs: Outputs, most: Int? = nil) {
        for outgoing in ready.publications.prefix(most ?? ready.publications.count) {
            laws.published(outgoing.publication, encoded: outgoing.encoded)
            var publication = outgoing.publication
            // As those who read the bytes have it.
            publication.diffs = outgoing.encoded.compactMap { laws.codec.decodeDiff($0) }
            outputs.publish(.publication(publication))
        }
    }

    private func reply(_ ready: Ready, _ outputs: Outputs, most: Int? = nil) {
        for answer in ready.replies.prefix(most ?? ready.replies.count) {
            guard let reply = reply(for: answer) else {
                laws.demand(false, .sameBytesEverywhere, "a reply that is kept cannot be read")
                continue
            }
            outputs.reply(answer.route, reply)
        }
    }

    private func reply(for answer: Ready.Answer) -> Reply? {
        switch answer.body {
        case .reply(let reply):
            laws.replied(reply)
            return spoiled(reply)
        case .remembered(let bytes):
            guard var reply = laws.codec.decodeReply(bytes) else { return nil }
            laws.replied(reply)
            if bug == .rememberedAnswerDiffers { reply.epoch = server.epoch }
            return reply
        case .replay(let reply, let encoded):
            laws.replied(reply, encoded: encoded)
            guard case .replay(var publication, let head) = reply.answer else { return nil }
            publication.diffs = encoded.compactMap { laws.codec.decodeDiff($0) }
            if publication.diffs.count != encoded.count { return nil }
            if bug == .replayTooLate, publication.diffs.count > 1 {
                publication.diffs.removeFirst()
            }
            var whole = reply
            whole.answer = .replay(publication, head: head)
            return whole
        case .forDaemon(let request):
            var hello = Hello()
            hello.opened = server.position
            return server.makeReply(request, .hello(hello))
        }
    }

    private func spoiled(_ reply: Reply) -> Reply {
        guard bug == .snapshotLacksRow, case .snapshot(var chunk) = reply.answer,
            let place = chunk.slices.firstIndex(where: { !$0.rows.isEmpty })
        else { return reply }
        chunk.slices[place].rows.removeLast()
        var reply = reply
        reply.answer = .snapshot(chunk)
        return reply
    }

    func welcome(to table: TableID) -> Publication {
        let welcome = server.welcome(to: table)
        laws.published(welcome, encoded: [])
        return welcome
    }

    private func beat(_ clock: SimulatedClock, _ outputs: Outputs) {
        guard clock.nowMs >= heartbeatMs else { return }
        heartbeatMs = clock.nowMs + 1_000
        // Their order is nobody's business; the trace wants one.
        for one in server.heartbeats(nowMs: clock.dateMs).sorted(by: { $0.table < $1.table }) {
            laws.published(one, encoded: [])
            outputs.publish(.publication(one))
        }
        for one in server.fullPresences.sorted(by: { $0.table < $1.table }) {
            outputs.publish(.presence(one))
        }
    }
}

extension UInt64 {
    fileprivate func subtracting(_ number: UInt64) -> UInt64 { self > number ? self - number : 0 }
}

public import TableModel

/// A viewer's end of the protocol: keeps a table up to date with the daemon's, and knows how fresh
/// it is. It does no input or output: publications, replies and the time go in, `Step`s come out.
///
///     subscribe ─ welcome ─▶ pull the snapshot ─▶ live ─ gap ─▶ replay ─▶ live
///                               ▲  diffs that arrive meanwhile wait │
///                               └── compacted, diverged, mismatch ◀─┘
public final class Replica {
    enum Phase {
        /// Subscribed; nothing was heard yet.
        case waiting
        case absent
        /// Pulling a snapshot.
        case pulling(Pull)
        case live
        /// Live, except for missing diffs that it has asked for.
        case replaying(tag: UInt64)
        /// The daemon was restarted; asked how our table relates to its table.
        case offering(tag: UInt64)
    }

    /// The table's name.
    public let name: TableID
    /// The newest known state; nil before the first snapshot.
    public internal(set) var table: Table?
    /// The daemon's epoch, as last heard.
    public internal(set) var epoch: ID128?
    /// How often a digest or a diff did not fit.
    public private(set) var mismatches: UInt64 = 0

    /// Between two heartbeats of a table, as the daemon's `hello` says. It tells what silence is.
    public var heartbeatMs: UInt64 = 1_000 {
        didSet { heartbeatMs = min(max(heartbeatMs, 100), 60_000) }
    }

    /// Called just before and just after each diff is applied, because `table` after several diffs
    /// does not show the states between them.
    public var onDiff: ((Diff, _ isApplied: Bool) -> Void)?

    var phase = Phase.waiting
    var ahead = Ahead()
    private var nextTag: UInt64 = 1
    var steps: [Step] = []
    var nowMs: UInt64 = 0
    private var heardMs: UInt64?
    private var isConnected = true
    var retry: Retry
    /// The tag of the question that was asked because nothing was heard.
    private var probe: UInt64?

    /// A replica without a table yet. `jitter` gives numbers in 0..<1.
    public init(_ name: TableID, jitter: @escaping () -> Double) {
        self.name = name
        retry = Retry(jitter: jitter)
    }

    // MARK: Inputs

    /// Starts; the first step is to subscribe.
    public func start(nowMs: UInt64) -> [Step] {
        input(nowMs) {
            wait()
            steps.append(.subscribe)
        }
    }

    /// Starts without a subscription, for one snapshot.
    public func begin(nowMs: UInt64) -> [Step] { input(nowMs) { pull() } }

    /// The connection came or went, if the owner can tell.
    public func connection(isUp: Bool, nowMs: UInt64) -> [Step] {
        input(nowMs) { isConnected = isUp }
    }

    /// Time passed: asks again for lost answers.
    public func tick(nowMs: UInt64) -> [Step] {
        input(nowMs) {
            guard nowMs >= retry.dueMs else { return }
            switch phase {
            case .live, .absent:
                // A dropped table has no heartbeats, and the news of the drop may have been lost. A
                // new subscription is always answered.
                guard heardMs != nil, isSilent else {
                    retry.attempts = 0
                    return
                }
                subscribeAgain()
            case .waiting: subscribeAgain()
            case .pulling(let pull): pullAgain(pull)
            case .replaying: catchUp()
            case .offering: offer()
            }
        }
    }

    /// Something was published on the table's topic.
    public func received(_ publication: Publication, nowMs: UInt64) -> [Step] {
        input(nowMs) {
            guard publication.table == name else { return }
            heard()
            if publication.isDropped { return gone() }
            // This is a welcome to a table that does not exist.
            guard let history = publication.history else { return gone() }
            let isNewEpoch = epoch != publication.epoch
            epoch = publication.epoch
            if isNewEpoch || ahead.history != history { ahead = Ahead() }
            ahead.history = history
            let head = publication.welcome ?? publication.heartbeat
            ahead.revision = max(
                ahead.revision, head?.revision ?? publication.diffs.last?.revision ?? 0)
            if let table {
                if table.history != history {
                    pullUnlessPulling()
                } else if isNewEpoch {
                    return offer()
                }
            } else if isNewEpoch, case .pulling = phase {
                pull()
            }
            if let head { compare(with: head) }
            for diff in publication.diffs { accept(diff) }
            if case .waiting = phase { pull() }
            if case .absent = phase { pull() }
        }
    }

    /// The answer to the question with this tag. Answers to abandoned questions are ignored. No answer
    /// makes the table fresh: publications may be lost all the same.
    public func answered(_ reply: Reply, tag: UInt64, nowMs: UInt64) -> [Step] {
        input(nowMs) {
            if tag == probe {
                probe = nil
                return proven(reply.answer)
            }
            switch phase {
            case .pulling(let pull) where pull.tags[tag] != nil: pulled(reply, tag: tag, pull)
            case .replaying(tag): replayed(reply.answer)
            case .offering(tag): compared(reply.answer)
            default: break
            }
        }
    }

    /// How fresh `table` is.
    public func freshness(nowMs: UInt64) -> Freshness {
        guard isConnected else { return .disconnected }
        guard let heardMs else { return .connecting }
        let silence = nowMs &- min(heardMs, nowMs)
        if silence > 3 * heartbeatMs { return .stale(forMs: silence) }
        switch phase {
        case .live: return .live
        case .absent: return .absent
        case .waiting: return .connecting
        default: return .stale(forMs: silence)
        }
    }

    // MARK: Joining

    private func wait() {
        phase = .waiting
        ahead.diffs = []
        retry.attempts = 0
        retry.backOff(nowMs)
    }

    func gone() {
        table = nil
        ahead.diffs = []
        if case .absent = phase { return }
        phase = .absent
        retry.reset(nowMs)
        steps.append(.absent)
    }

    private func subscribeAgain() {
        steps.append(.subscribe)
        // Who may not read the table hears nothing: only a question is refused. Where publications do
        // not come for another reason, its answer tells what they would have told.
        if retry.attempts > 1 { probe = ask(table.map { offer(of: $0) } ?? .kinds) }
        retry.backOff(nowMs)
    }

    /// The answer to what was asked in silence. It may lead on, and is no proof that anything is heard.
    private func proven(_ answer: Reply.Answer) {
        switch phase {
        case .live:
            switch answer {
            case .standing(let standing) where standing.relation == .same: break
            case .standing(let standing) where standing.relation == .extend: catchUp()
            case .standing: compared(answer)
            case .refused(let rejection) where rejection.code == .noSuchTable: gone()
            default: break
            }
        case .absent:
            if case .refused = answer { return }
            pull()
        case .waiting, .pulling, .replaying, .offering: break
        }
    }

    /// Applies the diffs that arrived meanwhile; if they leave a gap, asks for the missing ones.
    func takeWaiting() {
        let diffs = ahead.diffs
        ahead.diffs = []
        for diff in diffs { accept(diff) }
        if case .live = phase, let table, table.revision < ahead.revision { catchUp() }
    }

    // MARK: Going on

    private func accept(_ diff: Diff) {
        switch phase {
        case .live:
            guard let table, diff.base >= table.revision else { return }
            if diff.base > table.revision {
                ahead.hold(diff)
                return catchUp()
            }
            do throws(Mismatch) {
                onDiff?(diff, false)
                try table.apply(diff)
                onDiff?(diff, true)
                steps.append(.applied(diff))
            } catch { broken("\(error)") }
        case .pulling, .replaying, .offering: ahead.hold(diff)
        case .waiting, .absent: break
        }
    }

    /// A heartbeat or welcome may prove a gap. It never advances the replica.
    private func compare(with head: Head) {
        guard case .live = phase, let table else { return }
        if head.revision > table.revision { return catchUp() }
        if head.revision < table.revision { return offer() }
        if head.digest != table.digest { broken("the digest differs at revision \(head.revision)") }
    }

    /// Asks for the diffs that are missing.
    private func catchUp() {
        guard let table else { return pull() }
        phase = .replaying(tag: ask(.replay(history: table.history, since: table.revision)))
        retry.backOff(nowMs)
    }

    private func replayed(_ answer: Reply.Answer) {
        guard case .replay(let publication, let head) = answer, let table else {
            if case .refused(let rejection) = answer, rejection.code == .noSuchTable {
                return gone()
            }
            ahead.diffs = []
            return pull()
        }
        phase = .live
        calm()
        let before = table.revision
        for diff in publication.diffs { accept(diff) }
        guard case .live = phase else { return }
        // Without progress, the waiting diffs are beyond the daemon's head. Asking again would be a
        // loop. If they are real, the next heartbeat proves the gap.
        if table.revision == before { (ahead.diffs, ahead.revision) = ([], 0) }
        takeWaiting()
        guard case .live = phase, table.revision < head else { return }
        // No progress, although the head is newer: the daemon's diffs do not follow our revision.
        if table.revision == before { pull() } else { catchUp() }
    }

    private func offer() {
        guard let table else { return pull() }
        phase = .offering(tag: ask(offer(of: table)))
        retry.backOff(nowMs)
    }

    private func offer(of table: Table) -> Request.Verb {
        .offer(history: table.history, revision: table.revision, digest: table.digest)
    }

    private func compared(_ answer: Reply.Answer) {
        guard case .standing(let standing) = answer else {
            if case .refused(let rejection) = answer, rejection.code == .noSuchTable {
                return gone()
            }
            return pull()
        }
        steps.append(.compared(standing.relation))
        switch standing.relation {
        case .same:
            phase = .live
            takeWaiting()
        case .extend:
            phase = .live
            catchUp()
        case .rolledBack, .diverged, .compacted: pull()
        }
    }

    /// Our table and the daemon's differ. It is counted, shown, and healed by a snapshot.
    func broken(_ what: String) {
        mismatches += 1
        ahead.diffs = []
        steps.append(.mismatch(what))
        if case .pulling = phase { pullLater() } else { pull() }
    }

    // MARK: Helpers

    private func input(_ nowMs: UInt64, _ body: () -> Void) -> [Step] {
        self.nowMs = max(self.nowMs, nowMs)
        steps = []
        body()
        return steps
    }

    private func heard() {
        heardMs = nowMs
        isConnected = true
        probe = nil
        switch phase {
        // How long it had waited says nothing of what comes now.
        case .live, .absent, .waiting: calm()
        case .pulling, .replaying, .offering: break
        }
    }

    /// Nothing is missing: a question that comes is the first. Not so in silence, in which it asks ever more slowly.
    func calm() {
        if !isSilent { retry.reset(nowMs) }
    }

    /// After two heartbeats that did not come the replica subscribes again, before anything shows as stale.
    private var isSilent: Bool { heardMs.map { nowMs - $0 >= 2 * heartbeatMs } ?? true }

    func ask(_ verb: Request.Verb) -> UInt64 {
        defer { nextTag += 1 }
        steps.append(.ask(verb, tag: nextTag))
        return nextTag
    }
}

public import TableModel

/// A viewer's end of the protocol: keeps a table up to date with the daemon's, and knows how fresh
/// it is. It does no input or output: publications, replies and the time go in, `Step`s come out.
///
///     subscribe ─ welcome ─▶ pull the snapshot ─▶ live ─ gap ─▶ replay ─▶ live
///                               ▲  diffs that arrive meanwhile wait │
///                               └── compacted, diverged, mismatch ◀─┘
public final class Replica {
    private enum Phase {
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
    public private(set) var table: Table?
    /// The daemon's epoch, as last heard.
    public private(set) var epoch: ID128?
    /// How often a digest or a diff did not fit.
    public private(set) var mismatches: UInt64 = 0

    /// Called just before and just after each diff is applied, because `table` after several diffs
    /// does not show the states between them.
    public var onDiff: ((Diff, _ isApplied: Bool) -> Void)?

    private var phase = Phase.waiting
    private var waiting: [Diff] = []
    private var waitingHistory: ID128?
    /// The newest revision of `waitingHistory` that was heard of. Below it the replica is not live.
    private var told: UInt64 = 0
    private var nextTag: UInt64 = 1
    private var steps: [Step] = []
    private var nowMs: UInt64 = 0
    private var heardMs: UInt64?
    private var isConnected = true
    /// When an unanswered question counts as lost.
    private var retryMs: UInt64 = 0
    private var attempts = 0
    /// Numbers in 0..<1 that spread the retries of many viewers.
    private let jitter: () -> Double

    /// A replica without a table yet. `jitter` gives numbers in 0..<1.
    public init(_ name: TableID, jitter: @escaping () -> Double) {
        self.name = name
        self.jitter = jitter
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
    public func begin(nowMs: UInt64) -> [Step] {
        input(nowMs) { pull() }
    }

    /// The connection came or went, if the owner can tell.
    public func connection(isUp: Bool, nowMs: UInt64) -> [Step] {
        input(nowMs) { isConnected = isUp }
    }

    /// Time passed: asks again for lost answers.
    public func tick(nowMs: UInt64) -> [Step] {
        input(nowMs) {
            guard nowMs >= retryMs else { return }
            switch phase {
            case .live, .absent:
                // A dropped table has no heartbeats, and the news of the drop may have been lost. A
                // new subscription is always answered.
                guard let heardMs, self.nowMs - heardMs >= Self.silenceMs else {
                    attempts = 0
                    return
                }
                subscribeAgain()
            case .waiting: subscribeAgain()
            case .pulling: pull()
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
            if isNewEpoch || waitingHistory != history { (waiting, told) = ([], 0) }
            waitingHistory = history
            let head = publication.welcome ?? publication.heartbeat
            told = max(told, head?.revision ?? publication.diffs.last?.revision ?? 0)
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

    /// The answer to the question with this tag. Answers to abandoned questions are ignored.
    public func answered(_ reply: Reply, tag: UInt64, nowMs: UInt64) -> [Step] {
        input(nowMs) {
            heard()
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
        if silence > Self.staleMs { return .stale(forMs: silence) }
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
        waiting = []
        attempts = 0
        backOff()
    }

    private func gone() {
        table = nil
        waiting = []
        if case .absent = phase { return }
        phase = .absent
        steps.append(.absent)
    }

    private func subscribeAgain() {
        steps.append(.subscribe)
        // Who may not read the table hears nothing: only a question is refused.
        if attempts > 1 { _ = ask(.kinds) }
        backOff()
    }

    /// Starts to pull a snapshot, unless one is being pulled.
    private func pullUnlessPulling() {
        if case .pulling = phase { return }
        pull()
    }

    /// Starts to pull a snapshot of the present state.
    private func pull() {
        var pull = Pull()
        pull.asked = 1
        pull.tags[ask(.snapshot(id: nil, chunk: 0))] = 0
        phase = .pulling(pull)
        backOff()
    }

    private func pulled(_ reply: Reply, tag: UInt64, _ old: Pull) {
        var pull = old
        let chunk: SnapshotChunk
        switch reply.answer {
        case .snapshot(let part): chunk = part
        case .refused(let rejection) where rejection.code == .noSuchTable: return gone()
        // The snapshot was dropped, or the daemon is busy: a later tick starts again.
        default: return
        }
        guard pull.tags.removeValue(forKey: tag) == chunk.chunk else { return }
        if epoch != reply.epoch {
            epoch = reply.epoch
            waiting = []
        }
        pull.history = pull.history ?? reply.history
        pull.arrived[chunk.chunk] = chunk
        do throws(Mismatch) {
            while let part = pull.arrived.removeValue(forKey: pull.next) {
                try add(part, to: &pull)
                pull.next += 1
            }
        } catch { return broken("a snapshot does not fit together: \(error)") }
        if pull.next >= pull.chunks { return install(pull) }
        while pull.asked < pull.chunks, pull.tags.count < Self.credit {
            pull.tags[ask(.snapshot(id: pull.id, chunk: pull.asked))] = pull.asked
            pull.asked += 1
        }
        phase = .pulling(pull)
        attempts = 0
        backOff()
    }

    private func add(_ part: SnapshotChunk, to pull: inout Pull) throws(Mismatch) {
        if part.chunk == 0 {
            guard let history = pull.history else { throw .op("no history is named") }
            pull.id = part.id
            pull.revision = part.revision
            pull.digest = part.digest
            pull.chunks = part.chunks
            pull.building = Table(
                restoring: name, history: history, revision: part.revision, kinds: part.kinds,
                settings: part.settings ?? Settings(), removedPlaces: 0)
            pull.building?.reserve(part.rows)
            pull.building?.restoreEditing(part.isEditing)
        }
        guard part.id == pull.id, let table = pull.building else {
            throw .op("a chunk of another snapshot")
        }
        for invocation in part.invocations { table.restore(invocation) }
        for slice in part.slices {
            try table.appendSection(slice.section, title: slice.title)
            try table.appendRows(slice.rows, to: slice.section)
        }
    }

    private func install(_ pull: Pull) {
        guard let fresh = pull.building, fresh.digest == pull.digest else {
            return broken("a snapshot's digest differs")
        }
        table = fresh
        phase = .live
        attempts = 0
        steps.append(.installed)
        if waitingHistory != fresh.history { (waiting, told) = ([], 0) }
        takeWaiting()
    }

    /// Applies the diffs that arrived meanwhile; if they leave a gap, asks for the missing ones.
    private func takeWaiting() {
        let diffs = waiting
        waiting = []
        for diff in diffs { accept(diff) }
        if case .live = phase, let table, table.revision < told { catchUp() }
    }

    // MARK: Going on

    private func accept(_ diff: Diff) {
        switch phase {
        case .live:
            guard let table, diff.base >= table.revision else { return }
            if diff.base > table.revision {
                hold(diff)
                return catchUp()
            }
            do throws(Mismatch) {
                onDiff?(diff, false)
                try table.apply(diff)
                onDiff?(diff, true)
                steps.append(.applied(diff))
            } catch { broken("\(error)") }
        case .pulling, .replaying, .offering: hold(diff)
        case .waiting, .absent: break
        }
    }

    private func hold(_ diff: Diff) {
        if waiting.count >= Self.mostWaiting { waiting = [] }
        waiting.append(diff)
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
        backOff()
    }

    private func replayed(_ answer: Reply.Answer) {
        guard case .replay(let publication, let head) = answer, let table else {
            if case .refused(let rejection) = answer, rejection.code == .noSuchTable {
                return gone()
            }
            waiting = []
            return pull()
        }
        phase = .live
        attempts = 0
        let before = table.revision
        for diff in publication.diffs { accept(diff) }
        guard case .live = phase else { return }
        // Without progress, the waiting diffs are beyond the daemon's head. Asking again would be a
        // loop. If they are real, the next heartbeat proves the gap.
        if table.revision == before { (waiting, told) = ([], 0) }
        takeWaiting()
        guard case .live = phase, table.revision < head else { return }
        // No progress, although the head is newer: the daemon's diffs do not follow our revision.
        if table.revision == before { pull() } else { catchUp() }
    }

    private func offer() {
        guard let table else { return pull() }
        phase = .offering(
            tag: ask(
                .offer(history: table.history, revision: table.revision, digest: table.digest)))
        backOff()
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
    private func broken(_ what: String) {
        mismatches += 1
        waiting = []
        steps.append(.mismatch(what))
        guard case .pulling = phase else { return pull() }
        // A snapshot that does not fit is not asked for again at once: that would be a loop at the
        // speed of the network.
        phase = .pulling(Pull())
        backOff()
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
    }

    private func ask(_ verb: Request.Verb) -> UInt64 {
        defer { nextTag += 1 }
        steps.append(.ask(verb, tag: nextTag))
        return nextTag
    }

    /// Sets when to ask again: doubling from half a second to eight, with jitter.
    private func backOff() {
        let base = Self.retryBaseMs << UInt64(min(attempts, 4))
        attempts += 1
        retryMs = nowMs + base + UInt64(Double(base) * min(max(jitter(), 0), 1))
    }
}

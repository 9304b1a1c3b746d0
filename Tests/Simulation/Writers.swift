import TableModel
import TableSync

/// A program that changes a table: a `Writer` with wishes, which looks over a viewer's shoulder.
final class SimulatedWriter: End {
    private(set) var writer: Writer
    private let seat: String
    private let name: ID?
    private let table: TableID
    private let limits: Limits
    private let laws: Laws
    private let dice: Dice
    private let seen: () -> Table?
    private var lives = 0
    private var isOpen = false
    private var helloDueMs: UInt64 = 0

    init(
        _ seat: String, name: ID?, table: TableID, limits: Limits, laws: Laws, dice: Dice,
        seen: @escaping () -> Table?
    ) {
        self.seat = seat
        self.name = name
        self.table = table
        self.limits = limits
        self.laws = laws
        self.dice = dice
        self.seen = seen
        writer = Writer(client: ID(seat), retryMs: 400, limits: limits)
        writer.name = name
    }

    /// A new process, and a new client: what the old one waited for, nobody waits for any more.
    func restart(nowMs: UInt64) -> ToSend {
        lives += 1
        writer = Writer(client: ID("\(seat).\(lives)"), retryMs: 400, limits: limits)
        writer.name = name
        isOpen = false
        helloDueMs = 0
        laws.note("\(writer.client) starts")
        return ToSend()
    }

    func tick(nowMs: UInt64, isStormy: Bool) -> ToSend {
        tick(nowMs: nowMs, isStormy && dice.chance(250)) { self.wish() }
    }

    /// The messages to send now: something new, if there is a wish, and what got no answer.
    func tick(nowMs: UInt64, _ mayBegin: Bool, _ wish: () -> Request.Verb?) -> ToSend {
        guard isOpen else {
            if nowMs < helloDueMs { return ToSend() }
            helloDueMs = nowMs + 400
            return ToSend(requests: [Sent(request: Request(.hello))])
        }
        var requests = writer.due(nowMs: nowMs)
        if mayBegin, writer.hasRoom(), let verb = wish() {
            requests.append(writer.request(verb, table: table, nowMs: nowMs))
        }
        for request in requests { laws.issues(request) }
        return ToSend(requests: requests.map { Sent(request: $0) })
    }

    private func wish() -> Request.Verb {
        Wishes(dice: dice, table: seen(), client: writer.client, name: name).verb
    }

    func answered(_ reply: Reply, tag: UInt64, nowMs: UInt64) -> ToSend {
        if case .hello(let hello) = reply.answer {
            writer.opened(at: hello.opened)
            isOpen = true
            return ToSend()
        }
        let isAwaited = writer.answered(reply)
        laws.heard(reply, isAwaited: isAwaited)
        // It is no longer known here: it begins anew, under another id.
        if isAwaited, case .refused(let rejection) = reply.answer, rejection.code == .unknown {
            return restart(nowMs: nowMs)
        }
        return ToSend()
    }

    func received(_ news: News, nowMs: UInt64) -> ToSend { ToSend() }
}

/// A hand that drags rows: it lifts, hovers, drops and cancels, and sometimes vanishes meanwhile.
final class SimulatedHand: End {
    private enum State {
        case idle
        case asked(untilMs: UInt64)
        case holding(ID)
        case dropping
        /// Neither heard nor seen.
        case gone(untilMs: UInt64)
    }

    private var state = State.idle
    private let sender: SimulatedWriter
    private let name: ID
    private let table: TableID
    private let laws: Laws
    private let dice: Dice
    private let seen: () -> Table?
    private var nextTag: UInt64 = 1
    private var spokeMs: UInt64 = 0
    /// How long it says nothing then: also as long as its lease lasts, so that it may be late, or just not.
    private var silentMs: UInt64 = 300
    private var attendedMs: UInt64 = 0

    init(
        _ seat: String, name: ID, table: TableID, limits: Limits, laws: Laws, dice: Dice,
        seen: @escaping () -> Table?
    ) {
        sender = SimulatedWriter(
            seat, name: name, table: table, limits: limits, laws: laws, dice: dice, seen: seen)
        self.name = name
        self.table = table
        self.laws = laws
        self.dice = dice
        self.seen = seen
    }

    var isIdle: Bool {
        if case .idle = state { sender.writer.waitingCount == 0 } else { false }
    }

    func restart(nowMs: UInt64) -> ToSend {
        state = .idle
        return sender.restart(nowMs: nowMs)
    }

    func tick(nowMs: UInt64, isStormy: Bool) -> ToSend {
        var toSend = ToSend()
        var drop: Request.Verb?
        switch state {
        case .idle:
            if isStormy, dice.chance(80), let rows = someRows {
                state = .asked(untilMs: nowMs + 1_500)
                toSend.add(send(.lift(rows, ttlSeconds: dice.pick([1, 2, 10])), nowMs))
            }
        case .asked(let untilMs): if nowMs >= untilMs { state = .idle }
        case .holding(let lease): (toSend, drop) = hold(lease, nowMs, isStormy)
        case .dropping: if sender.writer.waitingCount == 0 { state = .idle }
        case .gone(let untilMs):
            if nowMs >= untilMs || !isStormy { state = .idle }
            return sender.tick(nowMs: nowMs, false) { nil }
        }
        if nowMs >= attendedMs + 2_000 {
            attendedMs = nowMs
            toSend.add(send(.attend(revision: 0, isLeaving: false)))
        }
        toSend.add(sender.tick(nowMs: nowMs, drop != nil) { drop })
        return toSend
    }

    private func hold(
        _ lease: ID, _ nowMs: UInt64, _ isStormy: Bool
    ) -> (ToSend, drop: Request.Verb?) {
        let wishes = Wishes(dice: dice, table: seen(), client: sender.writer.client, name: name)
        if dice.chance(20) {
            state = .gone(untilMs: nowMs + UInt64(dice.below(9_000)))
            return (ToSend(), nil)
        }
        if !isStormy || dice.chance(50) {
            if dice.chance(400) {
                state = .idle
                return (send(.cancel(lease: lease), nowMs), nil)
            }
            state = .dropping
            let policy: Command.Policy = dice.chance(700) ? .rebase : .strict
            let drop = Drag.drop(lease: lease, section: nil, wishes.anchor, policy)
            return (ToSend(), .drag(drop))
        }
        guard nowMs >= spokeMs + silentMs else { return (ToSend(), nil) }
        let hover = Drag.hover(lease: lease, section: nil, wishes.anchor)
        return (send(dice.chance(300) ? .renew(lease: lease) : hover, nowMs), nil)
    }

    private func send(_ drag: Drag, _ nowMs: UInt64) -> ToSend {
        spokeMs = nowMs
        silentMs = UInt64(dice.pick([300, 300, 900, 980]))
        return send(.drag(drag))
    }

    private func send(_ verb: Request.Verb) -> ToSend {
        nextTag += 1
        let request = Request(
            client: sender.writer.client, table: table, name: name, verb)
        return ToSend(requests: [Sent(request: request, tag: nextTag)])
    }

    private var someRows: [RowID]? {
        guard let rows = seen()?.rows, !rows.isEmpty else { return nil }
        let first = dice.below(rows.count)
        return rows[first..<min(first + 1 + dice.below(3), rows.count)].map(\.id)
    }

    func answered(_ reply: Reply, tag: UInt64, nowMs: UInt64) -> ToSend {
        switch (reply.answer, state) {
        case (.lease(let lease), .asked): state = .holding(lease.id)
        case (.refused, .asked) where reply.number == nil: state = .idle
        case (.refused(let rejection), .holding)
        where reply.number == nil && rejection.code == .noSuchLease:
            state = .idle
        default: break
        }
        if reply.number == nil, case .hello = reply.answer {
        } else if reply.number == nil {
            return ToSend()
        }
        return sender.answered(reply, tag: tag, nowMs: nowMs)
    }

    func received(_ news: News, nowMs: UInt64) -> ToSend { ToSend() }
}

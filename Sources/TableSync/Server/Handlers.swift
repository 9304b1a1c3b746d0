import TableDecisions
import TableModel

/// When invocations are late, and which handlers are lost, by a monotonic clock. So setting the
/// daemon's date neither ends an invocation nor keeps it for ever. None of this is kept on disk;
/// its effects are ordinary revisions.
struct Handlers {
    /// Commands on very many rows, which wait for themselves.
    var aheads = Aheads()
    typealias Holder = UnderWay.Holder

    /// When each invocation that has not ended becomes late, or due again, in monotonic milliseconds. Keyed by
    /// the table's history: another table of the same name can have the same invocation ids.
    private var due: [ID128: Ends] = [:]
    /// When the tables in `due` were last looked at.
    private var lookedMs: UInt64 = 0
    /// When each client that holds an invocation was last heard from.
    private var heardMs = Deadlines<Holder>()
    private var heardNow: Set<Holder> = []
    /// The holders that have not been heard from for too long.
    private var lostHolders: Set<Holder> = []

    /// The workers that wait for a row.
    var waiting = WaitingWorkers()

    /// Invocations that were held at the daemon's start. Their handlers may have finished
    /// meanwhile.
    private var recovered: [ID128: Set<InvocationID>] = [:]

    /// Whether there was a turn since the start, or since this daemon's duty is another.
    private(set) var hasBegun = false

    /// When something ends for the invocations of a table: the attempt, or the pause before the next one.
    private struct Ends {
        var times = Deadlines<InvocationID>()
        /// The failures after which these times were set. Most invocations have none.
        var failures: [InvocationID: Invocation.Failure] = [:]

        mutating func remove(_ id: InvocationID) {
            times.remove(id)
            failures[id] = nil
        }
    }

    /// Notes the held invocations before the first turn.
    mutating func begin(with tables: some Sequence<Table>) {
        hasBegun = true
        for table in tables {
            let live = table.invocations.all.filter { $0.holder != nil }.map(\.id)
            if !live.isEmpty { recovered[table.history] = Set(live) }
        }
    }

    /// Notes a sign of life. This is cheap: most clients are no handlers.
    mutating func heard(from client: ID, _ user: ProvenID?) {
        if heardMs.keys.isEmpty { return }
        let holder = Holder(client: client, user: user)
        if heardMs[holder] != nil { heardNow.insert(holder) }
        let unproven = Holder(client: client, user: nil)
        if user != nil, heardMs[unproven] != nil { heardNow.insert(unproven) }
    }

    /// Begins a look at all tables: who is lost? `holds`: this one holds an invocation of any table.
    mutating func beginLook(monotonicMs: UInt64, timeoutMs: UInt64, holds: (Holder) -> Bool) {
        for holder in heardNow { heardMs.set(holder, to: monotonicMs) }
        heardNow = []
        lostHolders = monotonicMs > timeoutMs ? heardMs.over(at: monotonicMs - timeoutMs - 1) : []
        // Otherwise each look would come by it.
        for holder in lostHolders where !holds(holder) { forget(holder) }
    }

    /// Invocations of a table that are due again or late, and those whose handler is lost. The deadline of an
    /// invocation that is first seen counts from now, less the time since its press by the date.
    ///
    /// Only those that have changed since the last look are looked at, and those that are over: ten
    /// times a second, all of them would be a lot.
    mutating func look(
        at live: Server.LiveTable, nowMs: UInt64, monotonicMs: UInt64, timeoutMs: UInt64
    ) -> [(id: InvocationID, end: Expiry)] {
        let table = live.table
        let old = due.removeValue(forKey: table.history)
        var ends = old ?? Ends()
        // An invocation that the last look did not see is no older than that look, whatever the
        // date says: the date goes on while the daemon is paused.
        let mostPastMs = old == nil ? .max : monotonicMs - min(lookedMs, monotonicMs)
        let known = old == nil ? nil : live.underWay.changed
        for id in known ?? Set(table.invocations.all.map(\.id)).union(ends.times.keys) {
            guard let invocation = table.invocations[id] else {
                ends.remove(id)
                continue
            }
            if let holder = live.underWay.holders[id], heardMs[holder] == nil {
                heardMs.set(holder, to: monotonicMs)
            }
            if ends.times[id] != nil, ends.failures[id] == invocation.failure { continue }
            ends.failures[id] = invocation.failure
            var left = Self.left(of: invocation, nowMs: nowMs, mostPastMs: mostPastMs)
            // After a restart the holder gets the time to report, even after the deadline.
            if recovered[table.history]?.contains(id) == true { left = max(left, timeoutMs) }
            ends.times.set(id, to: monotonicMs + left)
        }
        live.underWay.noteLook()
        let over = ends.times.over(at: monotonicMs)
        due[table.history] = ends
        let lost = lostHolders.flatMap { live.underWay.held[$0] ?? [] }
            .filter { !over.contains($0) }
        return over.sorted().map {
            ($0, table.invocations[$0]?.isResting == true ? .due : .late)
        } + lost.sorted().map { ($0, .lost) }
    }

    /// A table is made: an invocation of it is no older than the last look, as in those that were looked at.
    mutating func noteMade(_ history: ID128) { due[history] = Ends() }

    mutating func noteDropped(_ history: ID128) { due[history] = nil }

    /// Ends a look at all tables: forgets those that are gone.
    mutating func endLook(at histories: Set<ID128>, monotonicMs: UInt64) {
        lookedMs = monotonicMs
        due = due.filter { histories.contains($0.key) }
    }

    /// This client holds nothing any more.
    mutating func forget(_ holder: Holder) {
        heardMs.remove(holder)
        lostHolders.remove(holder)
    }

    /// Milliseconds until the pause or the attempt is over, by the date; at most the whole pause or the whole
    /// deadline, in case the date was set back.
    private static func left(
        of invocation: Invocation, nowMs: UInt64, mostPastMs: UInt64
    ) -> UInt64 {
        let dueMs = invocation.dueMs
        if invocation.isResting {
            let pauseMs = invocation.retries.pauseMs(after: invocation.attempts)
            return dueMs > nowMs ? min(dueMs - nowMs, pauseMs) : 0
        }
        let whole = UInt64(min(max(invocation.deadlineSeconds, 0), 1e6) * 1_000)
        let past = nowMs > dueMs ? nowMs - dueMs : 0
        if past > mostPastMs { return whole > mostPastMs ? whole - mostPastMs : 0 }
        return whole > past ? whole - past : 0
    }
}

extension Server {
    /// Whether there is anything for `watchHandlers` to look at.
    public var hasInvocations: Bool { tables.values.contains { $0.table.invocations.count > 0 } }

    /// Ends late invocations, gives out again those that are due or whose handlers are lost. Without `judges` it
    /// only notes what is there. Call it within a turn, a few times a second. `monotonicMs` never goes back.
    public func watchHandlers(monotonicMs: UInt64, judges: Bool = true) {
        let timeoutMs = UInt64(clamping: limits.holderTimeoutMs)
        let holds = { [tables] (holder: UnderWay.Holder) in
            tables.values.contains { $0.underWay.held[holder] != nil }
        }
        handlers.beginLook(monotonicMs: monotonicMs, timeoutMs: timeoutMs, holds: holds)
        var histories: Set<ID128> = []
        var released: Set<UnderWay.Holder> = []
        let meter = LookupMeter()
        for name in tables.keys.sorted() {
            guard let live = tables[name] else { continue }
            histories.insert(live.table.history)
            var ends = handlers.look(
                at: live, nowMs: ready.timeMs, monotonicMs: monotonicMs, timeoutMs: timeoutMs)[...]
            // In parts, because a diff is one message to every viewer: what follows a failure may be as large as a row,
            // and look at all rows. The rest ends at the next look.
            let isHeavy = ends.contains {
                live.table.invocations[$0.id]?.retries.otherwise.isEmpty == false
            }
            let most = min(limits.batchCommands, isHeavy ? Limits.lightOps : .max)
            while judges, hasRoomInEntry, !meter.isSpent, !ends.isEmpty {
                expire(Array(ends.prefix(most)), of: live, meter)
                ends = ends.dropFirst(most)
            }
            released.formUnion(live.underWay.takeReleased())
        }
        for holder in released where !holds(holder) { handlers.forget(holder) }
        handlers.endLook(at: histories, monotonicMs: monotonicMs)
    }

    private func expire(
        _ ends: [(id: InvocationID, end: Expiry)], of live: LiveTable, _ meter: LookupMeter
    ) {
        let context = DecisionContext(
            nowMs: ready.timeMs, in: live, isAnyLifted: !live.ephemeral.lifted.isEmpty)
        let plan = reduce(expiring: ends, on: live.table, limits: limits, context, meter)
        _ = apply(plan, cause: Cause(verb: "expire", timeMs: ready.timeMs), on: live)
    }

    /// Answers a handler's sign of life with the invocations that it holds.
    func renew(_ request: Request, _ route: Route) {
        guard let client = request.client, let name = request.table,
            let held = tables[name]
        else {
            let rejection =
                request.client == nil
                ? Rejection(
                    .malformed, "Only a client with an id holds invocations.", field: "client")
                : Rejection.noTable(request.table ?? ID(""))
            return reply(to: request, route, .refused(rejection))
        }
        let live = held.held(by: client, of: request.sender.provenName)
        // Their rows were in the answer that it took them from.
        reply(
            to: request, route,
            .done(rows: [], unchanged: true, invocations: live.map(\.withoutRow)))
    }
}

import TableModel

/// When invocations are late, and which handlers are lost, by a monotonic clock. So setting the
/// daemon's date neither ends an invocation nor keeps it for ever. None of this is kept on disk;
/// its effects are ordinary revisions.
struct Handlers {
    /// When each invocation that has not ended becomes late, in monotonic milliseconds. Keyed by
    /// the table's history: another table of the same name can have the same invocation ids.
    private var due: [ID128: [InvocationID: UInt64]] = [:]
    /// When the tables in `due` were last looked at.
    private var lookedMs: UInt64 = 0
    /// When each client that holds an invocation was last heard from.
    private var heardMs: [Holder: UInt64] = [:]
    private var heardNow: Set<Holder> = []
    /// A client, of a principal.
    struct Holder: Hashable {
        var client: ID
        /// Nil: nobody has proven to be it.
        var user: ProvenID?
    }

    /// Invocations that were held at the daemon's start. Their handlers may have finished
    /// meanwhile.
    private var recovered: [ID128: Set<InvocationID>] = [:]

    /// Notes the held invocations before the first turn.
    mutating func begin(with tables: some Sequence<Table>) {
        for table in tables {
            let live = table.invocations.all.filter { $0.holder != nil }.map(\.id)
            if !live.isEmpty { recovered[table.history] = Set(live) }
        }
    }

    /// Notes a sign of life. This is cheap: most clients are no handlers.
    mutating func heard(from client: ID, _ user: ProvenID?) {
        if heardMs.isEmpty { return }
        let holder = Holder(client: client, user: user)
        if heardMs[holder] != nil { heardNow.insert(holder) }
        let unproven = Holder(client: client, user: nil)
        if user != nil, heardMs[unproven] != nil { heardNow.insert(unproven) }
    }

    /// Invocations of a table that are late, and those whose handler is lost. The deadline of an
    /// invocation that is first seen counts from now, less the time since its press by the date.
    mutating func look(
        at table: Table, _ owners: Owners, nowMs: UInt64, monotonicMs: UInt64, timeoutMs: UInt64
    ) -> (late: [InvocationID], lost: [InvocationID]) {
        var late: [InvocationID] = []
        var lost: [InvocationID] = []
        let old = due.removeValue(forKey: table.history)
        // An invocation that the last look did not see is no older than that look, whatever the
        // date says: the date goes on while the daemon is paused.
        let mostPastMs = old == nil ? .max : monotonicMs - min(lookedMs, monotonicMs)
        var present: [InvocationID: UInt64] = [:]
        for invocation in table.invocations.all {
            var left = Self.left(of: invocation, nowMs: nowMs, mostPastMs: mostPastMs)
            // After a restart the holder gets the time to report, even after the deadline.
            if recovered[table.history]?.contains(invocation.id) == true {
                left = max(left, timeoutMs)
            }
            let end = old?[invocation.id] ?? monotonicMs + left
            present[invocation.id] = end
            if end <= monotonicMs {
                late.append(invocation.id)
            } else if let holder = invocation.holder,
                isLost(
                    Holder(client: holder, user: owners.invocations[invocation.id]),
                    monotonicMs: monotonicMs, timeoutMs: timeoutMs)
            {
                lost.append(invocation.id)
            }
        }
        due[table.history] = present
        return (late, lost)
    }

    /// Ends a look at all tables: forgets clients that hold nothing, and tables that are gone.
    mutating func forget(
        allBut holders: Set<Holder>, _ histories: Set<ID128>, monotonicMs: UInt64
    ) {
        lookedMs = monotonicMs
        due = due.filter { histories.contains($0.key) }
        if heardMs.count > holders.count { heardMs = heardMs.filter { holders.contains($0.key) } }
        heardNow = []
    }

    private mutating func isLost(_ holder: Holder, monotonicMs: UInt64, timeoutMs: UInt64) -> Bool {
        guard let last = heardMs[holder], !heardNow.contains(holder) else {
            heardMs[holder] = monotonicMs
            return false
        }
        return monotonicMs - min(last, monotonicMs) > timeoutMs
    }

    /// Milliseconds until the deadline, by the date; at most the whole time from press to deadline,
    /// in case the date was set back.
    private static func left(
        of invocation: Invocation, nowMs: UInt64, mostPastMs: UInt64
    ) -> UInt64 {
        let whole = UInt64(min(max(invocation.deadlineSeconds, 0), 1e6) * 1_000)
        let past = nowMs > invocation.pressedMs ? nowMs - invocation.pressedMs : 0
        if past > mostPastMs { return whole > mostPastMs ? whole - mostPastMs : 0 }
        return whole > past ? whole - past : 0
    }
}

extension Server {
    /// Whether there is anything for `watchHandlers` to look at.
    public var hasInvocations: Bool { tables.values.contains { $0.table.invocations.count > 0 } }

    /// Ends late invocations, and releases those of lost handlers. Without `judges` it only notes
    /// what is there. Call it within a turn, a few times a second. `monotonicMs` never goes back.
    public func watchHandlers(monotonicMs: UInt64, judges: Bool = true) {
        var holders: Set<Handlers.Holder> = []
        var histories: Set<ID128> = []
        for name in tables.keys.sorted() {
            guard let live = tables[name] else { continue }
            let table = live.table
            histories.insert(table.history)
            let (late, lost) = handlers.look(
                at: table, live.owners.owners, nowMs: ready.timeMs, monotonicMs: monotonicMs,
                timeoutMs: UInt64(clamping: limits.holderTimeoutMs))
            // Else in the next turn.
            if judges, hasRoomInEntry, !late.isEmpty || !lost.isEmpty {
                // In parts, because a diff is one message to every viewer.
                let parts = max(late.count, lost.count) / limits.batchCommands
                for part in 0...parts {
                    let plan = reduce(
                        late: Self.part(part, of: late, limits.batchCommands),
                        lost: Self.part(part, of: lost, limits.batchCommands), on: table)
                    _ = apply(plan, cause: Cause(verb: "expire", timeMs: ready.timeMs), on: live)
                }
            }
            for invocation in table.invocations.all {
                guard let client = invocation.holder else { continue }
                let owner = live.owners.owners.invocations[invocation.id]
                holders.insert(.init(client: client, user: owner))
            }
        }
        handlers.forget(allBut: holders, histories, monotonicMs: monotonicMs)
    }

    private static func part(
        _ index: Int, of ids: [InvocationID], _ size: Int
    ) -> [InvocationID] {
        Array(ids.dropFirst(index * size).prefix(size))
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
        let live = held.table.invocations.all.filter { one in
            let owner = held.owners.owners.invocations[one.id]
            return one.holder == client && (owner == nil || owner == request.sender.provenName)
        }
        // Their rows were in the answer that it took them from.
        reply(
            to: request, route,
            .done(rows: [], unchanged: true, invocations: live.map(\.withoutRow)))
    }
}

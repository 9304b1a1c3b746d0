import TableDecisions
import TableModel

// Requests that change something. Their effects are committed before anyone hears of them.

extension Server {
    func change(_ request: Request, requestHash: UInt64, _ route: Route) {
        guard request.client != nil, request.number != nil else {
            if request.client != nil {
                return refuse(
                    Rejection(
                        .malformed, "A command with a client has a number too.", field: "number"),
                    client: request.client, number: nil, from: route)
            }
            let answer =
                room.takes(request) ? answer(to: request) : refuseUndecided(request, room.rejection)
            return reply(to: request, route, answer)
        }
        switch verdict(of: request, requestHash) {
        case .fresh:
            // Remembering the answer would be a commit too, so the same number may come again.
            if !room.takes(request) {
                return reply(to: request, route, refuseUndecided(request, room.rejection))
            }
        case .answered(let bytes):
            return self.answer(.remembered(bytes), to: route)
        case .refused(let rejection):
            if !handlers.waiting.isEmpty { stopWaiting(request) }
            return reply(to: request, route, refuseUndecided(request, rejection))
        }
        if !handlers.waiting.isEmpty, linesUp(request, requestHash, route) { return }
        if !conclude(request, requestHash: requestHash, route, waits: true) {
            letWait(request, requestHash, route)
        }
    }

    /// The verdict on a numbered command; one without a number is fresh.
    func verdict(of request: Request, _ requestHash: UInt64) -> Sessions.Verdict {
        guard let client = request.client, let number = request.number else { return .fresh }
        return sessions.verdict(
            of: request.sender, client: client, number: number, opened: request.opened ?? 0,
            requestHash: requestHash)
    }

    /// Carries a command out, and answers it. False: there was no row for it, and it may wait for one.
    @inline(__always)  // Else the request is moved for the call.
    func conclude(_ request: Request, requestHash: UInt64, _ route: Route, waits: Bool) -> Bool {
        guard let client = request.client, let number = request.number else { return true }
        let isKnown = sessions.knows(client, of: request.sender)
        let opened = isKnown ? nil : request.opened ?? 0
        let body: Ready.Answer.Body
        switch perform(request) {
        case .answer(let answer):
            body = remember(answer, request, client, number, opened, requestHash)
        case .done(let plan, let live, let unchanged):
            // Nearly each command has rows: what it asks for is looked at only if not. The action may have failed on
            // rows where it cannot begin.
            if plan.rows.isEmpty, waits, request.waitsForRow {
                handlers.waiting.hasFailed = !unchanged
                return false
            }
            body =
                rememberDone(plan, on: live, unchanged: unchanged, request, opened, requestHash)
                ?? remember(
                    self.answer(plan, on: live, unchanged: unchanged), request, client, number,
                    opened, requestHash)
        }
        ready.replies.append(.init(route: route, body: body))
        return true
    }

    /// Remembers an answer, and journals that. Returns where it lies in the turn's entry.
    private func remember(
        _ answer: Reply.Answer, _ request: Request, _ client: ID, _ number: UInt64,
        _ opened: UInt64?, _ requestHash: UInt64
    ) -> Ready.Answer.Body {
        let reply = codec.encode(makeReply(request, answer))
        reply.withUnsafeBytes { remember($0, request, requestHash) }
        return .recorded(
            records.add(
                answered: client, user: request.sender.provenIdentity, opened: opened,
                Sessions.Answered(number: number, requestHash: requestHash, reply: reply)))
    }

    /// Remembers a plan that was carried out, without an answer as a value; nil: there has to be one.
    private func rememberDone(
        _ plan: Plan, on live: LiveTable, unchanged: Bool, _ request: Request,
        _ opened: UInt64?, _ requestHash: UInt64
    ) -> Ready.Answer.Body? {
        guard plan.invocations.isEmpty else { return nil }
        let added = records.add(
            done: request, opened: opened, requestHash: requestHash, epoch: epoch,
            unchanged: unchanged, landing: plan.rows, notes: plan.notes, in: live.table,
            tellsTable: admission.mayKnowTable(request)
        ) { remember($0, request, requestHash) }
        return added.map { $0.text.isEmpty ? .recorded($0.place) : .text($0.text) }
    }

    private func remember(
        _ reply: UnsafeRawBufferPointer, _ request: Request, _ requestHash: UInt64
    ) {
        guard let client = request.client, let number = request.number else { return }
        sessions.remember(
            number, requestHash, reply, of: request.sender, client: client,
            opened: request.opened ?? 0, position: position + 1, within: bounds.sessions)
    }

    /// Refuses a request without a decision. Whoever drops is there, so the lease lasts: another drop
    /// may come.
    private func refuseUndecided(_ request: Request, _ rejection: Rejection) -> Reply.Answer {
        if case .drag(.drop(let id, _, _, _)) = request.verb { renewLease(id, of: request) }
        noteRefused(request, rejection)
        return .refused(rejection)
    }

    /// The outcome of a request that changes something.
    enum Outcome {
        case answer(Reply.Answer)
        /// It was carried out. Where its rows are now is found when the answer is written.
        case done(Plan, LiveTable, unchanged: Bool)

        static func refused(_ rejection: Rejection) -> Outcome { .answer(.refused(rejection)) }
    }

    private func answer(to request: Request) -> Reply.Answer {
        switch perform(request) {
        case .answer(let answer): return answer
        case .done(let plan, let live, let unchanged):
            return answer(plan, on: live, unchanged: unchanged)
        }
    }

    private func perform(_ request: Request) -> Outcome {
        if case .restore(let step) = request.verb {
            return .answer(noted(step, request, restore(step, request)))
        }
        guard let name = request.table else {
            return .refused(Rejection(.badName, "No table is named.", field: "table"))
        }
        // Nearly all are one. In the switch below the whole verb is copied.
        if let command = request.command {
            guard let live = tables.live(name) else { return .refused(.noTable(name)) }
            do throws(Rejection) {
                if command.verb.mayBeAhead,
                    let (settled, current) = try decideAhead(command, of: request, on: live)
                {
                    return carryOut(settled, current, command, of: request, on: live)
                }
                return carryOut(
                    try decide(command, of: request, live), of: request, verb: command.name,
                    on: live
                ) { follow(command, $0, of: request, on: live) }
            } catch { return notedRefusal(of: request, error) }
        }
        switch Request.Change(request.verb) {
        case .create: return .answer(noted(request, create(name)))
        case .drop: return .answer(noted(request, drop(name)))
        case .batch(let commands, let ifRevision):
            guard let live = tables[name] else { return .refused(.noTable(name)) }
            do throws(Rejection) {
                return carryOut(
                    try decide(commands, ifRevision, of: request, live).get(), of: request,
                    verb: request.verb.name, on: live
                ) { _ in
                    for command in commands { renewHolds(by: command, on: live) }
                    if request.verb.isAudited { note(request) }
                }
            } catch { return notedRefusal(of: request, error) }
        case .command, nil:
            if let rows = request.rowsToForget {
                return .answer(noted(request, forget(rows, of: name)))
            }
            guard case .drag(.drop(let lease, let section, let anchor, let policy)) = request.verb
            else { preconditionFailure("only what changes something comes here") }
            guard let live = tables[name] else { return .refused(.noTable(name)) }
            return .answer(drop(request, lease, section: section, anchor, policy, live))
        }
    }

    /// Applies a plan, or says why nothing was. `follow` does what follows from it beside its diff.
    private func carryOut(
        _ plan: consuming Plan, of request: Request, verb: String, on live: LiveTable,
        follow: (Plan) -> Void
    ) -> Outcome {
        if let rejection = refusal(of: plan, request) {
            note(request, refusedAs: rejection.code)
            return .refused(rejection)
        }
        let isChanged = apply(plan, of: request, verb: verb, on: live)
        follow(plan)
        return .done(plan, live, unchanged: !isChanged)
    }

    private func notedRefusal(of request: Request, _ rejection: Rejection) -> Outcome {
        noteRefused(request, rejection)
        return .refused(rejection)
    }

    /// The plan of a command on this table; throws why it is refused.
    func decide(
        _ command: Command, of request: Request, _ live: LiveTable
    ) throws(Rejection) -> Plan {
        do throws(Rejection) {
            return try plan(
                for: command, on: live.table, limits: bounds.shared, context(of: request, live))
        } catch { throw error.below("command") }
    }

    /// Decides a batch, or says why it is refused.
    func decide(
        _ batch: [Command], _ ifRevision: UInt64?, of request: Request, _ live: LiveTable,
        atMost work: BatchWork = .changing
    ) -> Result<Plan, Rejection> {
        reduce(
            batch: batch, ifRevision: ifRevision, on: live.table, limits: limits,
            context(of: request, live), atMost: work
        ).mapError { $0.below("batch") }
    }

    /// The decision context of this request.
    func context(of request: Request, _ live: LiveTable) -> DecisionContext {
        DecisionContext(
            nowMs: ready.timeMs, zoneSeconds: request.zoneSeconds, client: request.client,
            name: request.name, user: request.sender.provenName,
            mayEndClaims: admission.mayDefine(request), in: live,
            isAnyLifted: !live.ephemeral.lifted.isEmpty)
    }

    func cause(of request: Request, verb: String, undoes: UInt64? = nil) -> Cause {
        Cause(
            client: request.client, number: request.number, verb: verb, name: request.name,
            timeMs: ready.timeMs, undoes: undoes, user: request.sender.provenName)
    }

    func apply(_ plan: Plan, of request: Request, on live: LiveTable) -> Reply.Answer {
        let isChanged = apply(plan, of: request, verb: request.verb.name, on: live)
        return answer(plan, on: live, unchanged: !isChanged)
    }

    private func answer(_ plan: Plan, on live: LiveTable, unchanged: Bool) -> Reply.Answer {
        let invocations = plan.invocations.compactMap { live.table.invocations[$0]?.forAnswer }
        return .done(
            rows: landings(of: plan, in: live.table), unchanged: unchanged,
            invocations: invocations)
    }

    /// False: nothing was changed.
    private func apply(
        _ plan: Plan, of request: Request, verb: String, on live: LiveTable
    ) -> Bool { apply(plan, cause: cause(of: request, verb: verb, undoes: plan.undoes), on: live) }

    /// The consequences of a command that was carried out, beside its diff.
    func follow(_ command: Command, _ plan: Plan, of request: Request, on live: LiveTable) {
        let name = command.verb.name
        if name == .claim || name == .edit { renewHolds(by: command, on: live) }
        if case .each(let each) = command.verb, each.verb.name == .claim,
            let claim = each.verb.about(plan.rows)
        {
            renewHolds(by: Command(claim), on: live)
        }
        let undoesDefinition = plan.undoes != nil && plan.ops.contains(where: \.defines)
        if name.has(.audited) || undoesDefinition { note(request) }
    }

    /// Applies a plan as the table's next revision; false: nothing was changed.
    func apply(_ plan: Plan, cause: borrowing Cause, on live: LiveTable) -> Bool {
        let table = live.table
        if !handlers.waiting.isEmpty { handlers.waiting.note(plan.ops, on: table) }
        // While the disk is full, ephemeral state goes on but opens and closes no swipe.
        guard !room.isReadOnly, !plan.ops.isEmpty else { return false }
        records.begin(
            changed: table.name, base: table.revision, cause: cause,
            inverseBytes: limits.keptInverseBytes(of: cause.verb, ops: plan.ops.count),
            asText: tables.isReadAsText(table.name))
        table.applyOps(of: plan, timeMs: cause.timeMs) { records.add($0, of: $1, on: table) }
        publish(plan.ops, of: cause, on: live)
        return true
    }

    /// Ends the record of a revision whose ops are applied, and publishes it. Other ops than these have set texts.
    @inline(__always)
    func publish(_ ops: [Op], of cause: borrowing Cause, on live: LiveTable) {
        let table = live.table
        let digest = table.digest
        let (place, text) = records.end(digest: digest) { diff, inverse in
            tables.keep(
                DiffLog.Entry(ops, of: cause, digest: digest, live.log.store(diff, inverse)),
                of: live)
        }
        live.note(ops, of: cause, nowMs: ready.monotonicMs)
        let publication = publication(takingBytes: place.count, of: table)
        ready.publications[publication].append(at: place, text, leadingTo: table.revision, digest)
        if !live.ephemeral.lifted.isEmpty { endTaken(ops, of: cause, live) }
    }

    /// Consecutive diffs of a table in one commit go into one publication. With many viewers this saves the
    /// most. Returns which of this turn's it is, for one more diff of so many bytes.
    func publication(takingBytes count: Int, of table: Table) -> Int {
        let last = ready.publications.indices.last {
            ready.publications[$0].publication.table == table.name
        }
        // Never into the welcome of a table made in this turn: a welcome has no time.
        if let last, ready.publications[last].canAppend(count, of: table.history) { return last }
        ready.publications.append(
            Ready.Outgoing(
                Publication(
                    table: table.name, history: table.history, epoch: epoch, timeMs: ready.timeMs)))
        return ready.publications.count - 1
    }

    func landings(of plan: Plan, in table: Table) -> [Landing] {
        plan.rows.map { Landing(of: $0, in: table, note: plan.notes?[$0]) }
    }

    private func create(_ name: TableID) -> Reply.Answer {
        if let rejection = refusal(toCreate: name) { return .refused(rejection) }
        let table = Table(name: name, history: makeID())
        hold(table)
        handlers.noteMade(table.history)
        records.add(.created(name, history: table.history))
        // Viewers may have subscribed before there was a table.
        ready.publications.append(.init(welcome(to: name)))
        return .done(rows: [], unchanged: false)
    }

    /// Why a table of this name cannot be made; nil: it can.
    func refusal(toCreate name: TableID) -> Rejection? {
        do throws(Rejection) {
            try name.checkTableName(limits: limits)
        } catch { return error }
        if tables[name] != nil {
            return Rejection(.exists, "There is a table \"\(name.text)\" already.", field: "table")
        }
        guard tables.count >= limits.tables else { return nil }
        return Rejection(
            .tooLarge, "tables: \(tables.count + 1), at most \(limits.tables).", field: "table")
    }

    private func drop(_ name: TableID) -> Reply.Answer {
        guard let live = tables.remove(name) else { return .refused(.noTable(name)) }
        handlers.noteDropped(live.table.history)
        records.add(.dropped(name))
        let publication = Publication(
            table: name, history: live.table.history, epoch: epoch, timeMs: ready.timeMs,
            isDropped: true)
        ready.publications.append(.init(publication))
        return .done(rows: [], unchanged: false)
    }
}

extension Invocation {
    /// As it is now. A handler runs what it took from the answer; nobody else needs the row.
    var forAnswer: Invocation { holder == nil ? withoutRow : self }
}

extension Request {
    /// Whether it is one command to a table.
    var isCommand: Bool {
        if case .command = verb { return true }
        return false
    }

    /// The rows that it asks for that nobody works on; nil: it is another request.
    var next: Command.Next? {
        if case .next(let next)? = command?.verb { return next }
        return nil
    }

    /// Whether it takes invocations.
    var isTake: Bool {
        if case .take? = command?.verb { return true }
        return false
    }

    /// Whether its answer waits for a row.
    var waitsForRow: Bool { (next?.waitSeconds ?? 0) > 0 }
}

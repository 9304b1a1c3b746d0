import JournalPort
import TableSync
import TableWire

// What becomes of the entries that were submitted. An entry is durable, or refused, or nobody knows
// yet; until it is durable nothing that it led to is said.

extension Turn {
    /// Learns what the journal has done meanwhile, and says what waited for it.
    func learn(_ outbox: some Outbox) throws {
        let news = try journal.news()
        // In another term others may have written.
        if tenure.mustStartAnew || news == .refused || journal.term != tenure.term && !canGoOn(news)
        {
            try startAnew(outbox)
            if tenure.mustStartAnew { return }
        } else if journal.term != tenure.term {
            changeRole()
        } else if news == .unknown {
            try resolve(outbox)
        }
        try releaseDurable(outbox)
        if tenure.term == nil, journal.isFollowed, !tenure.mustStartAnew {
            try follow(outbox)
            // A standby that is promoted writes as soon as the entry that says so is applied.
            if journal.term != nil, canGoOn(news) { changeRole() }
        }
    }

    /// All that was written is here, by whomever: a change of the term throws nothing away.
    private func canGoOn(_ news: JournalNews) -> Bool {
        news != .refused && journal.isFollowed && ahead.isEmpty
            && journal.durable == server.position
    }

    private func changeRole() {
        tenure.term = journal.term
        checkpointer.startAnew()
        checks.startAnew()
        questions.queries.startAnew()
        server.changeRole()
    }

    /// The process may have been stopped since the turn began: then what is here is not the present state any more.
    /// Code that answers or publishes checks this again just before it sends.
    var hasBeenStopped: Bool { journal.isFollowed && !journal.isCurrent }

    /// Applies what another process has written, and tells viewers here.
    private func follow(_ outbox: some Outbox) throws {
        guard journal.durable > server.position else { return }
        var publications: [Ready.Outgoing] = []
        try journal.entries(after: server.position) { position, bytes in
            let entry = try Decode.entry(bytes)
            publications += try server.follow(
                entry.records, position: position, timeMs: entry.timeMs)
        }
        try publish(publications, outbox)
    }

    private func releaseDurable(_ outbox: some Outbox) throws {
        let durable = journal.durable
        while let item = ahead.popFirst(durable: durable) {
            counters.commits.add(ns: clock.monotonicNs - item.submittedNs)
            try publish(item.publications, outbox)
            let published = clock.monotonicNs - item.submittedNs
            counters.delivered(item.publications.count, in: published)
            outbox.note(item.audited)
            try reply(item.replies, in: item.entry, outbox)
            for presence in item.presences + item.wholes { try outbox.publish(presence) }
        }
    }

    /// Releases durable changes: publications first, then replies.
    func release(
        _ publications: [Ready.Outgoing], _ replies: [Ready.Answer], in entry: [UInt8],
        _ outbox: some Outbox
    ) throws {
        try publish(publications, outbox)
        try reply(replies, in: entry, outbox)
    }

    func publish(_ publications: [Ready.Outgoing], _ outbox: some Outbox) throws {
        for outgoing in publications {
            shown.note(outgoing)
            try outbox.publish(outgoing.publication, encoded: outgoing.encoded)
        }
    }

    func reply(_ replies: [Ready.Answer], in entry: [UInt8], _ outbox: some Outbox) throws {
        for answer in replies { try outbox.reply(answer, in: entry) }
    }

    /// No answer came to what was submitted. What is there tells: our own bytes are durable, and what
    /// is missing is submitted again, the same bytes for the same position, so that a first copy which
    /// arrives late finds its position taken. The bytes of others are another leader's.
    private func resolve(_ outbox: some Outbox) throws {
        guard let term = tenure.term else { return }
        var isOurs = true
        var last = journal.durable
        try journal.entries(after: last) { position, bytes in
            isOurs = isOurs && ahead.isOurs(bytes, at: position)
            last = position
        }
        guard isOurs else { return try startAnew(outbox) }
        for item in ahead.items where item.position > last {
            try journal.submit(item.entry, position: item.position, term: term)
        }
    }

    /// The state in memory will never be durable. It is thrown away, unseen, and the state begins anew
    /// from the journal. Those who wait for an answer ask again.
    private func startAnew(_ outbox: some Outbox) throws {
        for answer in ahead.items.flatMap(\.replies) { outbox.forget(answer.route) }
        // The deeds were not done after all. A refusal stays in the audit.
        outbox.note(ahead.items.flatMap(\.audited).filter { $0.outcome != .allowed })
        ahead.removeAll()
        // The one that is under way holds rows of the state that is thrown away.
        questions.queries.startAnew()
        guard clock.monotonicMs >= tenure.startAnewDueMs else { return }
        tenure.term = journal.term
        try journal.abandonCheckpoint()
        checkpointer.startAnew()
        let old = server
        do {
            server = try recover(journal, old)
        } catch is JournalUnavailable {
            server.forgetRefused(position: tenure.settled.position)
            return tenure.mustWait(nowMs: clock.monotonicMs)
        }
        tenure.mustStartAnew = false
        server.takeOver(from: old)
        shown = Shown(server)
        checks.startAnew()
        outbox.hasRecovered(server)
    }

    /// The part of an answer about the process, while something waits and this process cannot tell what is true: it is
    /// answered, since it is asked to find out why, with what was so at rest. Nil: the answer waits like all
    /// others.
    func atRest(_ answer: Ready.Answer) -> Ready.Answer? {
        guard server.duty.isOutOfTouch || !journal.isCurrent || journal.refusesChanges != nil,
            case .reply(var reply) = answer.body, let told = atRest(reply.answer)
        else { return nil }
        // These belong to the table that the request names.
        (reply.history, reply.revision) = (nil, nil)
        reply.answer = told
        return Ready.Answer(route: answer.route, body: .reply(reply))
    }

    private func atRest(_ answer: Reply.Answer) -> Reply.Answer? {
        switch answer {
        case .hello(var hello):
            hello.opened = tenure.settled.position
            return .hello(hello)
        // These are what every principal may read.
        case .health(var health) where health.tables == server.tables.count:
            health.position = tenure.settled.position
            (health.tables, health.rows) = (tenure.settled.tables, tenure.settled.rows)
            return .health(health)
        case .stats(var stats) where stats.gauges["tables"] == UInt64(server.tables.count):
            stats.gauges["tables"] = UInt64(tenure.settled.tables)
            stats.gauges["rows"] = UInt64(tenure.settled.rows)
            return .stats(stats)
        case .health, .stats, .refused, .done, .manyDone, .tables, .kinds, .snapshot, .replay,
            .standing,
            .check, .lease, .who, .history, .rewind, .backup, .audit, .connections, .explained,
            .replicated, .promoted, .found:
            return nil
        }
    }
}

// Requests that the server hands on: some are answered by the process around the turn, and a check
// takes many turns.

extension Turn {
    func ask(_ ready: inout Ready, _ outbox: some Outbox) {
        ready.answerForDaemon { route, request in
            let verb = request.verb.request
            if verb == .explain || verb == .query { return askForLater(route, request, outbox) }
            guard verb == .check else {
                return outbox.answer(to: request, route).map { server.makeReply(request, $0) }
            }
            return checks.ask(Asker(route: route, request: request))
                ? nil : server.makeReply(request, Checks.tooMany)
        }
    }

    /// An answer now, or nil: it comes later.
    private func askForLater(_ route: Route, _ request: Request, _ outbox: some Outbox) -> Reply? {
        let isQuery = request.verb.request == .query
        let place =
            isQuery
            ? questions.queries.ask(Asker(route: route, request: request))
            : questions.explanations.ask(Asker(route: route, request: request))
        switch place {
        case .taken: return nil
        case .instead(let old):
            outbox.forget(old)
            return nil
        case .full:
            return server.makeReply(request, isQuery ? Queries.tooMany : Explanations.tooMany)
        }
    }

    /// A slice of the check that is under way.
    func workOnChecks(_ nowMs: UInt64, _ outbox: some Outbox) throws {
        guard checks.isBusy, !server.duty.isOutOfTouch else { return }
        try checks.work(server: server, journal: journal, clock: clock, nowMs: nowMs) {
            asker, answer in
            // Its sender may have lost the right meanwhile.
            let request = signed(asker.request, asker.route, outbox)
            try sayLate(server.refusedByNow(request) ?? answer, to: request, asker.route, outbox)
        }
    }

    /// One of the large explanations that are waited for.
    func workOnExplanations(_ outbox: some Outbox) throws {
        // Out of touch, what is here may be out of date.
        guard questions.explanations.isBusy, !ahead.isFull, !server.duty.isOutOfTouch
        else { return }
        try questions.explanations.work(clock: clock) { asker in
            let request = signed(asker.request, asker.route, outbox)
            let answer = server.explanation(for: request)
            try sayLate(answer, to: request, asker.route, outbox)
        }
    }

    /// A slice of the queries. Their answers are of the revision at which each began, which may be ahead of the journal.
    func workOnQueries(_ inbox: some Inbox, _ outbox: some Outbox) throws {
        guard questions.queries.isBusy, !ahead.isFull, !server.duty.isOutOfTouch else { return }
        try questions.queries.work(
            server: server, clock: clock, isThere: { inbox.isThere($0) },
            forget: { outbox.forget($0) }
        ) { asker, answer, scan in
            let request = signed(asker.request, asker.route, outbox)
            try sayLate(
                server.refusedByNow(request) ?? answer, to: request, asker.route, outbox,
                at: scan?.revision)
        }
    }

    private func signed(_ request: Request, _ route: Route, _ outbox: some Outbox) -> Request {
        var request = request
        outbox.sign(&request, route)
        return request
    }

    /// An answer to a request that waited. The audit is told of a refusal for want of a right.
    private func sayLate(
        _ answer: Reply.Answer, to request: Request, _ route: Route, _ outbox: some Outbox,
        at revision: UInt64? = nil
    ) throws {
        if let entry = server.audited(request, answer, from: outbox.origin(of: route)) {
            if ahead.isEmpty { outbox.note([entry]) } else { ahead.add([entry]) }
        }
        // A client without an answer asks again.
        if hasBeenStopped { return outbox.forget(route) }
        try say(answer, to: request, route, outbox, at: revision)
    }

    /// An answer of the tables as they are, which may be ahead; or of an earlier revision.
    private func say(
        _ answer: Reply.Answer, to request: Request, _ route: Route, _ outbox: some Outbox,
        at revision: UInt64? = nil
    ) throws {
        var told = server.makeReply(request, answer)
        if let revision, told.revision != nil { told.revision = revision }
        let reply = Ready.Answer(route: route, body: .reply(told))
        if ahead.isEmpty { try outbox.reply(reply, in: []) } else { ahead.add(reply) }
    }

    /// The process ends: whoever waits for a check, an explanation or a query is told.
    package func interruptWaiting(_ outbox: some Outbox) throws {
        func tell(_ answer: Reply.Answer, _ request: Request, _ route: Route) throws {
            // Any answer tells of the tables as they are, which may be ahead.
            guard ahead.isEmpty else { return outbox.forget(route) }
            try say(answer, to: request, route, outbox)
        }
        try checks.interrupt { try tell($1, $0.request, $0.route) }
        try questions.explanations.interrupt { try tell($1, $0.request, $0.route) }
        try questions.queries.interrupt { try tell($1, $0.request, $0.route) }
    }
}

import TableModel
import TableSync
import TableTransport
import TableWire

// From the server to the ROUTER socket, after the commit.

extension Daemon {
    /// Sends every reply of a turn.
    func reply(to ready: Ready) throws {
        for answer in ready.replies {
            if case .forDaemon(let request) = answer.body, case .check = request.verb {
                try ask(request, answer.route)
            } else {
                try send(body(of: answer, form: routes[answer.route].form), to: answer.route)
            }
        }
    }

    private func body(of answer: Ready.Answer, form: Form) throws -> [UInt8] {
        switch answer.body {
        case .reply(let reply): return Encode.reply(reply, form: form)
        case .remembered(let bytes):
            if form == .binary { return bytes }
            guard let reply = WireCodec().decodeReply(bytes) else {
                throw DaemonError(.io, "a remembered reply cannot be read")
            }
            return Encode.reply(reply, form: form)
        case .replay(let reply, let encoded):
            if form == .binary { return Encode.reply(reply, encodedDiffs: encoded) }
            return Encode.reply(try withDiffs(reply, encoded), form: form)
        case .forDaemon(let request):
            return Encode.reply(server.makeReply(request, own(request)), form: form)
        }
    }

    /// For a form other than the one in which diffs are kept.
    private func withDiffs(_ reply: Reply, _ encoded: [[UInt8]]) throws -> Reply {
        guard case .replay(var publication, let head) = reply.answer else { return reply }
        let codec = WireCodec()
        publication.diffs = encoded.compactMap { codec.decodeDiff($0) }
        guard publication.diffs.count == encoded.count else {
            throw DaemonError(.io, "a retained diff cannot be read")
        }
        var whole = reply
        whole.answer = .replay(publication, head: head)
        return whole
    }

    private func send(_ body: [UInt8], to index: Route) throws {
        outgoing.removeAll()
        envelopes.use(index, in: &outgoing)
        try send(body, by: routes[index])
    }

    /// With the envelope in `outgoing`.
    private func send(_ body: [UInt8], by route: ReplyRoute) throws {
        guard
            route.connection.descriptor < 0
                || PeerGuard.mayReply(to: route.connection, bytes: body.count)
        else {
            outgoing.removeAll()
            figures.repliesDropped += 1
            return
        }
        if route.hasDelimiter { outgoing.append("") }
        outgoing.append(route.form == .binary ? "trestle/1 proto" : "trestle/1 json")
        outgoing.append(body)
        switch try sockets.requests.send(&outgoing) {
        case .sent: figures.replies += 1
        case .wouldBlock, .unreachable:
            // Gone, or too slow to take its own replies: it asks again, and is answered then.
            outgoing.removeAll()
            figures.repliesDropped += 1
        }
    }

    /// What only the daemon knows.
    private func own(_ request: Request) -> Reply.Answer {
        switch request.verb {
        case .hello:
            var hello = Hello()
            hello.version = Self.programVersion
            hello.opened = server.position
            hello.publish = sockets.published
            hello.limits = server.limits
            hello.heartbeatMs = configuration.heartbeatMs
            hello.features = [
                "backup", "claim", "drag", "explain", "history", "json", "presence", "proto",
                "replay", "retry", "rewind", "undo",
            ]
            return .hello(hello)
        case .health: return .health(health)
        case .stats: return .stats(stats)
        default: return .refused(Rejection(.unknownVerb, "This daemon does not know the verb."))
        }
    }

    private var health: Health {
        var health = Health()
        if server.isReadOnly { health.status = "readOnly" }
        health.version = Self.programVersion
        health.uptimeMs = Clock.monotonicMs - startedMs
        health.position = server.position
        health.tables = server.tables.count
        health.rows = server.tables.values.reduce(0) { $0 + $1.table.count }
        return health
    }

    /// Made once in a turn, whoever asks: some of it are questions to the system.
    private var stats: Stats {
        if let turnStats { return turnStats }
        var stats = figures.stats
        for (verb, count) in server.requests { stats.counters["requests_\(verb)"] = count }
        for (code, count) in server.rejections { stats.rejections[code.rawValue] = count }
        let journal = journal.figures
        stats.counters["commits"] = journal.commits
        stats.gauges["journal_position"] = journal.position
        stats.gauges["journal_entries"] = journal.entries
        stats.gauges["journal_bytes"] = journal.bytesOnDisk
        stats.gauges["journal_checkpoint"] = journal.checkpoint ?? 0
        stats.gauges["tables"] = UInt64(server.tables.count)
        stats.gauges["rows"] = UInt64(health.rows)
        stats.gauges["sessions"] = UInt64(server.sessions.byClient.count)
        let peers = PeerGuard.figures
        stats.gauges["connections"] = UInt64(peers.connections)
        stats.gauges["connections_in_handshake"] = UInt64(peers.strangers)
        for (reason, count) in peers.ended {
            stats.counters["connections_dropped_\(reason.rawValue)"] = count
        }
        stats.gauges["topics"] = UInt64(topics.count)
        stats.gauges["disk_free_bytes"] = room.free ?? 0
        stats.gauges["resident_bytes"] = Figures.residentBytes
        stats.gauges["waiting_checks"] = UInt64(checks.count)
        turnStats = stats
        return stats
    }

    // MARK: Checks

    /// The answer comes when a check is done that begins from now on.
    private func ask(_ request: Request, _ index: Route) throws {
        outgoing.removeAll()
        envelopes.use(index, in: &outgoing)
        let asker = Checks.Asker(
            envelope: outgoing.bytes(at: 0), route: routes[index], request: request)
        outgoing.removeAll()
        if checks.ask(asker) { return }
        let most = Checks.mostWaiting
        try tell(
            asker,
            .refused(
                Rejection(
                    .tooLarge, "waiting for a check: \(most + 1), at most \(most).",
                    field: "check")))
    }

    /// Answers somebody who asked in an earlier turn.
    func tell(_ asker: Checks.Asker, _ answer: Reply.Answer) throws {
        let reply = server.makeReply(asker.request, answer)
        outgoing.removeAll()
        outgoing.append(asker.envelope)
        try send(Encode.reply(reply, form: asker.route.form), by: asker.route)
    }

    /// A slice of the check that is under way.
    func workOnChecks(_ nowMs: UInt64) throws {
        try checks.work(server: server, journal: journal, nowMs: nowMs) { try tell($0, $1) }
        if let fault = checks.takeFault() {
            log.critical("a check found damage", metadata: ["fault": "\(fault)"])
        }
    }
}

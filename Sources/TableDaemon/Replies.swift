import TableModel
package import TableSync
import TableTransport
import TableTurn
import TableWire

// What is said to those who asked: to the ROUTER socket.

extension Daemon: Outbox {
    /// Sends an answer.
    package func reply(_ answer: Ready.Answer, in entry: [UInt8]) throws {
        defer { forget(answer.route) }
        // Nearly all are sent as they lie in the journal.
        if case .recorded(let place) = answer.body, routes[answer.route].form == .binary {
            return try entry.withUnsafeBytes {
                try send(UnsafeRawBufferPointer(rebasing: $0[place]), by: answer.route)
            }
        }
        let body = try body(of: answer, in: entry, form: routes[answer.route].form)
        if case .reply(let reply) = answer.body, case .refused = reply.answer {
            routes[answer.route].visitor.refusals += 1
        }
        try body.withUnsafeBytes { try send($0, by: answer.route) }
    }

    /// As it was noted when the request was let wait.
    package func origin(of route: Route) -> String { routes[route].origin }

    /// The request is over, or its sender asks again. Nothing of it stays here: a child is as large as its
    /// frame, and thousands of them may have sent something once.
    package func forget(_ route: Route) {
        envelopes.drop(route)
        routes[route].visitor = visitors.nobody
    }

    /// The journal refused what was in memory.
    package func hasRecovered(_ server: Server) {
        log.warning(
            "the journal refused what was not durable: the state begins anew",
            metadata: ["position": "\(server.position)", "epoch": "\(server.epoch)"])
    }

    private func body(of answer: Ready.Answer, in entry: [UInt8], form: Form) throws -> [UInt8] {
        switch answer.body {
        case .reply(let reply): return Encode.reply(reply, form: form)
        case .recorded(let place): return try body(of: entry[place], form: form)
        case .remembered(let bytes): return try body(of: bytes[...], form: form)
        case .replay(let reply, let encoded):
            if form == .binary { return Encode.reply(reply, encodedDiffs: encoded) }
            return Encode.reply(try withDiffs(reply, encoded), form: form)
        case .forDaemon:
            // The turn has put the answer in its place: made here it could tell what is not durable.
            throw DaemonError(.io, "a request to the daemon itself has no answer")
        }
    }

    /// Of a reply that is remembered.
    private func body(of bytes: ArraySlice<UInt8>, form: Form) throws -> [UInt8] {
        guard let body = Encode.reply(encoded: bytes, form: form) else {
            throw DaemonError(.io, "a remembered reply cannot be read")
        }
        return body
    }

    /// For a form other than the one in which diffs are kept.
    private func withDiffs(_ reply: Reply, _ encoded: EncodedDiffs) throws -> Reply {
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

    private func send(_ body: UnsafeRawBufferPointer, by route: Route) throws {
        let connection = routes[route].connection
        guard
            connection.descriptor < 0
                || PeerGuard.mayReply(to: connection, bytes: body.count)
        else {
            counters.repliesDropped += 1
            return
        }
        routes[route].visitor.replyBytes += UInt64(body.count)
        let outcome = try sockets.requests.answer(
            envelopes[route], hasDelimiter: routes[route].hasDelimiter,
            header: routes[route].form.frame, body: body)
        switch outcome {
        case .sent: counters.replies += 1
        // Gone, or too slow to take its own replies: it asks again, and is answered then.
        case .wouldBlock, .unreachable: counters.repliesDropped += 1
        }
    }

    /// What only the daemon knows.
    package func answer(to request: Request, _ route: Route) -> Reply.Answer {
        switch request.verb {
        case .hello:
            var hello = Hello()
            hello.version = Self.programVersion
            hello.opened = server.position
            hello.publish = sockets.published
            hello.limits = server.limits
            hello.limits.repliesPerSession = server.limits.answersOfOneClient
            hello.heartbeatMs = settings.inForce.heartbeatMs
            if turn.journal.isFollowed { hello.features = ["cluster"] }
            hello.features += [
                "audit", "backup", "behalf", "claim", "drag", "explain", "history", "json",
                "presence", "proto", "replay", "retry", "rewind", "undo",
            ]
            return .hello(hello)
        case .health: return .health(health(for: request.sender))
        case .stats: return .stats(stats(for: request.sender))
        case .audit(let most): return .audit(audit.trail.latest(most))
        case .stepDown: return stepDown(for: request.sender, from: routes[route].origin)
        case .check, .tables, .kinds, .snapshot, .replay, .offer, .renew, .who, .history, .rewind,
            .attend, .drag, .explain, .create, .drop, .command, .batch, .backup, .restore:
            return .refused(Rejection(.unknownVerb, "The daemon itself does not know the verb."))
        }
    }

    /// Of what the sender may read.
    private func health(for sender: Principal) -> Health {
        let tables = server.tables.values.filter {
            server.mayRead(sender, $0.table.name)
        }
        var health = Health()
        if server.isReadOnly || server.takesOnlyLess { health.status = "readOnly" }
        health.version = Self.programVersion
        health.uptimeMs = Clock.monotonicMs - startedMs
        health.position = server.position
        health.tables = tables.count
        health.rows = tables.reduce(0) { $0 + $1.table.count }
        health.cluster = cluster
        return health
    }

    /// Who may not look after all tables learns what it costs itself, and nothing of the others.
    private func stats(for sender: Principal) -> Stats {
        if server.rights(of: sender, on: nil).contains(.administer) { return stats }
        let health = health(for: sender)
        var own = Stats()
        own.gauges = ["tables": UInt64(health.tables), "rows": UInt64(health.rows)]
        visitors.tell(of: sender, in: &own)
        return own
    }

    /// Made once in a turn, whoever asks: some of it are questions to the system.
    private var stats: Stats {
        if let turnStats { return turnStats }
        var stats = counters.stats
        turn.counters.tell(in: &stats)
        for (verb, count) in server.requests { stats.counters["requests_\(verb)"] = count }
        for (code, count) in server.rejections { stats.rejections[code.rawValue] = count }
        let journal = turn.journal.figures
        stats.counters["commits"] = journal.commits
        stats.gauges["journal_position"] = journal.position
        stats.gauges["journal_entries"] = journal.entries
        stats.gauges["journal_bytes"] = journal.bytesOnDisk
        stats.gauges["journal_checkpoint"] = journal.checkpoint ?? 0
        stats.gauges["tables"] = UInt64(server.tables.count)
        stats.gauges["rows"] = UInt64(
            server.tables.values.reduce(0) { $0 + $1.table.count })
        stats.gauges["sessions"] = UInt64(server.sessions.count)
        let peers = PeerGuard.figures
        stats.gauges["connections"] = UInt64(peers.connections)
        stats.gauges["connections_in_handshake"] = UInt64(peers.strangers)
        for (reason, count) in peers.ended {
            stats.counters["connections_dropped_\(reason.rawValue)"] = count
        }
        stats.gauges["topics"] = UInt64(topics.count)
        stats.gauges["disk_free_bytes"] = diskSpace.free ?? 0
        stats.gauges["resident_bytes"] = Counters.residentBytes
        stats.gauges["waiting_checks"] = UInt64(turn.checks.count)
        visitors.tell(in: &stats)
        tellOfMembership(in: &stats)
        turnStats = stats
        return stats
    }
}

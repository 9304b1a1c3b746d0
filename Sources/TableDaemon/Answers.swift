import TableModel
import TableSync
import TableTurn

// Answers that only the daemon around the turn can give: its health, its figures, and the other daemons.

extension Daemon {
    func answer(to request: Request, _ route: ReplyRoute) -> Reply.Answer {
        switch request.verb {
        case .hello:
            var hello = Hello()
            hello.version = Self.programVersion
            hello.opened = server.position
            hello.publish = sockets.published
            hello.limits = server.limits
            hello.limits.repliesPerSession = server.limits.answersOfOneClient
            hello.heartbeatMs = settings.inForce.heartbeatMs
            // Those that the sender may use.
            if server.admission.isStranger(request.sender) { return .hello(hello) }
            // Clients need not know etcd's terms: etcd lets one daemon write.
            if membership.service == nil { hello.term = server.term.number }
            if turn.journal.isFollowed { hello.features = ["cluster"] }
            hello.features += [
                "audit", "backup", "behalf", "claim", "drag", "explain", "history", "json",
                "presence", "proto", "query", "replay", "retry", "rewind", "undo",
            ]
            return .hello(hello)
        case .health: return .health(health(for: request.sender))
        case .stats: return .stats(stats(for: request.sender))
        case .audit(let most): return .audit(log.latest(most))
        case .stepDown: return membership.stepDown(for: request.sender, from: route.origin)
        case .connections: return .connections(connections.list())
        case .endConnection(let id): return connections.end(id, for: request, from: route.origin)
        case .promote: return promote(for: request.sender, from: route.origin)
        case .replicate, .check, .tables, .kinds, .snapshot, .replay, .offer, .renew, .who,
            .history, .rewind, .attend, .drag, .explain, .query, .create, .drop, .forget, .command,
            .batch, .backup, .restore:
            return .refused(.unknownVerb, "The daemon itself does not know the verb.")
        }
    }

    /// The health, with the tables that the sender may read.
    private func health(for sender: Principal) -> Health {
        let tables = server.tables.values.filter { server.admission.mayRead(sender, $0.table.name) }
        var health = Health()
        if server.room.isShort { health.status = "readOnly" }
        health.version = Self.programVersion
        health.uptimeMs = Clock.monotonicMs - inbox.counters.startedMs
        health.position = server.position
        health.tables = tables.count
        health.rows = tables.reduce(0) { $0 + $1.table.count }
        health.cluster = membership.cluster
        return health
    }

    /// A principal that may not administer all tables learns its own figures, and nothing of the others.
    private func stats(for sender: Principal) -> Stats {
        if server.admission.rights(of: sender, on: nil).contains(.administer) { return stats }
        let health = health(for: sender)
        var own = Stats()
        own.gauges = ["tables": UInt64(health.tables), "rows": UInt64(health.rows)]
        connections.visitors.tell(of: sender, in: &own)
        return own
    }

    /// Made once in a turn, whoever asks: some of it are questions to the system.
    private var stats: Stats {
        if let told = inbox.counters.told { return told }
        var stats = inbox.counters.stats
        turn.counters.tell(in: &stats)
        for (verb, count) in server.counts.requests { stats.counters["requests_\(verb)"] = count }
        for (code, count) in server.counts.rejections { stats.rejections[code.rawValue] = count }
        let journal = turn.journal.figures
        stats.counters["commits"] = journal.commits
        stats.gauges["journal_position"] = journal.position
        stats.gauges["journal_entries"] = journal.entries
        stats.gauges["journal_bytes"] = journal.bytesOnDisk
        stats.gauges["journal_checkpoint"] = journal.checkpoint ?? 0
        stats.gauges["tables"] = UInt64(server.tables.count)
        stats.gauges["rows"] = UInt64(server.tables.values.reduce(0) { $0 + $1.table.count })
        stats.gauges["sessions"] = UInt64(server.sessions.count)
        let peers = PeerGuard.figures
        stats.gauges["connections"] = UInt64(peers.connections)
        stats.gauges["connections_in_handshake"] = UInt64(peers.strangers)
        for (reason, count) in peers.ended {
            stats.counters["connections_dropped_\(reason)"] = count
        }
        stats.gauges["topics"] = UInt64(inbox.subscriptions.topics.count)
        stats.gauges["disk_free_bytes"] = disk.free ?? 0
        stats.gauges["resident_bytes"] = Counters.residentBytes
        stats.gauges["reload_refused"] = settings.isReloadRefused ? 1 : 0
        stats.gauges["waiting_checks"] = UInt64(turn.checks.count)
        stats.gauges["pauses"] = server.tables.values.reduce(0) {
            $0 + UInt64($1.table.settings.pauses.count)
        }
        stats.gauges["waiting_workers"] = UInt64(server.waitingWorkers)
        connections.visitors.tell(in: &stats)
        membership.tell(in: &stats)
        inbox.counters.told = stats
        return stats
    }
}

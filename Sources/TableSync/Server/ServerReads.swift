import TableModel

// Requests that read one table. They are answered from the state after the turn's commit, or from
// an older one that is on disk.

extension Server {
    /// Bytes of diffs in one answer to `replay`: in JSON some 2 ms, and others wait meanwhile.
    private static let replayBytes = 64 << 10

    func read(_ request: Request, _ route: Route) {
        guard let name = request.table, let live = tables[name] else {
            let name = request.table ?? ID("")
            return reply(to: request, route, .refused(.noTable(name)))
        }
        switch request.verb {
        case .kinds:
            let kinds = live.table.kinds.values.sorted { $0.id < $1.id }
            reply(to: request, route, .kinds(kinds, live.table.settings))
        case .snapshot(let id, let chunk):
            reply(to: request, route, snapshot(id: id, chunk: chunk, of: live.table))
        case .replay(let history, let since):
            replay(request, live, history: history, since: since, route)
        case .offer(let history, let revision, let digest):
            let relation = relation(
                of: live, history: history, revision: revision, digest: digest)
            reply(to: request, route, .standing(Standing(relation, head: live.state)))
        case .who:
            let attendants = live.ephemeral.attendants(head: live.table.revision)
            reply(to: request, route, .who(attendants, live.ephemeral.sortedLeases))
        case .history(let filter): reply(to: request, route, history(filter, live))
        case .rewind(let history, let since, let to):
            reply(to: request, route, rewind(history: history, since: since, to: to, live))
        case .hello, .tables, .health, .stats, .check, .renew, .attend, .drag, .explain, .create,
            .drop, .command, .batch, .backup, .restore, .audit, .stepDown:
            preconditionFailure("only what reads a table comes here")
        }
    }

    private func snapshot(id: String?, chunk: Int, of table: Table) -> Reply.Answer {
        guard let id else {
            return .snapshot(
                snapshots.begin(table, nowMs: monotonicMs) { self.tables[$0]?.table })
        }
        let part = snapshots.chunk(chunk, of: id, table: table, nowMs: monotonicMs)
        return part.map { .snapshot($0) }
            ?? .refused(
                Rejection(
                    .noSuchSnapshot, "That snapshot was let go, or has no such chunk: begin again.",
                    field: "snapshot"))
    }

    private func replay(
        _ request: Request, _ live: LiveTable, history: ID128, since: UInt64, _ route: Route
    ) {
        guard history == live.table.history else {
            return reply(
                to: request, route,
                .refused(
                    Rejection(
                        .otherHistory, "The table's history is \(live.table.history).",
                        field: "replay.history")))
        }
        guard let diffs = live.log.diffs(since: since, maximumBytes: Self.replayBytes) else {
            let (oldest, head) = (live.log.oldest, live.log.head)
            return reply(
                to: request, route,
                .refused(
                    Rejection(
                        .compacted, "A replay can begin at revisions \(oldest) to \(head).",
                        field: "replay.since")))
        }
        let publication = Publication(
            table: live.table.name, history: history, epoch: epoch)
        let answer = makeReply(request, .replay(publication, head: live.table.revision))
        self.answer(.replay(answer, encoded: EncodedDiffs(diffs.map(\.change.diff))), to: route)
    }

    private func relation(
        of live: LiveTable, history: ID128, revision: UInt64, digest: UInt64
    ) -> Standing.Relation {
        let table = live.table
        if history != table.history { return .diverged }
        if revision > table.revision { return .rolledBack }
        if revision == table.revision { return digest == table.digest ? .same : .diverged }
        guard let then = live.log.digest(at: revision) else { return .compacted }
        return then == digest ? .extend : .diverged
    }
}

import TableModel

// Requests that read one table. They are answered from the state after the turn's commit, or from
// an older one that is on disk.

extension Server {
    /// Bytes of diffs in one answer to `replay`: in JSON some 2 ms, and others wait meanwhile.
    private static let replayBytes = 64 << 10

    /// The table that a request names; nil: there is none, and the sender is told so.
    func table(of request: Request, _ route: Route) -> LiveTable? {
        if let live = request.table.flatMap({ tables[$0] }) { return live }
        reply(to: request, route, .refused(.noTable(request.table ?? ID(""))))
        return nil
    }

    /// Answers from the table that a request names.
    func read(_ request: Request, _ route: Route, _ answer: (LiveTable) -> Reply.Answer) {
        if let live = table(of: request, route) { reply(to: request, route, answer(live)) }
    }

    func snapshot(id: String?, chunk: Int, of table: Table) -> Reply.Answer {
        guard let id else {
            return .snapshot(
                copies.snapshots.begin(table, nowMs: ready.monotonicMs) { self.tables[$0]?.table })
        }
        let part = copies.snapshots.chunk(chunk, of: id, table: table, nowMs: ready.monotonicMs)
        return part.map { .snapshot($0) }
            ?? .refused(
                .noSuchSnapshot, "That snapshot was let go, or has no such chunk: begin again.",
                field: "snapshot")
    }

    func replay(_ request: Request, history: ID128, since: UInt64, _ route: Route) {
        guard let live = table(of: request, route) else { return }
        guard history == live.table.history else {
            return reply(
                to: request, route,
                .refused(
                    .otherHistory, "The table's history is \(live.table.history).",
                    field: "replay.history"))
        }
        guard let diffs = live.log.diffs(since: since, maximumBytes: Self.replayBytes) else {
            let (oldest, head) = (live.log.replayable, live.log.head)
            return reply(
                to: request, route,
                .refused(
                    .compacted, "A replay can begin at revisions \(oldest) to \(head).",
                    field: "replay.since"))
        }
        let publication = Publication(table: live.table.name, history: history, epoch: epoch)
        let answer = makeReply(request, .replay(publication, head: live.table.revision))
        self.answer(.replay(answer, encoded: EncodedDiffs(diffs.map(\.change.diff))), to: route)
    }

    func relation(
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

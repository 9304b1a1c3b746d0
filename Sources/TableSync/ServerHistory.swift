public import TableModel

// What is kept of the past: for undo, for people, and for going back.

extension Server.Held: Past {
    /// As the log says.
    public var oldest: UInt64 { log.oldest }
    /// As the log says.
    public var head: UInt64 { log.head }

    /// As the log says.
    public func mark(of revision: UInt64) -> PastMark {
        log.mark(of: revision) ?? PastMark(canUndo: false)
    }

    /// Decoded anew each time: it is asked for seldom.
    public func change(_ revision: UInt64) -> PastChange? {
        guard let entry = log.entry(of: revision), let diff = codec.decodeDiff(entry.bytes) else {
            return nil
        }
        return PastChange(diff: diff, reverse: entry.reverse.flatMap { codec.decodeSteps($0) })
    }

    /// As the codec says.
    public func mayMention(_ ids: Set<RowID>, in revision: UInt64) -> Bool {
        guard let entry = log.entry(of: revision) else { return false }
        // Beyond a few, decoding costs less than searching.
        if entry.isTableWide || ids.count > 8 { return true }
        return ids.contains { codec.mayMention($0, entry.bytes) }
    }
}

extension Server {
    /// Bytes of diffs that are looked at for one page: the loop must go on.
    private static let historyBytes = 2 << 20
    /// Bytes of ways back in one answer to `rewind`: what a client can take in one message.
    private static let rewindBytes = 256 << 10

    func history(_ filter: HistoryFilter, _ held: Held) -> Reply.Answer {
        guard (1...1_000).contains(filter.most) else {
            return .refused(
                Rejection(.badNumber, "1 to 1,000 changes at once.", field: "history.most"))
        }
        let log = held.log
        var page = HistoryPage(
            changes: [], oldest: log.oldest, keeps: retention,
            leaving: log.leaving(nowMs: ready.timeMs))
        var revision = min(filter.before.map { $0 > 0 ? $0 - 1 : 0 } ?? log.head, log.head)
        var bytes = 0
        while revision > log.oldest, page.changes.count < filter.most, bytes < Self.historyBytes {
            defer { revision -= 1 }
            guard let entry = log.entry(of: revision), filter.admits(entry),
                filter.row.map({ held.mayMention([$0], in: revision) }) ?? true
            else { continue }
            bytes += entry.size
            guard let change = held.change(revision), filter.admits(change) else { continue }
            page.changes.append(
                .init(
                    revision: revision, cause: change.diff.cause, undoneBy: entry.mark.undoneBy,
                    rows: Array(change.rows.prefix(64)),
                    text: Story(change, on: held.table, about: filter.row).text))
        }
        page.next = revision > log.oldest ? revision + 1 : nil
        return .history(page)
    }

    func rewind(history: ID128, since: UInt64, to: UInt64, _ held: Held) -> Reply.Answer {
        guard history == held.table.history else {
            return .refused(
                Rejection(
                    .otherHistory, "The table's history is \(held.table.history).",
                    field: "rewind.history"))
        }
        let log = held.log
        guard since <= log.head, to < since else {
            return .refused(
                Rejection(
                    .badNumber, "A rewind goes from a revision up to \(log.head) to an older one.",
                    field: "rewind.to"))
        }
        var steps: [StepBack] = []
        var revision = since
        var bytes = 0
        while revision > to, steps.isEmpty || bytes < Self.rewindBytes {
            guard let entry = log.entry(of: revision), let reverse = entry.reverse,
                let ops = codec.decodeSteps(reverse), let digest = log.digest(at: revision - 1)
            else {
                return .refused(
                    Rejection(
                        .compacted,
                        "Revision \(revision) can no longer be taken back: those after "
                            + "\(log.oldest) are kept.", field: "rewind.to"))
            }
            revision -= 1
            steps.append(StepBack(revision: revision, digest: digest, ops: ops))
            bytes += reverse.count
        }
        return .rewind(steps)
    }
}

extension HistoryFilter {
    fileprivate func admits(_ entry: DiffLog.Entry) -> Bool {
        if let actor, entry.mark.actor != actor { return false }
        if let fromMs, entry.timeMs < fromMs { return false }
        if let toMs, entry.timeMs > toMs { return false }
        return true
    }

    fileprivate func admits(_ change: PastChange) -> Bool {
        if let verb, change.diff.cause.verb != verb { return false }
        if let row, !change.rows.contains(row) { return false }
        return true
    }
}

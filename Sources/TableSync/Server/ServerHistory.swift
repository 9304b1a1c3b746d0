public import TableDecisions
public import TableModel

// The kept past: for undo, for people, and for rewinding.

extension Server.LiveTable: Surroundings {
    /// Its own.
    public var past: (any Past)? { self }
    /// Those of the leases.
    public var lifted: [RowID: ID] { ephemeral.lifted }
}

extension Server.LiveTable: Past {
    /// The log's oldest revision.
    public var oldest: UInt64 { log.oldest }
    /// The log's head.
    public var head: UInt64 { log.head }

    /// The log's mark of a revision.
    public func mark(of revision: UInt64) -> PastMark {
        log.mark(of: revision) ?? PastMark(isPickedForUndo: false)
    }

    /// A revision's diff and inverse, decoded each time: nobody asks often.
    public func change(_ revision: UInt64) -> PastChange? {
        guard let change = log.entry(of: revision)?.change, let diff = codec.decodeDiff(change.diff)
        else { return nil }
        return PastChange(diff: diff, inverse: change.inverse.flatMap { codec.decodeSteps($0) })
    }

    /// Whether a revision may name one of these rows; may say yes for one that does not.
    public func mayMention(_ rows: RowSearch, in revision: UInt64) -> Bool {
        guard let entry = log.entry(of: revision) else { return false }
        return entry.isTableWide || codec.mayMention(rows, entry.change.diff)
    }

    /// Whether a revision may have changed one of these rows, also where its ops do not name it. What ends
    /// an invocation, or takes it back, names no row, but its inverse does. True may be wrong, false may not.
    func mayBeAbout(_ rows: RowSearch, _ revision: UInt64) -> Bool {
        if mayMention(rows, in: revision) { return true }
        // No undo of the latest change picks what a handler did, or the daemon.
        guard let entry = log.entry(of: revision),
            !entry.mark.isPickedForUndo || entry.mark.undoes != nil
        else { return false }
        return entry.change.inverse.map { codec.mayMention(rows, $0) } ?? false
    }

    /// Bytes of a revision's diff and inverse.
    public func size(of revision: UInt64) -> Int { log.entry(of: revision)?.size ?? 0 }

    /// Two ops of a revision's inverse.
    public func step(of revision: UInt64, at place: Int) -> (ops: [Op], next: Int?)? {
        guard let inverse = log.entry(of: revision)?.change.inverse, place < inverse.count else {
            return nil
        }
        let rest = inverse[(inverse.startIndex + place)...]
        guard let end = codec.end(ofSteps: 2, in: rest), let ops = codec.decodeSteps(rest[..<end])
        else { return nil }
        return (ops, end < inverse.endIndex ? end - inverse.startIndex : nil)
    }
}

extension Server {
    /// Bytes of diffs that are decoded for one page: some 2 ms, and others wait meanwhile.
    private static let historyBytes = 256 << 10
    /// To look at a change that the filter does not admit costs as much as so many of them.
    private static let lookBytes = 16
    /// Bytes of inverses in one answer to `rewind`: in JSON some 2 ms.
    private static let rewindBytes = 16 << 10

    func history(_ filter: HistoryFilter, _ live: LiveTable) -> Reply.Answer {
        guard (1...1_000).contains(filter.most) else {
            return .refused(.badNumber, "1 to 1,000 changes at once.", field: "history.most")
        }
        let log = live.log
        var page = HistoryPage(
            changes: [], oldest: log.oldest, keeps: tables.retention,
            leaving: log.leaving(
                nowMs: tables.aging.ms ?? ready.timeMs, within: tables.retention,
                rows: live.table.count))
        var revision = min(filter.before.map { $0 > 0 ? $0 - 1 : 0 } ?? log.head, log.head)
        var bytes = 0
        let search = filter.row.map { RowSearch([$0]) }
        while revision > log.oldest, page.changes.count < filter.most, bytes < Self.historyBytes {
            defer { revision -= 1 }
            bytes += Self.lookBytes
            guard let entry = log.entry(of: revision), filter.admits(entry) else { continue }
            if let search {
                // To search takes a fraction of what decoding takes.
                bytes += entry.size / 8
                guard live.mayBeAbout(search, revision) else { continue }
            }
            bytes += entry.size
            guard let change = live.change(revision), filter.admits(change) else { continue }
            let isForgotten = entry.isPartial && change.diff.ops.isEmpty
            let told =
                isForgotten
                ? ("forgotten", [Saying("forgotten")])
                : Story(change, on: live.table, about: filter.row).told
            page.changes.append(
                .init(
                    revision: revision, cause: change.diff.cause, undoneBy: entry.mark.undoneBy,
                    rows: change.rows(atMost: 64), text: told.0, sayings: told.1))
        }
        page.next = revision > log.oldest ? revision + 1 : nil
        ready.load.answerBytes += bytes
        return .history(page)
    }

    func rewind(history: ID128, since: UInt64, to: UInt64, _ live: LiveTable) -> Reply.Answer {
        guard history == live.table.history else {
            return .refused(
                .otherHistory, "The table's history is \(live.table.history).",
                field: "rewind.history")
        }
        let log = live.log
        guard since <= log.head, to < since else {
            return .refused(
                .badNumber, "A rewind goes from a revision up to \(log.head) to an older one.",
                field: "rewind.to")
        }
        let isGone = Rejection(
            .compacted,
            "Revision \(to) can no longer be shown: those from \(log.replayable) on can.",
            field: "rewind.to")
        // Also where this page would not come to it.
        if to < log.replayable { return .refused(isGone) }
        var steps: [RewindStep] = []
        var revision = since
        var bytes = 0
        while revision > to, steps.isEmpty || bytes < Self.rewindBytes {
            guard let entry = log.entry(of: revision), let inverse = entry.change.inverse,
                let ops = codec.decodeSteps(inverse), let digest = log.digest(at: revision - 1)
            else {
                // The steps that were found are answered first.
                if !steps.isEmpty { break }
                return .refused(isGone)
            }
            revision -= 1
            steps.append(RewindStep(revision: revision, digest: digest, ops: ops))
            bytes += inverse.count
        }
        ready.load.answerBytes += bytes
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

internal import TableModel
public import TableSync

// The past: pages of history, inverses.

extension RequestReader {
    func history(_ wire: WireRequest.History) throws(Rejection) -> HistoryFilter {
        HistoryFilter(
            before: wire.hasBefore ? wire.before : nil, most: wire.hasMost ? Int(wire.most) : 100,
            row: wire.hasRow ? try id(wire.row, "history.row") : nil,
            actor: wire.hasActor ? try id(wire.actor, "history.actor") : nil,
            verb: wire.hasVerb ? wire.verb : nil, fromMs: wire.hasFromMs ? wire.fromMs : nil,
            toMs: wire.hasToMs ? wire.toMs : nil)
    }
}

extension WireRequest.History {
    init(_ filter: HistoryFilter) {
        if let revision = filter.before { before = revision }
        most = UInt32(clamping: filter.most)
        if let id = filter.row { row = id.text }
        if let id = filter.actor { actor = id.text }
        if let word = filter.verb { verb = word }
        if let time = filter.fromMs { fromMs = time }
        if let time = filter.toMs { toMs = time }
    }
}

extension WireHistoryReply {
    init(_ page: HistoryPage) {
        changes = page.changes.map { Change($0) }
        oldest = page.oldest
        keepsDiffs = UInt64(clamping: page.keeps.diffs)
        keepsBytes = UInt64(clamping: page.keeps.bytes)
        keepsSeconds = page.keeps.seconds
        if let revision = page.leaving { leaving = revision }
        if let revision = page.next { next = revision }
    }

    func read() throws(Rejection) -> HistoryPage {
        HistoryPage(
            changes: try changes.readAll("changes") { one throws(Rejection) in try one.read() },
            oldest: oldest,
            keeps: Retention(
                diffs: try Int(read: keepsDiffs, "keepsDiffs"),
                bytes: try Int(read: keepsBytes, "keepsBytes"), seconds: keepsSeconds),
            leaving: hasLeaving ? leaving : nil, next: hasNext ? next : nil)
    }
}

extension WireHistoryReply.Change {
    init(_ change: HistoryPage.Change) {
        revision = change.revision
        cause = WireCause(change.cause)
        if let later = change.undoneBy { undoneBy = later }
        rows = change.rows.map(\.text)
        text = change.text
    }

    func read() throws(Rejection) -> HistoryPage.Change {
        HistoryPage.Change(
            revision: revision,
            cause: try within("cause") { () throws(Rejection) in try cause.read() },
            undoneBy: hasUndoneBy ? undoneBy : nil, rows: rows.map { ID($0) }, text: text)
    }
}

extension WireRewindReply {
    init(_ steps: [RewindStep], _ form: Form) {
        back = steps.map { step in
            var wire = Back()
            wire.revision = step.revision
            wire.digest = step.digest.lowerHex
            wire.ops = step.ops.map { WireOp(back: $0, form) }
            return wire
        }
    }

    func read() throws(Rejection) -> [RewindStep] {
        try back.readAll("back") { step throws(Rejection) in
            RewindStep(
                revision: step.revision, digest: try UInt64(read: step.digest, "digest"),
                ops: try step.ops.readAll("ops") { op throws(Rejection) in try op.read() })
        }
    }
}

extension Encode {
    /// One line of JSON, without a line break.
    public static func document(_ change: HistoryPage.Change) -> String {
        WireHistoryReply.Change(change).json
    }

    /// One line of JSON, without a line break.
    public static func document(_ page: HistoryPage) -> String {
        var head = page
        head.changes = []
        let changes = page.changes.map { document($0) }
        return WireHistoryReply(head).json.dropLast() + ",\"changes\":["
            + changes.joined(separator: ",") + "]}"
    }
}

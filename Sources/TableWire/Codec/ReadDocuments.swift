internal import TableModel
internal import TableSync

// The messages that `Encode.document` and `Encode.sessionLine` write.

extension StateDocument {
    static func read(from s: inout JSONSource) throws(Refusal) -> StateDocument {
        var (table, history, epoch) = (ID?.none, ID128?.none, ID128?.none)
        var (revision, digest, isEditing) = (UInt64(0), UInt64?.none, false)
        var (sections, rows): ([Section], [Entry]) = ([], [])
        var invocations: [Invocation] = []
        while try s.more() {
            try s.id(1, "table", &table)
            try s.hex(2, "history", &history)
            try s.hex(3, "epoch", &epoch)
            try s.number(4, "revision", &revision)
            try s.hex(5, "digest", &digest)
            try s.all(6, "sections", &sections) { (s) throws(Refusal) in
                var (id, title, rows) = (ID?.none, "", 0)
                while try s.more() {
                    try s.id(1, "id", &id)
                    try s.text(2, "title", &title)
                    try s.count(3, "rows", &rows)
                }
                return Section(id: try s.needed(id, "id"), title: title, rows: rows)
            }
            try s.all(7, "rows", &rows) { (s) throws(Refusal) in
                let placed = try PlacedRow.read(from: &s)
                return Entry(
                    row: placed.row, section: try s.needed(placed.section, "section"),
                    index: placed.index ?? 0)
            }
            try s.flag(8, "editing", &isEditing)
            try s.all(9, "invocations", &invocations, Invocation.read(from:))
        }
        return StateDocument(
            table: try s.needed(table, "table"), history: try history.or(.notHex(32, "history")),
            epoch: try epoch.or(.notHex(32, "epoch")), revision: revision,
            digest: try digest.or(.notHex(16, "digest")), sections: sections, rows: rows,
            isEditing: isEditing, invocations: invocations)
    }
}

extension ChangeDocument {
    static func read(from s: inout JSONSource) throws(Refusal) -> ChangeDocument {
        var (table, epoch, cause) = (ID?.none, ID128?.none, Cause?.none)
        var (base, digest, ops): (UInt64, UInt64?, [Op]) = (0, nil, [])
        while try s.more() {
            try s.id(1, "table", &table)
            try s.hex(2, "epoch", &epoch)
            try s.number(3, "base", &base)
            // The revision is one more than the base.
            var revision: UInt64?
            try s.number(4, "revision", &revision)
            try s.hex(5, "digest", &digest)
            try s.one(6, "cause", &cause, Cause.read(from:))
            try s.all(7, "ops", &ops) { (s) throws(Refusal) in try Op.read(from: &s).inDiff }
        }
        return ChangeDocument(
            table: try s.needed(table, "table"), epoch: try epoch.or(.notHex(32, "epoch")),
            diff: Diff(
                base: base, digest: try digest.or(.notHex(16, "digest")),
                cause: cause ?? Cause(verb: ""), ops: ops))
    }
}

extension SessionLine {
    static func read(from s: inout JSONSource) throws(Refusal) -> SessionLine {
        var (session, table, atMs) = (UInt64(0), ID?.none, UInt64(0))
        var definitions: ([Kind], Settings)?
        var (state, change): (StateDocument?, ChangeDocument?) = (nil, nil)
        while try s.more() {
            try s.number(1, "session", &session)
            try s.id(2, "table", &table)
            try s.number(3, "atMs", &atMs)
            try s.one(4, "definitions", &definitions, JSONSource.definitions(from:))
            try s.one(5, "state", &state, StateDocument.read(from:))
            try s.one(6, "change", &change, ChangeDocument.read(from:))
        }
        if let state {
            return .state(SessionState(state, definitions ?? ([], Settings()), atMs: atMs))
        }
        if let change { return .change(change, atMs: atMs) }
        guard session == UInt64(SessionHeader.format) else {
            throw Refusal(
                .badValue, "This program reads sessions of format \(SessionHeader.format).",
                "session")
        }
        return .header(SessionHeader(table: try s.needed(table, "table"), atMs: atMs))
    }
}

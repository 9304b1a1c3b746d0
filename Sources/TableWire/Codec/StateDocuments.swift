public import TableModel
public import TableSync

// JSON for people and their programs: one line each, without a line break. Lists are written even if they are empty.

extension Encode {
    /// A table.
    public static func document(_ document: StateDocument) -> String {
        Written.text { document.write(to: &$0) }
    }

    /// A revision.
    public static func document(_ document: ChangeDocument) -> String {
        Written.text { document.write(to: &$0) }
    }

    /// The ops of a diff, as a list.
    public static func document(_ ops: [Op]) -> String {
        let bytes = FieldWriter.bytes { writer in
            writer.json { s in
                s.list("") { list in
                    for op in ops { list.message(0, "") { op.write(to: &$0, isInverse: false) } }
                }
            }
            writer.removeAll(from: writer.count - 1)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// One row with its place. `fields` is written even if the row has none.
    public static func document(_ row: Row, section: SectionID, index: Int) -> String {
        Written.text { row.writeDocument(section, index, to: &$0) }
    }

    /// A lease.
    public static func document(_ lease: Lease) -> String { Written.text { lease.write(to: &$0) } }

    /// A viewer.
    public static func document(_ viewer: Attendant) -> String {
        Written.text { viewer.write(to: &$0) }
    }

    /// A connection of a client.
    public static func document(_ one: ConnectionSummary) -> String {
        Written.text { one.write(to: &$0) }
    }

    /// An entry of the audit.
    public static func document(_ entry: AuditEntry) -> String {
        Written.text { entry.write(to: &$0) }
    }

    /// A change of the past, and its ops if they are given.
    public static func document(_ change: HistoryPage.Change, _ ops: PastOps? = nil) -> String {
        Written.text { s in
            change.write(to: &s)
            ops?.write(to: &s)
        }
    }

    /// A page of the past, with the ops of those changes whose revisions are given.
    public static func document(_ page: HistoryPage, _ ops: [UInt64: PastOps] = [:]) -> String {
        Written.text { s in
            page.writeRest(to: &s)
            s.list("changes") { list in
                for change in page.changes {
                    list.message(1, "") { s in
                        change.write(to: &s)
                        ops[change.revision]?.write(to: &s)
                    }
                }
            }
        }
    }

    /// A line of a recording, without its end.
    public static func sessionLine(_ line: SessionLine) -> String {
        Written.text { s in
            switch line {
            case .header(let header):
                s.number(1, "session", UInt64(SessionHeader.format))
                s.id(2, "table", unlessEmpty: header.table)
                s.number(3, "atMs", header.atMs)
            case .state(let state):
                s.number(3, "atMs", state.atMs)
                s.message(4, "definitions") { $0.definitions(state.kinds, state.settings) }
                s.message(5, "state") { state.document.write(to: &$0) }
            case .change(let change, let atMs):
                s.number(3, "atMs", atMs)
                s.message(6, "change") { change.write(to: &$0) }
            }
        }
    }
}

extension StateDocument {
    func write(to s: inout JSONSink) {
        s.id(1, "table", unlessEmpty: table)
        s.hex(2, "history", history)
        s.hex(3, "epoch", epoch)
        s.number(4, "revision", revision)
        s.hex(5, "digest", digest)
        s.flag(8, "editing", ifSet: isEditing)
        s.messages(9, "invocations", invocations) { $0.write(to: &$1, isWhole: false) }
        s.list("sections") { list in
            for section in sections {
                list.message(6, "") { s in
                    s.id(1, "id", unlessEmpty: section.id)
                    s.text(2, "title", section.title)
                    s.count(3, "rows", section.rows)
                }
            }
        }
        s.list("rows") { list in
            for entry in rows {
                list.message(7, "") { entry.row.writeDocument(entry.section, entry.index, to: &$0) }
            }
        }
    }

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

extension Row {
    fileprivate func writeDocument(_ section: SectionID, _ index: Int, to s: inout JSONSink) {
        write(to: &s, hasVersion: true, section: section, index: index)
        if content.fieldCount == 0 { s.map("fields") { _ in } }
    }
}

extension ChangeDocument {
    func write(to s: inout JSONSink) {
        s.id(1, "table", unlessEmpty: table)
        s.hex(2, "epoch", epoch)
        s.number(3, "base", diff.base)
        s.number(4, "revision", diff.revision)
        s.hex(5, "digest", diff.digest)
        s.message(6, "cause") { diff.cause.write(to: &$0) }
        s.messages(7, "ops", diff.ops) { $0.write(to: &$1, isInverse: false) }
    }

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

extension PastOps {
    func write<S: Sink>(to s: inout S) {
        s.messages(8, "ops", ops) { $0.write(to: &$1, isInverse: false) }
        s.messages(9, "back", back) { $0.write(to: &$1, isInverse: true) }
    }
}

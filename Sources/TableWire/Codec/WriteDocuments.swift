public import TableModel
public import TableSync

// JSON for people and their programs: one line each, without a line break. Lists are written even if they are
// empty.

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
    fileprivate func write(to s: inout JSONSink) {
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
}

extension Row {
    fileprivate func writeDocument(_ section: SectionID, _ index: Int, to s: inout JSONSink) {
        write(to: &s, hasVersion: true, section: section, index: index)
        if content.fieldCount == 0 { s.map("fields") { _ in } }
    }
}

extension ChangeDocument {
    fileprivate func write(to s: inout JSONSink) {
        s.id(1, "table", unlessEmpty: table)
        s.hex(2, "epoch", epoch)
        s.number(3, "base", diff.base)
        s.number(4, "revision", diff.revision)
        s.hex(5, "digest", diff.digest)
        s.message(6, "cause") { diff.cause.write(to: &$0) }
        s.messages(7, "ops", diff.ops) { $0.write(to: &$1, isInverse: false) }
    }
}

extension PastOps {
    fileprivate func write<S: Sink>(to s: inout S) {
        s.messages(8, "ops", ops) { $0.write(to: &$1, isInverse: false) }
        s.messages(9, "back", back) { $0.write(to: &$1, isInverse: true) }
    }
}

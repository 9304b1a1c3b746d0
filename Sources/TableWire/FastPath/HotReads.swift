internal import TableModel
internal import TableSync

// Reads rows and the large parts of a checkpoint field by field, since the journal holds so many of
// them. As with requests, it reads only plainly valid bytes. Everything else goes to the schema's
// reader (nil), which alone refuses. An unusual row goes there by itself, so its neighbours are
// still read here.

/// Levels of enclosing messages. They reduce the depth that a message may have.
enum Level {
    static let op = 1
    static let invocation = 1
    static let record = 1
    static let row = 3
}

extension Decode {
    /// A `Row` with this many levels of enclosing messages.
    static func hotRow(_ bytes: UnsafeRawBufferPointer, level: Int) -> Row? {
        if let row = plainRow(bytes) { return row }
        return try? WireRow.parse(bytes, .binary, level: level).read()
    }

    /// A row without actions, items, performed actions, scroll position, claim, own
    /// states and selection.
    static func plainRow(_ bytes: UnsafeRawBufferPointer) -> Row? {
        var fields = PlainFields(bytes)
        guard let id = fields.id(1), let kind = fields.content(2), kind.count > 0 else {
            return nil
        }
        let title = fields.content(5) ?? UnsafeRawBufferPointer(start: nil, count: 0)
        let entries = fields
        while let entry = fields.content(6) {
            if keyAndValue(entry) == nil { return nil }
        }
        let version = fields.number(7) ?? 0
        let createdMs = fields.number(8) ?? 0
        guard let expansion = hotExpansion(fields.content(9)),
            let swipe = hotSwipe(fields.content(10))
        else { return nil }
        let changedMs = fields.number(15) ?? 0
        let movedMs = fields.number(16) ?? 0
        guard fields.isAtEnd else { return nil }
        return Row(
            id: id, kind: kind, title: title,
            fields: { visit in
                var fields = entries
                while let entry = fields.content(6), let item = keyAndValue(entry) {
                    visit(item.key, item.value)
                }
            },
            version: version, createdMs: createdMs, expansion: expansion, swipe: swipe.edge,
            changedMs: changedMs, movedMs: movedMs)
    }

    /// The parts of an entry of a map of fields.
    @inline(__always)
    private static func keyAndValue(
        _ entry: UnsafeRawBufferPointer
    ) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
        var parts = PlainFields(entry)
        guard let key = parts.content(1), let value = parts.content(2), parts.isAtEnd else {
            return nil
        }
        return (key, value)
    }

    /// A map of fields, if its keys are sorted and distinct.
    static func hotFields(_ field: UInt64, of message: inout PlainFields) -> [Row.Field]? {
        var items: [Row.Field] = []
        while let entry = message.content(field) {
            var parts = PlainFields(entry)
            guard let key = parts.text(1), let value = parts.text(2), parts.isAtEnd else {
                return nil
            }
            let item = Row.Field(ID(key), value)
            if let last = items.last, !(last.key < item.key) { return nil }
            items.append(item)
        }
        return items
    }

    /// An absent state means `collapsed`.
    private static func hotExpansion(_ bytes: UnsafeRawBufferPointer?) -> Expansion? {
        guard let bytes else { return .collapsed }
        return hotState(bytes)
    }

    static func hotState(_ bytes: UnsafeRawBufferPointer) -> Expansion? {
        if bytes.holds("collapsed") { return .collapsed }
        if bytes.holds("expanded") { return .expanded }
        guard let text = bytes.text else { return nil }
        return try? Expansion(read: text, "state")
    }

    /// An absent edge means closed; nil for an unknown word.
    static func hotSwipe(_ bytes: UnsafeRawBufferPointer?) -> (edge: Edge?, Void)? {
        guard let bytes, !bytes.holds("closed") else { return (nil, ()) }
        guard let text = bytes.text, let edge = Edge(rawValue: text) else { return nil }
        return (edge, ())
    }
}

// MARK: The parts of a checkpoint

extension Decode {
    /// Rows, diffs or sessions.
    static func hotCheckpoint(_ bytes: UnsafeRawBufferPointer) -> CheckpointPart? {
        var fields = PlainFields(bytes)
        var part: CheckpointPart?
        if let rows = fields.content(2) {
            part = hotSlices(rows).map { .rows($0) }
        } else if let log = fields.content(6) {
            part = hotLog(log).map { .log($0) }
        } else if let sessions = fields.content(3) {
            part = hotSessions(sessions)
        }
        return fields.isAtEnd ? part : nil
    }

    private static func hotSlices(_ bytes: UnsafeRawBufferPointer) -> [SnapshotChunk.Slice]? {
        var fields = PlainFields(bytes)
        var slices: [SnapshotChunk.Slice] = []
        while let content = fields.content(1) {
            guard let slice = hotSlice(content) else { return nil }
            slices.append(slice)
        }
        return fields.isAtEnd ? slices : nil
    }

    private static func hotSlice(_ bytes: UnsafeRawBufferPointer) -> SnapshotChunk.Slice? {
        var fields = PlainFields(bytes)
        guard let section = fields.id(1) else { return nil }
        let title = fields.text(2) ?? ""
        var rows: [Row] = []
        while let content = fields.content(3) {
            guard let row = hotRow(content, level: Level.row) else { return nil }
            // The number of rows if all are as long as the first.
            if rows.isEmpty { rows.reserveCapacity(bytes.count / (content.count + 2)) }
            rows.append(row)
        }
        return fields.isAtEnd ? .init(section: section, title: title, rows: rows) : nil
    }

    private static func hotLog(_ bytes: UnsafeRawBufferPointer) -> CheckpointPart.Log? {
        var fields = PlainFields(bytes)
        var log = CheckpointPart.Log()
        while let content = fields.content(1) {
            var change = PlainFields(content)
            guard let diff = change.content(2) else { return nil }
            let inverse = change.content(3)
            guard let isRedo = change.flag(4), change.isAtEnd else { return nil }
            if isRedo { log.redos.append(log.changes.count) }
            log.changes.append(EncodedChange(diff: diff, inverse: inverse))
        }
        log.digest = fields.fixed(2)
        return fields.isAtEnd ? log : nil
    }

    private static func hotSessions(_ bytes: UnsafeRawBufferPointer) -> CheckpointPart? {
        var fields = PlainFields(bytes)
        guard let evictedTo = fields.number(1) else { return nil }
        var clients: [CheckpointPart.Client] = []
        while let content = fields.content(2) {
            var session = PlainFields(content)
            guard let client = session.id(1), let floor = session.number(2),
                let usedAt = session.number(3)
            else { return nil }
            var answers: [Sessions.Answered] = []
            while let answer = session.content(4) {
                var answered = PlainFields(answer)
                guard let known = hotAnswered(&answered), answered.isAtEnd else { return nil }
                answers.append(known)
            }
            guard session.isAtEnd else { return nil }
            clients.append(
                .init(client, Sessions.Session(answers: answers, floor: floor, usedAt: usedAt)))
        }
        let user = fields.text(3)
        guard fields.isAtEnd, let owner = try? Sessions.owner(read: user) else { return nil }
        return .sessions(clients, evictedTo: evictedTo, of: owner)
    }

    private static func hotAnswered(_ fields: inout PlainFields) -> Sessions.Answered? {
        guard let number = fields.number(2), let hash = fields.fixed(3),
            let reply = fields.content(4)
        else { return nil }
        return Sessions.Answered(number: number, requestHash: hash, reply: reply.copied)
    }
}

// MARK: Entries

extension Decode {
    /// An entry of the journal. Records other than changes and answers go to the schema's reader,
    /// each by itself.
    static func hotEntry(_ bytes: UnsafeRawBufferPointer) -> JournalEntry? {
        var fields = PlainFields(bytes)
        guard let timeMs = fields.number(1) else { return nil }
        var records: [Ready.Record] = []
        while let content = fields.content(2) {
            guard let record = hotRecord(content) else { return nil }
            records.append(record)
        }
        return fields.isAtEnd ? JournalEntry(timeMs: timeMs, records: records) : nil
    }

    private static func hotRecord(_ bytes: UnsafeRawBufferPointer) -> Ready.Record? {
        if let record = plainRecord(bytes) { return record }
        return try? WireJournalEntry.Record.parse(bytes, .binary, level: Level.record).read()
    }

    private static func plainRecord(_ bytes: UnsafeRawBufferPointer) -> Ready.Record? {
        var record = PlainFields(bytes)
        if let content = record.content(3) {
            var fields = PlainFields(content)
            guard record.isAtEnd, let table = fields.id(1), let diff = fields.content(2)
            else { return nil }
            let inverse = fields.content(3)
            guard fields.isAtEnd else { return nil }
            return .changed(table, diff: diff.copied, inverse: inverse?.copied)
        }
        if let content = record.content(4) {
            var fields = PlainFields(content)
            guard record.isAtEnd, let client = fields.id(1), let answered = hotAnswered(&fields)
            else { return nil }
            let user = fields.id(5).map { ProvenID($0) }
            let opened = fields.number(6)
            guard fields.isAtEnd else { return nil }
            return .answered(client: client, user: user, opened: opened, answered)
        }
        return nil
    }
}

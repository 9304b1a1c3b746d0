internal import TableModel
internal import TableSync

// Reads the requests of nearly every writer, in binary, field by field. It reads only plainly valid
// bytes. Everything else, wrong or only unusual, goes to the schema's reader (nil), which alone
// refuses.

extension RequestReader {
    /// One of the frequent commands, or some of them in a batch. Its fields are in the order of their
    /// numbers, each once, as every protobuf library writes them.
    func hot(_ bytes: UnsafeRawBufferPointer, into request: inout Request) -> Bool {
        guard bytes.count <= limits.requestBytes else { return false }
        var fields = PlainFields(bytes)
        guard let client = hotID(ifAny: fields.content(1)) else { return false }
        request.client = client.id
        request.number = fields.number(2)
        request.opened = fields.number(3)
        guard let table = hotTable(fields.content(4)), let name = hotID(ifAny: fields.content(5)),
            let verb = hotVerb(ofRequest: &fields), fields.isAtEnd
        else { return false }
        request.table = table
        request.name = name.id
        request.atMs = nil
        request.verb = verb
        return true
    }

    /// A command first, since nearly all are one.
    @inline(__always)
    private func hotVerb(ofRequest fields: inout PlainFields) -> Request.Verb? {
        if let content = fields.content(32) { return hotCommand(content).map { .command($0) } }
        return hotChange(&fields)?.verb ?? hotExplanation(fields.content(60))
    }

    /// The change that a request makes, or asks to have explained.
    private func hotChange(_ fields: inout PlainFields) -> Request.Change? {
        if let content = fields.content(32) { return hotCommand(content).map { .command($0) } }
        return fields.content(33).flatMap { hotBatch($0) }
    }

    private func hotExplanation(_ bytes: UnsafeRawBufferPointer?) -> Request.Verb? {
        guard let bytes else { return nil }
        var fields = PlainFields(bytes)
        guard let change = hotChange(&fields), fields.isAtEnd else { return nil }
        return .explain(change)
    }

    /// At least one command, and no more than are allowed.
    private func hotBatch(_ bytes: UnsafeRawBufferPointer) -> Request.Change? {
        var fields = PlainFields(bytes)
        var commands: [Command] = []
        while let content = fields.content(1) {
            guard commands.count < limits.batchCommands, let command = hotCommand(content)
            else { return nil }
            commands.append(command)
        }
        let ifRevision = fields.number(2)
        guard !commands.isEmpty, fields.isAtEnd else { return nil }
        return .batch(commands, ifRevision: ifRevision)
    }

    @inline(__always)  // Otherwise a command is moved from caller to caller.
    private func hotCommand(_ bytes: UnsafeRawBufferPointer) -> Command? {
        var fields = PlainFields(bytes)
        let ifRevision = fields.number(1)
        let ifVersion = fields.number(2)
        guard let ifClaimed = fields.flag(3), let verb = hotVerb(&fields), fields.isAtEnd
        else { return nil }
        return Command(
            verb, ifRevision: ifRevision, ifVersion: ifVersion, ifClaimed: ifClaimed)
    }

    @inline(__always)  // Otherwise the verb, which is large, is moved once more.
    private func hotVerb(_ fields: inout PlainFields) -> Command.Verb? {
        if let move = fields.content(13) { return hotMove(move) }
        if let expand = fields.content(16) { return hotExpand(expand) }
        if let set = fields.content(11) { return hotSet(set) }
        if let add = fields.content(10) { return hotAdd(add) }
        if let remove = fields.content(12) { return hotRemove(remove) }
        if let act = fields.content(20) { return hotAct(act) }
        return nil
    }

    private func hotMove(_ bytes: UnsafeRawBufferPointer) -> Command.Verb? {
        var fields = PlainFields(bytes)
        guard let rows = hotRows(&fields), let section = hotID(ifAny: fields.content(2)),
            let anchor = hotAnchor(&fields, from: 3), let found = anchor.anchor,
            let isStrict = fields.flag(7), fields.isAtEnd
        else { return nil }
        return .move(rows, section: section.id, found, isStrict ? .strict : .rebase)
    }

    private func hotExpand(_ bytes: UnsafeRawBufferPointer) -> Command.Verb? {
        var fields = PlainFields(bytes)
        guard let row = hotID(fields.content(1)) else { return nil }
        if fields.number(2) == 1 { return fields.isAtEnd ? .expand(row, nil) : nil }
        guard let state = fields.content(3).flatMap({ hotState($0) }), fields.isAtEnd
        else { return nil }
        return .expand(row, state)
    }

    private func hotSet(_ bytes: UnsafeRawBufferPointer) -> Command.Verb? {
        var fields = PlainFields(bytes)
        guard let row = hotID(fields.content(1)) else { return nil }
        let title = fields.text(2)
        guard let items = hotFields(3, &fields) else { return nil }
        var unset: [ID] = []
        while let content = fields.content(4) {
            guard let key = hotID(content), unset.count < limits.fields else { return nil }
            unset.append(key)
        }
        guard let kind = hotID(ifAny: fields.content(5)), fields.isAtEnd else { return nil }
        return hotSet(row, title: title, kind: kind.id, items, unset: unset)
    }

    private func hotAdd(_ bytes: UnsafeRawBufferPointer) -> Command.Verb? {
        var fields = PlainFields(bytes)
        guard let id = hotID(ifAny: fields.content(1)), let kind = hotID(ifAny: fields.content(2))
        else { return nil }
        let title = fields.text(3) ?? ""
        guard let items = hotFields(4, &fields), let section = hotID(ifAny: fields.content(5)),
            let anchor = hotAnchor(&fields, from: 6), fields.isAtEnd
        else { return nil }
        let content = Row.Content(kind: kind.id ?? .plainKind, title: title, fields: items)
        return .add(
            Command.Add(
                id: id.id, content, section: section.id, at: anchor.anchor ?? .bottom))
    }

    private func hotRemove(_ bytes: UnsafeRawBufferPointer) -> Command.Verb? {
        var fields = PlainFields(bytes)
        guard let rows = hotRows(&fields), fields.isAtEnd else { return nil }
        return .remove(rows)
    }

    private func hotAct(_ bytes: UnsafeRawBufferPointer) -> Command.Verb? {
        var fields = PlainFields(bytes)
        guard let row = hotID(fields.content(1)), let action = hotID(fields.content(2)),
            let edge = hotEdge(ifAny: fields.content(3)), let isFull = fields.flag(4),
            let isConfirmed = fields.flag(5), let item = hotID(ifAny: fields.content(70)),
            fields.isAtEnd
        else { return nil }
        return .act(
            Command.Act(
                action, on: row, item: item.id, edge: edge.edge, isFull: isFull,
                isConfirmed: isConfirmed))
    }

    /// At least one row, and few.
    @inline(__always)
    private func hotRows(_ fields: inout PlainFields) -> Few<RowID>? {
        guard let first = hotID(fields.content(1)) else { return nil }
        var rows = Few.one(first)
        while let content = fields.content(1) {
            guard let row = hotID(content), rows.count < Self.mostRows else { return nil }
            rows.append(row)
        }
        return rows
    }

    /// The anchor in four fields from this one on, if there is one.
    @inline(__always)
    private func hotAnchor(
        _ fields: inout PlainFields, from field: UInt64
    ) -> (anchor: Anchor?, Void)? {
        if let before = fields.content(field + 2) { return hotID(before).map { (.before($0), ()) } }
        if let after = fields.content(field + 3) { return hotID(after).map { (.after($0), ()) } }
        if let chosen = fields.number(field) { return chosen == 1 ? (.top, ()) : nil }
        if let chosen = fields.number(field + 1) { return chosen == 1 ? (.bottom, ()) : nil }
        return (nil, ())
    }

    private func hotFields(_ field: UInt64, _ message: inout PlainFields) -> [Row.Field]? {
        var items: [Row.Field] = []
        while let entry = message.content(field) {
            var parts = PlainFields(entry)
            guard let key = hotKey(parts.content(1)), let value = parts.text(2), parts.isAtEnd,
                items.count < limits.fields
            else { return nil }
            items.append(Row.Field(key, value))
        }
        return items
    }
}

extension Request.Change {
    /// The verb of a request that carries it out. A table is made and dropped seldom: the schema's reader does it.
    var verb: Request.Verb? {
        switch self {
        case .command(let command): .command(command)
        case .batch(let commands, let ifRevision): .batch(commands, ifRevision: ifRevision)
        case .create, .drop: nil
        }
    }
}

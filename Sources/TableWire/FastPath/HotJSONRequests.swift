internal import TableModel
internal import TableSync

// Reads the same requests as HotRequests.swift in JSON, whose members may come in any order. A member
// that is unknown, or stands twice, goes to the schema's reader with all of its request.

extension RequestReader {
    /// One of the frequent commands, or some of them in a batch.
    func hotJSON(_ bytes: UnsafeRawBufferPointer, into request: inout Request) -> Bool {
        guard bytes.count <= limits.requestBytes else { return false }
        // Ids are made at the end: members come in any order, and one may be wrong.
        var (client, table, name): (Letters, Letters, Letters) = (nil, nil, nil)
        var (number, opened): (UInt64?, UInt64?) = (nil, nil)
        var verb: Request.Verb?
        var hasVerb = false
        var json = PlainJSON(bytes)
        let isPlain = json.members { member, json in
            if member.holds("client"), client == nil {
                client = json.letters()
                return client != nil
            }
            if member.holds("number"), number == nil {
                number = json.number()
                return number != nil
            }
            if member.holds("opened"), opened == nil {
                opened = json.number()
                return opened != nil
            }
            if member.holds("table"), table == nil {
                table = json.letters()
                return table != nil
            }
            if member.holds("name"), name == nil {
                name = json.letters()
                return name != nil
            }
            // To compare the verb with nil copies it.
            guard !hasVerb, let found = hotRequest(member, &json) else { return false }
            hasVerb = true
            verb = found
            return true
        }
        guard isPlain, json.isAtEnd, let verb, let client = hotID(ifAny: client),
            let table = hotTable(table), let name = hotID(ifAny: name)
        else { return false }
        request.client = client.id
        request.number = number
        request.opened = opened
        request.table = table
        request.name = name.id
        request.atMs = nil
        request.verb = verb
        return true
    }

    private func hotRequest(
        _ name: UnsafeRawBufferPointer, _ json: inout PlainJSON
    ) -> Request.Verb? {
        if name.holds("command") { return hotCommand(&json).map { .command($0) } }
        guard name.holds("explain") else { return hotChange(name, &json)?.verb }
        var change: Request.Change?
        let isPlain = json.members { member, json in
            guard change == nil else { return false }
            change = hotChange(member, &json)
            return change != nil
        }
        return isPlain ? change.map { .explain($0) } : nil
    }

    /// The change that a request makes, or asks to have explained.
    private func hotChange(
        _ name: UnsafeRawBufferPointer, _ json: inout PlainJSON
    ) -> Request.Change? {
        if name.holds("command") { return hotCommand(&json).map { .command($0) } }
        return name.holds("batch") ? hotBatch(&json) : nil
    }

    /// At least one command, and no more than are allowed.
    private func hotBatch(_ json: inout PlainJSON) -> Request.Change? {
        var commands: [Command] = []
        var ifRevision: UInt64?
        let isPlain = json.members { member, json in
            if member.holds("ifRevision"), ifRevision == nil {
                ifRevision = json.number()
                return ifRevision != nil
            }
            guard member.holds("commands"), commands.isEmpty else { return false }
            return json.elements { json in
                guard commands.count < limits.batchCommands, let command = hotCommand(&json)
                else { return false }
                commands.append(command)
                return true
            } && !commands.isEmpty
        }
        guard isPlain, !commands.isEmpty else { return nil }
        return .batch(commands, ifRevision: ifRevision)
    }

    private func hotCommand(_ json: inout PlainJSON) -> Command? {
        var verb: Letters = nil
        var parts = HotJSONParts()
        var (ifRevision, ifVersion): (UInt64?, UInt64?) = (nil, nil)
        var ifClaimed: Bool?
        let isPlain = json.members { member, json in
            if member.holds("ifVersion"), ifVersion == nil {
                ifVersion = json.number()
                return ifVersion != nil
            }
            if member.holds("ifRevision"), ifRevision == nil {
                ifRevision = json.number()
                return ifRevision != nil
            }
            if member.holds("ifClaimed"), ifClaimed == nil {
                ifClaimed = json.flag()
                return ifClaimed != nil
            }
            guard verb == nil else { return false }
            verb = member
            return json.members { parts.read($0, &$1, self) }
        }
        guard isPlain, let name = verb, let verb = hotVerb(name, parts) else { return nil }
        return Command(
            verb, ifRevision: ifRevision, ifVersion: ifVersion, ifClaimed: ifClaimed ?? false)
    }

    @inline(__always)  // Otherwise the verb, which is large, is moved once more.
    private func hotVerb(
        _ name: UnsafeRawBufferPointer, _ parts: HotJSONParts
    ) -> Command.Verb? {
        if name.holds("move") { return hotMove(parts) }
        if name.holds("expand") { return hotExpand(parts) }
        if name.holds("set") { return hotSet(parts) }
        if name.holds("add") { return hotAdd(parts) }
        if name.holds("remove") {
            return parts.has(only: .rows) && !parts.rows.isEmpty ? .remove(parts.rows) : nil
        }
        if name.holds("act") { return hotAct(parts) }
        return nil
    }

    private func hotMove(_ parts: HotJSONParts) -> Command.Verb? {
        guard parts.has(only: .anchors.union([.rows, .section, .strict])), !parts.rows.isEmpty,
            let section = hotID(ifAny: parts.section), let found = parts.anchor(self),
            let anchor = found.anchor
        else { return nil }
        return .move(
            parts.rows, section: section.id, anchor, parts.isStrict ? .strict : .rebase)
    }

    private func hotExpand(_ parts: HotJSONParts) -> Command.Verb? {
        guard parts.has(only: [.row, .toggle, .state]), let row = hotID(parts.row) else {
            return nil
        }
        guard let state = parts.state else {
            return parts.members.contains(.toggle) ? .expand(row, nil) : nil
        }
        return hotState(state).map { .expand(row, $0) }
    }

    private func hotSet(_ parts: HotJSONParts) -> Command.Verb? {
        guard parts.has(only: [.row, .title, .kind, .fields, .unset]), let row = hotID(parts.row),
            let kind = hotID(ifAny: parts.kind)
        else { return nil }
        return hotSet(
            row, title: parts.title, kind: kind.id, parts.fields, unset: parts.unset)
    }

    private func hotAdd(_ parts: HotJSONParts) -> Command.Verb? {
        guard parts.has(only: .anchors.union([.id, .title, .kind, .fields, .section])),
            let id = hotID(ifAny: parts.id), let kind = hotID(ifAny: parts.kind),
            let section = hotID(ifAny: parts.section), let anchor = parts.anchor(self)
        else { return nil }
        let content = Row.Content(
            kind: kind.id ?? .plainKind, title: parts.title ?? "", fields: parts.fields)
        return .add(
            Command.Add(
                id: id.id, content, section: section.id, at: anchor.anchor ?? .bottom))
    }

    private func hotAct(_ parts: HotJSONParts) -> Command.Verb? {
        guard parts.has(only: [.row, .action, .edge, .full, .confirmed, .item]),
            let row = hotID(parts.row), let action = hotID(parts.action),
            let edge = hotEdge(ifAny: parts.edge), let item = hotID(ifAny: parts.item)
        else { return nil }
        return .act(
            Command.Act(
                action, on: row, item: item.id, edge: edge.edge, isFull: parts.isFull,
                isConfirmed: parts.isConfirmed))
    }
}

/// Where a text lies in the request, if it is there.
private typealias Letters = UnsafeRawBufferPointer?

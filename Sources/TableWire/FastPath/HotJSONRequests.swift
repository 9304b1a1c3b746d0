internal import TableModel
internal import TableSync

// Reads the same requests as HotRequests.swift in JSON, whose members may come in any order. A member
// that is unknown, or stands twice, goes to the schema's reader with all of its request.

extension RequestReader {
    /// One of the frequent commands, or some of them in a batch.
    func hotJSON(_ bytes: UnsafeRawBufferPointer) -> Request? {
        guard bytes.count <= limits.requestBytes else { return nil }
        var request = Request(.hello)
        var hasVerb = false
        var json = PlainJSON(bytes)
        let isPlain = json.members { member, json in
            if member.holds("client"), request.client == nil {
                request.client = hotID(json.letters())
                return request.client != nil
            }
            if member.holds("number"), request.number == nil {
                request.number = json.number()
                return request.number != nil
            }
            if member.holds("opened"), request.opened == nil {
                request.opened = json.number()
                return request.opened != nil
            }
            if member.holds("table"), request.table == nil {
                request.table = hotTable(json.letters())
                return request.table != nil
            }
            if member.holds("name"), request.name == nil {
                request.name = hotID(json.letters())
                return request.name != nil
            }
            guard !hasVerb, let verb = hotRequest(member, &json) else { return false }
            hasVerb = true
            request.verb = verb
            return true
        }
        return isPlain && hasVerb && request.table != nil && json.isAtEnd ? request : nil
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

    /// What a request wants to change, or to have explained.
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
        var verb: Command.Verb?
        var ifRevision: UInt64?
        var ifVersion: UInt64?
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
            verb = hotVerb(member, &json)
            return verb != nil
        }
        guard isPlain, let verb else { return nil }
        return Command(
            verb, ifRevision: ifRevision, ifVersion: ifVersion, ifClaimed: ifClaimed ?? false)
    }

    private func hotVerb(
        _ name: UnsafeRawBufferPointer, _ json: inout PlainJSON
    ) -> Command.Verb? {
        var parts = HotJSONParts()
        guard json.members({ parts.read($0, &$1, self) }) else { return nil }
        if name.holds("move") {
            guard parts.has(only: [.rows, .section, .anchor, .strict]), !parts.rows.isEmpty,
                let anchor = parts.anchor
            else { return nil }
            return .move(
                parts.rows, section: parts.section, anchor, parts.isStrict ? .strict : .rebase)
        }
        if name.holds("expand") {
            guard parts.has(only: [.row, .target]), let row = parts.row,
                parts.members.contains(.target)
            else { return nil }
            return .expand(row, parts.state)
        }
        if name.holds("set") {
            guard parts.has(only: [.row, .title, .kind, .fields, .unset]), let row = parts.row
            else { return nil }
            return hotSet(
                row, title: parts.title, kind: parts.kind, parts.fields, unset: parts.unset)
        }
        if name.holds("add") {
            guard parts.has(only: [.id, .title, .kind, .fields, .section, .anchor]) else {
                return nil
            }
            let content = Row.Content(
                kind: parts.kind ?? .plainKind, title: parts.title ?? "", fields: parts.fields)
            return .add(
                Command.Add(
                    id: parts.id, content, section: parts.section, at: parts.anchor ?? .bottom))
        }
        if name.holds("remove") {
            guard parts.has(only: .rows), !parts.rows.isEmpty else { return nil }
            return .remove(parts.rows)
        }
        if name.holds("act") {
            guard parts.has(only: [.row, .action, .edge, .full, .confirmed, .item]),
                let row = parts.row,
                let action = parts.action
            else { return nil }
            return .act(
                Command.Act(
                    action, on: row, item: parts.item, edge: parts.edge, isFull: parts.isFull,
                    isConfirmed: parts.isConfirmed))
        }
        return nil
    }
}

internal import TableModel
internal import TableSync

// The requests of nearly every writer, in binary, read field by field. Only what is plainly in
// order is taken here: everything else, whatever is wrong or unusual about it, is left to the
// schema's own reader (nil), which alone refuses.

extension RequestReader {
    /// A numbered move, expansion, new title, new row or removal in ASCII, with its fields in the
    /// order of their numbers, each once, as every protobuf library writes them.
    func hot(_ bytes: UnsafeRawBufferPointer) -> Request? {
        guard bytes.count <= limits.requestBytes else { return nil }
        var fields = PlainFields(bytes)
        guard let client = hotID(fields.content(1)), let number = fields.number(2),
            let opened = fields.number(3), let name = fields.content(4),
            !name.contains(UInt8(ascii: "/")), let table = hotID(name),
            let who = hotName(fields.content(5)),
            let command = fields.content(32), fields.isAtEnd, let verb = hotVerb(command)
        else { return nil }
        return Request(
            client: client, number: number, opened: opened, table: table, name: who.name,
            .command(Command(verb)))
    }

    /// A name, or that there is none; nil for one that is not plain.
    private func hotName(_ bytes: UnsafeRawBufferPointer?) -> (name: ID?, Void)? {
        guard let bytes else { return (nil, ()) }
        return hotID(bytes).map { ($0, ()) }
    }

    private func hotVerb(_ bytes: UnsafeRawBufferPointer) -> Command.Verb? {
        var verb = PlainFields(bytes)
        var result: Command.Verb?
        if let move = verb.content(13) {
            var fields = PlainFields(move)
            guard let row = hotID(fields.content(1)) else { return nil }
            if let before = hotID(fields.content(5)) {
                result = .move([row], section: nil, .before(before), .rebase)
            } else if let after = hotID(fields.content(6)) {
                result = .move([row], section: nil, .after(after), .rebase)
            }
            guard fields.isAtEnd else { return nil }
        } else if let expand = verb.content(16) {
            var fields = PlainFields(expand)
            guard let row = hotID(fields.content(1)), fields.number(2) == 1, fields.isAtEnd
            else { return nil }
            result = .expand(row, nil)
        } else if let set = verb.content(11) {
            var fields = PlainFields(set)
            guard let row = hotID(fields.content(1)), let title = plainText(fields.content(2)),
                fields.isAtEnd
            else { return nil }
            result = .set(row, Command.Changes(title: title))
        } else if let add = verb.content(10) {
            result = hotAdd(add)
        } else if let remove = verb.content(12) {
            var fields = PlainFields(remove)
            guard let row = hotID(fields.content(1)), fields.isAtEnd else { return nil }
            result = .remove([row])
        }
        return verb.isAtEnd ? result : nil
    }

    private func hotAdd(_ bytes: UnsafeRawBufferPointer) -> Command.Verb? {
        var fields = PlainFields(bytes)
        guard let id = hotID(fields.content(1)) else { return nil }
        var kind = ID.plainKind
        if let named = fields.content(2) {
            guard let id = hotID(named) else { return nil }
            kind = id
        }
        guard let title = plainText(fields.content(3)) else { return nil }
        var items: [Row.Field] = []
        while let entry = fields.content(4) {
            var parts = PlainFields(entry)
            guard let key = hotID(parts.content(1)), let value = plainText(parts.content(2)),
                parts.isAtEnd, items.count < limits.fields
            else { return nil }
            items.append(Row.Field(key, value))
        }
        var anchor = Anchor.bottom
        if let before = hotID(fields.content(8)) {
            anchor = .before(before)
        } else if let after = hotID(fields.content(9)) {
            anchor = .after(after)
        } else if fields.number(7) != 1 {
            return nil
        }
        let content = Row.Content(kind: kind, title: title, fields: items)
        return fields.isAtEnd ? .add(Command.Add(id: id, content, at: anchor)) : nil
    }

    private func hotID(_ bytes: UnsafeRawBufferPointer?) -> ID? {
        guard let bytes, bytes.count > 0, bytes.count <= limits.idBytes else { return nil }
        return plainText(bytes).map { ID($0) }
    }

    private func plainText(_ bytes: UnsafeRawBufferPointer?) -> String? {
        guard let bytes else { return nil }
        var strange: UInt8 = 0
        // To the end, whatever comes: so many bytes are looked at together.
        for byte in bytes { strange |= byte &- 32 < 95 ? 0 : 1 }
        return strange == 0 ? String(decoding: bytes, as: UTF8.self) : nil
    }
}

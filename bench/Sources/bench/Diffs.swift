/// The content of a publication of each contestant, down to the ids and texts of each diff: all viewers
/// read as much.
enum Diffs {
    private static var nothing: UnsafeRawBufferPointer { .init(start: nil, count: 0) }

    // MARK: Trestle

    static func ofTrestle(_ publication: UnsafeRawBufferPointer, _ body: (Diff) -> Void) {
        for field in Fields(publication) where field.number == 5 { body(diff(field.content)) }
    }

    private static func diff(_ content: UnsafeRawBufferPointer) -> Diff {
        var name = nothing
        var number: UInt64 = 0
        var change: Change?
        for field in Fields(content) {
            if field.number == 3 {
                for part in Fields(field.content) {
                    if part.number == 1 { name = part.content }
                    if part.number == 2 { number = part.value }
                }
            }
            if field.number == 4 {
                for op in Fields(field.content) { change = self.change(op) }
            }
        }
        return Diff(name: name, number: Int(number), change: change)
    }

    private static func change(_ op: Fields.Field) -> Change? {
        switch op.number {
        case 1:
            let (row, after) = first(two: op.content)
            return insert(row, after)
        case 2: return .remove(ID(first(two: op.content).0))
        case 3:
            let (row, after) = first(two: op.content)
            return .move(ID(row), after: ID(after))
        case 4:
            return set(op.content)
        case 6: return .expand(ID(first(two: op.content).0))
        default: return nil
        }
    }

    /// The op and the command have the same fields: row, title, fields. One of the two is there.
    private static func set(_ content: UnsafeRawBufferPointer) -> Change {
        let (row, title) = first(two: content)
        for field in Fields(content) where field.number == 3 {
            return .setNote(ID(row), note: first(two: field.content).1)
        }
        return .set(ID(row), title: title)
    }

    private static func insert(
        _ row: UnsafeRawBufferPointer, _ after: UnsafeRawBufferPointer
    ) -> Change {
        let text = Row(row)
        return .insert(ID(text.id), after: ID(after), title: text.title, note: text.note)
    }

    /// Fields 1 and 2 of a message.
    private static func first(
        two content: UnsafeRawBufferPointer
    ) -> (UnsafeRawBufferPointer, UnsafeRawBufferPointer) {
        var result = (nothing, nothing)
        for field in Fields(content) {
            if field.number == 1 { result.0 = field.content }
            if field.number == 2 { result.1 = field.content }
        }
        return result
    }

    /// A row as it stands in diffs and snapshots.
    struct Row {
        var id = nothing
        var title = nothing
        var note = nothing

        init(_ content: UnsafeRawBufferPointer) {
            for field in Fields(content) {
                switch field.number {
                case 1: id = field.content
                case 5: title = field.content
                // The only field of these rows: key 1, value 2.
                case 6:
                    for part in Fields(field.content) where part.number == 2 {
                        note = part.content
                    }
                default: break
                }
            }
        }
    }

    // MARK: The floor: the requests themselves, each behind its length

    static func ofFloor(_ publication: UnsafeRawBufferPointer, _ body: (Diff) -> Void) {
        for request in Fields.lengthDelimited(publication) {
            let diff = command(request)
            // A `hello`, which the floor cannot tell from a command.
            if diff.number > 0 { body(diff) }
        }
    }

    private static func command(_ request: UnsafeRawBufferPointer) -> Diff {
        var name = nothing
        var number: UInt64 = 0
        var change: Change?
        for field in Fields(request) {
            switch field.number {
            case 1: name = field.content
            case 2: number = field.value
            case 32: for verb in Fields(field.content) { change = self.change(verb: verb) }
            default: break
            }
        }
        return Diff(name: name, number: Int(number), change: change)
    }

    private static func change(verb: Fields.Field) -> Change? {
        let id = first(two: verb.content).0
        switch verb.number {
        case 10:
            var title = nothing
            var note = nothing
            var after = nothing
            for field in Fields(verb.content) {
                if field.number == 3 { title = field.content }
                if field.number == 4 { note = first(two: field.content).1 }
                if field.number == 9 { after = field.content }
            }
            return .insert(ID(id), after: ID(after), title: title, note: note)
        case 11: return set(verb.content)
        case 12: return .remove(ID(id))
        case 13:
            for field in Fields(verb.content) where field.number == 6 {
                return .move(ID(id), after: ID(field.content))
            }
            return nil
        case 16: return .expand(ID(id))
        default: return nil
        }
    }

    // MARK: Redis: words with blanks between them, as RedisWords writes them

    static func ofRedis(_ payload: UnsafeRawBufferPointer) -> Diff {
        // In front of the words: the digest's worth of text, the client, its number.
        var words = Words(payload)
        _ = words.next()
        let name = words.next()
        var number = 0
        for byte in words.next() { number = number * 10 + Int(byte &- UInt8(ascii: "0")) }
        let verb = words.next().first ?? 0
        let id = ID(words.next())
        let change: Change?
        switch verb {
        case UInt8(ascii: "m"):
            _ = words.next()
            change = .move(id, after: ID(words.next()))
        case UInt8(ascii: "e"): change = .expand(id)
        case UInt8(ascii: "s"): change = .set(id, title: words.next())
        case UInt8(ascii: "n"): change = .setNote(id, note: words.next())
        case UInt8(ascii: "i"):
            _ = words.next()
            let after = ID(words.next())
            let title = words.next()
            change = .insert(id, after: after, title: title, note: words.next())
        case UInt8(ascii: "r"): change = .remove(id)
        default: change = nil
        }
        return Diff(name: name, number: number, change: change)
    }

    private struct Words {
        private var rest: UnsafeRawBufferPointer

        init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

        /// The next one; empty when there is none.
        mutating func next() -> UnsafeRawBufferPointer {
            let end = rest.firstIndex(of: 32) ?? rest.count
            defer {
                rest = UnsafeRawBufferPointer(rebasing: rest[min(end + 1, rest.count)...])
            }
            return UnsafeRawBufferPointer(rebasing: rest[..<end])
        }
    }
}

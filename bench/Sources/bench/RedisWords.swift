/// The same job for Redis: a sorted set holds the order, a hash each row, a channel the diffs.
/// Each command is one MULTI … EXEC, written at once.
enum RedisWords {
    /// Lines of the answer to one command: OK, three times QUEUED, and EXEC's array of three.
    static let linesPerReply = 8

    static func request(
        _ action: Workload.Action, client: [UInt8], number: UInt64, score: Double
    ) -> [UInt8] {
        var writer = RESP()
        writer.command("MULTI")
        switch action {
        case .move(let row, _):
            let id = Workload.id(row)
            order(id, score, &writer)
            writer.command("HSET", key(id), "version", "\(number)")
        case .expand(let row):
            let id = Workload.id(row)
            order(id, Double(row), &writer)
            writer.command("HSET", key(id), "expand", state(number))
        case .set(let row, let title):
            let id = Workload.id(row)
            order(id, Double(row), &writer)
            writer.command("HSET", key(id), "title", text(title))
        case .insert(let id, _):
            order(id, score, &writer)
            let (title, note) = (text(Workload.title), text(Workload.note))
            writer.command("HSET", key(id), "title", title, "note", note)
        case .remove(let id):
            writer.command("ZREM", "order", text(id))
            writer.command("DEL", key(id))
        }
        writer.command("PUBLISH", "diffs", diff(action, client: client, number: number))
        writer.command("EXEC")
        return writer.bytes
    }

    /// With a digest's and a base's worth of text, as Trestle's diffs carry.
    static func diff(_ action: Workload.Action, client: [UInt8], number: UInt64) -> String {
        let words =
            switch action {
            case .move(let row, let after):
                ["move", text(Workload.id(row)), "after", text(Workload.id(after))]
            case .expand(let row): ["expand", text(Workload.id(row)), state(number)]
            case .set(let row, let title): ["set", text(Workload.id(row)), text(title)]
            case .insert(let id, let after):
                [
                    "insert", text(id), "after", text(Workload.id(after)), text(Workload.title),
                    text(Workload.note),
                ]
            case .remove(let id): ["remove", text(id)]
            }
        return (["0123456789abcdef", text(client), "\(number)"] + words).joined(separator: " ")
    }

    private static func state(_ number: UInt64) -> String {
        number % 2 == 0 ? "expanded" : "collapsed"
    }

    private static func order(_ id: [UInt8], _ score: Double, _ writer: inout RESP) {
        writer.command("ZADD", "order", "\(score)", text(id))
    }

    /// Rows in order, to begin with.
    static func fill(_ rows: Range<Int>) -> [UInt8] {
        var writer = RESP()
        for row in rows {
            let id = Workload.id(row)
            order(id, Double(row), &writer)
            writer.command(
                "HSET", key(id), "title", text(Workload.title), "note", text(Workload.note))
        }
        return writer.bytes
    }

    static var subscribe: [UInt8] {
        var writer = RESP()
        writer.command("SUBSCRIBE", "diffs")
        return writer.bytes
    }

    /// All ids, in order.
    static var order: [UInt8] {
        var writer = RESP()
        writer.command("ZRANGE", "order", "0", "-1")
        return writer.bytes
    }

    /// The texts of some rows: the joiner asks for many, so that no strings are made.
    static func texts(of ids: Names, _ some: Range<Int>) -> [UInt8] {
        let head = Array("*4\r\n$5\r\nHMGET\r\n$".utf8)
        let key = Array("\r\nrow:".utf8)
        let tail = Array("\r\n$5\r\ntitle\r\n$4\r\nnote\r\n".utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(some.count * 64)
        for index in some {
            let id = ids.slice(index)
            bytes += head
            bytes += "\(id.count + 4)".utf8
            bytes += key
            bytes += id
            bytes += tail
        }
        return bytes
    }

    static var count: [UInt8] {
        var writer = RESP()
        writer.command("ZCARD", "order")
        return writer.bytes
    }

    private static func key(_ id: [UInt8]) -> String { "row:" + text(id) }
    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

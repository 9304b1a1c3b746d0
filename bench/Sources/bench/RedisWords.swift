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
        case .move(let row, let after):
            let id = Workload.id(row)
            order(id, score, &writer)
            writer.command("HSET", key(id), "version", "\(number)")
            diff(["move", text(id), "after", text(Workload.id(after))], client, number, &writer)
        case .expand(let row):
            let id = Workload.id(row)
            order(id, Double(row), &writer)
            let state = number % 2 == 0 ? "expanded" : "collapsed"
            writer.command("HSET", key(id), "expand", state)
            diff(["expand", text(id), state], client, number, &writer)
        case .set(let row, let title):
            let id = Workload.id(row)
            order(id, Double(row), &writer)
            writer.command("HSET", key(id), "title", text(title))
            diff(["set", text(id), text(title)], client, number, &writer)
        case .insert(let id, let after):
            order(id, score, &writer)
            let (title, note) = (text(Workload.title), text(Workload.note))
            writer.command("HSET", key(id), "title", title, "note", note)
            let place = text(Workload.id(after))
            diff(["insert", text(id), "after", place, title, note], client, number, &writer)
        case .remove(let id):
            writer.command("ZREM", "order", text(id))
            writer.command("DEL", key(id))
            diff(["remove", text(id)], client, number, &writer)
        }
        writer.command("EXEC")
        return writer.bytes
    }

    private static func order(_ id: [UInt8], _ score: Double, _ writer: inout RESP) {
        writer.command("ZADD", "order", "\(score)", text(id))
    }

    /// With a digest's and a base's worth of text, as Trestle's diffs carry.
    private static func diff(
        _ words: [String], _ client: [UInt8], _ number: UInt64, _ writer: inout RESP
    ) {
        let cause = ["0123456789abcdef", text(client), "\(number)"]
        writer.command("PUBLISH", "diffs", (cause + words).joined(separator: " "))
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

    /// Everything at once, in order, without a round trip for each row.
    static var snapshot: [UInt8] {
        var writer = RESP()
        writer.command(
            "SORT", "order", "BY", "nosort", "GET", "#", "GET", "row:*->title", "GET",
            "row:*->note")
        return writer.bytes
    }

    static var count: [UInt8] {
        var writer = RESP()
        writer.command("ZCARD", "order")
        return writer.bytes
    }

    private static func key(_ id: [UInt8]) -> String { "row:" + text(id) }
    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

/// The job in Redis's words: a sorted set holds the order, a hash each row, a channel the diffs.
/// Each command is one MULTI … EXEC, written at once.
enum RedisWords {
    /// Lines of the answer to one command: OK, three times QUEUED, and EXEC's array of three.
    static let linesPerReply = 8

    static func request(
        _ action: Workload.Action, client: [UInt8], number: UInt64, score: Int
    ) -> [UInt8] {
        var writer = RESP()
        writer.command("MULTI", words: 0)
        switch action {
        case .move(let row, _):
            let id = Workload.id(row)
            order(id, score, &writer)
            writer.command("HSET", words: 3)
            writer.key(id)
            writer.word("version")
            writer.word(Int(number))
        case .expand(let row):
            let id = Workload.id(row)
            order(id, row, &writer)
            writer.command("HSET", words: 3)
            writer.key(id)
            writer.word("expand")
            writer.word(state(number))
        case .set(let row, let title):
            let id = Workload.id(row)
            order(id, row, &writer)
            writer.command("HSET", words: 3)
            writer.key(id)
            writer.word("title")
            writer.word(title)
        case .setNote(let row, let note):
            let id = Workload.id(row)
            order(id, row, &writer)
            writer.command("HSET", words: 3)
            writer.key(id)
            writer.word("note")
            writer.word(note)
        case .insert(let id, _):
            order(id, score, &writer)
            row(id, &writer)
        case .remove(let id):
            writer.command("ZREM", words: 2)
            writer.word("order")
            writer.word(id)
            writer.command("DEL", words: 1)
            writer.key(id)
        }
        writer.command("PUBLISH", words: 2)
        writer.word("diffs")
        writer.word(diff(action, client: client, number: number))
        writer.command("EXEC", words: 0)
        return writer.bytes
    }

    /// With a digest's and a base's worth of text, as Trestle's diffs carry.
    static func diff(
        _ action: Workload.Action, client: [UInt8], number: UInt64
    ) -> [UInt8] {
        var bytes = Array("0123456789abcdef".utf8)
        let add = { (word: [UInt8]) in
            bytes.append(UInt8(ascii: " "))
            bytes.append(contentsOf: word)
        }
        add(client)
        add(RESP.digits(Int(number)))
        switch action {
        case .move(let row, let after):
            add(Array("move".utf8))
            add(Workload.id(row))
            add(Array("after".utf8))
            add(Workload.id(after))
        case .expand(let row):
            add(Array("expand".utf8))
            add(Workload.id(row))
            add(state(number))
        case .set(let row, let title):
            add(Array("set".utf8))
            add(Workload.id(row))
            add(title)
        case .setNote(let row, let note):
            add(Array("note".utf8))
            add(Workload.id(row))
            add(note)
        case .insert(let id, let after):
            add(Array("insert".utf8))
            add(id)
            add(Array("after".utf8))
            add(Workload.id(after))
            add(Workload.title)
            add(Workload.note)
        case .remove(let id):
            add(Array("remove".utf8))
            add(id)
        }
        return bytes
    }

    private static func state(_ number: UInt64) -> [UInt8] {
        Array((number % 2 == 0 ? "expanded" : "collapsed").utf8)
    }

    private static func order(_ id: [UInt8], _ score: Int, _ writer: inout RESP) {
        writer.command("ZADD", words: 3)
        writer.word("order")
        writer.word(score)
        writer.word(id)
    }

    private static func row(_ id: [UInt8], _ writer: inout RESP) {
        writer.command("HSET", words: 5)
        writer.key(id)
        writer.word("title")
        writer.word(Workload.title)
        writer.word("note")
        writer.word(Workload.note)
    }

    /// The publication of a batch of many rows.
    static var large: [UInt8] {
        var writer = RESP()
        writer.command("PUBLISH", words: 2)
        writer.word("diffs")
        writer.word([UInt8](repeating: UInt8(ascii: "t"), count: Stall.rows * Stall.textBytes))
        return writer.bytes
    }

    /// Rows in order, to begin with.
    static func fill(_ rows: Range<Int>) -> [UInt8] {
        var writer = RESP()
        for index in rows {
            let id = Workload.id(index)
            order(id, index, &writer)
            row(id, &writer)
        }
        return writer.bytes
    }

    static var subscribe: [UInt8] {
        var writer = RESP()
        writer.command("SUBSCRIBE", words: 1)
        writer.word("diffs")
        return writer.bytes
    }

    /// All ids, in order.
    static var order: [UInt8] {
        var writer = RESP()
        writer.command("ZRANGE", words: 3)
        writer.word("order")
        writer.word(0)
        writer.word(-1)
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
        writer.command("ZCARD", words: 1)
        writer.word("order")
        return writer.bytes
    }
}

import Glibc

/// A viewer that comes late: from nothing to a replica that has all rows in order, and hears what
/// happens next. Says how many nanoseconds it took.
struct Joiner: Codable {
    var contestant: Contestant
    var directory: String
    /// The rows of the table; another count is a failure.
    var rows: Int

    struct Result: Codable {
        var nanoseconds: UInt64
        var orderHash: UInt64
    }

    func run() throws(Failure) {
        let begin = nanoseconds()
        let replica = contestant == .redis ? try joinRedis() : try joinZmtp()
        let time = nanoseconds() - begin
        guard replica.count == rows, replica.misfits == 0 else {
            throw Failure("the late joiner has \(replica.count) rows, not \(rows)")
        }
        guard replica.textBytes == rows * Workload.rowBytes else {
            throw Failure("the late joiner lacks text")
        }
        say(try encoded(Result(nanoseconds: time, orderHash: replica.orderHash)))
    }

    // MARK: Trestle, and libzmq alone, which gives the same chunks from memory

    private static let chunksUnderWay = 4

    private func joinZmtp() throws(Failure) -> Replica {
        let viewer = try Zmtp(.sub, to: contestant.publishEndpoint(in: directory))
        let socket = try Zmtp(
            .dealer, to: contestant.snapshotEndpoint(in: directory), capacity: 1 << 20)
        defer {
            viewer.close()
            socket.close()
        }
        try viewer.subscribe(TrestleWords.topic)
        guard try viewer.next({ _ in true }) != nil else { throw Failure("no welcome") }
        // Chunk 0 comes alone: it says how many there are.
        try socket.sendRequest(TrestleWords.snapshot(id: nil, chunk: 0))
        var replica = Replica(capacity: rows)
        let first = try take(socket, &replica)
        var asked = 1
        var taken = 1
        while taken < first.chunks {
            while asked < first.chunks, asked - taken < Self.chunksUnderWay {
                try socket.sendRequest(TrestleWords.snapshot(id: first.id, chunk: asked))
                asked += 1
            }
            // One connection keeps their order.
            guard try take(socket, &replica).chunk == taken else {
                throw Failure("chunks out of order")
            }
            taken += 1
        }
        return replica
    }

    private func take(_ socket: Zmtp, _ replica: inout Replica) throws(Failure) -> SnapshotChunk {
        guard let chunk = try socket.next({ SnapshotChunk($0, into: &replica) }), chunk.chunks > 0
        else { throw Failure("no chunk of the snapshot") }
        return chunk
    }

    // MARK: Redis

    private func joinRedis() throws(Failure) -> Replica {
        let viewer = try Connection(path: directory + "/redis.sock")
        let connection = try Connection(path: directory + "/redis.sock")
        defer {
            viewer.close()
            connection.close()
        }
        try viewer.send(RedisWords.subscribe)
        var room = [UInt8](repeating: 0, count: 4_096)
        _ = try viewer.receive(into: &room)
        try connection.send(RedisWords.order)
        var buffer = Incoming()
        var ids = Names()
        var left: Int?
        repeat {
            try buffer.receive(connection)
            buffer.strings(&left) { ids.append($0) }
        } while left != 0
        // Then the texts, with as many questions under way as keep both sides busy: faster than
        // one SORT … GET, which answers nothing until it has everything.
        var replica = Replica(capacity: ids.count)
        var asked = 0
        var taken = 0
        while taken < ids.count {
            while asked < ids.count, asked - taken < 4 * Self.questionsAtOnce {
                let some = asked..<min(ids.count, asked + Self.questionsAtOnce)
                try connection.send(RedisWords.texts(of: ids, some))
                asked = some.upperBound
            }
            try buffer.receive(connection)
            buffer.messages { message in
                guard let (title, note) = RESP.pair(in: message) else { return }
                ids.lend(taken) { replica.append(ID($0), title: title, note: note) }
                taken += 1
            }
        }
        return replica
    }

    private static let questionsAtOnce = 500
}

/// Many short texts in one piece of memory.
struct Names {
    private var bytes: [UInt8] = []
    private var ends: [Int] = [0]

    var count: Int { ends.count - 1 }

    mutating func append(_ name: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: name)
        ends.append(bytes.count)
    }

    func slice(_ index: Int) -> ArraySlice<UInt8> { bytes[ends[index]..<ends[index + 1]] }

    func lend(_ index: Int, _ body: (UnsafeRawBufferPointer) -> Void) {
        slice(index).withUnsafeBytes(body)
    }
}

/// A reply with one chunk of a snapshot, whose rows go into a replica.
struct SnapshotChunk {
    var id: [UInt8] = []
    var chunk = 0
    var chunks = 0

    init(_ reply: UnsafeRawBufferPointer, into replica: inout Replica) {
        for field in Fields(reply) where field.number == 23 {
            for part in Fields(field.content) {
                switch part.number {
                case 1: id = Array(part.content)
                case 4: chunk = Int(part.value)
                case 5: chunks = Int(part.value)
                case 9:
                    for row in Fields(part.content) where row.number == 3 {
                        let row = Diffs.Row(row.content)
                        replica.append(ID(row.id), title: row.title, note: row.note)
                    }
                default: break
                }
            }
        }
    }
}

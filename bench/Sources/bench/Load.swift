import CZeroMQ
import Glibc

/// C clients in one thread, each with one command outstanding.
struct Load {
    var contestant: Contestant
    var directory: String
    var clients: Int
    var rows: Int
    var seconds: Double
    /// Makes client ids new in each run, and the commands different.
    var seed: UInt64

    /// What a run found.
    struct Result: Codable {
        /// Acknowledged while it was measured.
        var commands = 0
        /// Acknowledged at all, the warming up included.
        var total = 0
        var refused = 0
        var nanoseconds: UInt64 = 1
        var p50Microseconds = 0.0
        var p99Microseconds = 0.0

        var perSecond: Double { Double(commands) * 1e9 / Double(nanoseconds) }

        /// For the pipe between two processes.
        var line: String {
            "\(commands) \(total) \(refused) \(nanoseconds) \(p50Microseconds) \(p99Microseconds)"
        }

        init() {}

        init?(line: String) {
            let words = line.split(separator: " ")
            guard words.count == 6, let commands = Int(words[0]), let total = Int(words[1]),
                let refused = Int(words[2]), let nanoseconds = UInt64(words[3]),
                let p50 = Double(words[4]), let p99 = Double(words[5])
            else { return nil }
            self.init()
            (self.commands, self.total, self.refused) = (commands, total, refused)
            self.nanoseconds = nanoseconds
            (p50Microseconds, p99Microseconds) = (p50, p99)
        }
    }

    static let warmUpSeconds = 0.3

    func run() throws(Failure) -> Result {
        switch contestant {
        case .redis: return try runRedis()
        case .trestle, .libzmq: return try runZmq()
        }
    }

    /// One client's commands.
    struct Writer {
        let name: [UInt8]
        var workload: Workload
        var number: UInt64 = 0
        var sentAt: UInt64 = 0

        init(_ index: Int, of load: Load) {
            let name = "w\(String(load.seed, radix: 36))x\(index)"
            self.name = Array(name.utf8)
            workload = Workload(
                rows: load.rows, name: name, seed: load.seed &* 1_000 &+ UInt64(index))
        }
    }

    private var writers: [Writer] { (0..<clients).map { Writer($0, of: self) } }

    // MARK: Trestle, and libzmq alone: the same bytes to both

    private func runZmq() throws(Failure) -> Result {
        let context = zmq_ctx_new()
        defer { zmq_ctx_term(context) }
        var writers = writers
        var sockets: [Zmq] = []
        defer { for socket in sockets { socket.close() } }
        var epoll = try Epoll(capacity: clients)
        for index in 0..<clients {
            let socket = try Zmq(ZMQ_DEALER, in: context)
            try socket.connect(contestant.requestEndpoint(in: directory))
            try epoll.add(try socket.descriptor(), as: index)
            sockets.append(socket)
        }
        var opened: UInt64 = 0
        for socket in sockets { opened = try socket.ask(TrestleWords.hello, TrestleWords.opened) }

        var meter = Meter(seconds: seconds)
        let send = { (index: Int) throws(Failure) in
            writers[index].number += 1
            let body = TrestleWords.request(
                writers[index].workload.next(), client: writers[index].name,
                number: writers[index].number, opened: opened)
            writers[index].sentAt = nanoseconds()
            try sockets[index].sendRequest(body)
        }
        // Until there is nothing more: the descriptor tells only of what comes after that.
        let drain = { (index: Int) throws(Failure) in
            while let isOk = sockets[index].receive(TrestleWords.isOk) {
                if meter.answered(writers[index].sentAt, isOk: isOk) { try send(index) }
            }
        }
        for index in 0..<clients { try send(index) }
        for index in 0..<clients { try drain(index) }
        while meter.outstanding(clients) { try epoll.wait(milliseconds: 100, drain) }
        return meter.result
    }

    // MARK: Redis

    private func runRedis() throws(Failure) -> Result {
        var writers = writers
        var connections: [RedisConnection] = []
        defer { for connection in connections { connection.close() } }
        var epoll = try Epoll(capacity: clients)
        var lines = [Int](repeating: 0, count: clients)
        for index in 0..<clients {
            let connection = try RedisConnection(path: directory + "/redis.sock")
            try epoll.add(connection.descriptor, as: index)
            connections.append(connection)
        }
        var meter = Meter(seconds: seconds)
        let send = { (index: Int) throws(Failure) in
            writers[index].number += 1
            let score = Double(writers[index].sentAt % 100_000_000) / 10_000
            let request = RedisWords.request(
                writers[index].workload.next(), client: writers[index].name,
                number: writers[index].number, score: score)
            writers[index].sentAt = nanoseconds()
            try connections[index].send(request)
        }
        for index in 0..<clients { try send(index) }
        var room = [UInt8](repeating: 0, count: 4_096)
        while meter.outstanding(clients) {
            try epoll.wait(milliseconds: 100) { index throws(Failure) in
                let count = try connections[index].receive(into: &room)
                var isOk = true
                for byte in room[..<count] {
                    if byte == 10 { lines[index] += 1 }
                    if byte == UInt8(ascii: "-") { isOk = false }
                }
                guard lines[index] >= RedisWords.linesPerReply else { return }
                lines[index] = 0
                if meter.answered(writers[index].sentAt, isOk: isOk) { try send(index) }
            }
        }
        return meter.result
    }
}

/// Counts answers between the end of the warming up and the end of the run.
struct Meter {
    private let from: UInt64
    private let to: UInt64
    private var now: UInt64
    private var resting = 0
    private var latencies: [UInt32] = []
    private var counts = Load.Result()

    init(seconds: Double) {
        now = nanoseconds()
        from = now + UInt64(Load.warmUpSeconds * 1e9)
        to = from + UInt64(seconds * 1e9)
        latencies.reserveCapacity(1 << 20)
    }

    /// Whether some of so many clients still wait, or are to go on.
    func outstanding(_ clients: Int) -> Bool {
        resting < clients && nanoseconds() < to + 5_000_000_000
    }

    /// Takes an answer. True: the client is to send its next command.
    mutating func answered(_ sentAt: UInt64, isOk: Bool) -> Bool {
        now = nanoseconds()
        if isOk { counts.total += 1 } else { counts.refused += 1 }
        if now >= from, now < to, isOk {
            counts.commands += 1
            latencies.append(UInt32(clamping: now - sentAt))
        }
        if now < to { return true }
        resting += 1
        return false
    }

    var result: Load.Result {
        var result = counts
        result.nanoseconds = to - from
        let sorted = latencies.sorted()
        guard !sorted.isEmpty else { return result }
        result.p50Microseconds = Double(sorted[sorted.count / 2]) / 1_000
        result.p99Microseconds = Double(sorted[sorted.count * 99 / 100]) / 1_000
        return result
    }
}

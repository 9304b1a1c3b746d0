import Glibc

/// V viewers in one thread, each of which reads every diff down to its texts and, where latency is
/// measured, applies it to an ordered replica of its own. Says "ready" when all of them hear, and
/// what they have seen when a line comes in: the time of the run, from and to.
struct Viewers: Codable {
    var contestant: Contestant
    var directory: String
    var count: Int
    var rows: Int
    /// Each keeps a replica.
    var applies = false
    /// Where to leave when each command was applied by the last of all viewers.
    var records: String?

    struct Result: Codable {
        var diffs = 0
        var messages = 0
        /// The diffs that came while it was measured.
        var diffsInTime = 0
        /// Diffs that could not be read, or did not fit the replica.
        var misfits = 0
        /// All replicas have the same rows in the same order.
        var agree = true
        /// The largest message of one diff, in bytes.
        var singleDiffBytes = 0
    }

    func run() throws(Failure) {
        let audience = Audience(self)
        switch contestant {
        case .trestle, .libzmq, .libzmqPreallocated, .libzmqEach: try runZmtp(audience)
        case .redis: try runRedis(audience)
        case .etcd: try runEtcd(audience)
        }
        if let records { try Receipts.write(audience.records, to: records) }
        say(try encoded(audience.result))
    }

    private func runZmtp(_ audience: Audience) throws(Failure) {
        var epoll = try Epoll(capacity: count + 1)
        try epoll.add(0, as: count)
        var connections: [Zmtp] = []
        for index in 0..<count {
            let connection = try Zmtp(
                .sub, to: contestant.publishEndpoint(in: directory), capacity: 256 << 10)
            try connection.subscribe(TrestleWords.topic)
            try epoll.add(connection.descriptor, as: index)
            connections.append(connection)
        }
        let each = contestant == .trestle ? Diffs.ofTrestle : Diffs.ofFloor
        while !audience.isOver {
            try epoll.wait(milliseconds: 20) { index throws(Failure) in
                guard index < count else { return audience.read() }
                try connections[index].receive(waits: true)
                connections[index].messages { publication in
                    audience.begins(index, bytes: publication.count)
                    each(publication) { audience.take($0) }
                    audience.ends()
                }
            }
            audience.rest()
        }
    }

    private func runRedis(_ audience: Audience) throws(Failure) {
        var epoll = try Epoll(capacity: count + 1)
        try epoll.add(0, as: count)
        var connections: [Connection] = []
        for index in 0..<count {
            let connection = try Connection(path: directory + "/redis.sock")
            try connection.send(RedisWords.subscribe)
            try epoll.add(connection.descriptor, as: index)
            connections.append(connection)
        }
        var buffers = (0..<count).map { _ in Incoming() }
        while !audience.isOver {
            try epoll.wait(milliseconds: 20) { index throws(Failure) in
                guard index < count else { return audience.read() }
                try buffers[index].receive(connections[index])
                buffers[index].messages { message in
                    audience.begins(index, bytes: message.count)
                    // The first to each is the answer to its SUBSCRIBE, which ends with a number.
                    if let payload = RESP.payload(of: message) {
                        audience.take(Diffs.ofRedis(payload))
                    }
                    audience.ends()
                }
            }
            audience.rest()
        }
    }

    private func runEtcd(_ audience: Audience) throws(Failure) {
        var epoll = try Epoll(capacity: count + 1)
        try epoll.add(0, as: count)
        var connections: [GrpcConnection] = []
        for index in 0..<count {
            var connection = try GrpcConnection(
                port: Port.first(in: directory) ?? 0, path: EtcdWords.watching)
            try connection.request(EtcdWords.watch, stays: true)
            try epoll.add(connection.descriptor, as: index)
            connections.append(connection)
        }
        while !audience.isOver {
            try epoll.wait(milliseconds: 20) { index throws(Failure) in
                guard index < count else { return audience.read() }
                _ = try connections[index].receive { message in
                    audience.begins(index, bytes: message.count)
                    EtcdWords.each(message) { audience.take($0) }
                    audience.ends()
                }
            }
            audience.rest()
        }
    }
}

/// The diffs that the viewers have seen together.
final class Audience {
    private let viewers: Viewers
    private var replicas: [Replica] = []
    private var heard: [Bool]
    private var silent: Int
    private(set) var isOver = false
    private var counts = Viewers.Result()

    // Of the message that is being read.
    private var viewer = 0
    private var messageBytes = 0
    private var found: [(client: Int, number: Int)] = []

    /// For each client and number: how many viewers have applied it, and when the last one had.
    private var seen: [[(viewers: Int32, time: UInt64)]] = []

    /// Diffs in each hundredth of a second, since it began.
    private var bins: [Int] = []
    private let began = nanoseconds()
    private static let binNanoseconds: UInt64 = 10_000_000
    private var window: (from: UInt64, to: UInt64)?
    private var lastArrival = nanoseconds()

    init(_ viewers: Viewers) {
        self.viewers = viewers
        heard = Array(repeating: false, count: viewers.count)
        silent = viewers.count
        if viewers.applies {
            replicas = Array(repeating: .filled(rows: viewers.rows), count: viewers.count)
        }
    }

    func begins(_ viewer: Int, bytes: Int) {
        self.viewer = viewer
        messageBytes = bytes
        found.removeAll(keepingCapacity: true)
        if heard[viewer] { return }
        heard[viewer] = true
        silent -= 1
        if silent == 0 { say("ready") }
    }

    func take(_ diff: Diff) {
        guard let change = diff.change else {
            counts.misfits += 1
            return
        }
        if viewers.applies { replicas[viewer].apply(change) }
        found.append((diff.client, diff.number))
    }

    func ends() {
        if found.isEmpty { return }
        let now = nanoseconds()
        lastArrival = now
        counts.diffs += found.count
        counts.messages += 1
        if found.count == 1 { counts.singleDiffBytes = max(counts.singleDiffBytes, messageBytes) }
        let bin = Int((now - began) / Self.binNanoseconds)
        while bins.count <= bin { bins.append(0) }
        bins[bin] += found.count
        if viewers.records == nil { return }
        for (client, number) in found where client >= 0 {
            while seen.count <= client { seen.append([]) }
            while seen[client].count <= number { seen[client].append((0, 0)) }
            seen[client][number].viewers += 1
            seen[client][number].time = now
        }
    }

    /// The line that ends the run: the load generator is through.
    func read() {
        guard let line = readLine() else {
            isOver = true
            return
        }
        let times = line.split(separator: " ").compactMap { UInt64($0) }
        guard times.count == 2 else { return isOver = true }
        window = (times[0], times[1])
    }

    /// It is over when what was still under way has come.
    func rest() {
        guard let window else { return }
        let now = nanoseconds()
        if now > max(lastArrival, window.to) + 150_000_000 || now > window.to + 5_000_000_000 {
            isOver = true
        }
    }

    var result: Viewers.Result {
        var result = counts
        if let window {
            let first = Int((window.from - min(began, window.from)) / Self.binNanoseconds)
            let last = Int((window.to - min(began, window.to)) / Self.binNanoseconds)
            let inTime = bins[min(first, bins.count)..<min(last, bins.count)]
            result.diffsInTime = inTime.reduce(0, +)
        }
        result.misfits += replicas.reduce(0) { $0 + $1.misfits }
        let hashes = replicas.map(\.orderHash)
        result.agree = hashes.allSatisfy { $0 == hashes.first }
        return result
    }

    /// When each command was applied by the last, of those that all have applied.
    var records: [Receipts.Record] {
        var records: [Receipts.Record] = []
        for (client, numbers) in seen.enumerated() {
            for (number, entry) in numbers.enumerated() where entry.viewers == viewers.count {
                records.append(.init(client: client, number: number, time: entry.time))
            }
        }
        return records
    }
}

/// A line on standard output, at once.
func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(1, bytes, bytes.count)
}

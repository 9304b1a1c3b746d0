import CZeroMQ
import FoundationEssentials
import Glibc

/// C clients in one thread. Closed loop: each has one command outstanding. Open loop, with a rate:
/// commands go out when they are due, whoever still waits, and latencies count from then.
struct Load: Codable {
    var contestant: Contestant
    var directory: String
    var clients: Int
    var rows: Int
    var seconds: Double
    var warmUpSeconds = 0.3
    /// Makes client ids new in each run, and the commands different.
    var seed: UInt64
    /// Commands each second, all clients together; nil: a closed loop.
    var rate: Double?
    /// Only moves, for the size of their diffs.
    var isMovesOnly = false
    /// Where to leave when each command was sent, if the viewers' receipts are to be matched.
    var records: String?

    /// The result of a run.
    struct Result: Codable {
        /// Acknowledged while it was measured.
        var commands = 0
        /// Acknowledged at all, the warming up included.
        var total = 0
        var refused = 0
        /// The begin and the end of the measurement, by the monotonic clock.
        var from: UInt64 = 0
        var to: UInt64 = 1
        /// From request to reply.
        var p50Microseconds = 0.0
        var p99Microseconds = 0.0

        var perSecond: Double { Double(commands) * 1e9 / Double(to - from) }
    }

    /// One client's commands.
    private struct Writer {
        var workload: Workload
        var number: UInt64 = 0
        /// When those that wait for an answer were sent, or were due.
        var waiting: [UInt64] = []

        mutating func nextAction(isMovesOnly: Bool) -> Workload.Action {
            number += 1
            while true {
                let action = workload.next()
                if !isMovesOnly { return action }
                if case .move = action { return action }
            }
        }
    }

    /// Unlike any other run's, with the client's index behind the last x.
    static func name(of client: Int, seed: UInt64) -> [UInt8] {
        Array("w\(String(seed, radix: 36))x\(client)".utf8)
    }

    func run() throws(Failure) -> Result {
        let names = (0..<clients).map { Self.name(of: $0, seed: seed) }
        let commands = try contestant.commands(names, in: directory)
        defer { commands.close() }
        var writers = names.enumerated().map { index, name in
            Writer(
                workload: Workload(
                    rows: rows, name: String(decoding: name, as: UTF8.self),
                    seed: seed &* 1_000 &+ UInt64(index)))
        }
        var epoll = try Epoll(capacity: clients + 1)
        for index in 0..<clients { try epoll.add(try commands.descriptor(index), as: index) }

        let meter = Meter(self)
        let send = { (index: Int, due: UInt64) throws(Failure) in
            let action = writers[index].nextAction(isMovesOnly: isMovesOnly)
            let number = writers[index].number
            try commands.prepare(action, index, number: number)
            let time = due == 0 ? nanoseconds() : due
            writers[index].waiting.append(time)
            meter.sent(index, number, at: time)
            try commands.send(index)
        }
        let drain = { (index: Int) throws(Failure) in
            // Until there is nothing more: libzmq's descriptor tells only of what comes after that.
            while let isOk = try commands.reply(index) {
                guard !writers[index].waiting.isEmpty else { throw Failure("one answer too many") }
                let sentAt = writers[index].waiting.removeFirst()
                let goesOn = meter.answered(sentAt, isOk: isOk)
                if goesOn, rate == nil { try send(index, 0) }
            }
        }
        if let rate {
            try runOpen(rate, &epoll, meter, send, drain)
        } else {
            for index in 0..<clients { try send(index, 0) }
            for index in 0..<clients { try drain(index) }
            while meter.isOutstanding { try epoll.wait(milliseconds: 100, drain) }
        }
        if let records { try Receipts.write(meter.records, to: records) }
        return meter.result
    }

    private func runOpen(
        _ rate: Double, _ epoll: inout Epoll, _ meter: Meter,
        _ send: (Int, UInt64) throws(Failure) -> Void, _ drain: (Int) throws(Failure) -> Void
    ) throws(Failure) {
        let interval = UInt64(1e9 / rate)
        let timer = try Timer(nanoseconds: interval)
        defer { timer.close() }
        try epoll.add(timer.descriptor, as: clients)
        var due = nanoseconds() + interval
        var sent = 0
        while nanoseconds() < meter.to {
            try epoll.wait(milliseconds: 100) { index throws(Failure) in
                guard index == clients else { return try drain(index) }
                timer.acknowledge()
                while due <= nanoseconds(), due < meter.to {
                    let client = sent % clients
                    try send(client, due)
                    try drain(client)
                    sent += 1
                    due += interval
                }
            }
        }
        while meter.answers < sent, nanoseconds() < meter.to + 5_000_000_000 {
            try epoll.wait(milliseconds: 100) { index throws(Failure) in
                if index == clients { timer.acknowledge() } else { try drain(index) }
            }
        }
    }
}

/// The clients' connections to one contestant: what differs between them.
protocol Commands: AnyObject {
    /// Readable when answers may have come.
    func descriptor(_ client: Int) throws(Failure) -> Int32
    /// Puts the command into the contestant's words, which is not measured.
    func prepare(_ action: Workload.Action, _ client: Int, number: UInt64) throws(Failure)
    /// Sends what was prepared.
    func send(_ client: Int) throws(Failure)
    /// The next answer that is there: whether it was done; nil if there is none.
    func reply(_ client: Int) throws(Failure) -> Bool?
    func close()
}

/// Counts answers between the end of the warming up and the end of the run.
private final class Meter {
    let from: UInt64
    let to: UInt64
    private let clients: Int
    private let isRecording: Bool
    private var resting = 0
    private var latencies: [UInt32] = []
    private(set) var records: [Receipts.Record] = []
    private var counts = Load.Result()

    init(_ load: Load) {
        from = nanoseconds() + UInt64(load.warmUpSeconds * 1e9)
        to = from + UInt64(load.seconds * 1e9)
        clients = load.clients
        isRecording = load.records != nil
        latencies.reserveCapacity(1 << 20)
        if isRecording { records.reserveCapacity(1 << 20) }
    }

    var answers: Int { counts.total + counts.refused }

    /// Whether some clients still wait, or are to go on.
    var isOutstanding: Bool { resting < clients && nanoseconds() < to + 5_000_000_000 }

    func sent(_ client: Int, _ number: UInt64, at time: UInt64) {
        guard isRecording, time >= from, time < to else { return }
        records.append(.init(client: client, number: Int(number), time: time))
    }

    /// Takes an answer. True: the client is to send its next command.
    func answered(_ sentAt: UInt64, isOk: Bool) -> Bool {
        let now = nanoseconds()
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
        (result.from, result.to) = (from, to)
        let sorted = latencies.sorted()
        result.p50Microseconds = Double(sorted.quantile(0.5)) / 1_000
        result.p99Microseconds = Double(sorted.quantile(0.99)) / 1_000
        return result
    }
}

extension [UInt32] {
    /// A quantile of a sorted array; 0 of an empty one.
    func quantile(_ part: Double) -> UInt32 {
        isEmpty ? 0 : self[Swift.min(count - 1, Int(Double(count) * part))]
    }
}

/// When commands were sent, or last applied: passed between processes as a file.
enum Receipts {
    struct Record {
        var client: Int
        var number: Int
        var time: UInt64
    }

    static func write(_ records: [Record], to path: String) throws(Failure) {
        let words = records.flatMap {
            [UInt64($0.client) << 32 | UInt64($0.number), $0.time]
        }
        let data = words.withUnsafeBytes { Data($0) }
        do { try data.write(to: URL(filePath: path)) } catch {
            throw Failure("write \(path): \(error)")
        }
    }

    /// Times by client and number.
    static func read(_ path: String) throws(Failure) -> [UInt64: UInt64] {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            throw Failure("read \(path)")
        }
        var times: [UInt64: UInt64] = [:]
        times.reserveCapacity(data.count / 16)
        data.withUnsafeBytes { bytes in
            for offset in stride(from: 0, to: bytes.count - 15, by: 16) {
                let key = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                times[key] = bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
            }
        }
        return times
    }
}

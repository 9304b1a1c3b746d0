import FoundationEssentials
import Glibc

/// One contestant doing the job once: V viewers and C clients, each in a process of their own,
/// against a server that is there.
struct Run {
    let options: Options
    let contestant: Contestant
    let server: Child
    let directory: String
    var setting: Setting
    var rows: Int
    var seconds: Double
    var seed: UInt64
    /// Commands each second in an open loop; nil: as many as are answered.
    var rate: Double?
    /// Viewers keep replicas, and receipts are matched with commands.
    var tracesLatency = false
    var isMovesOnly = false

    struct Outcome {
        var load: Load.Result
        var viewers: Viewers.Result
        var deliveriesPerSecond: Double
        /// The share of diffs delivered, of those that the viewers should have had.
        var deliveredShare: Double
        /// Processor time of the server.
        var serverMicrosecondsPerCommand: Double
        /// The processor time of the load generator, and of all viewers together for each diff at each of them.
        var loadMicrosecondsPerCommand: Double
        var viewersMicrosecondsPerDiff: Double
        /// From sending (or from when it was due) to applied at the last viewer, µs, sorted.
        var latencies: [Double] = []

        func latency(_ part: Double) -> Double {
            latencies.isEmpty
                ? 0 : latencies[min(latencies.count - 1, Int(Double(latencies.count) * part))]
        }
    }

    func measure() throws(Failure) -> Outcome {
        let log = directory + "/bench.log"
        let (sent, received) = (directory + "/sent", directory + "/received")
        let audience = Viewers(
            contestant: contestant, directory: directory, count: setting.viewers, rows: rows,
            applies: tracesLatency, records: tracesLatency ? received : nil)
        let viewers = try Child(options.program, ["viewers", try encoded(audience)], log: log)
        guard try viewers.line() == "ready" else { throw Failure("the viewers are not ready") }
        let before = server.processorSeconds
        let load = Load(
            contestant: contestant, directory: directory, clients: setting.clients, rows: rows,
            seconds: seconds, warmUpSeconds: options.isSmoke ? 0.1 : 0.3, seed: seed, rate: rate,
            isMovesOnly: isMovesOnly, records: tracesLatency ? sent : nil)
        let loader = try Child(options.program, ["load", try encoded(load)], log: log)
        let result: Load.Result = try decoded(try loader.line())
        let used = server.processorSeconds - before
        let loadUsed = loader.processorSeconds
        viewers.tell("\(result.from) \(result.to)")
        let seen: Viewers.Result = try decoded(try viewers.line())
        let viewersUsed = viewers.processorSeconds
        viewers.stop(SIGKILL)
        guard result.refused == 0, seen.misfits == 0, seen.agree, result.commands > 0 else {
            throw Failure(
                "\(contestant) \(setting.name): \(result.commands) commands, \(result.refused) refused, "
                    + "\(seen.misfits) diffs that do not fit, replicas agree: \(seen.agree)")
        }
        let total = Double(max(1, result.total))
        var outcome = Outcome(
            load: result, viewers: seen,
            deliveriesPerSecond: Double(seen.diffsInTime) * 1e9 / Double(result.to - result.from),
            deliveredShare: Double(seen.diffs) / (total * Double(setting.viewers)),
            serverMicrosecondsPerCommand: used * 1e6 / total,
            loadMicrosecondsPerCommand: loadUsed * 1e6 / total,
            viewersMicrosecondsPerDiff: viewersUsed * 1e6 / Double(max(1, seen.diffs)))
        if tracesLatency { outcome.latencies = try matched(sent, received) }
        return outcome
    }

    /// Commands whose diff all viewers had. Few may be without: what changes nothing has no diff.
    private func matched(_ sent: String, _ received: String) throws(Failure) -> [Double] {
        let (began, ended) = (try Receipts.read(sent), try Receipts.read(received))
        var latencies: [Double] = []
        latencies.reserveCapacity(began.count)
        for (command, time) in began {
            guard let end = ended[command] else { continue }
            latencies.append(Double(Int64(end) - Int64(time)) / 1_000)
        }
        guard latencies.count * 100 >= began.count * 95 else {
            throw Failure(
                "\(contestant) \(setting.name): of \(began.count) commands only \(latencies.count) "
                    + "came to all viewers")
        }
        return latencies.sorted()
    }
}

/// How many clients and viewers, and on what.
struct Setting: Hashable {
    var clients: Int
    var viewers: Int
    var medium = Medium.disk
    var isTCP = false

    init(_ clients: Int, _ viewers: Int) { (self.clients, self.viewers) = (clients, viewers) }

    /// As on the command line: `64x10`.
    init?(_ word: Substring) {
        let numbers = word.split(separator: "x").compactMap { Int($0) }
        guard numbers.count == 2, numbers[0] > 0, numbers[1] >= 0 else { return nil }
        self.init(numbers[0], numbers[1])
    }

    var name: String {
        "C\(clients) V\(viewers)" + (medium == .disk ? "" : " \(medium)") + (isTCP ? " tcp" : "")
    }
}

/// For a pipe between two processes, or a process's argument.
func encoded(_ value: some Encodable) throws(Failure) -> String {
    do {
        return String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    } catch {
        throw Failure("encode: \(error)")
    }
}

func decoded<Value: Decodable>(_ line: String) throws(Failure) -> Value {
    do {
        return try JSONDecoder().decode(Value.self, from: Data(line.utf8))
    } catch {
        throw Failure("a part of the bench failed (\(line)): \(error)")
    }
}

import Glibc

/// The same job done by each contestant in turn, in short rounds, so that the machine's noise
/// meets all of them.
struct Comparison {
    let options: Options

    /// How many clients and viewers.
    struct Setting: Codable, Hashable {
        var clients: Int
        var viewers: Int

        var name: String { "C\(clients) V\(viewers)" }

        static let all = [
            Setting(clients: 1, viewers: 1), Setting(clients: 1, viewers: 10),
            Setting(clients: 8, viewers: 10), Setting(clients: 64, viewers: 10),
        ]
    }

    /// What one contestant did in one round of one setting.
    struct Sample: Codable {
        var round: Int
        var setting: Setting
        var contestant: Contestant
        var load: Load.Result
        var perSecond: Double
        var deliveriesPerSecond: Double
        /// Of the diffs that the viewers should have had.
        var deliveredShare: Double
        var diffsPerMessage: Double
        /// Processor time of the server.
        var serverMicrosecondsPerCommand: Double
    }

    func run() throws(Failure) {
        try options.withScratch { directory throws(Failure) in
            let report = Report(options: options, disk: try Disk.probe(in: directory))
            var samples: [Sample] = []
            var servers: [Contestant: Child] = [:]
            for contestant in options.contestants {
                servers[contestant] = try contestant.start(options, in: directory)
                try contestant.fill(rows: options.rows, in: directory)
            }
            for round in 0..<options.rounds {
                for setting in options.settings {
                    for contestant in order(round) {
                        guard let server = servers[contestant] else { continue }
                        let sample = try measure(contestant, server, setting, round, directory)
                        samples.append(sample)
                        report.progress(sample)
                    }
                }
            }
            for server in servers.values { server.stop() }
            try report.finish(samples)
        }
    }

    /// Each begins as often as the others.
    private func order(_ round: Int) -> [Contestant] {
        let all = options.contestants
        return all.indices.map { all[($0 + round) % all.count] }
    }

    private func measure(
        _ contestant: Contestant, _ server: Child, _ setting: Setting, _ round: Int,
        _ directory: String
    ) throws(Failure) -> Sample {
        let log = directory + "/bench.log"
        let viewers = try Child(
            options.program,
            ["viewers", contestant.rawValue, directory, "\(setting.viewers)"], log: log)
        guard try viewers.line() == "ready" else { throw Failure("the viewers are not ready") }
        let before = server.processorSeconds
        let seed = UInt64(round + 1) * 100 + UInt64(setting.clients + setting.viewers)
        let load = try Child(
            options.program,
            [
                "load", contestant.rawValue, directory, "\(setting.clients)", "\(options.rows)",
                "\(options.seconds)", "\(seed)",
            ], log: log)
        guard let result = Load.Result(line: try load.line()) else {
            throw Failure("the load generator failed: see its messages")
        }
        let used = server.processorSeconds - before
        // What is still on its way to the viewers.
        usleep(200_000)
        viewers.poke()
        let counts = try viewers.line().split(separator: " ").compactMap { Double($0) }
        guard counts.count == 2 else { throw Failure("the viewers failed") }
        let total = Double(max(1, result.total))
        let seconds = options.seconds + Load.warmUpSeconds
        return Sample(
            round: round, setting: setting, contestant: contestant, load: result,
            perSecond: result.perSecond, deliveriesPerSecond: counts[0] / seconds,
            deliveredShare: counts[0] / (total * Double(setting.viewers)),
            diffsPerMessage: counts[0] / max(1, counts[1]),
            serverMicrosecondsPerCommand: used * 1e6 / total)
    }
}

/// What the disk under the benchmark takes for one synced append: all depends on it.
enum Disk {
    /// Median microseconds of fdatasync after 4 KiB.
    static func probe(in directory: String) throws(Failure) -> Double {
        let path = directory + "/probe"
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard file >= 0 else { throw Failure("open \(path)") }
        defer {
            close(file)
            unlink(path)
        }
        let block = [UInt8](repeating: 0x5a, count: 4_096)
        var times: [Double] = []
        for _ in 0..<200 {
            guard write(file, block, block.count) == block.count else { throw Failure("write") }
            let begin = nanoseconds()
            guard fdatasync(file) == 0 else { throw Failure("fdatasync") }
            times.append(Double(nanoseconds() - begin) / 1_000)
        }
        return times.median
    }
}

extension [Double] {
    /// 0 of nothing.
    var median: Double {
        if isEmpty { return 0 }
        let sorted = sorted()
        let middle = count / 2
        return count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}

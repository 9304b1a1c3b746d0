import Glibc

/// Everything that was asked for: each contestant in turn, in short rounds, so that the machine's
/// noise meets all of them.
final class Benchmark {
    let options: Options
    var figures = Figures()
    /// Before anything was measured.
    let loadAverage = Machine.loadAverage
    private(set) var partSeconds: [Part: Double] = [:]
    /// Percent of the processors' time that the host gave to others while a part ran.
    private(set) var partStolen: [Part: Double] = [:]
    /// The measurements that failed, with their reasons.
    private(set) var failures: [String] = []
    private var seed: UInt64 = 0

    init(options: Options) { self.options = options }

    func run() throws(Failure) {
        var disk = 0.0
        try options.withScratch { directory throws(Failure) in disk = try Disk.probe(in: directory)
        }
        for part in Part.allCases where options.parts.contains(part) {
            let begin = nanoseconds()
            let before = Machine.processorTimes
            try options.withScratch { directory throws(Failure) in
                try run(part, in: directory)
            }
            let after = Machine.processorTimes
            let all = max(1, after.all - before.all)
            partStolen[part] = 100 * Double(after.stolen - before.stolen) / Double(all)
            partSeconds[part] = Double(nanoseconds() - begin) / 1e9
        }
        let report = Report(self, fdatasyncMicroseconds: disk)
        report.show()
        if let path = options.json { try report.write(to: path) }
        try checkNothingIsMissing()
    }

    private func run(_ part: Part, in directory: String) throws(Failure) {
        switch part {
        case .rates: try runRates(in: directory)
        case .processor: try runProcessor()
        case .latency: try runLatency(in: directory)
        case .joiner: try runJoiner(in: directory)
        case .memory: try runMemory(in: directory)
        case .restart: try runRestart(in: directory)
        case .sizes: try runSizes(in: directory)
        case .stalled: try runStalled(in: directory)
        case .programs: try runPrograms(in: directory)
        }
    }

    /// A part that ran has its figures, all above nothing: what `make bench-smoke` is for.
    private func checkNothingIsMissing() throws(Failure) {
        guard failures.isEmpty else { throw Failure("\(failures.count) measurements failed") }
        for part in options.parts {
            let samples = figures.samples.filter { $0.part == part }
            for contestant in order(0, of: part.contestants) {
                guard samples.contains(where: { $0.contestant == contestant }) else {
                    throw Failure("\(part) gave no figure of \(contestant.rawValue)")
                }
            }
            // A stalled viewer may cost no memory.
            let isOk = samples.allSatisfy {
                $0.value.isFinite && ($0.value > 0 || $0.measure == Measure.extra)
            }
            errno = 0
            guard isOk else { throw Failure("\(part) gave figures that are none") }
        }
    }

    // MARK: For the parts

    /// Never the same twice: clients' names are made of it.
    func nextSeed() -> UInt64 {
        seed += 1
        return seed
    }

    /// Measures each contestant in turn. If one fails the others go on: a run is long, and its
    /// ratios are by rounds.
    func eachInTurn(
        _ part: Part, _ round: Int, of contestants: [Contestant]? = nil,
        _ servers: [Contestant: Server], _ body: (Contestant, Server) throws(Failure) -> Void
    ) {
        for contestant in order(round, of: contestants ?? part.contestants) {
            guard let server = servers[contestant] else { continue }
            // Or an old error would be told as the reason of a new failure.
            errno = 0
            do throws(Failure) { try body(contestant, server) } catch {
                failures.append("\(part.rawValue) \(contestant.rawValue): \(error)")
                say("FAILED \(failures[failures.count - 1])")
            }
        }
    }

    /// Contestants of a part; each begins as often as the others.
    func order(_ round: Int, of all: [Contestant]) -> [Contestant] {
        let those = all.filter { options.contestants.contains($0) }
        return those.indices.map { those[($0 + round) % those.count] }
    }

    /// Takes a figure and says so, that nobody waits in the dark.
    func note(
        _ part: Part, _ setting: String, _ contestant: Contestant, _ round: Int,
        _ values: KeyValuePairs<String, Double>
    ) {
        for (measure, value) in values {
            let series = Series(
                part: part, setting: setting, measure: measure, contestant: contestant)
            figures.add(series, round: round, value)
        }
        let told = values.prefix(4).map { "\(short($0.value)) \($0.key)" }
        say(
            "\(part.rawValue) \(round + 1)/\(options.rounds)  \(setting.padded(12)) "
                + "\(contestant.rawValue.padded(8)) \(told.joined(separator: "  "))")
    }

    /// Servers with filled tables, each in a directory of its own.
    func servers(
        _ contestants: [Contestant], rows: Int, medium: Medium = .disk, overTCP: Bool = false,
        in directory: String
    ) throws(Failure) -> [Contestant: Server] {
        var servers: [Contestant: Server] = [:]
        for contestant in contestants where options.contestants.contains(contestant) {
            servers[contestant] = try Server(
                contestant, options, rows: rows, medium: medium, overTCP: overTCP,
                in: "\(directory)/\(contestant.rawValue)")
        }
        return servers
    }
}

/// One contestant's server with a filled table.
final class Server {
    let contestant: Contestant
    let options: Options
    let directory: String
    let rows: Int
    let medium: Medium
    var child: Child
    /// Before it had any rows.
    let emptyBytes: Int

    init(
        _ contestant: Contestant, _ options: Options, rows: Int, medium: Medium = .disk,
        overTCP: Bool = false, in directory: String
    ) throws(Failure) {
        (self.contestant, self.options, self.rows) = (contestant, options, rows)
        self.medium = medium
        self.directory = directory
        guard mkdir(directory, 0o700) == 0 else { throw Failure("make \(directory)") }
        if overTCP { try Port.reserve(in: directory) }
        child = try contestant.start(options, rows: rows, medium: medium, in: directory)
        emptyBytes = child.residentBytes
        try contestant.fill(rows: rows, in: directory)
    }

    var bytesPerRow: Double { Double(child.residentBytes - emptyBytes) / Double(rows) }

    /// Kills it, and waits for the first reply that knows all rows.
    func restart() throws(Failure) {
        child.stop(SIGKILL)
        child = try contestant.launch(options, rows: rows, medium: medium, in: directory)
        try contestant.awaitRows(rows, in: directory)
    }

    func run(_ setting: Setting, seconds: Double, seed: UInt64) -> Run {
        Run(
            options: options, contestant: contestant, server: child, directory: directory,
            setting: setting, rows: rows, seconds: seconds, seed: seed)
    }
}

/// The time that the disk takes for one synced append: all depends on it.
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

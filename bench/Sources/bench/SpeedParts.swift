import Glibc

/// Rates and latencies, and what they cost as tables grow.
extension Benchmark {
    /// Durable commands each second, and deliveries: all clients as fast as they are answered.
    func runRates(in directory: String) throws(Failure) {
        for medium in options.media {
            if medium.base(options) == options.directory {
                try runRates(on: medium, in: "\(directory)/\(medium)")
            } else {
                try options.withScratch(in: medium.base(options)) { scratch throws(Failure) in
                    try runRates(on: medium, in: "\(scratch)/\(medium)")
                }
            }
        }
    }

    private func runRates(on medium: Medium, in directory: String) throws(Failure) {
        guard mkdir(directory, 0o700) == 0 else { throw Failure("make \(directory)") }
        var settings = options.settings
        for index in settings.indices { settings[index].medium = medium }
        let servers = try servers(
            Part.rates.contestants, rows: options.rows, medium: medium, in: directory)
        for round in 0..<options.rounds {
            for setting in settings {
                let seed = nextSeed()
                // What packing is worth shows where there are many viewers.
                let some = Part.rates.contestants.filter {
                    $0 != .libzmqEach || setting.viewers == 100
                }
                eachInTurn(.rates, round, of: some, servers) { contestant, server throws(Failure) in
                    let run = server.run(setting, seconds: options.seconds, seed: seed)
                    let outcome = try run.measure()
                    note(
                        .rates, setting.name, contestant, round,
                        [
                            Measure.commands: outcome.load.perSecond,
                            Measure.deliveries: outcome.deliveriesPerSecond,
                            "reply p50 µs": outcome.load.p50Microseconds,
                            "reply p99 µs": outcome.load.p99Microseconds,
                            Measure.processor: outcome.serverMicrosecondsPerCommand,
                            "diffs/message": Double(outcome.viewers.diffs)
                                / Double(max(1, outcome.viewers.messages)),
                            "delivered %": outcome.deliveredShare * 100,
                            "load µs/command": outcome.loadMicrosecondsPerCommand,
                            "viewers µs/diff": outcome.viewersMicrosecondsPerDiff,
                        ])
                }
            }
        }
    }

    /// Processor time of the server for a command, of all its threads, in memory, where nothing else is waited for.
    func runProcessor() throws(Failure) {
        try options.withScratch(in: Medium.memory.base(options)) { scratch throws(Failure) in
            for isTCP in [true, false] {
                let directory = "\(scratch)/\(isTCP ? "tcp" : "unix")"
                guard mkdir(directory, 0o700) == 0 else { throw Failure("make \(directory)") }
                let servers = try servers(
                    Part.processor.contestants, rows: options.rows, medium: .memory,
                    overTCP: isTCP, in: directory)
                // Short rounds in turns: what else the machine does meets both alike.
                for round in 0..<options.rounds {
                    for var setting in [Setting(1, 1), Setting(8, 10)] {
                        (setting.medium, setting.isTCP) = (.memory, isTCP)
                        let seed = nextSeed()
                        eachInTurn(.processor, round, servers) {
                            contestant, server throws(Failure) in
                            let run = server.run(setting, seconds: options.seconds / 2, seed: seed)
                            let outcome = try run.measure()
                            note(
                                .processor, setting.name, contestant, round,
                                [
                                    Measure.processor: outcome.serverMicrosecondsPerCommand,
                                    Measure.commands: outcome.load.perSecond,
                                ])
                        }
                    }
                }
            }
        }
    }

    /// From a command to its diff applied at the last of all viewers: at a steady rate, whoever
    /// still waits, and with all clients as fast as they are answered.
    func runLatency(in directory: String) throws(Failure) {
        let steady = [Setting(8, 1), Setting(8, 10), Setting(8, 100)]
        let all = Part.latency.contestants
        let servers = try servers(all, rows: options.rows, in: directory)
        for round in 0..<options.rounds {
            for setting in steady + [Setting(64, 10)] {
                let isSteady = setting.clients == 8
                let seed = nextSeed()
                // etcd is far slower: once at each rate is enough.
                let some = all.filter { $0 != .etcd || setting.viewers == 10 }
                eachInTurn(.latency, round, of: some, servers) {
                    contestant, server throws(Failure) in
                    var run = server.run(
                        setting, seconds: options.seconds * (isSteady ? 2 : 1), seed: seed)
                    run.tracesLatency = true
                    run.rate = isSteady ? Measure.steadyRate : nil
                    let outcome = try run.measure()
                    note(
                        .latency, Measure.name(setting, isSteady: isSteady), contestant, round,
                        [
                            Measure.p50: outcome.latency(0.5), Measure.p99: outcome.latency(0.99),
                            Measure.commands: outcome.load.perSecond,
                        ])
                }
            }
        }
    }

    /// Commands each second in tables of several sizes, and the bytes of a move's diff.
    func runSizes(in directory: String) throws(Failure) {
        var sizes = options.isSmoke ? [1_000, 4_000] : [1_000, 10_000, 100_000]
        if options.isLarge { sizes.append(1_000_000) }
        let contestants = Part.sizes.contestants
        let setting = Setting(64, 10)
        var all: [Int: [Contestant: Server]] = [:]
        for size in sizes {
            let path = "\(directory)/\(size)"
            guard mkdir(path, 0o700) == 0 else { throw Failure("make \(path)") }
            all[size] = try servers(contestants, rows: size, in: path)
        }
        for round in 0..<options.rounds {
            for index in sizes.indices {
                let size = sizes[(index + round) % sizes.count]
                let seed = nextSeed()
                eachInTurn(.sizes, round, all[size] ?? [:]) { contestant, server throws(Failure) in
                    let run = server.run(setting, seconds: options.seconds, seed: seed)
                    let outcome = try run.measure()
                    note(
                        .sizes, Measure.rows(size), contestant, round,
                        [
                            Measure.commands: outcome.load.perSecond,
                            Measure.processor: outcome.serverMicrosecondsPerCommand,
                        ])
                }
            }
        }
        if let server = all[sizes[0]]?[.trestle] { try noteDiffBytes(server) }
    }

    private func noteDiffBytes(_ server: Server) throws(Failure) {
        let sizes = try MoveDiffs(server, moves: 200, seed: nextSeed()).sizes()
        note(
            .sizes, "a move", .trestle, 0,
            [
                Measure.diffBytes: sizes.map { Double($0.whole) }.median,
                Measure.opBytes: sizes.map { Double($0.ops) }.median,
            ])
    }
}

/// Names of what is measured, which goals and tables refer to.
enum Measure {
    static let commands = "commands/s"
    static let deliveries = "deliveries/s"
    static let processor = "server µs/command"
    static let p50 = "p50 µs"
    static let p99 = "p99 µs"
    static let ready = "ready ms"
    static let firstReply = "first reply ms"
    static let bytesPerRow = "bytes/row"
    static let bytesRestarted = "bytes/row restarted"
    static let diffBytes = "diff bytes"
    static let opBytes = "of these ops bytes"
    static let extra = "extra MiB"
    static let p99Without = "p99 µs without"
    static let p99With = "p99 µs with"
    static let megabytes = "MB stripped"
    static let wholeCommand = "whole command ms"
    static let steadyRate = 200.0

    static func name(_ setting: Setting, isSteady: Bool) -> String {
        setting.name + (isSteady ? " at 200/s" : " saturated")
    }

    static func rows(_ count: Int) -> String { "\(whole(Double(count))) rows" }
}

import CZeroMQ
import Glibc

/// The costs of a large table: a late joiner, memory, a restart.
extension Benchmark {
    /// A viewer that comes late, until it has all rows in order.
    func runJoiner(in directory: String) throws(Failure) {
        let rows = options.manyRows
        let contestants = Part.joiner.contestants
        let servers = try servers(contestants, rows: rows, in: directory)
        // The table as it was filled, in order.
        let orderHash = Replica.filled(rows: rows).orderHash
        // Each takes well under a second: more rounds than elsewhere cost nothing.
        for round in 0..<options.rounds {
            eachInTurn(.joiner, round, servers) { contestant, server throws(Failure) in
                let joiner = Joiner(
                    contestant: contestant, directory: server.directory, rows: rows)
                let child = try Child(
                    options.program, ["joiner", try encoded(joiner)],
                    log: server.directory + "/bench.log")
                let result: Joiner.Result = try decoded(try child.line())
                guard result.orderHash == orderHash else {
                    throw Failure("\(contestant): the late joiner has another order")
                }
                note(
                    .joiner, Measure.rows(rows), contestant, round,
                    [Measure.ready: Double(result.nanoseconds) / 1e6])
            }
        }
    }

    /// Resident memory of the server, for each row.
    func runMemory(in directory: String) throws(Failure) {
        let sizes = options.isLarge ? [options.manyRows, 1_000_000] : [options.manyRows]
        for rows in sizes {
            for round in 0..<(rows > options.manyRows ? 1 : options.rounds) {
                for contestant in order(round, of: Part.restart.contestants) {
                    let server = try Server(
                        contestant, options, rows: rows,
                        in: "\(directory)/\(contestant.rawValue)-\(rows)-\(round)")
                    let filled = server.bytesPerRow
                    try server.restart()
                    note(
                        .memory, Measure.rows(rows), contestant, round,
                        [
                            Measure.bytesPerRow: filled,
                            Measure.bytesRestarted: server.bytesPerRow,
                            "empty MiB": Double(server.emptyBytes) / 1_048_576,
                        ])
                }
            }
        }
    }

    /// From kill -9 to the first reply that knows all rows.
    func runRestart(in directory: String) throws(Failure) {
        let sizes = options.isLarge ? [options.manyRows, 1_000_000] : [options.manyRows]
        for rows in sizes {
            let path = "\(directory)/\(rows)"
            guard mkdir(path, 0o700) == 0 else { throw Failure("make \(path)") }
            let servers = try servers(Part.restart.contestants, rows: rows, in: path)
            // What a kill interrupts is a table in use, not one that was only filled.
            eachInTurn(.restart, 0, servers) { contestant, server throws(Failure) in
                let run = server.run(
                    Setting(64, 1), seconds: min(1, options.seconds), seed: nextSeed())
                _ = try run.measure()
            }
            for round in 0..<options.rounds {
                eachInTurn(.restart, round, servers) { contestant, server throws(Failure) in
                    let begin = nanoseconds()
                    try server.restart()
                    note(
                        .restart, Measure.rows(rows), contestant, round,
                        [Measure.firstReply: Double(nanoseconds() - begin) / 1e6])
                }
            }
        }
    }

    /// A viewer that is stopped and reads nothing while others look on.
    func runStalled(in directory: String) throws(Failure) {
        let contestants = Part.stalled.contestants
        let servers = try servers(contestants, rows: options.rows, in: directory)
        for round in 0..<options.rounds {
            for stall in Stall.allCases {
                eachInTurn(.stalled, round, servers) { contestant, server throws(Failure) in
                    // Every burst leaves what the server remembers anyway: diffs, answers, its journal.
                    try burst(stall, server)
                    let without = try steadyLatency(server)
                    try burst(stall, server)
                    let before = server.child.residentBytes
                    let stalled = try StalledViewer(server)
                    try burst(stall, server)
                    let extra = server.child.residentBytes - before
                    let with = try steadyLatency(server)
                    stalled.child.stop(SIGKILL)
                    note(
                        .stalled, stall.rawValue, contestant, round,
                        [
                            Measure.extra: max(0, Double(extra)) / 1_048_576,
                            Measure.p99Without: without, Measure.p99With: with,
                        ])
                }
            }
        }
    }

    private func burst(_ stall: Stall, _ server: Server) throws(Failure) {
        switch stall {
        case .single:
            _ = try server.run(Setting(64, 10), seconds: options.seconds / 2, seed: nextSeed())
                .measure()
        case .batches:
            try server.contestant.publishLarge(Stall.publications, in: server.directory)
        }
    }

    private func steadyLatency(_ server: Server) throws(Failure) -> Double {
        var run = server.run(Setting(8, 10), seconds: 2 * options.seconds, seed: nextSeed())
        run.rate = Measure.steadyRate
        run.tracesLatency = true
        return try run.measure().latency(0.99)
    }
}

/// The load that is published while a viewer is stopped.
enum Stall: String, CaseIterable {
    case single = "one command each"
    case batches = "batches of 700 KB"

    /// The rows of a large batch, and the bytes of each text.
    static let (rows, textBytes) = (900, 700)
    static let publications = 60
}

/// Subscribed, and then stopped.
private struct StalledViewer {
    let child: Child

    init(_ server: Server) throws(Failure) {
        let viewers = Viewers(
            contestant: server.contestant, directory: server.directory, count: 1, rows: server.rows)
        child = try Child(
            server.options.program, ["viewers", try encoded(viewers)],
            log: server.directory + "/bench.log")
        guard try child.line() == "ready" else { throw Failure("the viewer is not ready") }
        child.signal(SIGSTOP)
    }
}

import Glibc

/// The sizes of the programs, and the time of a command from a shell.
extension Benchmark {
    func runPrograms(in directory: String) throws(Failure) {
        let bin = options.trestled.split(separator: "/", omittingEmptySubsequences: false)
            .dropLast().joined(separator: "/")
        var client = ""
        for program in ["trestle", "trestled"] {
            let stripped = "\(directory)/stripped-\(program)"
            let path = bin.isEmpty ? program : "\(bin)/\(program)"
            try Child("strip", ["-o", stripped, path], log: stripped + ".log").awaitEnd()
            var information = stat()
            guard stat(stripped, &information) == 0 else { throw Failure("look at \(stripped)") }
            note(
                .programs, program, .trestle, 0,
                [Measure.megabytes: Double(information.st_size) / 1e6])
            if program == "trestle" { client = stripped }
        }
        let servers = try servers(Part.programs.contestants, rows: options.rows, in: directory)
        for round in 0..<options.rounds {
            var times: [Contestant: [Double]] = [:]
            // Interleaved, so that what else the machine does meets both.
            for run in 0..<(options.isSmoke ? 4 : 40) {
                eachInTurn(.programs, run, servers) { contestant, server throws(Failure) in
                    let words = contestant.shortCommand(client, options, in: server.directory)
                    let begin = nanoseconds()
                    try Child(words[0], Array(words.dropFirst()), log: "/dev/null").awaitEnd()
                    times[contestant, default: []].append(Double(nanoseconds() - begin) / 1e6)
                }
            }
            for contestant in order(round, of: Part.programs.contestants) {
                note(
                    .programs, "from a shell", contestant, round,
                    [Measure.wholeCommand: (times[contestant] ?? []).median])
            }
        }
    }
}

extension Contestant {
    /// The shortest question that a script asks its server.
    fileprivate func shortCommand(
        _ client: String, _ options: Options, in directory: String
    ) -> [String] {
        switch self {
        case .trestle: [client, "tables", "--endpoint", requestEndpoint(in: directory)]
        case .redis:
            [
                options.redis.replacingEnd("redis-server", by: "redis-cli"), "-s",
                directory + "/redis.sock", "ping",
            ]
        case .libzmq, .libzmqPreallocated, .libzmqEach, .etcd: ["true"]
        }
    }
}

extension String {
    fileprivate func replacingEnd(_ end: String, by other: String) -> String {
        hasSuffix(end) ? dropLast(end.count) + other : other
    }
}

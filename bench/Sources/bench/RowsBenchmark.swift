import CZeroMQ
import Glibc

/// What the size of a table costs: one move from request to its diff at a viewer, memory of the
/// daemon for each row, and the time from `kill -9` to the first reply.
struct RowsBenchmark {
    let options: Options

    private static let movesPerRound = 300

    /// A daemon with one table.
    private final class Held {
        let rows: Int
        let directory: String
        var server: Child
        let emptyBytes: Int
        var medians: [Double] = []

        init(rows: Int, _ options: Options, in directory: String) throws(Failure) {
            self.rows = rows
            self.directory = directory
            guard mkdir(directory, 0o700) == 0 else { throw Failure("make \(directory)") }
            server = try Contestant.trestle.start(options, in: directory)
            emptyBytes = server.residentBytes
            try Contestant.trestle.fill(rows: rows, in: directory)
        }

        var bytesPerRow: Int { (server.residentBytes - emptyBytes) / rows }
    }

    func run() throws(Failure) {
        let sizes = options.isSmoke ? [1_000, 10_000] : [1_000, 100_000, 1_000_000]
        try options.withScratch { directory throws(Failure) in
            var all: [Held] = []
            for rows in sizes {
                let held = try Held(rows: rows, options, in: "\(directory)/\(rows)")
                say("\(whole(Double(rows))) rows: \(held.bytesPerRow) bytes of memory a row")
                all.append(held)
            }
            for round in 0..<options.rounds {
                for held in all { held.medians.append(try moves(held, round)) }
            }
            say("")
            say("A move, from request to its diff at a viewer, µs, median of \(options.rounds)")
            for held in all { describe(held, smallest: all[0]) }
            say("")
            for held in all { try restart(held) }
        }
    }

    private func describe(_ held: Held, smallest: Held) {
        let ratios = zip(held.medians, smallest.medians).map { $0 / $1 }
        say(
            "\(whole(Double(held.rows)).padded(12))\(whole(held.medians.median).padded(8))"
                + "\(hundredths(ratios.median)) × the smallest")
    }

    /// The median time of one move, µs.
    private func moves(_ held: Held, _ round: Int) throws(Failure) -> Double {
        let context = zmq_ctx_new()
        defer { zmq_ctx_term(context) }
        let viewer = try Zmq(ZMQ_SUB, in: context)
        let socket = try Zmq(ZMQ_DEALER, in: context)
        defer {
            viewer.close()
            socket.close()
        }
        try viewer.connect(Contestant.trestle.publishEndpoint(in: held.directory))
        try viewer.subscribe(TrestleWords.topic)
        guard viewer.wait(milliseconds: 5_000) else { throw Failure("no welcome") }
        try socket.connect(Contestant.trestle.requestEndpoint(in: held.directory))
        let opened = try socket.ask(TrestleWords.hello, TrestleWords.opened)
        var random = Random(seed: UInt64(round))
        var times: [Double] = []
        for number in 1...Self.movesPerRound {
            let row = random.below(held.rows)
            let other = (row + 1 + random.below(held.rows - 1)) % held.rows
            let request = TrestleWords.request(
                .move(row: row, after: other), client: Array("rows\(round)".utf8),
                number: UInt64(number), opened: opened)
            let begin = nanoseconds()
            try socket.sendRequest(request)
            try awaitDiff(viewer)
            times.append(Double(nanoseconds() - begin) / 1_000)
            guard socket.wait(milliseconds: 5_000), socket.receive(TrestleWords.isOk) == true else {
                throw Failure("a move was refused")
            }
        }
        return times.median
    }

    private func awaitDiff(_ viewer: Zmq) throws(Failure) {
        while true {
            while let diffs = viewer.receive(TrestleWords.diffs) {
                if diffs > 0 { return }
            }
            guard viewer.wait(milliseconds: 5_000) else { throw Failure("no diff came") }
        }
    }

    private func restart(_ held: Held) throws(Failure) {
        held.server.stop(SIGKILL)
        let begin = nanoseconds()
        held.server = try Contestant.trestle.start(options, in: held.directory)
        let milliseconds = Double(nanoseconds() - begin) / 1e6
        say(
            "\(whole(Double(held.rows))) rows: from kill -9 to the first reply "
                + "\(whole(milliseconds)) ms, then \(held.bytesPerRow) bytes of memory a row")
    }
}

import FoundationEssentials
import Glibc

/// Trestle side by side with Redis and with libzmq alone (docs/BENCHMARKS.md).
@main
enum Main {
    static func main() {
        do throws(Failure) {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            complain("bench: \(error)")
            exit(1)
        }
    }

    private static func run(_ words: [String]) throws(Failure) {
        // The program's own parts, which run in processes of their own.
        switch (words.first, words.count) {
        case ("floor", 2): return try Floor(directory: words[1]).run()
        case ("viewers", 4):
            guard let contestant = Contestant(rawValue: words[1]), let count = Int(words[3])
            else { break }
            return try Viewers(contestant: contestant, directory: words[2], count: count).run()
        case ("load", 7):
            guard let contestant = Contestant(rawValue: words[1]), let clients = Int(words[3]),
                let rows = Int(words[4]), let seconds = Double(words[5]),
                let seed = UInt64(words[6])
            else { break }
            let load = Load(
                contestant: contestant, directory: words[2], clients: clients, rows: rows,
                seconds: seconds, seed: seed)
            return say(try load.run().line)
        default: break
        }
        guard let options = Options(words) else {
            complain(Options.usage)
            exit(64)
        }
        guard access(options.trestled, X_OK) == 0 else {
            throw Failure("there is no \(options.trestled): swift build -c release")
        }
        if options.isAboutRows {
            try RowsBenchmark(options: options).run()
        } else {
            try Comparison(options: options).run()
        }
    }

    private static func complain(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        _ = write(2, bytes, bytes.count)
    }
}

/// What was asked for.
struct Options {
    static let usage = """
        usage: bench [rows] [--rounds N] [--seconds S] [--rows R] [--json FILE] [--smoke]
                     [--only NAME,…] [--clients N] [--trestled PATH] [--redis PATH] [--directory DIR]
        """

    var isAboutRows = false
    var isSmoke = false
    var rounds = 5
    var seconds = 3.0
    var rows = 10_000
    var json: String?
    var contestants = Contestant.allCases
    var settings = Comparison.Setting.all
    var trestled = ".build/release/trestled"
    var redis = "redis-server"
    /// On the disk that is to be measured: not a tmpfs.
    var directory = "/var/tmp"
    let program = "/proc/self/exe"

    /// Nil: not understood.
    init?(_ words: [String]) {
        var words = words[...]
        if words.first == "rows" {
            isAboutRows = true
            words.removeFirst()
        }
        while let option = words.popFirst() {
            if option == "--smoke" {
                isSmoke = true
                (rounds, seconds) = (1, 0.3)
                continue
            }
            guard let value = words.popFirst(), take(option, value) else { return nil }
        }
    }

    private mutating func take(_ option: String, _ value: String) -> Bool {
        switch option {
        case "--rounds": rounds = Int(value) ?? 0
        case "--seconds": seconds = Double(value) ?? 0
        case "--rows": rows = Int(value) ?? 0
        case "--json": json = value
        case "--only":
            contestants = value.split(separator: ",").compactMap { Contestant(rawValue: "\($0)") }
        case "--clients": settings = settings.filter { "\($0.clients)" == value }
        case "--trestled": trestled = value
        case "--redis": redis = value
        case "--directory": directory = value
        default: return false
        }
        let isBounded = rounds > 0 && seconds > 0 && rows > 1 && rows < 10_000_000
        return isBounded && !contestants.isEmpty && !settings.isEmpty
    }

    /// A directory of its own, which is removed at the end.
    func withScratch(_ body: (String) throws(Failure) -> Void) throws(Failure) {
        var template = Array("\(directory)/trestle-bench.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure("make a directory in \(directory)") }
        let letters = template.dropLast().map { UInt8(bitPattern: $0) }
        let path = String(decoding: letters, as: UTF8.self)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }
}

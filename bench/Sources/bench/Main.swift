import Glibc

/// Trestle side by side with Redis and with libzmq alone (docs/BENCHMARKS.md).
@main
enum Main {
    static func main() {
        // A server that closes a connection, or a reader of ours that goes, is an error to be told.
        signal(SIGPIPE, SIG_IGN)
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
        case ("floor", 4):
            guard let kind = Contestant(rawValue: words[3]), kind.isFloor else { break }
            return try Floor(directory: words[1], rows: Int(words[2]) ?? 0, kind: kind).run()
        case ("viewers", 2): return try (try decoded(words[1]) as Viewers).run()
        case ("load", 2): return say(try encoded(try (try decoded(words[1]) as Load).run()))
        case ("joiner", 2): return try (try decoded(words[1]) as Joiner).run()
        default: break
        }
        guard let options = Options(words) else {
            complain(Options.usage)
            exit(64)
        }
        guard access(options.trestled, X_OK) == 0 else {
            throw Failure("there is no \(options.trestled): swift build -c release")
        }
        try Benchmark(options: options).run()
    }

    private static func complain(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        _ = write(2, bytes, bytes.count)
    }
}

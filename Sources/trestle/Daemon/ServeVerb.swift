import ArgumentParser
import Glibc

/// Hands over to the gateway for browsers, which is a program of its own (docs/decisions/0026).
struct ServeVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Show tables in browsers: run the gateway, or pair, devices, revoke.",
        discussion: """
            This is the program trestle-serve: see trestle-serve(8), or `trestle-serve --help`. \
            Its options stand behind `run`, `pair`, `devices` or `revoke`. Before `serve` may \
            stand --endpoint, and for pair and devices --output json. The other options that \
            verbs have are refused.

              trestle serve run
              trestle serve pair --name grill --role operator
              trestle serve devices
              trestle -o json serve devices
              trestle serve revoke grill
            """)

    @OptionGroup var options: Options
    @Argument(
        help: "What trestle-serve takes, with its options.",
        completion: .list(["run", "pair", "devices", "revoke"]))
    var words: [String] = []

    /// Runs only if `isMeant` did not see the verb.
    func run() throws { try Self.handOver(words, options) }

    /// Whether the words are for the gateway: those behind the verb are, except a question for our own help.
    static func isMeant(by words: Words) -> Bool {
        words.verb == configuration.commandName && words.rest != ["--help"] && words.rest != ["-h"]
    }

    /// Becomes the gateway, with the options before the verb.
    static func handOver(_ words: Words) throws {
        // Nobody waits for the parser where there are none.
        guard !words.preparedRoot.isEmpty else { return try become(words.rest) }
        let parsed = try Trestle.parseAsRoot(words.preparedRoot + [words.verb ?? ""])
        guard let verb = parsed as? Self else { return }
        try handOver(words.rest, verb.options)
    }

    /// Refuses options that the gateway does not have: they would be lost.
    private static func handOver(_ words: [String], _ options: Options) throws {
        let others = [
            ("--timeout", options.timeout != nil), ("--as", options.name != nil),
            ("--behalf", options.behalf != nil),
        ]
        if let other = others.first(where: \.1) {
            throw Failure(.usage, "serve takes no \(other.0).")
        }
        if let endpoint = options.endpoint { setenv("TRESTLE_ENDPOINT", endpoint, 1) }
        var words = words
        switch options.output {
        case .table: break
        case .json:
            guard let first = words.first, printing.contains(first) else {
                let known = printing.joined(separator: " and ")
                throw Failure(.usage, "Of serve only \(known) print json.")
            }
            // One behind the verb goes before it, as everywhere.
            words.insert(contentsOf: ["--output", "json"], at: 1)
        case .wide, .ndjson, .name, .prom, .svg, .html:
            throw Failure(.usage, "serve prints table and json, not \(options.output.rawValue).")
        }
        try become(words)
    }

    /// The gateway's verbs that have a result.
    private static let printing = ["pair", "devices"]

    /// Becomes the gateway. Returns only if there is none.
    private static func become(_ words: [String]) throws {
        let program = "trestle-serve"
        var room = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/exe", &room, room.count)
        let bytes = room.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
        let own = String(decoding: bytes, as: UTF8.self)
        let directory = own.lastIndex(of: "/").map { String(own[..<$0]) } ?? "."
        // Beside us, as installed; in libexec; as `make serve` builds it; and where the shell looks.
        let places = [
            "\(directory)/\(program)", "\(directory)/../libexec/\(program)",
            "\(directory)/../../gateway/release/\(program)", program,
        ]
        var pointers: [UnsafeMutablePointer<CChar>?] = ([program] + words).map { strdup($0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        for place in places { execvp(place, pointers) }
        throw Failure(
            .unreachable, code: "noGateway",
            "There is no \(program) beside trestle or in PATH: `make serve` builds it.")
    }
}

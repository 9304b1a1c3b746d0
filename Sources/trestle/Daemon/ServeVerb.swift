import ArgumentParser
import Glibc

/// Hands over to the gateway for browsers, which is a program of its own (docs/decisions/0026).
struct ServeVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Show tables in browsers: run the gateway, or pair, devices, revoke.",
        discussion: """
            This is the program trestle-serve: see trestle-serve(8), or `trestle-serve --help`.

              trestle serve run
              trestle serve pair --name grill --role operator
              trestle serve devices
              trestle serve revoke grill
            """)

    @OptionGroup var options: Options
    @Argument(
        help: "What trestle-serve takes. Its options stand behind `serve`.",
        completion: .list(["run", "pair", "devices", "revoke"]))
    var words: [String] = []

    /// Only with options before `serve`; without, its words were handed over before any were read.
    func run() throws {
        if let endpoint = options.endpoint { setenv("TRESTLE_ENDPOINT", endpoint, 1) }
        try Self.handOver(words)
    }

    /// Where `arguments` are of this verb, its words behind it. They are not ours to read, but for its
    /// own help.
    static func words(in arguments: [String]) -> [String]? {
        guard arguments.first == configuration.commandName else { return nil }
        let words = Array(arguments.dropFirst())
        return words == ["--help"] || words == ["-h"] ? nil : words
    }

    /// Becomes the gateway. Returns only if there is none.
    static func handOver(_ words: [String]) throws {
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
            .unreachable, "noGateway",
            "There is no \(program) beside trestle or in PATH: `make serve` builds it.")
    }
}

import ArgumentParser
import TableClient

/// How results are printed.
enum OutputForm: String, ExpressibleByArgument, CaseIterable {
    /// For people.
    case table
    /// For people who want to see more.
    case wide
    /// One document.
    case json
    /// One object per line.
    case ndjson
    /// Ids and names only, one per line.
    case name
    /// Prometheus' text format; of `stats` only.
    case prom
    /// A picture; of `show` only.
    case svg
    /// A page with that picture; of `show` only.
    case html
}

extension ArgumentHelp {
    /// Help for an option with a value, which has this name in usage lines.
    static func value(_ name: String, _ text: String) -> ArgumentHelp {
        ArgumentHelp(.init(text), valueName: name)
    }
}

/// The options of every verb. The root has them too: so they may stand before the verb or behind it.
struct Options: ParsableArguments {
    @Option(
        name: [.customShort("e"), .long],
        help: .value("url", "The daemon: ipc:///path/request.sock or tcp://host:port."))
    var endpoint: String?

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: .value("form", "How to print the result."))
    var output: OutputForm = .table

    @Option(
        name: .long,
        help: ArgumentHelp(
            """
            How long to wait for the daemon's answers (default: 5), and for a daemon that does not \
            run yet (default: 0). Verbs that go on end after this time.
            """,
            valueName: "seconds"))
    var timeout: Double?

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            """
            Your name, for the history, claims and drags (default: TRESTLE_NAME, else USER, else \
            the system's name of the user).
            """,
            valueName: "name"))
    var name: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            """
            Act on behalf of NAME, which the daemon takes for a user of its own below yours, with no \
            more rights than ROLE has (default: yours).
            """,
            valueName: "name[:role]"))
    var behalf: String?

    func validate() throws {
        if name?.isEmpty == true { throw ValidationError("--as takes a name.") }
        if let timeout, !(timeout >= 0 && timeout <= 1_000_000) {
            throw ValidationError("--timeout takes seconds from 0 to 1000000.")
        }
        do throws(Rejection) {
            _ = try onBehalf
        } catch {
            throw ValidationError("--behalf takes a name, or NAME:ROLE. \(error.message)")
        }
    }

    /// `--timeout` in milliseconds, once it is validated.
    var timeoutMs: UInt64? { timeout.map { UInt64($0 * 1_000) } }

    /// On whose behalf: the text behind the last colon is the role.
    var onBehalf: Behalf? {
        get throws(Rejection) {
            guard let behalf else { return nil }
            let parts = behalf.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count > 1, let role = parts.last else { return try Behalf(name: behalf) }
            // A variable of the shell may not be set.
            try require(
                !role.isEmpty, or: .badValue,
                "There is no role behind the colon. Leave out both for all that you may.",
                field: "behalf.role")
            return try Behalf(name: parts.dropLast().joined(separator: ":"), role: String(role))
        }
    }
}

/// One command of the command line. `carryOut` is all that a verb has to say.
protocol Verb: ParsableCommand {
    var options: Options { get }
    /// The forms that its result has.
    static var forms: [OutputForm] { get }
    /// It goes on over restarts of the daemon: so it may also begin during one.
    static var outlivesDaemon: Bool { get }
    func carryOut(_ connection: Connection) throws
}

extension Verb {
    static var forms: [OutputForm] { [.table, .wide, .json, .ndjson, .name] }
    static var outlivesDaemon: Bool { false }

    func run() throws {
        guard Self.forms.contains(options.output) else {
            let known = Self.forms.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("This verb prints \(known), not \(options.output.rawValue).")
        }
        let connection = Connection(options, patience: Self.outlivesDaemon ? .forRestart : .none)
        try connection.run(carryOut)
    }
}

extension Connection {
    /// Carries a verb out.
    func run(_ carryOut: (Connection) throws -> Void) throws {
        do {
            try carryOut(self)
            if isAnswered { stayToTheEnd() }
        } catch let failure as Failure {
            throw withHint(failure)
        } catch ClientError.refused(let rejection) {
            throw withHint(Failure(rejection))
        }
    }
}

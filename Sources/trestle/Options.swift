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

/// What every verb takes. The root has them too: so they may stand before the verb or behind it.
struct Options: ParsableArguments {
    @Option(
        name: [.customShort("e"), .long],
        help: ArgumentHelp(
            "The daemon: ipc:///path/request.sock or tcp://host:port.", valueName: "url"))
    var endpoint: String?

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("How to print the result.", valueName: "form"))
    var output: OutputForm = .table

    @Option(
        name: .long,
        help: ArgumentHelp(
            """
            How long to wait for the daemon, also for one that is not there yet (default: 5 for its \
            answers, and not at all for one that is not there); for verbs that go on: when to end.
            """,
            valueName: "seconds"))
    var timeout: Double?

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            """
            Who you are, for the history, claims and drags (default: TRESTLE_NAME, or USER, or the \
            system's name of the user).
            """,
            valueName: "name"))
    var name: String?

    func validate() throws {
        if name?.isEmpty == true { throw ValidationError("--as takes a name.") }
        guard let timeout else { return }
        guard timeout.isFinite, timeout >= 0, timeout <= 1_000_000 else {
            throw ValidationError("--timeout takes seconds from 0 to 1000000.")
        }
    }

    /// The timeout, if one is given.
    var timeoutMs: UInt64? { timeout.map { UInt64($0 * 1_000) } }
}

/// One command of the command line. `carryOut` is all that a verb has to say.
protocol Verb: ParsableCommand {
    var options: Options { get }
    /// The forms that its result has.
    static var forms: [OutputForm] { get }
    func carryOut(_ session: Session) throws
}

extension Verb {
    static var forms: [OutputForm] { [.table, .wide, .json, .ndjson, .name] }

    func run() throws {
        guard Self.forms.contains(options.output) else {
            let known = Self.forms.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("This verb prints \(known), not \(options.output.rawValue).")
        }
        let session = Session(options)
        do {
            try carryOut(session)
        } catch let failure as Failure {
            throw session.withHint(failure)
        } catch ClientError.refused(let rejection) {
            throw session.withHint(Failure(rejection))
        }
    }
}

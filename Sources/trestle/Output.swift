import Glibc
import Synchronization
import TableClient
import TableModel
import TableTransport

/// Standard output and standard error. Nothing is kept back: what is written is on its way.
enum Output {
    /// Somebody looks at standard output, rather than a program reading it.
    static let isTerminal = isatty(1) == 1

    /// Somebody sits at standard input, and can be asked.
    static let canAsk = isatty(0) == 1

    /// Somebody sees what is printed, or what is complained of.
    static let isAttended = isatty(1) == 1 || isatty(2) == 1

    /// Whether a write to standard error waits for its reader. Verbs that hear signals or keep a time clear it.
    static let isPatient = Atomic(true)

    /// NO_COLOR and CLICOLOR_FORCE, then whether it is a terminal that can.
    static let hasColour: Bool = {
        if let no = environment("NO_COLOR"), !no.isEmpty { return false }
        if let force = environment("CLICOLOR_FORCE"), force != "0", !force.isEmpty { return true }
        return isTerminal && environment("CLICOLOR") != "0" && environment("TERM") != "dumb"
    }()

    /// The terminal of standard output; nil: it is none, or does not say.
    static var size: (rows: Int, columns: Int)? {
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else {
            return nil
        }
        return (Int(size.ws_row), Int(size.ws_col))
    }

    static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// Lines for people. What could act on a terminal is escaped here, whatever came before.
    static func lines(_ lines: [TextLine]) throws(Failure) {
        if lines.isEmpty { return }
        try write(lines.map { $0.rendered + "\n" }.joined())
    }

    /// Writes a line of JSON. Dangerous characters can stand only in its strings, where an escape means the same.
    static func line(json: String) throws(Failure) {
        let text = json.escapedInJSON
        try write(text.hasSuffix("\n") ? text : text + "\n")
    }

    /// Ids and names for programs: as they are, unless somebody looks.
    static func names(_ names: [String]) throws(Failure) {
        if names.isEmpty { return }
        try write(names.map { (isTerminal ? $0.shown : $0) + "\n" }.joined())
    }

    /// Writes it all. A reader that has gone ends the program: it has what it wanted.
    static func write(_ text: String) throws(Failure) {
        try met(StandardDescriptors.write(text, to: 1))
    }

    /// Writes it all to standard output, as long as `goesOn` says that there is time for it.
    static func write(
        _ text: String, to output: LineOutput, while goesOn: () -> Bool
    ) throws(Failure) {
        output.add(text.utf8)
        output.finish(while: goesOn)
        try met(output.code)
        if !output.isEmpty { throw untaken }
    }

    static let untaken = Failure(
        .io, "cannot write to standard output: nobody takes what is printed")

    /// Writes bytes that are no text, likewise.
    static func write(_ bytes: [UInt8]) throws(Failure) {
        try met(bytes.withUnsafeBufferPointer { StandardDescriptors.write($0, to: 1) })
    }

    /// The outcome of a write. A reader that has gone ends the program.
    static func met(_ code: Int32) throws(Failure) {
        switch code {
        case 0: return
        case EPIPE: exit(0)
        default: throw unwritable(code)
        }
    }

    /// Standard output does not take what is written, for the reason of this `errno`.
    static func unwritable(_ code: Int32) -> Failure {
        Failure(cannot: "write to standard output", code)
    }

    /// A sentence on standard error.
    static func complain(_ text: String) {
        let safe = text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0).shown }.joined(separator: "\n")
        guard isPatient.load(ordering: .relaxed) else {
            let errors = LineOutput(2)
            errors.add(line: safe)
            let end = Deadline(inMilliseconds: 1_000)
            return errors.finish { !end.hasPassed }
        }
        StandardDescriptors.write(safe + "\n", to: 2)
    }

    /// Asks somebody who sits at standard input; only a yes is one.
    static func isAgreed(_ question: String) -> Bool {
        StandardDescriptors.write("\(question) [y/N] ".shown, to: 2)
        let answer = readLine()?.lowercased()
        return answer == "y" || answer == "yes"
    }

    /// Asks for consent to what nothing brings back. One who stands at a terminal that cannot be asked has to say --yes;
    /// the contract has scripts, which have none, go on without a word. Without a question there is nothing to consent to.
    static func needConsent(_ refusal: String, to question: () throws -> String?) throws {
        guard canAsk || isAttended, let question = try question() else { return }
        guard canAsk else {
            throw Failure(
                .usage, "Standard input is no terminal, so nobody can be asked: say --yes.")
        }
        try agree(question, orElse: refusal)
    }

    /// Asks somebody who sits at standard input, and throws the refusal without a yes.
    static func agree(_ question: String, orElse refusal: String) throws(Failure) {
        guard isAgreed(question) else {
            throw Failure(.refused, code: Rejection.Code.needsConfirmation.rawValue, refusal)
        }
    }

    /// Whether the reader of standard output has gone.
    static var readerIsGone: Bool {
        var poll = pollfd(fd: 1, events: 0, revents: 0)
        return Glibc.poll(&poll, 1, 0) > 0 && Int32(poll.revents) & POLLERR != 0
    }
}

/// The report of a verb, in every form; only the one that is wanted is made.
struct Report {
    /// One document.
    var json: () -> String
    /// One object per line; nil: the document is the only one.
    var ndjson: (() -> [String])?
    /// Ids and names.
    var names: () -> [String]
    /// For people; true: those who want to see more.
    var lines: (Bool) -> [TextLine]
    /// A drawing, or a page with it; only of verbs that say so in `forms`.
    var picture: (OutputForm) -> String = { _ in "" }

    func print(as form: OutputForm) throws(Failure) {
        switch form {
        case .table, .prom: try Output.lines(lines(false))
        case .wide: try Output.lines(lines(true))
        case .json: try Output.line(json: json())
        case .ndjson:
            guard let ndjson else { return try Output.line(json: json()) }
            let text = ndjson().map { $0.escapedInJSON + "\n" }.joined()
            try Output.write(text)
        case .name: try Output.names(names())
        case .svg, .html: try Output.write(picture(form))
        }
    }
}

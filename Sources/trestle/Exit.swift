import ArgumentParser
import Glibc
import StrictYAML
import TableClient
import TableModel
import TableSync
import TableTransport

/// The exit codes: those of sysexits.h, as the contract names them. A program reads the name of the case as the
/// failure's code, unless there is a more precise one.
enum ExitStatus: Int32 {
    case refused = 1
    case usage = 64
    case badData = 65
    case noSuchThing = 66
    case unreachable = 69
    case cannotCreate = 73
    case io = 74
    case timeout = 75
    case protocolMismatch = 76
    /// The system does not let this user connect, or the guest list does not let it do this.
    case notPermitted = 77
    case badConfiguration = 78
}

/// Why a verb could not do what it was told.
struct Failure: Error {
    var status: ExitStatus
    /// For programs: a rejection's code, or a word of our own.
    var code: String
    /// For people: a sentence.
    var message: String
    /// The field at fault, as the protocol names it.
    var field: String?
    /// In a batch: the command at fault, counted from 0.
    var command: Int?
    /// The file at fault and its line, counted from 1.
    var file: String?
    var line: Int?
    /// The place in what was given, counted from 1, and lines for people that show it.
    var column: Int?
    var picture: String?
    /// The usage of a verb whose words were not understood, for people.
    var usage: String?

    init(_ status: ExitStatus, code: String? = nil, _ message: String) {
        self.status = status
        self.code = code ?? "\(status)"
        self.message = message
    }

    /// The system refused something: "cannot `what`", and why.
    init(_ status: ExitStatus = .io, cannot what: String, _ code: Int32 = errno) {
        self.init(status, "cannot \(what): \(String(cString: strerror(code)))")
    }

    /// The failure of a request that the daemon refused, or would refuse.
    init(_ rejection: Rejection) {
        switch rejection.code {
        case .noSuchTable, .noSuchRow: status = .noSuchThing
        case .unsupportedProtocol: status = .protocolMismatch
        case .notAllowed where rejection.field == Rejection.userField: status = .notPermitted
        default: status = .refused
        }
        code = rejection.code.rawValue
        message = rejection.message
        field = rejection.field
        command = rejection.command
    }

    init(_ fault: Fault, _ status: ExitStatus = .badData) {
        self.init(status, fault.description)
        file = fault.file
        line = fault.line
    }

    init(_ error: ClientError) {
        switch error {
        case .unreachable: self.init(.unreachable, error.description)
        case .notPermitted: self.init(.notPermitted, error.description)
        case .timeout: self.init(.timeout, error.description)
        case .protocolMismatch: self.init(.protocolMismatch, error.description)
        case .refused(let rejection): self.init(rejection)
        }
    }

    /// One line for standard error, without the program's name.
    var sentence: String {
        if code == "badData" || code == "badConfiguration" { return message }
        if let file, let line { return "\(file):\(line): \(message)" }
        return message
    }

    /// `{"ok":false,"error":{…}}`
    var json: String {
        var error: [(key: String, value: Draft)] = [
            ("code", .text(code)), ("message", .text(message)),
        ]
        if let field { error.append(("field", .text(field))) }
        if let command { error.append(("command", .integer(UInt64(command)))) }
        if let file { error.append(("file", .text(file))) }
        if let line { error.append(("line", .integer(UInt64(line)))) }
        if let column { error.append(("column", .integer(UInt64(column)))) }
        return Draft.mapping([("ok", .flag(false)), ("error", .mapping(error))]).json
    }
}

/// How the program ends after an error.
struct Ending {
    private let status: Int32
    private let output: String?
    private let complaint: String?

    /// With `inJSON` the error goes to standard output as one document, and nothing elsewhere.
    init(_ error: any Error, inJSON: Bool) {
        if let exit = error as? ExitCode {
            (status, output, complaint) = (exit.rawValue, nil, nil)
            return
        }
        var failure: Failure
        switch error {
        case let error as Failure: failure = error
        case let error as ClientError: failure = Failure(error)
        case let error as Fault: failure = Failure(error)
        case let error as Rejection: failure = Failure(error)
        case let error as TransportError: failure = Failure(.io, error.description)
        default:
            // ArgumentParser's own: usage, or a question for help, the version or completions.
            if Trestle.exitCode(for: error).isSuccess {
                (status, complaint) = (0, nil)
                output = HelpText.ofVerb(
                    BashCompletion.wholeWords(in: Trestle.fullMessage(for: error)))
                return
            }
            failure = Failure(.usage, Trestle.message(for: error))
            if !inJSON {
                (status, output) = (failure.status.rawValue, nil)
                complaint = Trestle.fullMessage(for: error)
                return
            }
        }
        status = failure.status.rawValue
        // Where nobody takes what is printed, nobody is told of it there.
        let isTaken = failure.sentence != Output.untaken.sentence
        output = inJSON && isTaken ? failure.json : nil
        let picture = failure.picture.map { "\n\($0)" } ?? ""
        let usage = failure.usage.map { "\n\($0)" } ?? ""
        complaint = output != nil ? nil : "trestle: \(failure.sentence)\(picture)\(usage)"
    }

    func exit() -> Never {
        var status = status
        if let output {
            do {
                try Output.line(json: output)
            } catch {
                Output.complain("trestle: \(error.sentence)")
                // Help that nobody can read is no success; a failure stays the one that it is.
                if status == 0 { status = error.status.rawValue }
            }
        }
        if let complaint { Output.complain(complaint) }
        Glibc.exit(status)
    }
}

/// Signals that end the program.
enum Signals {
    static func prepare() {
        // A reader that goes away is met as an error of `write`, and is no failure.
        signal(SIGPIPE, SIG_IGN)
        // So is a file that may not grow (RLIMIT_FSIZE).
        signal(SIGXFSZ, SIG_IGN)
        signal(SIGINT) { _ in _exit(130) }
    }
}

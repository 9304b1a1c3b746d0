import ArgumentParser
import Glibc
import Logging
import TableDaemon
import TableTransport

/// Arguments and exit codes of the daemon; everything else is `TableDaemon`.
@main
struct Trestled: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trestled",
        abstract: "Hold live tables, and keep every viewer of them in sync.",
        discussion: """
            It serves in the foreground and logs to standard error. Without a configuration it \
            serves ipc:// in the runtime directory and keeps its journal in the state directory.

            SIGHUP reads the configuration again. SIGTERM and SIGINT stop it cleanly.
            """,
        version: Daemon.programVersion,
        subcommands: [
            Serve.self, CheckConfig.self, ExplainAccess.self, Keys.self, Salvage.self,
            MoveJournal.self, Config.self,
        ],
        defaultSubcommand: Serve.self)

    static let _errorPrefix = "trestled: "

    static func main() {
        StandardDescriptors.open()
        // A reader of the log that goes away is met as an error of `write`.
        signal(SIGPIPE, SIG_IGN)
        if let index = ProgramWords.firstNotText {
            exit(withError: ValidationError("Word \(index) is not valid UTF-8."))
        }
        do {
            var command = try parseAsRoot(Keys.prepared(Array(CommandLine.arguments.dropFirst())))
            try command.run()
        } catch { end(error) }
    }

    /// ArgumentParser says what is wrong. Help and the version are told here, since it does not see
    /// whether they could be written.
    private static func end(_ error: any Error) -> Never {
        guard exitCode(for: error).isSuccess else { exit(withError: error) }
        do {
            try Output.line(fullMessage(for: error))
        } catch {
            Output.complain("trestled: \(error)\n")
            Glibc.exit(error.code.rawValue)
        }
        Glibc.exit(0)
    }
}

/// The options of both commands.
struct ConfigurationOptions: ParsableArguments {
    @Option(name: .long, help: "The configuration file (YAML).")
    var config: String?

    @Option(name: .long, help: "Where the journal is kept.")
    var stateDirectory: String?

    @Option(
        name: .long,
        help: """
            Serve requests here: ipc:///path/request.sock or tcp://127.0.0.1:port. Publications \
            go to publish.sock beside it, or to the next port. May be given several times.
            """)
    var endpoint: [String] = []

    func validate() throws {
        // It would be the working directory, whatever that is.
        if stateDirectory?.isEmpty == true {
            throw ValidationError("--state-directory takes a directory.")
        }
    }

    func read() throws -> Configuration {
        try Configuration.read(file: config, stateDirectory: stateDirectory, endpoints: endpoint)
    }

    /// For commands about a daemon: without options they mean the one that is installed.
    func readMeant() throws -> Configuration {
        try Configuration.readMeant(
            file: config, stateDirectory: stateDirectory, endpoints: endpoint)
    }
}

struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve; what trestled does when no subcommand is named.")

    @OptionGroup var options: ConfigurationOptions
    @Flag(
        help: """
            For tests: requests may name the time that they are decided at, as `trestle replay \
            --into` does, and no invocation is late by itself.
            """)
    var virtualClock = false

    func run() throws {
        let isJournal = getenv("JOURNAL_STREAM") != nil
        LoggingSystem.bootstrap { _ in StandardErrorLog(level: .info, isJournal: isJournal) }
        let log = Logger(label: "trestled")
        do {
            let options = options
            try Daemon(
                log: log, hasVirtualClock: virtualClock, readConfiguration: { try options.read() }
            ).run()
        } catch {
            log.critical("\(error)")
            throw ExitCode(DaemonError.exitCode(of: error))
        }
    }
}

struct CheckConfig: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config",
        abstract: "Read the configuration, say all that is wrong with it, and change nothing.")

    @OptionGroup var options: ConfigurationOptions

    func run() throws {
        try Output.ending {
            let summary = try (options.config == nil ? options.read() : options.readMeant()).summary
            // It is no fault to name a user whom this machine does not know yet.
            let files = try options.config.map { try Configuration.files(of: $0) } ?? []
            let strangers = try files.flatMap { try Configuration.strangers(inFile: $0) }
            Output.complain(strangers.map { "trestled: warning: \($0)\n" }.joined())
            try Output.line(summary)
        }
    }
}

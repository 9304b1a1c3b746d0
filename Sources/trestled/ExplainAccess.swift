import ArgumentParser
import TableDaemon

/// The forms in which a command answers.
enum Form: String, ExpressibleByArgument { case text, json }

struct ExplainAccess: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain-access",
        abstract: "Say whether somebody may send a request, and by which line of the guest list.",
        discussion: """
            Ends with 0 for yes and 77 for no. It reads the configuration, not a running daemon.
            """)

    @OptionGroup var options: ConfigurationOptions
    @Argument(help: "A user by name or number, key:NAME, or anybody.")
    var user: String
    @Argument(help: "A table, whether or not there is one.")
    var table: String
    @Argument(
        help: """
            A request, a command or a verb of trestle, such as move, take, show or backup. \
            Of a batch: its commands, with commas.
            """)
    var verb: String
    @Option(name: .shortAndLong, help: "text or json.")
    var output = Form.text

    func run() throws {
        try Output.ending {
            let answer = try AccessExplanation(
                options.readMeant(), user: user, table: table, verb: verb)
            try Output.line(output == .json ? answer.json : answer.text)
            if !answer.isAllowed { throw ExitCode(77) }
        }
    }
}

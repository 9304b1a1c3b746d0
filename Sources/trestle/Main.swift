import ArgumentParser
import TableSync
import Glibc

/// The command line client: arguments, forms of output and exit codes. What it says to the daemon
/// is TableClient's matter, and what tables are is TableModel's.
@main
struct Trestle: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trestle",
        abstract: "Read, change and watch the tables of a trestled.",
        discussion: """
            The options stand before or behind the verb. The endpoint is taken from --endpoint, \
            else from TRESTLE_ENDPOINT, else from the key `endpoint` of trestle/client.yaml in the \
            XDG configuration directory or in /etc; else it is the daemon's usual one.

            With -o json the result is one JSON document (of watch, one on each line) on standard \
            output, also when something fails. With -o ndjson it is one JSON object per line. \
            Otherwise failures are a sentence on standard error.

            Exit codes: 0 done; 1 refused; 64 usage; 65 bad data; 66 no such table or row; \
            69 daemon unreachable; 73 cannot create; 74 input or output failed; 75 timeout; \
            76 protocol mismatch; 78 bad configuration.
            """,
        version: Hello.programVersion,
        groupedSubcommands: [
            CommandGroup(
                name: "Tables:",
                subcommands: [
                    TablesVerb.self, CreateVerb.self, DropVerb.self, KindsVerb.self,
                    DefineVerb.self, SectionVerb.self,
                ]),
            CommandGroup(
                name: "Looking:",
                subcommands: [
                    ShowVerb.self, ViewVerb.self, WatchVerb.self, WaitVerb.self, WhoVerb.self,
                    LayoutVerb.self,
                ]),
            CommandGroup(
                name: "Rows:",
                subcommands: [
                    AddVerb.self, SetVerb.self, RemoveVerb.self, MoveVerb.self, SwapVerb.self,
                    SwipeVerb.self, ExpandVerb.self, EditVerb.self,
                    ItemVerb.self, ScrollVerb.self, SelectVerb.self,
                ]),
            CommandGroup(
                name: "Together:",
                subcommands: [DragVerb.self, ClaimVerb.self, UnclaimVerb.self]),
            CommandGroup(
                name: "The past:",
                subcommands: [
                    UndoVerb.self, RedoVerb.self, RecallVerb.self, HistoryVerb.self,
                ]),
            CommandGroup(name: "Actions:", subcommands: [ActVerb.self, HandleVerb.self]),
            CommandGroup(
                name: "Many at once:",
                subcommands: [BatchVerb.self, ImportVerb.self, ExportVerb.self]),
            CommandGroup(
                name: "Trying:",
                subcommands: [ExplainVerb.self, RecordVerb.self, ReplayVerb.self]),
            CommandGroup(
                name: "The daemon:",
                subcommands: [
                    HealthVerb.self, StatsVerb.self, CheckVerb.self, BackupVerb.self,
                    RestoreVerb.self, RPCVerb.self,
                ]),
        ])

    @OptionGroup var options: Options

    static func main() {
        Signals.prepare()
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            var command = try DirectParse.command(arguments) ?? parseAsRoot(arguments)
            try command.run()
            Glibc.exit(0)
        } catch {
            Ending(error, inJSON: CommandLineForm.isJSON(arguments)).exit()
        }
    }
}

/// Parses by the verb alone, where that succeeds. Scripts call this program thousands of times, and
/// most of the time until it connects is spent on getting every verb's arguments ready.
enum DirectParse {
    /// Nil where the whole has to be parsed: for help, and to say what is wrong.
    static func command(_ arguments: [String]) -> (any ParsableCommand)? {
        var options: [String] = []
        var at = 0
        while at < arguments.count, let length = lengthOfOption(arguments[at]) {
            guard at + length < arguments.count else { return nil }
            options += arguments[at..<at + length]
            at += length
        }
        guard at < arguments.count else { return nil }
        let groups = Trestle.configuration.groupedSubcommands
        let verbs = groups.lazy.flatMap(\.subcommands)
        let verb = verbs.first { $0.configuration.commandName == arguments[at] }
        guard let verb, let parsed = try? verb.parseAsRoot(options + arguments[(at + 1)...]),
            type(of: parsed) == verb
        else { return nil }
        return parsed
    }

    /// How many arguments an option of the root takes up; nil for anything else.
    private static func lengthOfOption(_ text: String) -> Int? {
        switch text {
        case "-e", "-o", "--endpoint", "--output", "--timeout", "--as": return 2
        default:
            let glued = ["--endpoint=", "--output=", "--timeout=", "--as="]
            return glued.contains { text.hasPrefix($0) } ? 1 : nil
        }
    }
}

/// What has to be known of the arguments before they are parsed.
enum CommandLineForm {
    /// `-o json` stands among them: then failures are told in JSON, also those to read the rest.
    static func isJSON(_ arguments: [String]) -> Bool {
        var form = ""
        for (index, text) in arguments.enumerated() {
            if text == "--" { break }
            if text == "-o" || text == "--output" {
                form = index + 1 < arguments.count ? arguments[index + 1] : ""
            } else if text.hasPrefix("--output=") {
                form = String(text.dropFirst("--output=".count))
            } else if text.hasPrefix("-o") {
                form = String(text.dropFirst(2))
                if form.hasPrefix("=") { form.removeFirst() }
            }
        }
        return form == OutputForm.json.rawValue
    }
}

import ArgumentParser
import Glibc
import TableModel
import TableSync
import TableTransport

/// The command line client: arguments, forms of output and exit codes. TableClient talks to the daemon.
@main
struct Trestle: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trestle", abstract: "Read, change and watch the tables of a trestled.",
        discussion: """
            Options stand before or after the verb. A value may begin with a dash: a word is an \
            option only if it looks like --name, or is -e, -o or -h. After -- no word is an \
            option. \
            Write --name=value for a value that looks like an option.

            A condition in the place of rows means all that fit, as in `trestle set board --where \
            'field.driver == "7"' --field driver=9`; `show` and `count` take one too. `trestle help \
            wait` says what a condition can ask for.

            The endpoint comes from --endpoint, else from TRESTLE_ENDPOINT, else from the key \
            `endpoint` of trestle/client.yaml in the XDG configuration directory or in /etc. Else \
            it is the daemon's usual one.

            With -o json the result is one JSON document on standard output, also when something \
            fails; `watch` prints one document per line. With -o ndjson the result is one JSON \
            object per line. With other forms a failure is a sentence on standard error.

            Exit codes: 0 done; 1 refused; 64 usage; 65 bad data; 66 no such table or row; \
            69 daemon unreachable; 73 cannot create; 74 input or output failed; 75 timeout; \
            76 protocol mismatch; 77 not permitted; 78 bad configuration.
            """,
        // Behind a verb --version is nobody's.
        version: Words(Array(CommandLine.arguments.dropFirst())).verb == nil
            ? Hello.programVersion : "",
        groupedSubcommands: [
            CommandGroup(
                name: VerbGroup.tables.heading,
                subcommands: [
                    TablesVerb.self, CreateVerb.self, DropVerb.self, KindsVerb.self,
                    DefineVerb.self, SectionVerb.self,
                ]),
            CommandGroup(
                name: VerbGroup.looking.heading,
                subcommands: [
                    ShowVerb.self, GetVerb.self, CountVerb.self, ViewVerb.self, WatchVerb.self,
                    WaitVerb.self, WhoVerb.self, LayoutVerb.self,
                ]),
            CommandGroup(
                name: VerbGroup.rows.heading,
                subcommands: [
                    AddVerb.self, SetVerb.self, RemoveVerb.self, MoveVerb.self, SwapVerb.self,
                    SwipeVerb.self, ExpandVerb.self, EditVerb.self, SnoozeVerb.self,
                    ItemVerb.self, ScrollVerb.self, SelectVerb.self,
                ]),
            CommandGroup(
                name: VerbGroup.together.heading,
                subcommands: [DragVerb.self, ClaimVerb.self, UnclaimVerb.self]),
            CommandGroup(
                name: VerbGroup.past.heading,
                subcommands: [
                    UndoVerb.self, RedoVerb.self, RecallVerb.self, HistoryVerb.self,
                    ForgetVerb.self,
                ]),
            CommandGroup(
                name: VerbGroup.actions.heading,
                subcommands: [
                    ActVerb.self, NextVerb.self, HandleVerb.self, RetryVerb.self, PauseVerb.self,
                    ResumeVerb.self,
                ]),
            CommandGroup(
                name: VerbGroup.manyAtOnce.heading,
                subcommands: [BatchVerb.self, ImportVerb.self, ExportVerb.self]),
            CommandGroup(
                name: VerbGroup.trying.heading,
                subcommands: [ExplainVerb.self, RecordVerb.self, ReplayVerb.self]),
            CommandGroup(
                name: VerbGroup.daemon.heading,
                subcommands: [
                    HealthVerb.self, StatsVerb.self, AuditVerb.self, ConnectionsVerb.self,
                    CheckVerb.self,
                    BackupVerb.self, RestoreVerb.self, KeygenVerb.self, TrustVerb.self,
                    ClusterVerb.self, PromoteVerb.self, ServeVerb.self, RPCVerb.self,
                ]),
        ])

    /// Usage has the same voice as everything else that is wrong.
    static let _errorPrefix = "trestle: "

    @OptionGroup var options: Options

    /// No verb is written. People are given the help; a program would take it for a result.
    func run() throws {
        switch options.output {
        case .table, .wide: throw CleanExit.helpRequest(self)
        case .json, .ndjson, .name, .prom, .svg, .html:
            throw Failure(.usage, "There is no verb here. `trestle --help` lists them.")
        }
    }

    static func main() {
        StandardDescriptors.open()
        Context.prepareShortLife()
        Signals.prepare()
        let arguments = KeyStore.joined(Array(CommandLine.arguments.dropFirst()))
        do {
            try CommandLineForm.checkText()
            let words = Words(arguments)
            if ServeVerb.isMeant(by: words) { try ServeVerb.handOver(words) }
            var command = try parse(words)
            try command.run()
            // A connection may still be there, with libzmq's threads: nothing is put away under them.
            fflush(nil)
            _exit(0)
        } catch {
            Ending(error, inJSON: CommandLineForm.isJSON(arguments)).exit()
        }
    }

    private static func parse(_ words: Words) throws -> any ParsableCommand {
        if let verb = words.verb == "help" ? words.helpedVerb : words.verb, verb != "help",
            Verbs.named(verb) == nil
        {
            let hint = Verbs.meant(by: verb).map { ": did you mean \($0)?" } ?? "."
            throw Failure(
                .usage, "There is no verb \"\(verb)\"\(hint) `trestle --help` lists them.")
        }
        do {
            return try parseAsRoot(words.prepared)
        } catch  where !exitCode(for: error).isSuccess {
            let verb = words.verb.flatMap { Verbs.named($0) }
            throw verb.flatMap { UnknownOption.failure(among: words.options, of: $0) } ?? error
        }
    }
}

extension VerbGroup {
    /// The heading above the verbs of the group in `--help`.
    fileprivate var heading: String { "\(rawValue):" }
}

/// The verbs by name.
enum Verbs {
    private static var all: some Sequence<any ParsableCommand.Type> {
        Trestle.configuration.groupedSubcommands.lazy.flatMap(\.subcommands)
    }

    static func named(_ name: String) -> (any ParsableCommand.Type)? {
        all.first { $0.configuration.commandName == name }
    }

    static var names: [String] { all.compactMap { $0.configuration.commandName } }

    /// The names of such a verb in other programs.
    private static let synonyms = [
        "rm": "remove", "del": "remove", "delete": "remove", "ls": "tables, or show",
        "list": "tables, or show", "find": "show", "cat": "show", "query": "show",
        "filter": "show", "search": "show",
        "describe": "kinds, or get", "total": "count", "sum": "count", "mv": "move",
        "tail": "watch", "log": "history", "wake": "snooze", "defer": "snooze",
        "sleep": "snooze", "postpone": "snooze", "later": "snooze", "unsnooze": "snooze",
        "update": "set", "change": "set", "assign": "set", "reassign": "set",
        "take": "next", "pop": "next", "dequeue": "next", "work": "handle, or next",
        "worker": "handle, or next", "stop": "pause", "continue": "resume",
        "unpause": "resume", "release": "unclaim", "done": "act, or move", "press": "act",
    ]

    private static let reading = [
        "tables", "kinds", "show", "get", "count", "view", "watch", "wait", "who", "layout",
        "history", "export", "explain", "record", "health", "stats", "audit", "check", "help",
    ]

    /// The verb that was most likely meant. A verb that writes is offered only for a word with its first letter.
    static func meant(by word: String) -> String? {
        if let synonym = synonyms[word] { return synonym }
        let known = names.filter { reading.contains($0) || $0.first == word.first }
        return nearest(to: word, among: known + ["help"])
    }
}

/// The facts about the arguments that are needed before they are parsed.
enum CommandLineForm {
    /// Refuses what is no UTF-8.
    static func checkText() throws(Failure) {
        guard let index = ProgramWords.firstNotText else { return }
        throw Failure(
            .usage, "Word \(index) is not valid UTF-8: \"\(CommandLine.arguments[index])\".")
    }

    /// `-o json` stands among them: then failures are told in JSON, also those to read the rest.
    static func isJSON(_ arguments: [String]) -> Bool {
        let words = arguments.prefix { $0 != "--" }
        var form = ""
        for (word, next) in zip(words, words.dropFirst() + [""]) {
            for name in ["-o", "--output"] where word == name { form = next }
            for name in ["--output=", "-o"] where word.hasPrefix(name) && word != name {
                form = String(word.dropFirst(name.count).drop { $0 == "=" })
            }
        }
        return form == OutputForm.json.rawValue
    }
}

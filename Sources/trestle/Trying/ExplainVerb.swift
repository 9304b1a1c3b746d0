import ArgumentParser
import TableModel
import TableSync
import TableWire

struct ExplainVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Say what a command would do, or why it would be refused, and do nothing.",
        discussion: """
            Write the command after it, as you would give it. These can be explained: \
            \(names.joined(separator: ", ")). The daemon decides as it would on the command \
            itself, and then forgets it. Standard output says where the rows would stand, and \
            which steps viewers would be sent. If the command would be refused, message and exit \
            code are those of the refusal.

              trestle explain move board t41 --top
              trestle -o json explain act board t41 bump
              trestle explain batch board < commands.ndjson
            """)

    @Argument(
        parsing: .captureForPassthrough,
        help: .value("command", "The command: its verb and its arguments."),
        completion: .list(names))
    var command: [String]
    @OptionGroup var options: Options

    /// The verbs that come to one request which changes something.
    static let explainable: [any ParsableCommand.Type] = [
        AddVerb.self, SetVerb.self, RemoveVerb.self, MoveVerb.self, SwapVerb.self, SwipeVerb.self,
        ExpandVerb.self, EditVerb.self, ItemVerb.self, ScrollVerb.self, SelectVerb.self,
        ActVerb.self, BatchVerb.self, DefineVerb.self, SectionVerb.self, CreateVerb.self,
        DropVerb.self, ClaimVerb.self, UnclaimVerb.self, SnoozeVerb.self, PauseVerb.self,
        ResumeVerb.self, UndoVerb.self, RedoVerb.self,
        RecallVerb.self, NextVerb.self, RetryVerb.self,
    ]

    /// A closure, since key paths to metatypes crash the compiler (6.3.1).
    static let names = explainable.map { $0.configuration.commandName ?? "" }

    func carryOut(_ connection: Connection) throws {
        let words = command.first == "--" ? command[1...] : command[...]
        if words.first == "--help" || words.first == "-h" {
            var help = try Trestle.parseAsRoot(["help", "explain"])
            return try help.run()
        }
        guard let name = words.first else { throw ValidationError("Name a command.") }
        if Words.isOption(name),
            let failure = UnknownOption.failure(among: [name], of: ExplainVerb.self)
        {
            throw failure
        }
        guard let type = Self.explainable.first(where: { $0.configuration.commandName == name })
        else {
            let known = Self.names.joined(separator: ", ")
            let meant = nearest(to: name, among: Self.names)
            let hint = meant.map { ": did you mean \($0)?" } ?? ". These can: \(known)."
            throw ValidationError("\"\(name)\" cannot be explained\(hint)")
        }
        var parsed = try parse(type, Words(verb: name, Array(words.dropFirst())))
        // Else it is a question for help, which answers itself.
        guard let verb = parsed as? any Verb else { return try parsed.run() }
        try verb.explain()
    }

    /// Parses the command. Options before it hold unless they are repeated behind it.
    private func parse(
        _ type: any ParsableCommand.Type, _ words: Words
    ) throws -> any ParsableCommand {
        do {
            return try type.parseAsRoot(options.arguments + words.preparedBehindVerb)
        } catch  where !type.exitCode(for: error).isSuccess {
            throw UnknownOption.failure(among: words.options, of: type)
                ?? Failure(type.message(for: error), usageOf: type)
        }
    }
}

extension Verb {
    fileprivate func explain() throws {
        let connection = Connection(options, isExplaining: true)
        do {
            try carryOut(connection)
        } catch let explained as Explained {
            try explained.show(connection)
        } catch let failure as Failure {
            throw connection.withHint(failure)
        }
    }
}

extension Options {
    /// The options as words.
    fileprivate var arguments: [String] {
        // As one word each: a value may begin with a dash.
        var arguments = ["--output=\(output.rawValue)"]
        if let endpoint { arguments.append("--endpoint=\(endpoint)") }
        if let timeout { arguments.append("--timeout=\(timeout)") }
        if let name { arguments.append("--as=\(name)") }
        if let behalf { arguments.append("--behalf=\(behalf)") }
        return arguments
    }
}

/// The explanation of a command. It is thrown, because nothing that the verb does afterwards makes sense.
struct Explained: Error {
    let change: Request.Change
    let reply: Reply
    let explanation: Explanation

    func show(_ connection: Connection) throws {
        try connection.show(
            Report(
                json: { json }, ndjson: nil, names: { explanation.rows.map(\.row.text) },
                lines: { _ in lines.map { TextLine($0) } }))
    }

    private var json: String {
        var done = reply
        done.answer = .done(
            rows: explanation.rows, unchanged: explanation.ops.isEmpty && !isAboutTable,
            invocations: explanation.invocations)
        let ops = Encode.document(explanation.ops)
        return Documents.reply(done).dropLast() + ",\"ops\":\(ops)}"
    }

    /// It makes or drops a whole table, which takes no steps.
    private var isAboutTable: Bool { change == .create || change == .drop }

    private var lines: [String] {
        let table = reply.table?.text ?? ""
        switch change {
        case .create: return ["would make the table \(table)"]
        case .drop: return ["would drop the table \(table)"]
        case .command, .batch: break
        }
        if explanation.ops.isEmpty { return ["would change nothing"] }
        let revision = reply.revision.map { " as revision \($0 + 1)" } ?? ""
        let begun = explanation.invocations.map { "  invocation \($0.id.text) of \($0.action)" }
        let landings = explanation.rows.map { "  \($0.wouldBe)" }
        return ["would be done\(revision):"] + explanation.ops.map { "  \($0.sentence)" } + begun
            + (landings.isEmpty ? [] : ["and then:"]) + landings
    }
}

extension Landing {
    /// "t41 is 1st in grill"
    fileprivate var wouldBe: String {
        guard let section, let index else { return "\(row.text) is gone" }
        let note = note.map { " (\($0))" } ?? ""
        return "\(row.text) is \((index + 1).ordinal) in \(section.text)\(note)"
    }
}

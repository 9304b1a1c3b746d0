import ArgumentParser
import StrictYAML
import TableFiles
import TableModel
import TableSync
import TableWire

struct BatchVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "batch",
        abstract: "Carry out commands from standard input: all or none, as one revision.",
        discussion: """
            One command per line, in the JSON form of the protocol. Empty lines are ignored. If a \
            command is refused, nothing is done, and the refusal names the line. Unknown keys are \
            refused. --if-revision is for the whole; a command has if, ifVersion and ifClaimed in \
            its line.

              trestle batch board <<END
              {"add":{"id":"t50","title":"Sole","section":"fish"}}
              {"move":{"rows":["t41"],"after":"t50"}}
              {"remove":{"rows":["t12"]}}
              END
            """)

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Option(help: .value("revision", "Refuse the batch unless the table is at this revision."))
    var ifRevision: UInt64?
    @OptionGroup var options: Options

    func carryOut(_ connection: Connection) throws {
        let bytes = try Files.bytes(at: "-", atMost: 64 << 20)
        let (commands, lines) = try Self.parse(bytes)
        do {
            let reply = try connection.perform(.batch(commands, ifRevision: ifRevision), on: table)
            let revision = reply.revision.map { ", revision \($0)" } ?? ""
            try connection.show(
                reply, ["\(commands.count.of("command"))\(revision)\(reply.suffix)"])
        } catch var failure as Failure {
            if let at = failure.command, at < lines.count {
                failure.file = Files.name(of: "-")
                failure.line = lines[at]
            }
            throw failure
        }
    }

    /// The commands, and the line that each stands in.
    static func parse(_ bytes: [UInt8]) throws(Failure) -> ([Command], [Int]) {
        let name = Files.name(of: "-")
        var commands: [Command] = []
        var lines: [Int] = []
        var number = 0
        for line in ImportFile.withoutMark(bytes).split(
            separator: 10, omittingEmptySubsequences: false)
        {
            number += 1
            guard line.contains(where: { $0 > 32 }) else { continue }
            commands.append(try command(line, name: name, number))
            lines.append(number)
        }
        return (commands, lines)
    }

    /// A hint at the key that was most likely meant: conditions stand beside the verb.
    private static func hint(for key: String, in text: String, verb: String?) -> String {
        let fitting = CommandKeys.all.filter { CommandKeys.fits($0, insteadOf: key, in: text) }
        if let meant = nearest(to: key, among: fitting) { return " (did you mean `\(meant)`?)" }
        guard let verb, verb != key, let meant = nearest(to: key, among: CommandKeys.conditions)
        else { return "" }
        return " (did you mean `\(meant)`, beside `\(verb)`?)"
    }

    private static func command(
        _ line: ArraySlice<UInt8>, name: String, _ number: Int
    ) throws(Failure) -> Command {
        guard let text = String(validating: line, as: UTF8.self) else {
            throw Failure(Fault("not valid UTF-8", file: name, line: number))
        }
        let verbs: [String]
        do throws(Fault) {
            // Finds what is no JSON, and keys that stand twice, with their column.
            let value = try Value(json: line, file: name, line: number)
            guard value.isMapping else { throw value.expected("a command such as {\"add\":{…}}") }
            verbs = try value.entries().map(\.key).filter { !CommandKeys.conditions.contains($0) }
        } catch { throw Failure(error) }
        if let key = CommandKeys.unknown(in: line) {
            let hint = Self.hint(for: key, in: text, verb: verbs.first)
            throw Failure(Fault("unknown key `\(key)`\(hint)", file: name, line: number))
        }
        if verbs.count != 1 {
            let names = verbs.map { "`\($0)`" }.listed
            let what =
                verbs.isEmpty
                ? "no command stands here: write one such as {\"add\":{…}}"
                : "\(names) stand in one command: write a line for each"
            throw Failure(Fault(what, file: name, line: number))
        }
        // A command is read as part of a request, as the daemon reads it.
        var request = Array("{\"table\":\"t\",\"command\":".utf8)
        request += line
        request += "}".utf8
        let decoded = request.withUnsafeBytes { Decode.request($0, form: .json) }
        switch decoded.result {
        case .success(let request):
            if case .command(let command) = request.verb { return command }
            throw Failure(Fault("no command stands here", file: name, line: number))
        case .failure(let rejection):
            let field = rejection.field.map { $0.hasPrefix("command.") ? $0.dropFirst(8) : $0[...] }
            throw Failure(
                Fault(
                    rejection.message, file: name, line: number,
                    path: field.map { String($0) } ?? ""))
        }
    }
}

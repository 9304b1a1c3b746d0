import ArgumentParser
import TableModel
import TableSync

/// A condition that every command can have. The daemon checks it in the turn that carries the command out.
struct ConditionOptions: ParsableArguments {
    @Option(help: .value("revision", "Refuse the command unless the table is at this revision."))
    var ifRevision: UInt64?
    @Option(
        name: .customLong("if"),
        help: .value(
            "predicate",
            "Refuse the command unless this is true: of each row that it names, else of the table.")
    )
    var predicate: String?

    /// The end of a usage line, for these options and those of every verb.
    static let usage = "[--if-revision <revision>] [--if <predicate>] [<options>]"

    /// The command with these conditions.
    func command(_ verb: Command.Verb) throws(Failure) -> Command {
        guard let predicate else { return Command(verb, ifRevision: ifRevision) }
        let condition = try RowChoiceOptions.parsed(predicate, "--if") {
            text throws(PredicateFault) in try CommandCondition(text, on: verb)
        }
        return Command(verb, ifRevision: ifRevision, if: condition)
    }
}

/// The conditions that a command about rows can have.
struct RowConditionOptions: ParsableArguments {
    @Option(
        help: .value(
            "version", "Refuse the command unless the row has this version, the one that you saw."))
    var ifVersion: UInt64?
    @Flag(help: "Refuse the command unless you have claimed the rows.") var ifClaimed = false
    @OptionGroup var table: ConditionOptions

    /// The end of a usage line.
    static let usage = "[--if-version <version>] [--if-claimed] \(ConditionOptions.usage)"

    /// The command with these conditions.
    func command(_ verb: Command.Verb) throws(Failure) -> Command {
        var command = try table.command(verb)
        (command.ifVersion, command.ifClaimed) = (ifVersion, ifClaimed)
        return command
    }
}

extension Connection {
    func perform(
        _ verb: Command.Verb, on table: String, _ condition: ConditionOptions
    ) throws -> Reply { try perform(.command(condition.command(verb)), on: table) }

    func perform(
        _ verb: Command.Verb, on table: String, _ condition: RowConditionOptions
    ) throws -> Reply {
        if condition.ifClaimed { try needName() }
        return try perform(.command(condition.command(verb)), on: table)
    }
}

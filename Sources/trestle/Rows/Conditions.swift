import ArgumentParser
import TableModel
import TableSync

/// A condition that every command can have. The daemon checks it in the turn that carries the command out.
struct ConditionOptions: ParsableArguments {
    @Option(help: .value("revision", "Refuse the command unless the table is at this revision."))
    var ifRevision: UInt64?
}

/// The conditions that a command about rows can have.
struct RowConditionOptions: ParsableArguments {
    @Option(
        help: .value(
            "version", "Refuse the command unless the row has this version, the one that you saw."))
    var ifVersion: UInt64?
    @Flag(help: "Refuse the command unless you have claimed the rows.") var ifClaimed = false
    @OptionGroup var table: ConditionOptions
}

extension Connection {
    func perform(
        _ verb: Command.Verb, on table: String, _ condition: ConditionOptions
    ) throws -> Reply {
        try perform(.command(Command(verb, ifRevision: condition.ifRevision)), on: table)
    }

    func perform(
        _ verb: Command.Verb, on table: String, _ condition: RowConditionOptions
    ) throws -> Reply {
        if condition.ifClaimed { try needName() }
        let command = Command(
            verb, ifRevision: condition.table.ifRevision, ifVersion: condition.ifVersion,
            ifClaimed: condition.ifClaimed)
        return try perform(.command(command), on: table)
    }
}

import ArgumentParser
import TableModel
import TableSync

struct RetryVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Perform again what has failed on rows.",
        usage: """
            trestle retry <table> \(EachSectionOptions.usage) [--action <action>] [--item <item>] \
            \(RowConditionOptions.usage)
            """,
        discussion: """
            An action that has failed is performed once more, with all its attempts anew. One that \
            failed and waits for its next attempt need not wait any longer. If nothing of a row has \
            failed, it is refused (notFailed), and nothing is done. Where several actions of a row \
            have failed, --action says which is meant.

              trestle retry jobs j41 j42
              trestle retry board t41 --action page
              trestle retry jobs --where 'field.state == "failed"' --action run
            """)

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Argument(help: "The rows' ids.", completion: Live.rows) var rows: [String] = []
    @OptionGroup var many: EachSectionOptions
    @Option(help: "The action that has failed.", completion: Live.actions) var action: String?
    @Option(help: "The item of the strip on which it has failed.") var item: String?
    @OptionGroup var condition: RowConditionOptions
    @OptionGroup var options: Options

    func validate() throws { try many.each.check(hasRows: !rows.isEmpty, "<rows> ...") }

    func carryOut(_ connection: Connection) throws {
        let isDone = try connection.carryOutEach(
            retry(Command.Each.noRow), many.each, in: many.section, of: table, deed: "retried",
            condition.command)
        if isDone { return }
        if condition.ifClaimed { try connection.needName() }
        let commands = try rows.map { try condition.command(retry(ID($0))) }
        let reply = try connection.perform(
            commands.count == 1 ? .command(commands[0]) : .batch(commands, ifRevision: nil),
            on: table)
        try connection.show(reply, rows.map { "retried \($0)" })
    }

    private func retry(_ row: RowID) -> Command.Verb {
        .retry(row, action: action.map { ID($0) }, item: item.map { ID($0) })
    }
}

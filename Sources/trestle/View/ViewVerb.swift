import ArgumentParser
import TableClient
import TableModel
import TablePredicate
import TableTerminal
import TableTransport

struct ViewVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "view", abstract: "Work at a table on a terminal, with keys and mouse.",
        usage: """
            trestle view <table> [--no-mouse] [--dense] [--section <section> ...] [--language <code>] \
            [--filter <predicate>] [--sort <keys>] [--kiosk] [<options>]
            """,
        discussion: """
            Space expands a row. ← and → reveal its swipe actions; Enter or a digit performs one. \
            m lifts a row, j and k move it, Enter drops it. With the mouse, drag a row sideways to \
            swipe it, and up or down to move it. `/` filters, `?` lists all keys, q quits.

            The first line says how fresh the rows are: live, stale, or disconnected. The viewer \
            survives restarts of the daemon; while the daemon is away nothing can be changed. The \
            viewer waits for a daemon or a table that is not there yet, with --timeout no longer \
            than that.

            --section, --filter, --sort and --kiosk make a station's screen of it: some sections, \
            some rows, in an order of their own. The table's order stays as it is, so rows are \
            not moved on a sorted screen. Keys are the names of properties in predicates (see \
            `trestle help wait`) and age; - turns one round. -age shows the oldest first.

              trestle view kitchen --section grill --filter 'field.state != "done"' --sort -age --kiosk

            The viewer speaks the language of LC_ALL, LC_MESSAGES or LANG, or of --language. :table \
            shows another table.

            The key `view` of trestle/client.yaml configures keys, colours and the mouse: see \
            docs/VIEW.md.
            """)

    static var forms: [OutputForm] { [.table, .wide] }

    @Argument(help: "The table.") var table: String
    @Flag(help: "Leave the mouse to the terminal.") var noMouse = false
    @Flag(help: "One line for a row.") var dense = false
    @Option(
        help: .value("section", "Only this section; may be repeated."), completion: Live.sections)
    var section: [String] = []
    @Option(help: .value("code", "The language: \(ViewConfiguration.languages)."))
    var language: String?
    @Option(help: .value("predicate", "Only rows for which this is true."))
    var filter: String?
    @Option(
        help: .value(
            "keys", "Order each section by these properties, as in -age,field.table."),
        completion: Live.properties)
    var sort: String?
    @Flag(help: "A station's screen: only Ctrl-C and signals end it.") var kiosk = false
    @OptionGroup var options: Options

    func carryOut(_ connection: Connection) throws {
        guard Output.isTerminal, Output.canAsk, Output.environment("TERM") != "dumb" else {
            throw Failure(.usage, "view needs a terminal; `trestle watch` writes to pipes")
        }
        var configuration = try ViewConfiguration.find()
        if noMouse { configuration.hasMouse = false }
        if dense { configuration.isDense = true }
        if let language {
            guard let words = Wording(language) else {
                let all = ViewConfiguration.languages
                throw Failure(.usage, "--language: there is no \"\(language)\": there are \(all)")
            }
            configuration.words = words
        }
        configuration.station = Station(
            sections: section.map { ID($0) },
            condition: try filter.map {
                ($0, try RowChoiceOptions.parsed($0, "--filter", RowPredicate.init))
            },
            order: try sort.map {
                ($0, try RowChoiceOptions.parsed($0, "--sort", RowKey.list))
            }, isKiosk: kiosk)
        // Before any other thread is there, which would take the signals.
        let signals = try SignalDescriptor(ViewLoop.signals)
        ViewEnding.prepare()
        let viewer = try ViewConnection(ID(table), connection)
        let deadline = connection.timeoutMs.map { Deadline(inMilliseconds: $0) }
        try ViewLoop(viewer, configuration, signals, by: deadline).run()
    }
}

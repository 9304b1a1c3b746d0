import ArgumentParser
import TableClient
import TableModel
import TableTerminal
import TableTransport

struct ViewVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "view", abstract: "Work at a table on a terminal, with keys and mouse.",
        discussion: """
            Rows open with Space; ← and → reveal their swipe actions, which Enter or digits \
            perform; m lifts a row, j and k move it, Enter drops it. With the mouse: drag a row \
            sideways to swipe it, up or down to move it. `/` filters, `?` lists all keys, q quits.

            The first line says how fresh the rows are: live, stale, or disconnected. Restarts of \
            the daemon are survived; while it is away nothing can be changed. A daemon or a table \
            that is not there yet is waited for; with --timeout no longer than that.

            Keys, colours and the mouse are configured under `view` in trestle/client.yaml: see \
            docs/VIEW.md.
            """)

    static var forms: [OutputForm] { [.table, .wide] }

    @Argument(help: "The table.") var table: String
    @Flag(help: "Leave the mouse to the terminal.") var noMouse = false
    @Flag(help: "One line for a row.") var dense = false
    @OptionGroup var options: Options

    func carryOut(_ session: Session) throws {
        guard Output.isTerminal, isInputTerminal, Output.environment("TERM") != "dumb" else {
            throw Failure(
                .usage, "usage", "view needs a terminal; `trestle watch` writes to pipes")
        }
        var configuration = try ViewConfiguration.find()
        if noMouse { configuration.hasMouse = false }
        if dense { configuration.isDense = true }
        // Before any other thread is there, which would take the signals.
        let signals = try SignalDescriptor(ViewLoop.signals)
        ViewEnding.prepare()
        let connection = try ViewConnection(ID(table), session)
        let deadline = session.timeoutMs.map { Deadline(inMilliseconds: $0) }
        try ViewLoop(connection, configuration, signals, by: deadline).run()
    }
}

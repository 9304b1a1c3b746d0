import ArgumentParser
import Glibc
import TableClient
import TableModel
import TableSync

/// The rows that a worker is ready for.
struct NextOptions: ParsableArguments {
    @Option(help: .value("section", "Only rows in this section."), completion: Live.sections)
    var section: String?
    @Option(
        name: .customLong("where"),
        help: .value("predicate", "Only rows for which this is true of the row alone."))
    var condition: String?

    var isEmpty: Bool { section == nil && condition == nil }

    func next(action: ID?) throws(Failure) -> Command.Next {
        let parsed = condition.map { RowCondition($0) }
        if let condition, let fault = parsed?.fault {
            throw Failure(fault, in: condition, of: "--where")
        }
        return Command.Next(action: action, section: section.map { ID($0) }, where: parsed)
    }
}

struct NextVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "next", abstract: "Get the next row that nobody works on.",
        usage: """
            trestle next <table> [--section <section>] [--where <predicate>] [--act <action>] \
            [--ttl <seconds>] [--note <note>] [--count <n>] [--wait] [<options>]
            """,
        discussion: """
            The daemon picks the first row in order that is neither claimed nor waits for a \
            handler, and claims it for you: two workers never get the same row. The claim ends \
            after --ttl, 60 seconds if nothing is said, and another worker may get the row. Claim it \
            again to keep it, remove or move it when it is done, unclaim it to give it back.

            Nothing is free: it ends with 66, and with 1 where a pause may be why. With --wait it \
            waits for a row, behind those that wait already, and ends with 75 at the --timeout.

            --act performs an action on the row too, in the same revision. What was pressed already and \
            waits for a handler comes first, in whatever section it is. An action with the \
            effect `invoke` is for `handle --next`, which runs a program, tells the daemon how \
            it ended, and says meanwhile that it is there.

            --where takes a predicate about the row alone: title, kind, state, items, field.NAME.

              trestle --as ada next jobs --section queued
              trestle --as ada -o name next jobs --where 'field.size < 10' --wait
              trestle --as ada next jobs --section queued --act start --ttl 600
            """)

    static var outlivesDaemon: Bool { true }

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @OptionGroup var choice: NextOptions
    @Option(name: .customLong("act"), help: "Perform this action on it.", completion: Live.actions)
    var action: String?
    @Option(help: .value("seconds", "The claim ends after this time (1 to 86400; 60)."))
    var ttl: Double?
    @Option(help: "Why you claim it.") var note: String?
    @Flag(help: "Wait until there is a row.") var wait = false
    @Option(help: .value("n", "Get up to this many rows.")) var count = 1
    @OptionGroup var options: Options

    func validate() throws {
        try TimeToLive.check(ttl)
        guard (1...Limits().takenInvocations).contains(count) else {
            throw ValidationError("--count takes a number from 1 to \(Limits().takenInvocations).")
        }
    }

    func carryOut(_ connection: Connection) throws {
        try connection.needName()
        var next = try choice.next(action: action.map { ID($0) })
        next.most = count
        if let ttl { next.ttlSeconds = ttl }
        if let note { next.note = note }
        if wait { connection.sayUnknownAction(action, of: table) }
        let reply =
            try wait && !connection.isExplaining
            ? waited(for: next, connection) : ask(next, connection)
        guard !reply.landings.isEmpty else {
            if !wait { connection.sayUnknownAction(action, of: table) }
            let paused = try connection.pauses(of: table).filter { $0.scope.mayStop(next) }
            let nothing = "No row of \(table) is free that fits."
            if paused.isEmpty { throw Failure(.noSuchThing, code: "nothingFree", nothing) }
            let why = paused.map { " Paused: \($0.subject), by \($0.reason)." }.joined()
            throw Failure(.refused, code: "paused", nothing + why)
        }
        let places = reply.landings.map { landing in
            "\(landing.row.text) is yours" + (landing.section.map { ", in \($0.text)" } ?? "")
        }
        try connection.show(reply, places.map { $0 + reply.suffix })
    }

    private func ask(_ next: Command.Next, _ connection: Connection) throws -> Reply {
        try connection.perform(.command(Command(.next(next))), on: table)
    }

    /// The daemon answers when a row that fits is free: those that wait are served in the order in which they came.
    private func waited(for next: Command.Next, _ connection: Connection) throws -> Reply {
        let end = connection.timeoutMs.map { monotonicMs() + $0 }
        var next = next
        while true {
            let now = monotonicMs()
            if let end, now >= end {
                throw Failure(.timeout, "No row of \(table) became free in time.")
            }
            let seconds = end.map { Double($0 - now) / 1_000 } ?? Command.Next.mostWaitSeconds
            next.waitSeconds = min(seconds, Command.Next.mostWaitSeconds)
            do {
                let reply = try connection.perform(
                    .command(Command(.next(next))), on: table, waiting: next.waitSeconds)
                if !reply.landings.isEmpty { return reply }
                // Where too many wait, the answer comes at once.
                usleep(250_000)
            } catch let failure as Failure where failure.code == "unknown" {
                // The daemon has forgotten this client, which waited for long. A row that it got all the same is free
                // again when its claim ends.
            }
        }
    }
}

extension Pause.Scope {
    /// Whether a pause of this may be why `next` finds nothing.
    fileprivate func mayStop(_ next: Command.Next) -> Bool {
        (section == nil || next.section == nil || section == next.section)
            && (action == nil || action == next.action)
    }
}

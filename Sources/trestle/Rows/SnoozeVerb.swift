import ArgumentParser
import TableModel
import TablePredicate

struct SnoozeVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "snooze", abstract: "Put rows off until a time, or wake them.",
        usage: """
            trestle snooze <table> \(EachSectionOptions.usage) \
            (--until <time> | --for <duration> | --end) [--top] \(RowConditionOptions.usage)
            """,
        discussion: """
            A row that sleeps stays where it is and is shown dimmed, with the time until which it sleeps in place of \
            its age. It is not late, and `trestle next` passes it over. The daemon wakes it at that time, also after \
            a restart; with --top it comes to the top of its section then. --end wakes it now.

              trestle snooze board t41 --until 14:00
              trestle snooze board t41 t42 --for 10m --top
              trestle snooze board --where 'asleep and wakes > "18:00"' --end --yes

            --until is today's or else tomorrow's time of day, in the time zone of this machine. Viewers, `wait` and \
            `watch` know the conditions asleep and wakes. With --where it is about all rows that the condition fits, \
            as `trestle help set` says. An action that was pressed already goes on while its row sleeps.
            """)

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Argument(help: "The rows' ids.", completion: Live.rows) var rows: [String] = []
    @OptionGroup var many: EachSectionOptions
    @Option(help: .value("time", "The time of day at which they wake, as 14:00.")) var until:
        String?
    @Option(name: .customLong("for"), help: .value("duration", "They wake after this, as 1h30m."))
    var duration: String?
    @Flag(help: "Wake them now.") var end = false
    @Flag(help: "Then they come to the top of their section.") var top = false
    @OptionGroup var condition: RowConditionOptions
    @OptionGroup var options: Options

    func validate() throws {
        try many.each.check(hasRows: !rows.isEmpty, "<rows> ...")
        try Alternatives.check(
            ["--until": until != nil, "--for": duration != nil, "--end": end], isNeeded: true)
        if top, end { throw ValidationError("--top goes with --until or --for.") }
        _ = try snooze()
    }

    /// Nil: the rows wake now.
    private func snooze() throws -> Command.Snooze? {
        if let until {
            guard let timeMs = PredicateClock.here.next(until) else {
                throw ValidationError(
                    "--until takes a time of day such as 14:00, not \"\(until)\".")
            }
            return Command.Snooze(.at(timeMs), isToTop: top)
        }
        guard let duration else { return nil }
        guard let seconds = seconds(ofDuration: duration), (0.001...1e9).contains(seconds) else {
            throw ValidationError(
                "--for takes a duration such as 10m or 1h30m, not \"\(duration)\".")
        }
        return Command.Snooze(.after(UInt64(seconds * 1_000)), isToTop: top)
    }

    func carryOut(_ connection: Connection) throws {
        let verb = Command.Verb.snooze(Few(rows.map { ID($0) }), try snooze())
        let isDone = try connection.carryOutEach(
            verb, many.each, in: many.section, of: table, deed: end ? "woke" : "put off",
            condition.command)
        if isDone { return }
        let reply = try connection.perform(verb, on: table, condition)
        let state = untilSaid ?? duration.map { "sleeps for \($0)" }
        try connection.show(reply, rows.map { "\($0) \(state ?? "is awake")\(reply.suffix)" })
    }

    /// A time of day that has passed is tomorrow's, which is said.
    private var untilSaid: String? {
        guard let until else { return nil }
        let clock = PredicateClock.here
        let isToday =
            clock.next(until).map { clock.day(of: $0) == clock.day(of: clock.nowMs) } ?? true
        return "sleeps until \(until)\(isToday ? "" : " tomorrow")"
    }
}

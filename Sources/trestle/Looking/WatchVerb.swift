import ArgumentParser
import TableClient
import TableModel
import TableSync
import TableTransport

struct WatchVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Follow a table: its state, then every change.",
        discussion: """
            Through a pipe, and with -o json or ndjson, it prints one JSON object per line, each \
            at once. The first line is the state, as `show -o json` gives it. Every further line \
            is one revision: {"table","epoch","base","revision","digest","cause","ops"}. Each \
            revision comes once and in order, also across restarts of the daemon. If revisions are \
            no longer kept, or the daemon has another history, a new state line follows: go on \
            from there. On a terminal, if no option leaves revisions out, it shows the table itself, \
            with a line that says how fresh it is.

            With --since REV there is no state line: the first line is the revision after REV. If \
            those revisions are no longer kept, the state comes instead.

            --row, --section, --verb and --where leave revisions out. A revision that is printed \
            fits all of them, and is printed whole. For revisions from before the watch (--since) the \
            rows count as they are now. If a row is gone by now, the revision is printed. `trestle help \
            wait` explains predicates. If --where names times, such as late or age > 10m, a line comes \
            also at the moment at which time alone makes it true of rows: \
            {"table","epoch","revision","timeMs","fits":[ids]}. It counts for --count.

            --count N ends it after N printed revisions. --timeout ends it after that time, with \
            exit code 75 if --count was not reached or no state came, and with 74 if the reader of \
            standard output takes nothing. If the table is dropped, it ends with 66.

              trestle watch board --count 1 --timeout 30 | jq .revision
              trestle watch board --where 'section == "grill" and field.late == "yes"'
            """)

    static var outlivesDaemon: Bool { true }
    static var forms: [OutputForm] { [.table, .wide, .json, .ndjson] }

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Option(help: .value("revision", "Continue after this revision.")) var since: UInt64?
    @Option(help: .value("n", "End after this many revisions.")) var count: Int?
    @OptionGroup var filters: WatchFilterOptions
    @OptionGroup var options: Options

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count takes a number from 1.") }
    }

    func carryOut(_ connection: Connection) throws {
        let filter = try filters.filter()
        let end = Deadline(inMilliseconds: connection.timeoutMs)
        let client = try connection.client()
        Output.isPatient.store(false, ordering: .relaxed)
        // A daemon that is not there at the start is an error; later it is waited for.
        _ = try client.hello(by: connection.deadline)
        let follower = try Follower(
            ID(table), client: client, attends: true, by: connection.deadline)
        defer { try? follower.leave() }
        let forPeople = connection.form == .table || connection.form == .wide
        if Output.isTerminal, forPeople, filter == nil {
            let screen = WatchScreen(follower, isWide: connection.form == .wide, count: count)
            return try screen.run(until: end)
        }
        let lines = WatchLines(
            follower, client: client, since: since, count: count, filter: filter, until: end)
        try lines.run()
    }
}

/// `watch` for programs: lines of JSON.
final class WatchLines {
    private let follower: Follower
    private let client: Client
    /// Where to go on from, until that is done.
    private var since: UInt64?
    /// How many more revisions to print.
    private var left: Int?
    /// The revision that was printed last; nil before the first line.
    private var last: UInt64?

    private let filter: WatchFilter?
    private var isLookedAt = false
    private let end: Deadline
    private let output = LineOutput(1, room: .max)
    /// The time was over before all that had led to the state was here: what is behind that is not printed.
    private var isOver = false

    init(
        _ follower: Follower, client: Client, since: UInt64?, count: Int?, filter: WatchFilter?,
        until end: Deadline
    ) {
        self.end = end
        self.follower = follower
        self.client = client
        self.since = since
        self.filter = filter
        left = count
        guard let filter else { return }
        follower.replica.onDiff = { diff, isApplied in
            guard let table = follower.replica.table else { return }
            filter.note(diff, on: table, isApplied: isApplied, at: follower.clock)
        }
    }

    func run() throws {
        while left != 0 {
            let steps = try follower.next(
                withinMilliseconds: follower.pauseMs(before: filter?.nextMs))
            for step in steps where left != 0 && !isOver { try handle(step) }
            try look(after: steps)
            if Output.readerIsGone { return }
            guard end.hasPassed, left != 0 else { continue }
            if last == nil { throw WatchVerb.nothingCame }
            return try WatchVerb.timedOut(left)
        }
    }

    private func handle(_ step: Replica.Step) throws {
        switch step {
        case .installed: try begin()
        case .applied(let diff): try print(diff, isWanted: filter?.wants(diff) ?? true)
        case .absent: throw WatchVerb.absent(follower.replica.name, wasThere: last != nil)
        case .compared(.rolledBack):
            Output.complain("trestle: the daemon has lost revisions that were printed")
        case .compared(.diverged): Output.complain("trestle: the daemon has another history")
        case .mismatch(let what):
            Output.complain("trestle: what was held was wrong, and is fetched anew: \(what)")
        case .compared, .subscribe, .ask: break
        }
    }

    /// A whole table has come: the state line, or with `--since` what led to it.
    private func begin() throws {
        guard let table = follower.replica.table, let epoch = follower.replica.epoch else { return }
        if let since {
            self.since = nil
            if try replay(after: since, upTo: table.revision, table.history) { return }
        }
        // Later steps of the same turn may be in the table already: they are not printed again.
        last = table.revision
        try put(Documents.state(table, epoch: epoch))
    }

    /// The time also ends what a reader does not take.
    private func put(_ json: String) throws(Failure) {
        try Output.write(json.escapedInJSON + "\n", to: output) { !end.hasPassed }
    }

    /// Prints the rows that a condition has come to fit by the time alone.
    private func look(after steps: [Replica.Step]) throws {
        guard let filter, let table = follower.replica.table, let epoch = follower.replica.epoch,
            last != nil, left != 0, follower.knowsDaemonTime
        else { return }
        let clock = follower.clock
        let isDue = filter.nextMs.map { clock.nowMs >= $0 } ?? false
        guard isDue || !isLookedAt || !steps.isEmpty else { return }
        let isNew =
            !isLookedAt || steps.contains { if case .installed = $0 { true } else { false } }
        let rows = filter.look(at: table, clock, isNew: isNew)
        isLookedAt = true
        if rows.isEmpty { return }
        try put(Documents.fitting(rows, of: table, epoch: epoch, timeMs: clock.nowMs))
        left = left.map { $0 - 1 }
    }

    private func print(_ diff: Diff, isWanted: Bool) throws {
        guard let last, diff.revision > last, left != 0, let epoch = follower.replica.epoch
        else { return }
        guard isWanted else {
            self.last = diff.revision
            return
        }
        try put(Documents.change(diff, of: follower.replica.name, epoch: epoch))
        self.last = diff.revision
        left = left.map { $0 - 1 }
    }

    /// Prints the revisions from `start` to `head`; false where they are not to be had.
    private func replay(after start: UInt64, upTo head: UInt64, _ history: ID128) throws -> Bool {
        guard start <= head else { return false }
        last = start
        while let at = last, at < head, left != 0 {
            // A daemon that is away comes back: it is waited for here too.
            let reply: Reply
            do {
                reply = try client.ask(
                    .replay(history: history, since: at), about: follower.replica.name, by: end)
            } catch ClientError.timeout where end.hasPassed {
                isOver = true
                return true
            }
            guard case .replay(let publication, _) = reply.answer else { return false }
            for diff in publication.diffs where diff.base == last {
                let table = follower.replica.table
                let isWanted = filter.flatMap { filter in
                    table.map { filter.wants(past: diff, now: $0) }
                }
                try print(diff, isWanted: isWanted ?? true)
            }
            if last == at { return false }
        }
        return true
    }
}

extension Follower {
    /// Returns when the whole table is here.
    func waitForTable(by deadline: Deadline) throws {
        while replica.table == nil {
            for case .absent in try next(withinMilliseconds: 50) {
                throw WatchVerb.absent(replica.name, wasThere: false)
            }
            if deadline.hasPassed { throw WatchVerb.nothingCame }
        }
    }
}

extension WatchVerb {
    /// The end at the timeout: a failure only where more was waited for.
    static func timedOut(_ left: Int?) throws(Failure) {
        guard let left else { return }
        throw Failure(.timeout, "\(left.of("more revision")) did not come in time")
    }

    static let nothingCame = Failure(.timeout, "The table's state did not come in time.")

    static func absent(_ name: TableID, wasThere: Bool) -> Failure {
        let message =
            wasThere
            ? "The table \"\(name.text)\" was dropped." : "There is no table \"\(name.text)\"."
        return Failure(Rejection(.noSuchTable, message, field: "table"))
    }
}

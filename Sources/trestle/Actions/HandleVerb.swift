import ArgumentParser
import Glibc
import StrictYAML
import TableClient
import TableModel
import TableSync
import TableTransport
import TableWire

struct HandleVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "handle", abstract: "Run a program for each pending action.",
        usage: """
            trestle handle <table> <action> [--next [--section <section>] [--where <predicate>]] \
            [--jobs <n>] [--count <n>] [<options>] -- <command> ...
            """,
        discussion: """
            The program runs once for each press of an action with the effect `invoke`. Other \
            actions, and actions that no kind and no row of the table has, are refused. Standard \
            input has the row as JSON, as it was when it was pressed. The environment has \
            TRESTLE_TABLE, _ROW, _KIND, _SECTION, _TITLE, _ACTION, _INVOCATION, _ATTEMPT, _CLIENT, \
            _PRESSED_MS, _DEADLINE, _ENDPOINT and TRESTLE_FIELD_<KEY>. TRESTLE_ITEM is the pressed \
            item of a strip. It is empty if the row was pressed. It is also empty if the item has \
            no kind and the effects do not change it. Exit status 0 means done. With any other \
            status the action has failed, and the last line of standard error says why.

            With --next nobody has to press: it presses the action itself, on the next row in \
            order that nobody works on, of --section and for which --where is true. The daemon \
            picks the row, so several workers never get the same one, and they are served in the \
            order in which they came to wait.

            Several handlers share the work. If a handler dies, another one gets its actions after \
            five seconds, with TRESTLE_ATTEMPT=2. The program may have run before: only the \
            program can know. When the deadline passes, the action has failed and the program is \
            ended. After the first SIGTERM or ^C it takes no more actions, and waits for running \
            programs. The second one ends them.

            If nobody takes what it prints, as after ^S, the work goes on. Up to 256 KiB are kept. \
            Further lines are left out, and later it says how many.

              trestle handle board page --jobs 4 -- ./page-waiter
              trestle handle jobs run --next --section queued --jobs 4 -- ./worker
            """)

    static var outlivesDaemon: Bool { true }
    static var forms: [OutputForm] { [.table, .wide, .ndjson] }

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Argument(help: "The action's id.", completion: Live.actions) var action: String
    @Argument(parsing: .postTerminator, help: "The program and its arguments, after --.")
    var command: [String] = []
    @Option(help: .value("n", "How many may run at once.")) var jobs = 1
    @Option(help: .value("n", "End after this many actions.")) var count: Int?
    @Flag(help: "Press the action too, on the next row that nobody works on.") var next = false
    @OptionGroup var choice: NextOptions
    @OptionGroup var options: Options

    func validate() throws {
        if !next, !choice.isEmpty {
            throw ValidationError("--section and --where say which rows --next is about.")
        }
        if command.isEmpty { throw ValidationError("Name the program to run, after --.") }
        guard (1...Limits().takenInvocations).contains(jobs) else {
            throw ValidationError("--jobs takes a number from 1 to \(Limits().takenInvocations).")
        }
        if let count, count < 1 { throw ValidationError("--count takes a number from 1.") }
    }

    /// Refuses a program that is not there, before any press is taken for it.
    private func checkProgram() throws(Failure) {
        let name = command[0]
        let path = Output.environment("PATH") ?? "/usr/bin:/bin"
        let places =
            name.utf8.contains(UInt8(ascii: "/"))
            ? [name] : path.split(separator: ":").map { "\($0)/\(name)" }
        if places.contains(where: Self.isProgram) { return }
        throw Failure(.io, "cannot run \(name): no such program")
    }

    /// A directory may be entered by the same permission.
    private static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return access(path, X_OK) == 0 && stat(path, &status) == 0
            && status.st_mode & S_IFMT == S_IFREG
    }

    func carryOut(_ connection: Connection) throws {
        try checkProgram()
        let feed = next ? try choice.next(action: ID(action)) : nil
        let endpoint = try Endpoint.find(flag: connection.endpoint)
        let client = try connection.client()
        _ = try client.hello(by: connection.deadline)
        let watching = try connection.client(at: endpoint)
        let follower = try Follower(ID(table), client: watching, by: connection.deadline)
        connection.tableAskedFor = ID(table)
        try HandledAction.check(ID(action), follower, by: connection.deadline)
        // Signals are taken over only now: until then nobody would look at them, and nothing is held.
        let signals = try SignalDescriptor([SIGCHLD, SIGTERM, SIGINT])
        Output.isPatient.store(false, ordering: .relaxed)
        follower.wake(on: signals.fileDescriptor)
        let handler = Handler(
            ID(table), action: ID(action), feed: feed, client: client, follower: follower)
        let end = Deadline(inMilliseconds: connection.timeoutMs)
        let work = HandleWork(self, handler, endpoint: endpoint, signals, until: end)
        handler.givesUp = { [unowned work] in work.givesUp }
        try work.run()
    }
}

/// The programs that run for a handler's invocations.
private final class HandleWork {
    private let verb: HandleVerb
    private let handler: Handler
    private let endpoint: String
    private var running: [InvocationID: (child: Child, invocation: Invocation)] = [:]
    /// Ended by us, and not yet gone.
    private var dying: [(child: Child, killAt: Deadline)] = []
    private var left: Int?
    private let signals: SignalDescriptor
    private var stops = 0
    /// The end of the wait for the daemon's word that it has left the line; nil: it is in it, or was in none.
    private var leavesBy: Deadline?
    private let deadline: Deadline
    private let output = HandleOutput()
    /// When the daemon was asked for what is waited for now.
    private var askedMs: UInt64 = 0
    /// Why it was given up; nil: there was an answer.
    private var silence: ClientError?
    /// Why the daemon does not know how something ended; nil: it knows of everything.
    private var untold: ClientError?

    /// How long the daemon may be away, as at a restart: after the deadline, and after a second request to end.
    private static let patienceMs: (late: UInt64, urgent: UInt64) = (5_000, 1_000)

    init(
        _ verb: HandleVerb, _ handler: Handler, endpoint: String,
        _ signals: consuming SignalDescriptor, until deadline: Deadline
    ) {
        self.signals = signals
        self.deadline = deadline
        self.verb = verb
        self.handler = handler
        self.endpoint = endpoint
        left = verb.count
    }

    /// A daemon that is away is waited for, but not when this has to end.
    var givesUp: Bool {
        takeSignals()
        // A program whose words nobody takes over would stand still.
        for job in running.values { job.child.pump() }
        output.flush()
        let waitedMs = monotonicMs() - askedMs
        if stops > 1 { return waitedMs >= Self.patienceMs.urgent }
        return deadline.hasPassed && waitedMs >= Self.patienceMs.late
    }

    /// Asks the daemon. Nil: it is away, and is waited for no longer.
    private func ask<T>(_ question: () throws -> T) throws -> T? {
        askedMs = monotonicMs()
        do {
            let answer = try question()
            silence = nil
            return answer
        } catch let error as ClientError where error.isSilence && givesUp {
            silence = error
            return nil
        }
    }

    /// Tells the daemon how something ended. Nil: it does not know.
    private func tell(_ report: () throws -> Handler.Receipt) throws -> Handler.Receipt? {
        // In a hurry, whoever did not hear one thing is not told the next.
        if stops > 1, untold != nil, silence != nil { return nil }
        if let receipt = try ask(report) { return receipt }
        untold = silence
        return nil
    }

    private func takeSignals() {
        while let signal = try? signals.next() {
            if signal != SIGCHLD { stops += 1 }
        }
    }

    func run() throws {
        let ending = Result { try handle() }
        output.finish {
            takeSignals()
            return stops > 0 || deadline.hasPassed
        }
        try ending.get()
        if let untold { throw Failure(.unreachable, untold.description) }
        if let unwritable = output.unwritable { throw unwritable }
        if let left, left > 0, stops > 0 {
            throw Failure(.timeout, "\(left.of("more action")) did not come in time")
        }
    }

    /// Handles actions until `count` is reached or the process is asked to end.
    private func handle() throws {
        while true {
            takeSignals()
            output.flush()
            // A reader that has gone is as if it was asked to end: programs run, which are waited for.
            if deadline.hasPassed || output.isBroken { stops = max(stops, 1) }
            // All are reaped before the daemon is told of one, which may take long: none of them may run again.
            let ended = reap()
            let stopped = stops > 1 ? stopAll() : []
            for (invocation, outcome) in ended { try end(invocation, outcome) }
            try giveBack(stopped)
            let isEnding = stops > 0 || left == 0
            if isEnding, running.isEmpty, dying.isEmpty, !isStillGiven { break }
            if stops > 1 {
                // Nothing is held any more, but what was ended takes its time.
                usleep(50_000)
                continue
            }
            let room = isEnding ? 0 : min(verb.jobs - running.count, left ?? .max)
            let pause = running.isEmpty && dying.isEmpty ? 250 : 50
            let taken = try ask { try handler.next(room: room, withinMilliseconds: pause) }
            guard let taken else { continue }
            // After a restore the same id can be that of another one, which was taken just now.
            for lost in handler.lost() { drop(lost) }
            for invocation in taken { try begin(invocation) }
        }
    }

    /// The daemon may have given it something just before it heard that nothing is wanted any more. That is run: to
    /// give it back would use up an attempt.
    private var isStillGiven: Bool {
        if stops > 1 || !handler.isAsking { return false }
        let end = leavesBy ?? Deadline(inMilliseconds: Self.patienceMs.urgent)
        leavesBy = end
        return !end.hasPassed
    }

    private func begin(_ invocation: Invocation) throws {
        guard let row = invocation.pressed else {
            return try end(invocation, .failed("the daemon did not say which row it was"))
        }
        left = left.map { $0 - 1 }
        let section = invocation.section ?? .mainSection
        let json = Encode.document(row, section: section, index: invocation.index ?? 0)
        do {
            let child = try Child(
                verb.command, environment: environment(invocation, row, section),
                input: json + "\n", pass: output.pass)
            running[invocation.id] = (child, invocation)
        } catch { try end(invocation, .failed(error.message)) }
    }

    private func environment(
        _ invocation: Invocation, _ row: Row, _ section: SectionID
    ) -> [(String, String)] {
        var variables = row.content.fields.map { field in
            ("TRESTLE_FIELD_" + field.key.text.word.uppercased(), field.value)
        }
        variables += [
            ("TRESTLE_TABLE", verb.table), ("TRESTLE_ROW", row.id.text),
            ("TRESTLE_KIND", row.content.kind.text), ("TRESTLE_SECTION", section.text),
            ("TRESTLE_TITLE", row.content.title), ("TRESTLE_ACTION", invocation.action.text),
            ("TRESTLE_INVOCATION", invocation.id.text),
            ("TRESTLE_ATTEMPT", "\(invocation.attempts)"),
            ("TRESTLE_CLIENT", invocation.client?.text ?? ""),
            ("TRESTLE_PRESSED_MS", "\(invocation.pressedMs)"),
            ("TRESTLE_DEADLINE", "\(invocation.deadlineSeconds)"),
            ("TRESTLE_ENDPOINT", endpoint), ("TRESTLE_ITEM", invocation.item?.text ?? ""),
        ]
        return variables
    }

    /// Takes out the programs that have ended by themselves, and says how.
    private func reap() -> [(Invocation, Invocation.Outcome)] {
        var ended: [(Invocation, Invocation.Outcome)] = []
        for (id, job) in running.sorted(by: { $0.key < $1.key }) {
            job.child.pump()
            guard let outcome = job.child.ended() else { continue }
            running[id] = nil
            ended.append((job.invocation, outcome))
        }
        dying.removeAll { job in
            if job.killAt.hasPassed { job.child.signal(SIGKILL) }
            return job.child.ended() != nil
        }
        return ended
    }

    private func end(_ invocation: Invocation, _ outcome: Invocation.Outcome) throws {
        if let receipt = try tell({ try handler.finish(invocation.id, outcome) }) {
            return report(invocation, outcome, receipt)
        }
        var state = "is done"
        if case .failed(let why) = outcome { state = "has failed (\(why))" }
        complain(of: invocation, "\(state), and the daemon was not told")
    }

    private func complain(of invocation: Invocation, _ what: String) {
        output.complain("trestle: \(invocation.id.text) on \(invocation.row.text) \(what)")
    }

    /// It is not ours any more: it must not go on beside the one that another handler runs.
    private func drop(_ invocation: Invocation) {
        if stop(invocation) { complain(of: invocation, "is not held any more: ended") }
    }

    /// Ends its program; false: it has ended.
    private func stop(_ invocation: Invocation) -> Bool {
        guard let job = running.removeValue(forKey: invocation.id) else { return false }
        job.child.signal(SIGTERM)
        dying.append((job.child, Deadline(inMilliseconds: 2_000)))
        return true
    }

    /// Ends all programs; returns their invocations.
    private func stopAll() -> [Invocation] {
        running.values.map(\.invocation).sorted { $0.id < $1.id }.filter(stop)
    }

    /// Releases actions whose programs were ended. Their attempts show that they were begun.
    private func giveBack(_ stopped: [Invocation]) throws {
        for invocation in stopped {
            let receipt = try tell { try handler.release(invocation.id) }
            complain(
                of: invocation,
                receipt == nil ? "was ended, and the daemon was not told" : "was ended")
        }
    }

    private func report(
        _ invocation: Invocation, _ outcome: Invocation.Outcome, _ receipt: Handler.Receipt
    ) {
        let again = invocation.attempts > 1
        var state = "done"
        var reason: String?
        if case .failed(let why) = outcome { (state, reason) = ("failed", why) }
        if verb.options.output == .ndjson {
            var pairs: Documents.Pairs = [
                ("invocation", .text(invocation.id.text)), ("table", .text(verb.table)),
                ("row", .text(invocation.row.text)), ("action", .text(invocation.action.text)),
                ("attempt", .integer(UInt64(invocation.attempts))), ("state", .text(state)),
            ]
            if let item = invocation.item { pairs.append(("item", .text(item.text))) }
            if let reason { pairs.append(("reason", .text(reason))) }
            pairs.append(("accepted", .flag(receipt == .accepted)))
            if let note = handler.note { pairs.append(("note", .text(note))) }
            return output.print(Draft.mapping(pairs).json.escapedInJSON)
        }
        var line = "\(invocation.action.text) on \(invocation.pressedName) \(state)"
        if let reason { line += ": \(reason)" }
        if again { line += " (attempt \(invocation.attempts): it may have run before)" }
        switch receipt {
        case .accepted: break
        case .tooLate: line += " (too late: it is not held any more)"
        case .unknown: line += " (nobody can tell whether the daemon knows: look at the table)"
        }
        if let note = handler.note { line += " (\(note))" }
        output.print(TextLine(line).rendered)
    }
}

extension ClientError {
    /// The daemon is away, or busy for long.
    fileprivate var isSilence: Bool {
        switch self {
        case .unreachable, .timeout: return true
        case .notPermitted, .protocolMismatch, .refused: return false
        }
    }
}

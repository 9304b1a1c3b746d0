import ArgumentParser
import Glibc
import TableClient
import TableModel
import TableSync
import TableTransport
import TableWire

struct RecordVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Write down what happens to a table, to be replayed.",
        discussion: """
            The file gets the table as it is, and then each revision with its time, cause, steps \
            and digest: one JSON object per line, each written at once (docs/SESSIONS.md). An \
            existing file is replaced. The recording goes on across restarts of the daemon. ^C, \
            SIGTERM and the table's removal end it with exit code 0. --count N ends it after N \
            revisions. --timeout ends it too, with 75 if --count was not reached.

              trestle record board shift.session &
              trestle replay shift.session --speed 10
            """)

    static var outlivesDaemon: Bool { true }
    static var forms: [OutputForm] { [.table, .wide, .json] }

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Argument(help: "The file; - is standard output.", completion: .file()) var file: String
    @Option(help: .value("n", "End after this many revisions.")) var count: Int?
    @OptionGroup var options: Options

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count takes a number from 1.") }
    }

    func carryOut(_ connection: Connection) throws {
        let end = Deadline(inMilliseconds: connection.timeoutMs)
        let client = try connection.client()
        _ = try client.hello(by: connection.deadline)
        // Signals are taken over only now: until the daemon has answered nobody would look at them.
        let signals = try SignalDescriptor([SIGTERM, SIGINT])
        let follower = try Follower(ID(table), client: client, by: connection.deadline)
        follower.wake(on: signals.fileDescriptor)
        Output.isPatient.store(false, ordering: .relaxed)
        let recording = Recording(follower, signals, file: file, count: count, until: end)
        if try !recording.run() { try WatchVerb.timedOut(recording.left ?? 0) }
        try show(recording, connection)
    }

    private func show(_ recording: Recording, _ connection: Connection) throws {
        // Standard output has the recording itself.
        if file == "-" { return }
        let reply = Reply(
            table: ID(table), epoch: recording.epoch, revision: recording.last,
            .done(rows: [], unchanged: false))
        let figures: Documents.Pairs = [("revisions", .integer(UInt64(recording.written)))]
        let last = recording.last.map { ", to revision \($0)" } ?? ""
        try connection.show(
            reply, adding: [("recorded", .mapping(figures))], names: [file],
            lines: { _ in [TextLine("\(recording.written.of("revision"))\(last)")] })
    }
}

/// A recording that is being written.
private final class Recording {
    private let follower: Follower
    private let path: String
    private var file: OutputFile?
    private(set) var left: Int?
    private(set) var last: UInt64?
    private(set) var written = 0
    var epoch: ID128 { follower.replica.epoch ?? ID128(high: 0, low: 0) }

    private let signals: SignalDescriptor
    private var isStopped = false
    private let end: Deadline
    private let output = LineOutput(1, room: .max)

    init(
        _ follower: Follower, _ signals: consuming SignalDescriptor, file: String, count: Int?,
        until end: Deadline
    ) {
        self.follower = follower
        self.signals = signals
        self.end = end
        path = file
        left = count
    }

    /// False where the time was over before what was wanted had come.
    func run() throws -> Bool {
        while left != 0 {
            for step in try follower.next(withinMilliseconds: 100) where left != 0 {
                if case .absent = step {
                    if last != nil { return true }
                    throw WatchVerb.absent(follower.replica.name, wasThere: false)
                }
                try handle(step)
            }
            if isToStop { return true }
            if path == "-", Output.readerIsGone { return true }
            guard end.hasPassed, left != 0 else { continue }
            if last == nil { throw WatchVerb.nothingCame }
            return left == nil
        }
        return true
    }

    private var isToStop: Bool {
        while let signal = try? signals.next() {
            if signal == SIGTERM || signal == SIGINT { isStopped = true }
        }
        return isStopped
    }

    private func handle(_ step: Replica.Step) throws {
        guard let table = follower.replica.table, let epoch = follower.replica.epoch else { return }
        switch step {
        case .installed:
            if last == nil { try begin(table) }
            try write(.state(SessionState(table, epoch: epoch, atMs: wallClockMs())))
            last = table.revision
        case .applied(let diff):
            // What came in the same turn as the table is in it already.
            guard let last, diff.revision > last else { return }
            let change = ChangeDocument(table: table.name, epoch: epoch, diff: diff)
            try write(.change(change, atMs: wallClockMs()))
            self.last = diff.revision
            written += 1
            left = left.map { $0 - 1 }
        default: break
        }
    }

    private func begin(_ table: Table) throws {
        if path != "-" { file = try OutputFile(path) }
        try write(.header(SessionHeader(table: table.name, atMs: wallClockMs())))
    }

    private func write(_ line: SessionLine) throws {
        let text = Encode.sessionLine(line).escapedInJSON + "\n"
        if let file { return try file.write(text) }
        // A reader that stands still must not keep it from its end.
        try Output.write(text, to: output) { !isToStop && !end.hasPassed }
    }
}

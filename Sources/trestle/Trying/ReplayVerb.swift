import ArgumentParser
import Glibc
import TableClient
import TableModel
import TableSync
import TableWire

struct ReplayVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Play a recorded connection, to look at or into another daemon.",
        usage: """
            trestle replay <file> [--speed <n>] [--into <url> [--to <table>]] [<options>]
            """,
        discussion: """
            Without --into it prints what `watch` would have printed: the state and each revision \
            through a pipe, the table itself on a terminal. Time passes as it did then. With \
            --speed N it passes N times as fast; with --speed 0 there is no waiting. No daemon is \
            needed.

            With --into another daemon carries the session out, in a table that it does not have \
            yet. Each revision becomes commands that lead to the same steps, at the same time of \
            day. Start that daemon with `trestled --virtual-clock`. There is no waiting unless \
            --speed is given. If the first revision cannot be carried out, the new table is \
            dropped again.

            Every digest of the session is compared with the table's, and with --into also with \
            the daemon's. If one differs, the replay ends with 65 and says where.

              trestle replay shift.session --speed 10
              trestle replay shift.session --speed 0 > /dev/null && echo sound
              trestle replay shift.session --into ipc:///tmp/fresh/request.sock
            """)

    static var forms: [OutputForm] { [.table, .wide, .json, .ndjson] }

    @Argument(help: "The file; - is standard input.", completion: .file()) var file: String
    @Option(help: .value("n", "How fast time passes (default: 1).")) var speed: Double?
    @Option(help: .value("url", "The daemon to carry it out.")) var into: String?
    @Option(
        name: .customLong("to"),
        help: .value("table", "With --into: the new table's name."))
    var name: String?
    @OptionGroup var options: Options

    func validate() throws {
        if let speed, !speed.isFinite || speed < 0 || speed > 1e6 {
            throw ValidationError("--speed takes a number from 0 to 1000000.")
        }
        if name != nil, into == nil { throw ValidationError("--to goes with --into.") }
    }

    func carryOut(_ connection: Connection) throws {
        let source = try RecordingFile(file)
        let clock = VirtualClock(speed: speed ?? (into == nil ? 1 : 0))
        if let into {
            let endpoint = try Endpoint.find(flag: into, option: "--into")
            let replay = try DaemonReplay(
                source, clock, endpoint: endpoint, table: name, timeoutMs: connection.timeoutMs)
            return try replay.run(connection)
        }
        let forPeople = connection.form == .table || connection.form == .wide
        let painter =
            Output.isTerminal && forPeople ? ScreenPainter(isWide: connection.form == .wide) : nil
        try LocalReplay(source, clock, painter).run()
    }
}

/// Time as it passed when the recording was made, or faster.
struct VirtualClock {
    let speed: Double
    private var began: (recordedMs: UInt64, monotonicMs: UInt64)?

    init(speed: Double) { self.speed = speed }

    /// Waits until it is this time, milliseconds since 1970.
    mutating func wait(until recordedMs: UInt64) {
        guard speed > 0 else { return }
        guard let began else {
            self.began = (recordedMs, monotonicMs())
            return
        }
        // The recorder's date may have been set back.
        let passed = recordedMs > began.recordedMs ? recordedMs - began.recordedMs : 0
        // A file's times may be any: more than a year is never waited for.
        let wait = UInt64(min(Double(passed) / speed, 365 * 86_400_000))
        let due = began.monotonicMs + wait
        while true {
            let now = monotonicMs()
            guard now < due, !Output.readerIsGone else { return }
            usleep(UInt32(min(due - now, 200) * 1_000))
        }
    }
}

/// Plays a recording on a table of its own, and prints it.
private final class LocalReplay {
    private let source: RecordingFile
    private var clock: VirtualClock
    private let painter: ScreenPainter?
    private var table: Table?

    init(_ source: RecordingFile, _ clock: VirtualClock, _ painter: ScreenPainter?) {
        self.source = source
        self.clock = clock
        self.painter = painter
    }

    func run() throws {
        while let line = try source.next() {
            switch line {
            case .header: break
            case .state(let state):
                clock.wait(until: state.atMs)
                let table = try source.table(of: state)
                try show(table) { Documents.state(table, epoch: state.document.epoch) }
            case .change(let change, let atMs):
                clock.wait(until: atMs)
                let table = try source.apply(change.diff, to: table)
                try show(table) { Encode.document(change) }
            }
        }
        if let table { try painter?.end(table, status: Self.status(table)) }
    }

    private func show(_ table: Table, _ line: () -> String) throws {
        self.table = table
        guard let painter else { return try Output.line(json: line()) }
        try painter.draw(table, status: Self.status(table))
    }

    private static func status(_ table: Table) -> String {
        "\(table.name.text) at revision \(table.revision): replayed"
    }
}

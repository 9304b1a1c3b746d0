import Glibc
import TableClient
import TableModel
import TableSync
import TableTerminal
import TableTransport

/// The loop of a viewer, on one thread: the daemon, keys and mouse, signals, the time. Nothing in it waits, and it
/// draws at most sixty times a second.
final class ViewLoop {
    static let signals = [SIGWINCH, SIGTSTP]
    private static let frameMs: UInt64 = 17
    /// An escape that nothing follows for so long is the key.
    private static let escapeMs: UInt64 = 25
    /// The daemon has so long to answer what is on its way when the viewer ends.
    private static let leaveMs: UInt64 = 400

    private var connection: ViewConnection
    private var commands: ViewCommands
    private var board: Board
    /// The table to show in place of this one.
    private var wanted: TableID?
    private let device: TerminalDevice
    private var configuration: ViewConfiguration
    private let signals: SignalDescriptor
    private var reader = InputReader()
    private var painter: Painter
    private var drawnMs: UInt64 = 0
    private var typedMs: UInt64 = 0
    private var exitCode: Int32?
    /// The time until which the table has to be there; nil: no limit.
    private var deadline: Deadline?
    private var knownPeople = People()

    init(
        _ connection: ViewConnection, _ configuration: ViewConfiguration,
        _ signals: consuming SignalDescriptor, by deadline: Deadline?
    ) {
        self.connection = connection
        self.deadline = deadline
        self.configuration = configuration
        self.signals = signals
        commands = ViewCommands(connection, configuration.words)
        board = Board(Self.setup(connection, configuration))
        device = TerminalDevice(hasMouse: configuration.hasMouse)
        painter = Painter(depth: configuration.colours ?? TerminalDevice.colours)
    }

    private static func setup(
        _ connection: ViewConnection, _ configuration: ViewConfiguration
    ) -> Board.Setup {
        var setup = Board.Setup(name: connection.table.text)
        setup.zoneSeconds = zoneSeconds()
        setup.endpoint = connection.endpoint
        setup.client = connection.id
        setup.keys = configuration.keys
        setup.isDense = configuration.isDense
        setup.hasMouse = configuration.hasMouse
        setup.station = configuration.station
        setup.words = configuration.words
        return setup
    }

    /// Shows another table: it begins as this one did. A station's sections and rows were of the table before.
    private func show(_ table: TableID) throws {
        wanted = nil
        try commands.leave(by: Deadline(inMilliseconds: Self.leaveMs))
        try connection.follower.leave()
        configuration.station = Station()
        knownPeople = People()
        connection = try ViewConnection(table, connection.options)
        commands = ViewCommands(connection, configuration.words)
        board = Board(Self.setup(connection, configuration))
        wake()
        try happen(.tick(nowMs: wallClockMs()))
        try resize()
    }

    private func wake() {
        connection.follower.wake(on: 0)
        connection.follower.wake(on: signals.fileDescriptor)
    }

    func run() throws {
        wake()
        try happen(.tick(nowMs: wallClockMs()))
        try device.takeOver()
        defer { device.giveBack() }
        try resize()
        while exitCode == nil {
            board.client = connection.id
            try takeSteps(connection.follower.next(withinMilliseconds: patience))
            try giveUpIfDue()
            try takeNews()
            try takeSignals()
            try takeInput()
            if let wanted { try show(wanted) }
            for event in try commands.answers() { try happen(event) }
            try happen(.tick(nowMs: wallClockMs()))
            try draw()
        }
        let code = exitCode ?? 0
        ViewEnding.hurry(code)
        device.giveBack()
        try commands.leave(by: Deadline(inMilliseconds: Self.leaveMs))
        try connection.follower.leave()
        if code != 0 { Glibc.exit(code) }
    }

    /// With `--timeout` a table that is not there is not waited for beyond it.
    private func giveUpIfDue() throws {
        guard let deadline else { return }
        if connection.follower.replica.table != nil { return self.deadline = nil }
        guard deadline.hasPassed else { return }
        switch connection.state {
        case .absent: throw WatchVerb.absent(connection.table, wasThere: false)
        case nil: throw ClientError.unreachable(endpoint: connection.endpoint)
        default: throw ClientError.timeout(endpoint: connection.endpoint)
        }
    }

    /// The time in milliseconds in which nothing need be done.
    private var patience: Int {
        if reader.isWaiting { return Int(Self.escapeMs) }
        if device.hasBacklog { return 10 }
        guard board.isDirty else { return 100 }
        let since = wallClockMs() &- drawnMs
        return since >= Self.frameMs ? 0 : Int(Self.frameMs - since)
    }

    private func happen(_ event: Event) throws {
        for intent in board.handle(event) {
            switch intent.wish {
            case .quit: exitCode = 0
            case .redraw: painter.forget()
            case .suspend: try suspend()
            case .mouse(let isOn):
                configuration.hasMouse = isOn
                try device.setMouse(isOn)
            case .table(let table): wanted = table
            default:
                for answer in try commands.carryOut(intent) { try happen(answer) }
            }
        }
    }

    // MARK: The daemon

    private func takeSteps(_ steps: [Replica.Step]) throws {
        var diffs: [Diff] = []
        func pass() throws {
            if !diffs.isEmpty { try happen(.changed(diffs)) }
            diffs = []
        }
        for step in steps {
            if case .applied(let diff) = step {
                diffs.append(diff)
                continue
            }
            try pass()
            switch step {
            case .installed:
                guard let table = connection.follower.replica.table else { break }
                try happen(.installed(table))
                try commands.begin(with: table)
            case .compared(.rolledBack):
                try happen(.note(configuration.words("history.lost")))
            case .compared(.diverged): try happen(.note(configuration.words("history.other")))
            case .mismatch:
                try happen(.note(configuration.words("anew")))
            case .applied, .compared, .subscribe, .ask, .absent: break
            }
        }
        try pass()
        try happen(.connection(connection.state))
        if let lag = connection.follower.lagMs { try happen(.lag(milliseconds: lag)) }
    }

    private func takeNews() throws {
        try happen(.clock(aheadMs: connection.follower.clockAheadMs))
        let people = connection.follower.people
        guard people != knownPeople else { return }
        for event in commands.news(of: people) { try happen(event) }
        connection.follower.people.forgetEnded()
        knownPeople = connection.follower.people
    }

    // MARK: The terminal

    private func takeSignals() throws {
        while let number = try signals.next() {
            switch number {
            case SIGWINCH: try resize()
            case SIGTSTP: try suspend()
            default: break
            }
        }
        if let number = ViewEnding.asked { exitCode = 128 + number }
    }

    private func suspend() throws {
        try device.suspend()
        // Meanwhile it heard nothing: the first screen says so, and not what was true before.
        try happen(.connection(connection.state))
        try resize()
    }

    private func resize() throws {
        painter.forget()
        let size = device.size
        try happen(.resize(width: size.width, height: size.height))
    }

    private func takeInput() throws {
        guard let bytes = device.read(), !device.isGone else {
            exitCode = 128 + SIGHUP
            return
        }
        let now = wallClockMs()
        if !bytes.isEmpty { typedMs = now }
        let isOver = bytes.isEmpty && reader.isWaiting && now &- typedMs >= Self.escapeMs
        let inputs = isOver ? reader.flush() : reader.feed(bytes)
        for input in inputs { try happen(.input(input)) }
    }

    private func draw() throws {
        guard board.isDirty, exitCode == nil else { return }
        let now = wallClockMs()
        guard now &- drawnMs >= Self.frameMs else { return }
        drawnMs = now
        // A slow line misses this one, and gets the newest when it is ready.
        try device.flush()
        if device.hasBacklog { return }
        try device.write(painter.bytes(for: board.draw()))
        if board.takeBell() { try device.write([7]) }
    }
}

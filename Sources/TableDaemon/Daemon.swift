import CZeroMQ
import EtcdJournal
import Glibc
package import JournalPort
public import Logging
package import TableJournal
import TableModel
import TableSync
import TableTransport
import TableTurn
import TableWire

/// The daemon: one thread that owns the sockets, the journal and all tables. It is what stands around a
/// `Turn`: `Loop.swift` has the loop, `Requests.swift` its inbox, `Publish.swift` and `Replies.swift`
/// its outbox.
public final class Daemon {
    /// As `trestled --version` and `hello` say it.
    public static let programVersion = Hello.programVersion

    let turn: Turn
    let sockets: Endpoints
    let notify: Notify
    let signals: SignalDescriptor
    let startedMs = Clock.monotonicMs
    var log: Logger
    var settings: LiveSettings

    var poller: Poller
    let requested: Poller.Entry
    let subscriptions: Poller.Entry
    let asked: Poller.Entry
    let signalled: Poller.Entry
    var watchdog: Watchdog
    var diskSpace: DiskSpace
    var topics = Topics()
    var visitors = Visitors()
    /// libzmq means other connections than it says, until nothing is left of what viewers have sent.
    var isShifted = false
    var counters = Counters()
    var sendingCost = SendingCost()
    /// What was said of the figures in this turn.
    var turnStats: Stats?
    /// Where it serves requests, for the log.
    private let served: [String]
    var isStopping = false
    /// Of requests that wait for an answer: in this turn, for the journal, or for a check.
    var routes: [ReplyRoute] = []
    var envelopes = Envelopes(
        limit: 2 * Turn.mostRequests + 2 * Checks.mostWaiting + CostlyRequests<Postponed>.most)
    /// Requests that let others by.
    var costly = CostlyRequests<Postponed>()
    /// Whose requests took long, and let others by.
    var slow = SlowSenders()
    /// What `Clock.threadNs` was when it was asked for last, and when that was.
    var processorNs: UInt64 = 0
    var markedNs: UInt64 = 0
    /// Where the one of them comes from that is being decided.
    var originOfPostponed: String?
    /// What had arrived when the turn began to take in.
    var arrived: UInt64 = 0
    var incoming: Frames
    var outgoing = Frames(limit: 4)
    var subscription = Frames(limit: 1)
    /// What had arrived of subscriptions at the last turn.
    var arrivedSubscriptions: UInt64 = 0

    var audit: Audit
    /// Somebody has asked for it, and is answered first.
    var isToStepDown = false
    var authenticator: Authenticator
    /// Whether somebody does not read all replies, as of this turn.
    var isAnyoneBlocked = false
    /// Whether so many requests wait that it is counted whose they are.
    var isCrowded = false
    /// Nil where no endpoint is served with CURVE.
    var keyList: KeyList?
    /// How many refused connections the log has told of, by what the authenticator counts.
    var reported: (refusals: UInt64, hasty: UInt64) = (0, 0)
    /// Of a service of several: what was said of it last.
    var told = ToldState()
    /// The journal of a service of several; nil: this daemon is the only one.
    let service: EtcdJournal?
    var nextRefusalReportMs: UInt64 = 0
    var reportedEnds: [PeerGuard.Reason: UInt64] = [:]
    /// At most one report a second.
    var nextEndReportMs: UInt64 = 0
    var publishedSinceLook = 0
    /// When to look at the connections at the latest.
    var nextLookMs: UInt64 = 0
    static let lookEveryMs = 1_000
    private let lastSeen: LastSeen?
    private let logNumber: UInt64
    private let context: Context
    let readConfiguration: () throws -> Configuration

    /// Locks the state directory, recovers the tables, then binds. Nothing is served before `run`.
    ///
    /// `readConfiguration` is called now and at each SIGHUP. With a virtual clock requests may name
    /// the time that they are decided at.
    public convenience init(
        log: Logger, hasVirtualClock: Bool = false,
        readConfiguration: @escaping () throws -> Configuration
    ) throws {
        try self.init(
            log: log, hasVirtualClock: hasVirtualClock, openJournal: { $0 },
            readConfiguration: readConfiguration)
    }

    /// The same with another journal, made of the one on this machine.
    package init(
        log: Logger, hasVirtualClock: Bool,
        openJournal: (LogJournal) throws -> any Journal,
        readConfiguration: @escaping () throws -> Configuration
    ) throws {
        self.readConfiguration = readConfiguration
        let configuration = try readConfiguration()
        var log = log
        log.logLevel = configuration.logLevel
        self.log = log
        settings = LiveSettings(configuration)
        let environment = ServiceEnvironment.current
        notify = try Notify(environment: environment)
        audit = Audit(journalStream: environment["JOURNAL_STREAM"])
        let descriptors = try ListenDescriptors.adopt(from: environment)
        FileLimit.raise()
        // Before libzmq starts threads, so that they do not take the signals.
        let stepDown = configuration.etcd == nil ? [] : [SIGUSR1]
        signals = try SignalDescriptor([SIGTERM, SIGINT, SIGHUP] + stepDown)

        let path = configuration.stateDirectory ?? ""
        Directories.makeParents(of: path)
        let directory = try StateDirectory(path: path)
        let reading = LongReading(notify)
        reading.goesOn()
        let (journal, number) = try Self.journal(
            configuration, directory, log, reading, openJournal)
        service = journal as? EtcdJournal
        service?.goesOn = { reading.goesOn() }
        turn = try Turn(
            journal: journal, clock: Clock(), heartbeatMs: configuration.heartbeatMs,
            checkpointAfterBytes: UInt64(configuration.checkpointAfterBytes)
        ) { [log] in
            reading.isServing = $1 != nil
            return try Self.recovered(
                from: $0, limits: $1?.limits ?? configuration.limits,
                retention: $1?.retention ?? configuration.retention, reading, log)
        }
        turn.server.hasVirtualClock = hasVirtualClock
        turn.server.guests = configuration.guests
        diskSpace = DiskSpace(path: path, reserve: UInt64(configuration.diskReserveBytes))

        try PeerGuard.start(
            connections: configuration.connections, limits: configuration.limits)
        let sealed = descriptors.isEmpty ? configuration.endpoints.filter(\.usesCurve) : []
        try PeerGuard.seal(sealed)
        let files = KeyFiles(stateDirectory: path)
        let secret = sealed.isEmpty ? nil : try files.secretKey()
        // libzmq counts the names of nameless peers on from `rand`, and nobody may know from where.
        srand(UInt32.random(in: 0 ... .max))
        // Short requests that wait would keep long buffers: the guard counts bytes.
        context = try Context(copiesReceived: true)
        // Before the first bind: a connection that comes finds somebody who decides on it.
        authenticator = try Authenticator(in: context)
        if !sealed.isEmpty {
            var list = KeyList(files)
            _ = try list.look()
            authenticator.keys = list.keys
            authenticator.newOfKey = Self.newOfKey(configuration)
            keyList = list
        }
        sockets = try Endpoints(
            configuration, in: context, descriptors: descriptors, secret: secret)
        logNumber = number
        // A service of several has no state directory that could be put back.
        lastSeen =
            configuration.etcd == nil ? Self.lastSeen(configuration, descriptors.isEmpty) : nil
        served = descriptors.isEmpty ? configuration.endpoints.map(\.request) : ["systemd"]
        incoming = Frames(limit: configuration.limits.frames + 1)
        poller = Poller(capacity: 5)
        watchdog = Watchdog(notify.watchdogIntervalMicroseconds, nowMs: Clock.monotonicMs)
        requested = poller.add(sockets.requests)
        subscriptions = poller.add(sockets.publications)
        asked = try authenticator.watch(with: &poller)
        signalled = poller.add(descriptor: signals.fileDescriptor)
        if let descriptor = turn.journal.descriptor { _ = poller.add(descriptor: descriptor) }
        turn.server.origin = { [unowned self] in originOfRequest }
        turn.server.memoryLeft = { MemoryRoom.left }
    }

    var server: Server { turn.server }

    /// The journal that the configuration names, and its number.
    private static func journal(
        _ configuration: Configuration, _ directory: StateDirectory, _ log: Logger,
        _ reading: LongReading, _ openJournal: (LogJournal) throws -> any Journal
    ) throws -> (any Journal, UInt64) {
        if let etcd = configuration.etcd {
            guard !directory.holdsJournal else {
                throw DaemonError(
                    .badConfiguration,
                    "\(directory.path) holds a journal, and the configuration names one on etcd:"
                        + " name another state directory, or see docs/CLUSTER.md on moving it")
            }
            let reached = configuration.endpoints.filter { !$0.request.hasPrefix("ipc://") }
            let shown = reached.isEmpty ? configuration.endpoints : reached
            let journal = try EtcdJournal(
                etcd, endpoints: shown.map(\.request), version: programVersion, holding: directory)
            return (journal, 0)
        }
        let journal = try LogJournal(directory: directory, goesOn: reading.goesOn)
        for warning in journal.warnings { log.warning("journal", metadata: ["at": "\(warning)"]) }
        return (try openJournal(journal), journal.logNumber)
    }

    // MARK: What was seen before

    /// The directory of sockets that systemd has bound is not ours.
    private static func lastSeen(_ configuration: Configuration, _ ownsSockets: Bool) -> LastSeen? {
        LastSeen(
            directories: Configuration.cacheDirectories(
                environment: Configuration.environment, userID: UInt32(geteuid()),
                stateDirectory: configuration.stateDirectory ?? ""),
            endpoints: ownsSockets ? configuration.endpoints.map(\.request) : [])
    }

    /// A state directory that was put back, or is gone, is said: nothing else would notice it.
    func warnOfRollback() {
        if let complaint = lastSeen?.complaint(about: seen) {
            log.warning("rollback", metadata: ["at": "\(complaint)"])
        }
    }

    func rememberPosition() { lastSeen?.write(seen) }

    private var seen: LastSeen.State {
        LastSeen.State(
            directory: settings.inForce.stateDirectory ?? "", log: logNumber,
            position: turn.journal.durable)
    }

    /// A server in the state that the journal leads to.
    private static func recovered(
        from journal: any Journal, limits: Limits, retention: Retention, _ reading: LongReading,
        _ log: Logger
    ) throws -> Server {
        let begun = Clock.monotonicMs
        let server = Server(
            epoch: .random(), limits: limits, codec: WireCodec(), retention: retention,
            makeID: ID128.random)
        let summary = try Recovery.bring(server, upTo: journal, goesOn: reading.goesOn)
        log.info(
            "recovered",
            metadata: [
                "entries": "\(summary.entries)", "checkpoint": "\(summary.checkpoint ?? 0)",
                "position": "\(summary.position)", "ms": "\(Clock.monotonicMs - begun)",
            ])
        return server
    }

    /// What the log says when it serves.
    var beginning: Logger.Metadata {
        [
            "requests": "\(served.joined(separator: " "))",
            "publications": "\(sockets.published.joined(separator: " "))",
            "state": "\(settings.inForce.stateDirectory ?? "")",
            "tables": "\(server.tables.count)", "rows": "\(rows)",
            "position": "\(server.position)",
        ]
    }

    private var rows: Int { server.tables.values.reduce(0) { $0 + $1.table.count } }

    /// One line for `systemctl status`.
    var status: String {
        "\(server.tables.count) tables, \(rows) rows, \(server.position) commits"
            + (server.isReadOnly || server.takesOnlyLess
                ? ", read-only: \(told.refusal ?? diskSpace.refusal)" : "")
            + (told.role.isEmpty ? "" : ", \(told.role)")
    }
}

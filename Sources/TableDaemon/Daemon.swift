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

/// The daemon: one thread that owns the sockets, the journal and all tables. It is the loop around a `Turn`
/// (`Loop.swift`), and hands on to parts that own their state: the turn's inbox and outbox, who is connected, what the
/// other daemons of its service do, and room on the disk.
public final class Daemon {
    /// As `trestled --version` and `hello` say it.
    public static let programVersion = Hello.programVersion

    let turn: Turn
    let inbox: DaemonInbox
    let outbox: DaemonOutbox
    let connections: Connections
    let membership: Membership
    let sockets: Endpoints
    let log: DaemonLog
    var disk: DiskSpace
    var settings: LiveSettings
    let readConfiguration: () throws -> Configuration
    var sources: WakeSources
    var watchdog: Watchdog
    let lastSeen: LastSeen?
    var isStopping = false
    /// When to look at the connections at the latest.
    var nextLookMs: UInt64 = 0

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

    /// Starts with another journal, made of the one on this machine.
    package init(
        log: Logger, hasVirtualClock: Bool,
        openJournal: (LogJournal) throws -> any Journal,
        readConfiguration: @escaping () throws -> Configuration
    ) throws {
        self.readConfiguration = readConfiguration
        let configuration = try readConfiguration()
        settings = LiveSettings(configuration)
        let environment = ServiceEnvironment.current
        watchdog = Watchdog(try Notify(environment: environment))
        let log = DaemonLog(log, journalStream: environment["JOURNAL_STREAM"])
        log.set(configuration.logLevel, slowMs: configuration.slowMs)
        self.log = log
        let descriptors = try ListenDescriptors.adopt(from: environment)
        FileLimit.raise()
        // Before libzmq starts threads, so that they do not take the signals.
        let stepDown = configuration.etcd == nil ? [] : [SIGUSR1]
        let signals = try SignalDescriptor([SIGTERM, SIGINT, SIGHUP] + stepDown)

        let path = configuration.stateDirectory ?? ""
        Directories.makeParents(of: path)
        let directory = try StateDirectory(path: path)
        let reading = LongReading(watchdog.notify)
        reading.goesOn()
        let (journal, number) = try Self.journal(
            configuration, directory, log.lines, reading, openJournal)
        let turn = try Turn(
            journal: journal, clock: Clock(), heartbeatMs: configuration.heartbeatMs,
            checkpointAfterBytes: UInt64(configuration.checkpointAfterBytes)
        ) { [lines = log.lines] in
            reading.isServing = $1 != nil
            return try Self.recovered(
                from: $0, limits: $1?.limits ?? configuration.limits,
                retention: $1?.tables.retention ?? configuration.keptPast, reading, lines)
        }
        self.turn = turn
        turn.server.admission.takesTimes = hasVirtualClock
        turn.server.admission.guests = configuration.guests
        membership = Membership(journal as? EtcdJournal, log)
        membership.service?.goesOn = { reading.goesOn() }
        let followed = journal as? FollowedJournal
        try followed?.recovered(in: turn.server.term)
        disk = DiskSpace(path: path, reserve: UInt64(configuration.diskReserveBytes))

        try PeerGuard.start(connections: configuration.connections)
        let sealed = descriptors.isEmpty ? configuration.endpoints.filter(\.usesCurve) : []
        try PeerGuard.seal(sealed)
        let needsKey = !sealed.isEmpty || configuration.follow?.key != nil
        let files = needsKey ? KeyFiles(stateDirectory: path) : nil
        let secret = try files?.secretKey()
        // libzmq counts the names of nameless peers on from `rand`, and nobody may know from where.
        srand(UInt32.random(in: 0 ... .max))
        // Short requests that wait would keep long buffers: the guard counts bytes.
        let context = try Context(copiesReceived: true)
        // Before the first bind: a connection that comes meets an authenticator that decides on it.
        connections = try Connections(
            in: context, keys: sealed.isEmpty ? nil : files, newOfKey: Self.newOfKey(configuration),
            log)
        sockets = try Endpoints(
            configuration, in: context, descriptors: descriptors,
            secret: sealed.isEmpty ? nil : secret)
        try followed?.connect(in: context, secret: secret)
        // A service of several has no state directory that could be put back.
        lastSeen =
            configuration.journal == .log
            ? Self.lastSeen(configuration, log: number, ownsSockets: descriptors.isEmpty) : nil
        let subscriptions = Subscriptions(sockets, connections) { [unowned turn] in
            turn.server.admission.rights(of: $0, on: $1).contains(.read)
        }
        inbox = DaemonInbox(
            sockets, connections, subscriptions, Counters(), mostFrames: configuration.limits.frames
        )
        sources = WakeSources(sockets, connections, signals, turn.journal.descriptor)
        inbox.routes.areLogged = log.tellsOfRequests
        outbox = DaemonOutbox(inbox, log)
        outbox.answer = { [unowned self] in answer(to: $0, $1) }
        turn.server.admission.origin = { [unowned inbox] in inbox.originOfRequest }
        turn.server.copies.memoryLeft = { MemoryRoom.left }
        turn.server.tables.isReadAsText = { [subscriptions] in
            subscriptions.topics.isWantedAsText($0)
        }
        try serveStandbys(turn.journal, DutyFile(directory), configuration)
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
            let journal = try EtcdJournal(
                etcd, endpoints: configuration.shownEndpoints, version: programVersion,
                holding: directory)
            return (journal, 0)
        }
        if let follow = configuration.follow {
            let journal = try FollowedJournal(
                follow, directory, endpoints: configuration.shownEndpoints, log, reading)
            journal.tellWarnings()
            return (journal, 0)
        }
        try StandbyService.refuseIfStandby(DutyFile(directory), directory.path)
        let journal = try LogJournal(directory: directory, goesOn: reading.goesOn)
        for warning in journal.warnings { log.warning("journal", metadata: ["at": "\(warning)"]) }
        return (try openJournal(journal), journal.logNumber)
    }

    /// The directory of sockets that systemd has bound is not ours.
    private static func lastSeen(
        _ configuration: Configuration, log: UInt64, ownsSockets: Bool
    ) -> LastSeen? {
        let directory = configuration.stateDirectory ?? ""
        return LastSeen(
            of: directory, log: log,
            directories: Configuration.cacheDirectories(
                environment: Configuration.environment, userID: UInt32(geteuid()),
                stateDirectory: directory),
            endpoints: ownsSockets ? configuration.endpoints.map(\.request) : [])
    }

    /// A server in the state that the journal leads to.
    private static func recovered(
        from journal: any Journal, limits: Limits, retention: Retention, _ reading: LongReading,
        _ log: Logger
    ) throws -> Server {
        let begun = Clock.monotonicMs
        let server = Server(limits: limits, retention: retention)
        let summary = try Recovery.bring(server, upTo: journal, goesOn: reading.goesOn)
        log.info(
            "recovered",
            metadata: [
                "entries": "\(summary.entries)", "checkpoint": "\(summary.checkpoint ?? 0)",
                "position": "\(summary.position)", "ms": "\(Clock.monotonicMs - begun)",
            ])
        return server
    }

    /// The facts that the log tells when the daemon serves.
    var beginning: Logger.Metadata {
        [
            "requests": "\(sockets.served.joined(separator: " "))",
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
            + (server.room.isShort ? ", read-only: \(membership.refusal ?? disk.refusal)" : "")
            + (membership.role.isEmpty ? "" : ", \(membership.role)")
    }
}

import CZeroMQ
import Glibc
public import Logging
import TableJournal
import TableModel
import TableSync
import TableTransport
import TableWire

/// The daemon: one thread that owns the sockets, the journal and all tables. `Loop.swift` is what
/// it does.
public final class Daemon {
    /// As `trestled --version` and `hello` say it.
    public static let programVersion = Hello.programVersion

    let server: Server
    let journal: any Journal
    let sockets: Endpoints
    let notify: Notify
    let signals: SignalDescriptor
    let startedMs = Clock.monotonicMs
    var log: Logger
    var configuration: Configuration

    var poller: Poller
    let subscriptions: Poller.Entry
    let asked: Poller.Entry
    let signalled: Poller.Entry
    var timers: Timers
    var pace = Pace()
    var patience = Patience(at: Clock.elapsedMs)
    var checkpointer: Checkpointer
    var checks = Checks()
    var room: Room
    var topics = Topics()
    var figures = Figures()
    /// What was said of the figures in this turn.
    var turnStats: Stats?
    /// Where it serves requests, for the log.
    private let served: [String]
    var isStopping = false
    /// The routes of this turn's requests.
    var routes: [ReplyRoute] = []
    var envelopes = Envelopes(limit: Daemon.mostRequestsPerTurn)
    var incoming: Frames
    var outgoing = Frames(limit: 4)
    var subscription = Frames(limit: 1)

    var authenticator: Authenticator
    /// Whether somebody does not read all replies, as of this turn.
    var isAnyoneBlocked = false
    var reportedEnds: [PeerGuard.Reason: UInt64] = [:]
    /// At most one report a second.
    var nextEndReportMs: UInt64 = 0
    var publishedSinceLook = 0
    private let context: Context
    private let readConfiguration: () throws -> Configuration

    /// Locks the state directory, recovers the tables, then binds. Nothing is served before `run`.
    ///
    /// `readConfiguration` is called now and at each SIGHUP. With a virtual clock requests may name
    /// the time that they are decided at.
    public init(
        log: Logger, hasVirtualClock: Bool = false,
        readConfiguration: @escaping () throws -> Configuration
    ) throws {
        self.readConfiguration = readConfiguration
        let configuration = try readConfiguration()
        var log = log
        log.logLevel = configuration.logLevel
        self.log = log
        self.configuration = configuration
        let environment = ServiceEnvironment.current
        notify = try Notify(environment: environment)
        let descriptors = try ListenDescriptors.take(from: environment)
        FileLimit.raise()
        // Before libzmq starts threads, so that they do not take the signals.
        signals = try SignalDescriptor()

        let path = configuration.stateDirectory ?? ""
        Directories.makeParents(of: path)
        let directory = try StateDirectory(path: path)
        let journal = try SQLiteJournal(directory: directory) { Int64(Clock.wallMs) }
        for warning in journal.warnings { log.warning("journal", metadata: ["at": "\(warning)"]) }
        self.journal = journal
        server = try Self.recovered(from: journal, configuration, log)
        server.hasVirtualClock = hasVirtualClock
        checkpointer = Checkpointer(afterBytes: UInt64(configuration.checkpointAfterBytes))
        room = Room(path: path, reserve: UInt64(configuration.diskReserveBytes))

        try PeerGuard.start(
            connections: configuration.connections, limits: configuration.limits)
        context = try Context()
        // Before the first bind: a connection that comes finds somebody who decides on it.
        authenticator = try Authenticator(in: context)
        sockets = try Endpoints(configuration, in: context, descriptors: descriptors)
        served = descriptors.isEmpty ? configuration.endpoints.map(\.request) : ["systemd"]
        incoming = Frames(limit: configuration.limits.frames + 1)
        poller = Poller(capacity: 4)
        timers = Timers(
            heartbeatMs: configuration.heartbeatMs,
            watchdogMicroseconds: notify.watchdogIntervalMicroseconds, nowMs: Clock.monotonicMs)
        _ = poller.add(sockets.requests)
        subscriptions = poller.add(sockets.publications)
        asked = try authenticator.watch(with: &poller)
        signalled = poller.add(descriptor: signals.fileDescriptor)
    }

    /// A server in the state that the journal leads to.
    private static func recovered(
        from journal: any Journal, _ configuration: Configuration, _ log: Logger
    ) throws -> Server {
        let begun = Clock.monotonicMs
        let server = Server(
            epoch: .random(), limits: configuration.limits, codec: WireCodec(),
            retention: Retention(
                diffs: configuration.retainDiffs, bytes: configuration.retainBytes,
                seconds: configuration.retainSeconds),
            makeID: ID128.random)
        let summary = try Restart.bring(server, upTo: journal)
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
            "state": "\(configuration.stateDirectory ?? "")",
            "tables": "\(server.tables.count)", "rows": "\(rows)",
            "position": "\(server.position)",
        ]
    }

    private var rows: Int { server.tables.values.reduce(0) { $0 + $1.table.count } }

    /// One line for `systemctl status`.
    var status: String {
        "\(server.tables.count) tables, \(rows) rows, \(server.position) commits"
            + (server.isReadOnly ? ", read-only: the disk is full" : "")
    }

    /// SIGHUP: what can change while serving does; what cannot is said.
    func reload() {
        do {
            let fresh = try readConfiguration()
            if fresh.endpoints != configuration.endpoints
                || fresh.stateDirectory != configuration.stateDirectory
                || fresh.highWaterMark != configuration.highWaterMark
            {
                log.warning("endpoints, state directory and high-water mark need a restart")
            }
            log.logLevel = fresh.logLevel
            server.limits = fresh.limits
            timers = Timers(
                heartbeatMs: fresh.heartbeatMs,
                watchdogMicroseconds: notify.watchdogIntervalMicroseconds,
                nowMs: Clock.monotonicMs)
            checkpointer.afterBytes = UInt64(fresh.checkpointAfterBytes)
            room.reserve = UInt64(fresh.diskReserveBytes)
            configuration = fresh
            log.notice("configuration read again")
        } catch {
            log.error("the configuration stays as it was", metadata: ["error": "\(error)"])
        }
    }
}

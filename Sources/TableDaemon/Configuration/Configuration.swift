public import EtcdJournal
public import Logging
public import StrictYAML
public import TableModel
public import TableSync

/// The contents of `trestled.yaml`; `config/trestled.yaml` describes every key.
public struct Configuration: Equatable, Sendable {
    /// Where it serves. `defaults(environment:userID:)` says where when the file does not.
    public var endpoints: [Endpoints] = []
    /// Where the journal is kept; an absolute path. Defaults as for the endpoints.
    public var stateDirectory: String?
    /// Where the journal is.
    public var journal = JournalSetting.log
    /// A journal on etcd, which several daemons share; nil: it is elsewhere.
    public var etcd: EtcdSettings? { if case .etcd(let etcd) = journal { etcd } else { nil } }
    /// This daemon is a standby of another one; nil: it is not.
    public var follow: FollowSettings? {
        if case .follow(let follow) = journal { follow } else { nil }
    }
    /// Permissions of the sockets of `ipc://` endpoints: the owner and the group connect.
    public var ipcMode: UInt32 = 0o660
    /// The least level that is logged to standard error.
    public var logLevel: Logger.Level = .info
    /// A request that takes so long or longer is logged; 0: none is.
    public var slowMs = 0
    /// Between two heartbeats of a table: a viewer that misses some looks for a gap.
    public var heartbeatMs = 1_000
    /// Messages that wait for one connection before more are dropped.
    public var highWaterMark = 256
    /// Connections at a time, to both sockets of all endpoints.
    public var connections = 700
    /// The bounds on what is kept of the past, for viewers that come back and for undo.
    public var retention = Retention()
    /// Days after which the past goes, whatever else is kept; 0: without a bound.
    public var retainDays: UInt64 = 90
    /// The bounds of both.
    var keptPast: Retention {
        var kept = retention
        let days = 86_400 * retainDays
        if days > 0 { kept.seconds = kept.seconds == 0 ? days : min(kept.seconds, days) }
        return kept
    }
    /// Bytes of journal after which a checkpoint is made, so that a start stays short.
    public var checkpointAfterBytes = 16 << 20
    /// Bytes that stay free on the state directory's disk: below, nothing is changed any more.
    /// A turn takes in 16 MiB of commands at most, and the log is copied while it is written.
    public var diskReserveBytes = 64 << 20
    /// The bounds on what may come in and be held.
    public var limits = Limits()
    /// The list of who may do what; nil: whoever may connect may do everything.
    public var guests: GuestList?

    /// Two sockets that belong together, by their `ipc://` or `tcp://` URLs: commands and answers on one,
    /// diffs on the other.
    public struct Endpoints: Equatable, Sendable {
        /// Commands come in here and answers go out.
        public var request: String
        /// Diffs go out here.
        public var publish: String
        /// Encrypted, and for the holders of known keys only.
        public var usesCurve = false

        /// The form that `hello` tells: a client without keys does not try endpoints of CURVE.
        var shownPublish: String { usesCurve ? "curve+" + publish : publish }
    }

    /// The built-in defaults, without endpoints and state directory.
    public init() {}

    /// Reads the file over `defaults`, and finds all that is wrong with it, in the order of the lines; a file of
    /// nothing but comments says nothing. A key that has a fault is as in `defaults`.
    ///
    /// All keys are checked here: a configuration without a fault can be served, if the system allows.
    public static func check(
        _ text: String, name: String, over defaults: Configuration = Configuration()
    ) -> (configuration: Configuration, faults: [Fault]) { check([(name, text)], over: defaults) }

    /// Reads several files, each over those before it.
    static func check(
        _ files: [(name: String, text: String)], over defaults: Configuration
    ) -> (configuration: Configuration, faults: [Fault]) {
        var new = defaults
        var all: [Faults] = []
        // The endpoints that hold, and the file in which they stand.
        var served: (value: Value, file: Int)?
        for (at, file) in files.enumerated() {
            var faults = Faults()
            let read = faults.reading { () throws(Fault) in
                try Value.readings(file.text, file: file.name)
            }
            for fault in read?.twice ?? [] { faults.append(fault) }
            // Each value of a key that stands twice may be at fault; other faults are found again.
            for root in read?.values ?? [] where !root.isNull {
                var found = Faults()
                if let fields = found.fields(root, Key.self) {
                    new.take(fields, &found)
                    if let value = fields[.endpoints] { served = (value, at) }
                }
                for fault in found.found where !faults.found.contains(fault) {
                    faults.append(fault)
                }
            }
            all.append(faults)
        }
        if let served, new.guests == nil, new.endpoints.contains(where: \.usesCurve) {
            all[served.file].append(
                served.value.fault(
                    "`curve: true` needs `guests`, which says what the holders of keys may do"))
        }
        return (new, all.flatMap(\.inOrder))
    }

    private mutating func take(_ fields: Fields<Key>, _ faults: inout Faults) {
        if let pairs = Self.endpoints(fields[.endpoints], &faults) { endpoints = pairs }
        faults.read(fields[.stateDirectory], into: &stateDirectory, Self.absolutePath)
        faults.read(fields[.ipcMode], into: &ipcMode, Self.mode)
        if let log = faults.fields(fields[.log], LogKey.self) {
            faults.read(log[.level], into: &logLevel) { level throws(Fault) in try level.word() }
            faults.read(log[.slowMs], into: &slowMs, in: 0...3_600_000)
        }
        faults.read(fields[.heartbeatMs], into: &heartbeatMs, in: 100...60_000)
        faults.read(fields[.highWaterMark], into: &highWaterMark, in: 1...100_000)
        faults.read(fields[.connections], into: &connections, in: 16...60_000)
        if let retain = faults.fields(fields[.retain], RetainKey.self) {
            faults.read(retain[.diffs], into: &retention.diffs, in: 0...10_000_000)
            faults.read(retain[.bytes], into: &retention.bytes, in: 0...1 << 30)
            faults.read(retain[.days], into: &retainDays, in: 0...36_500)
            faults.read(retain[.seconds], into: &retention.seconds, in: 0...10_000_000_000)
            faults.read(retain[.totalBytes], into: &retention.totalBytes, in: 0...1 << 34)
        }
        if let checkpoint = faults.fields(fields[.checkpoint], CheckpointKey.self) {
            faults.read(
                checkpoint[.afterBytes], into: &checkpointAfterBytes, in: 64 << 10...1 << 30)
        }
        if let disk = faults.fields(fields[.disk], DiskKey.self) {
            faults.read(disk[.reserveBytes], into: &diskReserveBytes, in: 0...1 << 40)
        }
        if let journal = Self.journal(fields, &faults) { self.journal = journal }
        if fields.names(.guests) { guests = Self.guests(fields[.guests], &faults) }
        if let limits = faults.fields(fields[.limits], LimitKey.self) {
            faults.read(limits[.rows], into: &self.limits.rows, in: 1...10_000_000)
            faults.read(limits[.tables], into: &self.limits.tables, in: 1...65_536)
            faults.read(limits[.sessions], into: &self.limits.sessions, in: 1...1_000_000)
            faults.read(limits[.replies], into: &self.limits.replies, in: 1...10_000_000)
        }
    }

    enum Key: String, CaseIterable {
        case endpoints
        case stateDirectory = "state_directory"
        case ipcMode = "ipc_mode"
        case log
        case heartbeatMs = "heartbeat_ms"
        case highWaterMark = "high_water_mark"
        case connections, retain, checkpoint, disk, limits, guests, journal
    }

    enum LogKey: String, CaseIterable {
        case level
        case slowMs = "slow_ms"
    }

    enum RetainKey: String, CaseIterable {
        case diffs, bytes, days, seconds
        case totalBytes = "total_bytes"
    }

    /// The limits that a site may change, each for the reason in `config/trestled.yaml`: they are about the machine
    /// and how many use it. The others are about what the protocol and viewers bear, and are the same everywhere.
    enum LimitKey: String, CaseIterable { case rows, tables, sessions, replies }

    enum DiskKey: String, CaseIterable { case reserveBytes = "reserve_bytes" }

    enum CheckpointKey: String, CaseIterable { case afterBytes = "after_bytes" }

    /// Four octal digits at most. The daemon itself must be able to read and write.
    private static func mode(_ value: Value) throws(Fault) -> UInt32 {
        guard let text = try? value.string(), text.utf8.allSatisfy({ 48...55 ~= $0 }),
            let mode = UInt32(text, radix: 8), mode <= 0o777, mode & 0o600 == 0o600
        else { throw value.expected("octal permissions from \"0600\" to \"0777\"") }
        return mode
    }

    static func absolutePath(_ value: Value) throws(Fault) -> String {
        let path = try value.string()
        guard path.utf8.first == UInt8(ascii: "/") else { throw value.expected("an absolute path") }
        return path
    }
}

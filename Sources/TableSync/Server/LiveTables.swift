public import TableModel

/// The tables that a server holds, and what bounds the logs of all of them together. A bound of each alone is none:
/// there may be a thousand tables.
public struct LiveTables: Sequence {
    private var byName: [TableID: Server.LiveTable] = [:] {
        didSet { (latest, logWeight) = (nil, nil) }
    }
    /// The table of the latest request: as a rule the next one is about it too.
    private var latest: Server.LiveTable?
    /// The weight of the logs of all tables; nil: it has to be added up.
    private var logWeight: Int?
    /// How much is kept of each table's diffs.
    public internal(set) var retention: Retention
    /// The term in which they are written.
    var term = Server.Term()
    /// Whether viewers read a table's diffs as JSON: they are written in that form when they are made.
    public var isReadAsText: (TableID) -> Bool = { _ in false }
    /// By which diffs get old.
    var aging = AgingDate()
    /// Diffs have gone because they were too old, and the journal may still hold them.
    var hasLostOld = false
    /// When the journal last let go of such, by the monotonic clock.
    var forgotMs: UInt64 = 0
    /// Some table may have swipes that drags of another daemon have closed.
    var mayHaveAbandoned = false
    /// How long large presences wait for each other.
    var presencePause = PresencePause()

    init(_ retention: Retention) { self.retention = retention }

    /// The table of this name.
    public subscript(name: TableID) -> Server.LiveTable? { byName[name] }

    /// The table of this name, which the next request is likely to name too.
    @inline(__always)
    mutating func live(_ name: TableID) -> Server.LiveTable? {
        if let latest, latest.table.name == name { return latest }
        guard let found = byName[name] else { return nil }
        latest = found
        return found
    }

    /// Names and tables, in any order.
    public func makeIterator() -> [TableID: Server.LiveTable].Iterator { byName.makeIterator() }

    /// How many there are.
    public var count: Int { byName.count }
    /// Their names, in any order.
    public var keys: some Collection<TableID> { byName.keys }
    /// They themselves, in any order.
    public var values: some Collection<Server.LiveTable> { byName.values }

    /// Their summaries, in the order of their names.
    public var summaries: [TableSummary] { keys.sorted().compactMap { byName[$0]?.summary } }

    mutating func add(_ live: Server.LiveTable) { byName[live.table.name] = live }

    /// Takes a table away; nil: there was none.
    @discardableResult
    mutating func remove(_ name: TableID) -> Server.LiveTable? { byName.removeValue(forKey: name) }

    mutating func removeAll() { byName = [:] }

    // MARK: Their logs

    /// Diffs that go with one heartbeat, of all tables: some milliseconds.
    private static let mostTrimmed = 20_000

    /// Lets go of diffs that are too old. `elapsedMs` never goes back, and goes on while the machine sleeps.
    mutating func trim(nowMs: UInt64, elapsedMs: UInt64) {
        var left = Self.mostTrimmed
        let (keptMs, isMore) = retention.seconds.multipliedReportingOverflow(by: 1_000)
        let date = aging.look(nowMs: nowMs, elapsedMs: elapsedMs, keptMs: isMore ? .max : keptMs)
        for live in byName.values {
            let isOld = live.log.trim(
                nowMs: date, within: retention, rows: live.table.count, atMost: &left)
            hasLostOld = hasLostOld || isOld
        }
        boundLogs(atMost: &left)
    }

    /// A table has another log.
    mutating func replaceLog(of live: Server.LiveTable, by log: DiffLog) {
        live.log = log
        var left = Int.max
        boundLogs(atMost: &left)
    }

    /// Entries that go at most with one that comes: no turn gets long.
    private static let mostGoing = 4_096

    /// Keeps a table's next diff.
    @inline(__always)  // Else the entry is moved for the call.
    mutating func keep(_ entry: consuming DiffLog.Entry, of live: Server.LiveTable) {
        let before = live.log.weight
        live.log.append(entry, within: retention, rows: live.table.count)
        guard let weight = logWeight else { return boundLogsNow() }
        let now = weight + live.log.weight - before
        logWeight = now
        if now > retention.totalBytes { boundLogsNow() }
    }

    private mutating func boundLogsNow() {
        var left = Self.mostGoing
        boundLogs(atMost: &left)
    }

    /// Where all logs weigh too much, the heaviest lose their oldest entries, until those weigh the
    /// same: at most `left` entries, which becomes less by as many.
    ///
    /// More goes than has to, so that the logs are not compared with each diff. Which entries go
    /// depends on the weights alone. It need not be the same in two processes: what is kept is in
    /// no digest, and a viewer that asks for more takes a snapshot.
    private mutating func boundLogs(atMost left: inout Int) {
        let weights = byName.values.map(\.log.weight).sorted()
        let total = weights.reduce(0, +)
        logWeight = total
        guard total > retention.totalBytes else { return }
        let level = Self.level(weights, holding: retention.totalBytes / 16 * 15)
        for live in byName.values where live.log.weight > level {
            let before = live.log.weight
            live.log.shrink(to: level, atMost: &left)
            logWeight? += live.log.weight - before
        }
    }

    /// The most that each may weigh, so that all together weigh no more than `most`. `weights` is
    /// sorted.
    static func level(_ weights: [Int], holding most: Int) -> Int {
        var rest = most
        for (place, weight) in weights.enumerated() {
            let share = rest / (weights.count - place)
            if weight > share { return share }
            rest -= weight
        }
        return weights.last ?? 0
    }
}

extension Server {
    /// A live table and its latest diffs. It is an object so that nobody holds a second reference
    /// to the log: the next append would copy a run of it then.
    public final class LiveTable {
        /// The newest state.
        public let table: Table
        var log: DiffLog
        var ephemeral = Ephemeral()
        /// The swipes that drags of another daemon have closed.
        var abandoned: [ClosedSwipe] = []
        var underWay: UnderWay
        /// When rows that sleep wake, by the date.
        var wakes = Deadlines<RowID>()
        /// Whose the claims and held invocations are.
        public internal(set) var owners = Owners()
        let codec: any Codec

        /// A table whose diffs are kept from now on.
        init(table: Table, codec: any Codec) {
            self.table = table
            self.codec = codec
            log = DiffLog(from: table.revision, digest: table.digest)
            underWay = UnderWay(table, Owners())
            for row in table.asleepRows { note(table.row(row)?.sleep, of: row) }
        }

        /// How many of the latest diffs are kept.
        public var keptDiffs: Int { log.kept.count }

        /// The latest diffs, oldest first, up to the one that led to this revision.
        public func capturedDiffs(upTo revision: UInt64) -> [CapturedPiece] {
            log.captured(upTo: revision)
        }

        /// The table's head.
        public var state: Head {
            Head(revision: table.revision, digest: table.digest, oldest: log.replayable)
        }

        /// The table's summary for a list.
        public var summary: TableSummary {
            TableSummary(
                table: table.name, history: table.history, revision: table.revision,
                rows: table.count, sections: table.sections.count, digest: table.digest,
                oldest: log.replayable)
        }
    }
}

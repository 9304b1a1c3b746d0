/// Whether the daemon is well.
public struct Health: Equatable, Sendable {
    /// `ok`, or `readOnly` while the disk has no room.
    public var status = "ok"
    /// The daemon's version.
    public var version = ""
    /// Since the daemon's start, in milliseconds.
    public var uptimeMs: UInt64 = 0
    /// Of the journal.
    public var position: UInt64 = 0
    /// How many tables.
    public var tables = 0
    /// How many rows, of all tables.
    public var rows = 0

    /// Every figure 0.
    public init() {}
}

/// The daemon's figures, by name.
public struct Stats: Equatable, Sendable {
    /// What only grows, since the daemon's start.
    public var counters: [String: UInt64] = [:]
    /// What is so now.
    public var gauges: [String: UInt64] = [:]
    /// By code.
    public var rejections: [String: UInt64] = [:]

    /// No figures.
    public init() {}
}

/// What `check` found to be in order.
public struct CheckResult: Equatable, Sendable {
    /// The journal's newest entry.
    public var position: UInt64 = 0
    /// Journal entries that were read.
    public var entries: UInt64 = 0
    /// Parts of the newest checkpoint that were read.
    public var checkpointParts: UInt64 = 0
    /// The tables whose digests were computed anew.
    public var tables: [TableSummary] = []

    /// Nothing found yet.
    public init() {}
}

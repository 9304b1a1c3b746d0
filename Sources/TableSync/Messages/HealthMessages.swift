/// Whether the daemon is well.
public struct Health: Equatable, Sendable {
    /// `ok`, or `readOnly` while the disk has no room.
    public var status = "ok"
    /// The daemon's version.
    public var version = ""
    /// Time since the daemon's start, in milliseconds.
    public var uptimeMs: UInt64 = 0
    /// Position of the journal.
    public var position: UInt64 = 0
    /// How many tables there are.
    public var tables = 0
    /// How many rows all tables have.
    public var rows = 0

    /// Every figure 0.
    public init() {}
}

/// The daemon's figures, by name.
public struct Stats: Equatable, Sendable {
    /// Figures that only grow, since the daemon's start.
    public var counters: [String: UInt64] = [:]
    /// Figures of the present.
    public var gauges: [String: UInt64] = [:]
    /// Rejections by code.
    public var rejections: [String: UInt64] = [:]

    /// No figures.
    public init() {}
}

/// What `check` has checked and found in order.
public struct CheckResult: Equatable, Sendable {
    /// Position of the journal's newest entry.
    public var position: UInt64 = 0
    /// Journal entries that were read.
    public var entries: UInt64 = 0
    /// Parts of the newest checkpoint that were read.
    public var checkpointParts: UInt64 = 0
    /// The tables whose digests were computed again.
    public var tables: [TableSummary] = []

    /// Nothing is checked yet.
    public init() {}
}

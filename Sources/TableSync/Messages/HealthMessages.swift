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
    /// The state of a service of several daemons; nil: it is the only one.
    public var cluster: Cluster?

    /// Every figure 0.
    public init() {}

    /// The part that a daemon has in a service of several.
    public struct Cluster: Equatable, Sendable {
        /// `leader` or `standby`.
        public var role = ""
        /// In which it writes; 0: it does not.
        public var term: UInt64 = 0
        /// Entries that it knows of and does not have yet.
        public var lag: UInt64 = 0
        /// Whether what it has is the present state it cannot tell, and answers nothing about tables.
        public var isOutOfTouch = false
        /// The endpoints of the leader.
        public var leader: [String] = []
        /// The members that have lately said that they take part.
        public var members: [Member] = []

        /// Nothing is known yet.
        public init() {}

        /// One of its daemons.
        public struct Member: Equatable, Sendable {
            /// Drawn at the start of its process.
            public var id: String
            /// Where clients reach it.
            public var endpoints: [String]
            /// The newest entry that it has.
            public var position: UInt64
            /// The version of its program.
            public var version: String
            /// In which it writes; 0: it does not.
            public var term: UInt64
            /// Whether it is the one that writes.
            public var writes: Bool { term != 0 }

            /// A member's description of itself.
            public init(
                id: String, endpoints: [String], position: UInt64, version: String, term: UInt64 = 0
            ) {
                (self.id, self.endpoints) = (id, endpoints)
                (self.position, self.version, self.term) = (position, version, term)
            }
        }
    }
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

/// The result of `check`: it has found these in order.
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

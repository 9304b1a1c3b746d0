public import TableModel

/// A step of a drag (design rules B5 to B7). Only a drop becomes a revision.
public enum Drag: Equatable, Sendable {
    /// Lifts rows: the answer is a lease.
    case lift([RowID], ttlSeconds: Double)
    /// Over a place: other viewers see it, and nothing is kept. Renews the lease.
    case hover(lease: ID, section: SectionID?, Anchor)
    /// Ends the lease with exactly one revision, or with a refusal that says why.
    case drop(lease: ID, section: SectionID?, Anchor, Command.Policy)
    /// Ends the lease, with everything as before.
    case cancel(lease: ID)
    /// The holder is there.
    case renew(lease: ID)

    /// Seconds that a lease lasts where the lift does not say.
    public static let defaultTTLSeconds = 10.0
}

/// Rows that somebody drags.
public struct Lease: Equatable, Sendable {
    /// Its identity, in the daemon's life.
    public var id: ID
    /// Who: a name where the client gave one, else the client's id.
    public var holder: ID
    /// In the order in which they will stand.
    public var rows: [RowID]
    /// It ends so long after it was last renewed.
    public var ttlSeconds: Double
    /// Where they hover; nil: they have not moved yet.
    public var hover: Hover?

    /// A place that a drag is over.
    public struct Hover: Equatable, Sendable {
        /// Of the place, where it was named.
        public var section: SectionID?
        /// In the section, or beside a row.
        public var anchor: Anchor

        /// A place as given.
        public init(section: SectionID? = nil, _ anchor: Anchor) {
            self.section = section
            self.anchor = anchor
        }
    }

    /// A lease as given.
    public init(
        id: ID, holder: ID, rows: [RowID], ttlSeconds: Double, hover: Hover? = nil
    ) {
        self.id = id
        self.holder = holder
        self.rows = rows
        self.ttlSeconds = ttlSeconds
        self.hover = hover
    }
}

/// Who looks at a table.
public struct Attendant: Equatable, Sendable {
    /// The viewer.
    public var client: ID
    /// What people call who sits there.
    public var name: ID?
    /// When it came, milliseconds since 1970 (UTC).
    public var sinceMs: UInt64
    /// What it has shown.
    public var revision: UInt64
    /// How many revisions it is behind.
    public var lag: UInt64

    /// An attendant as given.
    public init(
        client: ID, name: ID? = nil, sinceMs: UInt64 = 0, revision: UInt64 = 0, lag: UInt64 = 0
    ) {
        self.client = client
        self.name = name
        self.sinceMs = sinceMs
        self.revision = revision
        self.lag = lag
    }
}

/// What is published about those who are there. Nothing of it is kept.
public struct Presence: Equatable, Sendable {
    /// The table it is about.
    public var table: TableID
    /// Of the daemon: with another one, all leases of before have ended.
    public var epoch: ID128
    /// All that there are; nil: as before.
    public var leases: [Lease]?
    /// All that there are; nil: as before.
    public var viewers: [Attendant]?
    /// Since the last presence.
    public var ended: [Ended]

    /// The end of a lease.
    public struct Ended: Equatable, Sendable {
        /// That ended.
        public var lease: ID
        /// For people.
        public var reason: String
        /// The rows stand elsewhere now; otherwise everything is as it was.
        public var isDropped: Bool

        /// An end as given.
        public init(_ lease: ID, _ reason: String, isDropped: Bool = false) {
            self.lease = lease
            self.reason = reason
            self.isDropped = isDropped
        }
    }

    /// A presence; by default with no news.
    public init(
        table: TableID, epoch: ID128, leases: [Lease]? = nil, viewers: [Attendant]? = nil,
        ended: [Ended] = []
    ) {
        self.table = table
        self.epoch = epoch
        self.leases = leases
        self.viewers = viewers
        self.ended = ended
    }
}

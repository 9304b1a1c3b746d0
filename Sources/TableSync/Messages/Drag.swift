public import TableModel

/// A step of a drag (rules B5–B7). Only a drop becomes a revision.
public enum Drag: Equatable, Sendable {
    /// Lifts rows: the answer is a lease.
    case lift([RowID], ttlSeconds: Double)
    /// Hovers over a place. Other viewers see it, and nothing is kept. Renews the lease.
    case hover(lease: ID, section: SectionID?, Anchor)
    /// Ends the lease with exactly one revision, or with a refusal that says why.
    case drop(lease: ID, section: SectionID?, Anchor, Command.Policy)
    /// Ends the lease; everything is as before the lift.
    case cancel(lease: ID)
    /// Renews the lease.
    case renew(lease: ID)

    /// Seconds that a lease lasts where the lift does not say.
    public static let defaultTTLSeconds = 10.0
}

/// Rows that somebody drags.
public struct Lease: Equatable, Sendable {
    /// The lease's id: random, and no two of a table have the same.
    public var id: ID
    /// The holder: the client's name if it gave one, else its id.
    public var holder: ID
    /// The rows, in the order that they will have after the drop.
    public var rows: [RowID]
    /// How long after its last renewal the lease ends, in seconds.
    public var ttlSeconds: Double
    /// Where the rows hover; nil: they have not moved yet.
    public var hover: Hover?
    /// The holder, as proven; nil: nothing was proven.
    public var user: ID?

    /// The place that a drag hovers over.
    public struct Hover: Equatable, Sendable {
        /// The section, if the client named one.
        public var section: SectionID?
        /// The anchor in the section, or beside a row.
        public var anchor: Anchor

        /// A place with these values.
        public init(section: SectionID? = nil, _ anchor: Anchor) {
            self.section = section
            self.anchor = anchor
        }
    }

    /// A lease with these values.
    public init(
        id: ID, holder: ID, rows: [RowID], ttlSeconds: Double, hover: Hover? = nil, user: ID? = nil
    ) {
        self.id = id
        self.holder = holder
        self.rows = rows
        self.ttlSeconds = ttlSeconds
        self.hover = hover
        self.user = user
    }
}

/// A viewer of a table.
public struct Attendant: Equatable, Sendable {
    /// The viewer's client id.
    public var client: ID
    /// The person's name.
    public var name: ID?
    /// When the viewer came, in milliseconds since 1970 (UTC).
    public var sinceMs: UInt64
    /// The revision that the viewer shows.
    public var revision: UInt64
    /// How many revisions the viewer is behind.
    public var lag: UInt64
    /// The user, as proven; nil: nothing was proven.
    public var user: ID?

    /// An attendant with these values.
    public init(
        client: ID, name: ID? = nil, sinceMs: UInt64 = 0, revision: UInt64 = 0, lag: UInt64 = 0,
        user: ID? = nil
    ) {
        self.client = client
        self.name = name
        self.sinceMs = sinceMs
        self.revision = revision
        self.lag = lag
        self.user = user
    }
}

/// The publication about viewers and leases. Nothing of it is kept.
public struct Presence: Equatable, Sendable {
    /// The table it is about.
    public var table: TableID
    /// The daemon's epoch. If it is another than before, all earlier leases have ended.
    public var epoch: ID128
    /// All leases; nil: as before.
    public var leases: [Lease]?
    /// All viewers; nil: as before.
    public var viewers: [Attendant]?
    /// The leases that have ended since the last presence.
    public var ended: [Ended]

    /// The end of a lease.
    public struct Ended: Equatable, Sendable {
        /// The lease that ended.
        public var lease: ID
        /// The reason, for people.
        public var reason: String
        /// The reason as data.
        public var saying: Saying?
        /// The rows were dropped; otherwise everything is as before the lift.
        public var isDropped: Bool

        /// An end with these values.
        public init(
            _ lease: ID, _ reason: String, _ saying: Saying? = nil, isDropped: Bool = false
        ) {
            self.lease = lease
            self.reason = reason
            self.saying = saying
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

public import TableModel

/// Which revisions a request for the history asks for.
public struct HistoryFilter: Equatable, Sendable {
    /// Only revisions before this one; nil: from the newest on.
    public var before: UInt64?
    /// At most so many revisions.
    public var most: Int
    /// Only revisions that changed this row.
    public var row: RowID?
    /// Only revisions by this name or client.
    public var actor: ID?
    /// Only revisions with this verb in their cause.
    public var verb: String?
    /// Only revisions of this time or later, in milliseconds since 1970 (UTC).
    public var fromMs: UInt64?
    /// Only revisions of this time or earlier, in milliseconds since 1970 (UTC).
    public var toMs: UInt64?

    /// All revisions, 100 at a time.
    public init(
        before: UInt64? = nil, most: Int = 100, row: RowID? = nil, actor: ID? = nil,
        verb: String? = nil, fromMs: UInt64? = nil, toMs: UInt64? = nil
    ) {
        self.before = before
        self.most = most
        self.row = row
        self.actor = actor
        self.verb = verb
        self.fromMs = fromMs
        self.toMs = toMs
    }
}

/// Some revisions of a table, newest first.
public struct HistoryPage: Equatable, Sendable {
    /// The revisions that match.
    public var changes: [Change]
    /// The revisions after this one are kept.
    public var oldest: UInt64
    /// How much the daemon keeps.
    public var keeps: Retention
    /// The revisions up to this one will be dropped next; nil: none soon.
    public var leaving: UInt64?
    /// There may be more revisions: ask for those before this one. Nil: there are no more.
    public var next: UInt64?

    /// One revision.
    public struct Change: Equatable, Sendable {
        /// The revision's number.
        public var revision: UInt64
        /// The cause: its sender, its time and its verb.
        public var cause: Cause
        /// The revision that undid it; nil: none.
        public var undoneBy: UInt64?
        /// Rows that it is about; at most the first 64.
        public var rows: [RowID]
        /// A sentence for people.
        public var text: String
        /// The deeds as data; the cause says who did it, and which revision it undid.
        public var sayings: [Saying]

        /// A change with these values.
        public init(
            revision: UInt64, cause: Cause, undoneBy: UInt64? = nil, rows: [RowID] = [],
            text: String = "", sayings: [Saying] = []
        ) {
            self.revision = revision
            self.cause = cause
            self.undoneBy = undoneBy
            self.rows = rows
            self.text = text
            self.sayings = sayings
        }
    }

    /// A page with these values.
    public init(
        changes: [Change], oldest: UInt64, keeps: Retention = Retention(), leaving: UInt64? = nil,
        next: UInt64? = nil
    ) {
        self.next = next
        self.changes = changes
        self.oldest = oldest
        self.keeps = keeps
        self.leaving = leaving
    }
}

/// The inverse of one revision: it leads a table one revision back.
public struct RewindStep: Equatable, Sendable {
    /// The revision that it leads to.
    public var revision: UInt64
    /// The table's digest at that revision.
    public var digest: UInt64
    /// The ops, in order.
    public var ops: [Op]

    /// A step with these values.
    public init(revision: UInt64, digest: UInt64, ops: [Op]) {
        self.revision = revision
        self.digest = digest
        self.ops = ops
    }
}

public import TableModel

/// Which revisions somebody wants to hear of.
public struct HistoryFilter: Equatable, Sendable {
    /// Only those before this one; nil: from the newest on.
    public var before: UInt64?
    /// At most so many.
    public var most: Int
    /// That changed this row.
    public var row: RowID?
    /// By this name or client.
    public var actor: ID?
    /// With this word in their cause.
    public var verb: String?
    /// Of this time or later, milliseconds since 1970 (UTC).
    public var fromMs: UInt64?
    /// Of this time or earlier, likewise.
    public var toMs: UInt64?

    /// All of them, 100 at a time.
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
    /// That match.
    public var changes: [Change]
    /// The revisions after this one are kept.
    public var oldest: UInt64
    /// How much is kept.
    public var keeps: Retention
    /// The revisions up to this one go next; nil: none do soon.
    public var leaving: UInt64?
    /// There may be more: ask for those before this one. Nil: this is all.
    public var next: UInt64?

    /// One revision.
    public struct Change: Equatable, Sendable {
        /// Its number.
        public var revision: UInt64
        /// Who, when, by what.
        public var cause: Cause
        /// That took it back.
        public var undoneBy: UInt64?
        /// Rows that it is about; the first of them where they are many.
        public var rows: [RowID]
        /// A sentence for people.
        public var text: String

        /// A change as given.
        public init(
            revision: UInt64, cause: Cause, undoneBy: UInt64? = nil, rows: [RowID] = [],
            text: String = ""
        ) {
            self.revision = revision
            self.cause = cause
            self.undoneBy = undoneBy
            self.rows = rows
            self.text = text
        }
    }

    /// A page as given.
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

/// What leads a table one revision back.
public struct RewindStep: Equatable, Sendable {
    /// That it leads to.
    public var revision: UInt64
    /// Of the table there.
    public var digest: UInt64
    /// In order.
    public var ops: [Op]

    /// A step as given.
    public init(revision: UInt64, digest: UInt64, ops: [Op]) {
        self.revision = revision
        self.digest = digest
        self.ops = ops
    }
}

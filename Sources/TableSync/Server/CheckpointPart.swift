public import TableModel

/// A part of a checkpoint, which is a sequence of parts. Backups use some of the cases too.
public enum CheckpointPart: Equatable, Sendable {
    /// A table begins.
    case table(Start)
    /// The next rows of the table that began last.
    case rows([SnapshotChunk.Slice])
    /// Remembered answers of one principal. `evictedTo` as in `Sessions`.
    case sessions([Client], evictedTo: UInt64, of: Sessions.Owner)
    /// The other memory of rows of the table that began last: the places of removed ones and what was performed
    /// a moment ago, each oldest first, and what drags have closed.
    case removed(
        [RemovedPlaces.Entry], recent: [RecentDeeds.Entry] = [], lifted: [ClosedSwipe] = [])
    /// Invocations of the table that began last, with their rows.
    case invocations([Invocation])
    /// The latest diffs of the table that began last.
    case log(Log)
    /// Whose the claims and held invocations are of the table that began last.
    case owners(Owners)
    /// More kinds of the table that began last, before its rows.
    case kinds([Kind])
    /// The term in which the tables are written, unless it is the first.
    case term(Server.Term)

    /// The latest diffs of a table, or a part of them.
    public struct Log: Equatable, Sendable {
        /// Oldest first, with their inverses.
        public var changes: [EncodedChange]
        /// The places of those that take an undo back, in their order. Only the undo shows that one does,
        /// and the undo may not be kept any more.
        public var redos: [Int]
        /// The places of those of which something was forgotten, in their order: they lead to no older state.
        public var partial: [Int]
        /// The table's digest before the first of them; nil: others came before, or it is from before
        /// this was written.
        public var digest: UInt64?

        /// These changes.
        public init(
            changes: [EncodedChange] = [], redos: [Int] = [], partial: [Int] = [],
            digest: UInt64? = nil
        ) {
            self.changes = changes
            self.redos = redos
            self.partial = partial
            self.digest = digest
        }

        /// Goes on with the next part.
        public mutating func add(_ more: Log) {
            let before = changes.count
            if before == 0 { digest = more.digest }
            redos += more.redos.map { $0 + before }
            partial += more.partial.map { $0 + before }
            changes += more.changes
        }
    }

    /// A table without its rows.
    public struct Start: Equatable, Sendable {
        /// The table's name.
        public var table: TableID
        /// The table's history.
        public var history: ID128
        /// The revision at the checkpoint.
        public var revision: UInt64
        /// The digest that the table must have with the rows that follow.
        public var digest: UInt64
        /// The registered kinds.
        public var kinds: [Kind]
        /// The table's settings.
        public var settings: Settings
        /// The table is in edit mode.
        public var isEditing: Bool

        /// A table at this revision.
        public init(
            table: TableID, history: ID128, revision: UInt64, digest: UInt64, kinds: [Kind],
            settings: Settings, isEditing: Bool = false
        ) {
            self.isEditing = isEditing
            self.table = table
            self.history = history
            self.revision = revision
            self.digest = digest
            self.kinds = kinds
            self.settings = settings
        }
    }

    /// The answers to one client.
    public struct Client: Equatable, Sendable {
        /// Whose answers they are.
        public var client: ID
        /// The answers.
        public var session: Sessions.Session

        /// One client's session.
        public init(_ client: ID, _ session: Sessions.Session) {
            self.client = client
            self.session = session
        }
    }
}

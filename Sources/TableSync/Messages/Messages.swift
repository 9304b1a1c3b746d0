public import TableModel

/// A client's request. `TableWire` reads and writes it; docs/PROTOCOL.md specifies it.
public struct Request: Equatable, Sendable {
    // Optional<T>, where T? would do: that begins as nil, and costs a copy (docs/decisions/0041).
    /// The client. Nil: a command is carried out and its answer not remembered.
    public var client: Optional<ID>
    /// The number of the client's command; the reply repeats it.
    public var number: Optional<UInt64>
    /// The journal position that `hello` gave when the client id was first used.
    public var opened: Optional<UInt64>
    /// The table; nil: the verb needs none.
    public var table: Optional<TableID>
    /// The person's name.
    public var name: Optional<ID>
    /// The time of the decision, for a daemon with a virtual clock; milliseconds since 1970 (UTC).
    public var atMs: Optional<UInt64>
    /// The seconds that the sender's time of day is ahead of UTC, for clock times in conditions.
    public var zoneSeconds = 0
    /// The verb of the request.
    public var verb: Verb
    /// The sender, as the connection proves it: it is not in the message.
    public var sender: Principal
    /// It came as JSON, and so does its reply: the daemon says that, too.
    public var isText = false

    /// A request; anonymous by default.
    public init(
        client: ID? = nil, number: UInt64? = nil, opened: UInt64? = nil, table: TableID? = nil,
        name: ID? = nil, atMs: UInt64? = nil, _ verb: Verb
    ) {
        self.name = name
        self.atMs = atMs
        self.client = client
        self.number = number
        self.opened = opened
        self.table = table
        self.verb = verb
        sender = .local
    }

    /// The actor, for claims and leases: the name, else the client's id.
    public var actor: ID? { name ?? client }

    /// One case per verb: first those that read, then ephemeral ones, then those that change.
    public enum Verb: Equatable, Sendable {
        case hello
        case tables
        case kinds
        /// Chunk `chunk` of snapshot `id`; without an id, chunk 0 of a new one.
        indirect case snapshot(id: String?, chunk: Int)
        /// The diffs after revision `since`.
        indirect case replay(history: ID128, since: UInt64)
        /// The state that a viewer holds; sent after the epoch changed.
        indirect case offer(history: ID128, revision: UInt64, digest: UInt64)
        case health
        case stats
        case check
        /// A sign of life from a handler, which keeps what it holds.
        case renew
        /// Asks who looks at the table, and who drags its rows.
        case who
        indirect case history(HistoryFilter)
        /// The inverses from revision `since`, towards `to`.
        indirect case rewind(history: ID128, since: UInt64, to: UInt64)

        /// A sign of life from a viewer that shows this revision; or the viewer leaves.
        case attend(revision: UInt64, isLeaving: Bool)
        indirect case drag(Drag)
        /// Asks for the effect of a change without carrying it out.
        indirect case explain(Change)
        /// Asks for the rows that a condition fits.
        indirect case query(Query)

        case create
        case drop
        /// The past of these rows, which are removed, is to be gone.
        case forget([RowID])
        case command(Command)
        indirect case batch([Command], ifRevision: UInt64?)

        /// Chunk `chunk` of backup `id`; without an id, chunk 0 of all tables as they are now.
        indirect case backup(id: String?, chunk: Int)
        indirect case restore(RestoreStep)
        /// At most so many of the audit's latest entries.
        case audit(most: Int)
        /// Another daemon of the service is to write.
        case stepDown
        /// The connections of clients.
        case connections
        /// The connection of this name is to end.
        indirect case endConnection(String)
        /// A standby asks for what it does not have.
        indirect case replicate(Replicate)
        /// This standby is to write.
        case promote
    }

    /// A change of a table, or a table that is made or dropped: all that can be explained.
    public enum Change: Equatable, Sendable {
        case create
        case drop
        case command(Command)
        case batch([Command], ifRevision: UInt64?)
    }
}

/// The daemon's reply to a request.
public struct Reply: Equatable, Sendable {
    // Optional<T>, where T? would do: that begins as nil, and costs a copy (docs/decisions/0041).
    /// The request's client.
    public var client: Optional<ID>
    /// The request's number.
    public var number: Optional<UInt64>
    /// The request's table.
    public var table: Optional<TableID>
    /// The table's history, if there is a table.
    public var history: Optional<ID128>
    /// The daemon's epoch, which is new after each start.
    public var epoch: ID128
    /// The table's revision, after the command.
    public var revision: Optional<UInt64>
    /// The answer itself.
    public var answer: Answer

    /// A reply with these values.
    public init(
        client: ID? = nil, number: UInt64? = nil, table: TableID? = nil, history: ID128? = nil,
        epoch: ID128, revision: UInt64? = nil, _ answer: Answer
    ) {
        self.client = client
        self.number = number
        self.table = table
        self.history = history
        self.epoch = epoch
        self.revision = revision
        self.answer = answer
    }

    /// One case per kind of answer. Rare and large ones are indirect, so that an answer is small.
    public enum Answer: Equatable, Sendable {
        indirect case refused(Rejection)
        /// It was done, on so many rows that the answer does not tell where each is: only how many fitted.
        case manyDone(rows: Int, unchanged: Bool)
        /// `unchanged`: the command is valid but changes nothing, so there is no new revision.
        /// `invocations` began with this command, or it took them.
        case done(rows: [Landing], unchanged: Bool, invocations: [Invocation])
        indirect case hello(Hello)
        case tables([TableSummary])
        indirect case kinds([Kind], Settings)
        indirect case snapshot(SnapshotChunk)
        indirect case replay(Publication, head: UInt64)
        indirect case standing(Standing)
        indirect case health(Health)
        indirect case stats(Stats)
        indirect case check(CheckResult)
        indirect case lease(Lease)
        case who([Attendant], [Lease])
        indirect case history(HistoryPage)
        case rewind([RewindStep])
        indirect case backup(BackupChunk)
        /// Newest first.
        case audit([AuditEntry])
        case connections([ConnectionSummary])
        indirect case replicated(Replicated)
        indirect case promoted(Promotion)
        /// The effect that a command would have: as `done`, and the ops.
        indirect case explained(Explanation)
        indirect case found(Found)

        /// `done` without invocations.
        public static func done(rows: [Landing], unchanged: Bool) -> Answer {
            .done(rows: rows, unchanged: unchanged, invocations: [])
        }

        package static func refused(
            _ code: Rejection.Code, _ message: String, field: String? = nil
        ) -> Answer { .refused(Rejection(code, message, field: field)) }
    }
}

/// A description of the daemon and its limits.
public struct Hello: Equatable, Sendable {
    /// The daemon's name.
    public var program = "trestled"
    /// The daemon's version.
    public var version = Hello.programVersion
    /// The present journal position: a new client id gives it in its requests.
    public var opened: UInt64 = 0
    /// Endpoints of the publications.
    public var publish: [String] = []
    /// The limits for requests.
    public var limits = Limits()
    /// The names of features beyond the protocol's core. A sender that may do nothing with any table has none.
    public var features: [String] = []
    /// Time between two heartbeats of a table, in milliseconds.
    public var heartbeatMs = 1_000
    /// The newest term in its journal; 0: it does not say. One that is older than another daemon's was written in
    /// before a standby was promoted.
    public var term: UInt64 = 0

    /// Every default.
    public init() {}

    /// The version of the programs and libraries in this package.
    public static let programVersion = "1.0.0"
    /// The version of the protocol that this code speaks.
    public static let protocolVersion = 1
}

/// One table in a list.
public struct TableSummary: Equatable, Sendable {
    /// The table's name.
    public var table: TableID
    /// The table's history.
    public var history: ID128
    /// The newest revision.
    public var revision: UInt64
    /// How many rows it has.
    public var rows: Int
    /// How many sections it has.
    public var sections: Int
    /// The table's digest at `revision`.
    public var digest: UInt64
    /// The oldest revision that `replay` can start from.
    public var oldest: UInt64

    /// A summary with these values.
    public init(
        table: TableID, history: ID128, revision: UInt64, rows: Int, sections: Int, digest: UInt64,
        oldest: UInt64
    ) {
        self.table = table
        self.history = history
        self.revision = revision
        self.rows = rows
        self.sections = sections
        self.digest = digest
        self.oldest = oldest
    }
}

/// A part of a snapshot.
public struct SnapshotChunk: Equatable, Sendable {
    /// The snapshot's id in further requests.
    public var id: String
    /// The table's revision when the snapshot was taken.
    public var revision: UInt64
    /// The digest of the whole table, which the assembled chunks must have.
    public var digest: UInt64
    /// Which part this is, from 0.
    public var chunk: Int
    /// How many parts there are.
    public var chunks: Int
    /// How many rows the whole table has.
    public var rows: Int
    /// The table's kinds; in chunk 0 only.
    public var kinds: [Kind]
    /// The table's settings; in chunk 0 only.
    public var settings: Settings?
    /// The table is in edit mode; said in chunk 0 only.
    public var isEditing = false
    /// Some of the invocations that have not ended, without the rows that were pressed. All chunks
    /// together have all.
    public var invocations: [Invocation] = []
    /// Rows by section. A section that continues from the chunk before is named again.
    public var slices: [Slice]

    /// Some rows of a section.
    public struct Slice: Equatable, Sendable {
        /// The section.
        public var section: SectionID
        /// The section's title.
        public var title: String
        /// The rows in order; a section without rows has an empty slice.
        public var rows: [Row]

        /// A slice with these values.
        public init(section: SectionID, title: String, rows: [Row]) {
            self.section = section
            self.title = title
            self.rows = rows
        }
    }

    /// A chunk with these values.
    public init(
        id: String, revision: UInt64, digest: UInt64, chunk: Int, chunks: Int, rows: Int,
        kinds: [Kind] = [], settings: Settings? = nil, slices: [Slice] = []
    ) {
        self.id = id
        self.revision = revision
        self.digest = digest
        self.chunk = chunk
        self.chunks = chunks
        self.rows = rows
        self.kinds = kinds
        self.settings = settings
        self.slices = slices
    }
}

/// How a viewer's table relates to the daemon's.
public struct Standing: Equatable, Sendable {
    /// The names are those of the protocol.
    public enum Relation: String, Sendable, CaseIterable {
        case same
        /// The daemon's table has later revisions.
        case extend
        /// The daemon has lost revisions that the viewer has.
        case rolledBack
        /// The history is another, or the content.
        case diverged
        /// The viewer's revision is too old to tell.
        case compacted
    }

    /// How the two tables relate.
    public var relation: Relation
    /// The daemon's head.
    public var head: Head

    /// A standing with these values.
    public init(_ relation: Relation, head: Head) {
        self.relation = relation
        self.head = head
    }
}

/// The state of a table, in short.
public struct Head: Equatable, Sendable {
    /// The newest revision.
    public var revision: UInt64
    /// The table's digest at `revision`.
    public var digest: UInt64
    /// The oldest revision that `replay` can start from.
    public var oldest: UInt64

    /// A head with these values.
    public init(revision: UInt64, digest: UInt64, oldest: UInt64) {
        self.revision = revision
        self.digest = digest
        self.oldest = oldest
    }
}

/// A message on a table's topics.
public struct Publication: Equatable, Sendable {
    // Optional<T>, where T? would do: that begins as nil, and costs a copy (docs/decisions/0041).
    /// The table it is about.
    public var table: TableID
    /// The table's history; nil: there is no such table (in a welcome).
    public var history: Optional<ID128>
    /// The daemon's epoch, which is new after each start.
    public var epoch: ID128
    /// The commit's time, in milliseconds since 1970 (UTC).
    public var timeMs: Optional<UInt64>
    /// Diffs of this table in one commit, in order.
    public var diffs: [Diff]
    /// The answer to a subscription.
    public var welcome: Optional<Head>
    /// The state of the table; nil in all but a heartbeat.
    public var heartbeat: Optional<Head>
    /// The table was dropped.
    public var isDropped: Bool
    /// It is a welcome, also to a table that does not exist.
    public var isWelcome: Bool

    /// A publication; by default with nothing in it.
    public init(
        table: TableID, history: ID128?, epoch: ID128, timeMs: UInt64? = nil, diffs: [Diff] = [],
        welcome: Head? = nil, heartbeat: Head? = nil, isDropped: Bool = false,
        isWelcome: Bool = false
    ) {
        self.table = table
        self.history = history
        self.epoch = epoch
        self.timeMs = timeMs
        self.diffs = diffs
        self.welcome = welcome
        self.heartbeat = heartbeat
        self.isDropped = isDropped
        self.isWelcome = isWelcome || welcome != nil
    }
}

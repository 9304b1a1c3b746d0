public import TableModel

/// What a client asks. `TableWire` reads and writes it; docs/PROTOCOL.md specifies it.
public struct Request: Equatable, Sendable {
    /// Who asks. Nil: a command is carried out and not remembered.
    public var client: ID?
    /// Numbers the client's commands; echoed in the reply.
    public var number: UInt64?
    /// The journal position that `hello` gave when the client id was first used.
    public var opened: UInt64?
    /// The table it is about; nil where the verb needs none.
    public var table: TableID?
    /// What people call who asks.
    public var name: ID?
    /// The time to decide at, for a daemon with a virtual clock; milliseconds since 1970 (UTC).
    public var atMs: UInt64?
    /// What is asked.
    public var verb: Verb

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
    }

    /// Who, as claims and leases go by: the name, else the client's id.
    public var actor: ID? { name ?? client }

    /// One case per verb: those that read, those that pass, those that change.
    public enum Verb: Equatable, Sendable {
        case hello
        case tables
        case kinds
        /// Chunk `chunk` of snapshot `id`; without an id, chunk 0 of a new one.
        case snapshot(id: String?, chunk: Int)
        /// The diffs that lead on from revision `since`.
        case replay(history: ID128, since: UInt64)
        /// What a viewer holds, after the epoch changed.
        case offer(history: ID128, revision: UInt64, digest: UInt64)
        case health
        case stats
        case check
        /// A handler is there, and keeps what it holds.
        case renew
        /// Who looks at the table, and drags its rows.
        case who
        case history(HistoryFilter)
        /// The inverses from revision `since`, towards `to`.
        case rewind(history: ID128, since: UInt64, to: UInt64)

        /// A viewer is there, and shows this revision; or it goes.
        case attend(revision: UInt64, isLeaving: Bool)
        case drag(Drag)
        /// What the change would do.
        indirect case explain(Change)

        case create
        case drop
        indirect case command(Command)
        case batch([Command], ifRevision: UInt64?)

        /// Chunk `chunk` of backup `id`; without an id, chunk 0 of all tables as they are now.
        case backup(id: String?, chunk: Int)
        case restore(RestoreStep)
    }

    /// What changes a table, or makes or drops one: all that can be explained.
    public enum Change: Equatable, Sendable {
        case create
        case drop
        case command(Command)
        case batch([Command], ifRevision: UInt64?)
    }
}

/// What the daemon answers.
public struct Reply: Equatable, Sendable {
    /// As in the request.
    public var client: ID?
    /// As in the request.
    public var number: UInt64?
    /// As in the request.
    public var table: TableID?
    /// Of the table, where there is one.
    public var history: ID128?
    /// Of the daemon: another one after each start.
    public var epoch: ID128
    /// Of the table, after the command.
    public var revision: UInt64?
    /// What came of it.
    public var answer: Answer

    /// A reply as given.
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

    /// One case per kind of answer. What is frequent stands in it, and it is small.
    public enum Answer: Equatable, Sendable {
        indirect case refused(Rejection)
        /// `unchanged`: in order, but there was nothing to do, and there is no new revision.
        /// `invocations` began with this command, or were taken by it.
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
        /// What would come of a command: as `done`, and the steps.
        indirect case explained(Explanation)

        /// Carried out, with nothing to say about invocations.
        public static func done(rows: [Landing], unchanged: Bool) -> Answer {
            .done(rows: rows, unchanged: unchanged, invocations: [])
        }
    }
}

/// What the daemon is, and what it bears.
public struct Hello: Equatable, Sendable {
    /// The daemon's name.
    public var program = "trestled"
    /// The daemon's version.
    public var version = Hello.programVersion
    /// The journal position now: new client ids give it in their requests.
    public var opened: UInt64 = 0
    /// Endpoints of the publications.
    public var publish: [String] = []
    /// The bounds that requests must keep.
    public var limits = Limits()
    /// What this daemon can do beyond the protocol's core, by name.
    public var features: [String] = []
    /// Between two heartbeats of a table, in milliseconds.
    public var heartbeatMs = 1_000

    /// Every default.
    public init() {}

    /// The version of the programs and libraries in this package.
    public static let programVersion = "0.1.0"
    /// The version of the protocol that this code speaks.
    public static let protocolVersion = 1
}

/// One table in a list.
public struct TableSummary: Equatable, Sendable {
    /// Its name.
    public var table: TableID
    /// Which history its revisions belong to.
    public var history: ID128
    /// Its newest.
    public var revision: UInt64
    /// How many rows.
    public var rows: Int
    /// How many sections.
    public var sections: Int
    /// Of the table at `revision`.
    public var digest: UInt64
    /// The oldest revision that `replay` can start from.
    public var oldest: UInt64

    /// A summary as given.
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
    /// Names the snapshot in further requests.
    public var id: String
    /// Of the table when the snapshot was taken.
    public var revision: UInt64
    /// Of the whole table: what the assembled rows must come to.
    public var digest: UInt64
    /// Which part this is, from 0.
    public var chunk: Int
    /// How many parts there are.
    public var chunks: Int
    /// In the whole table.
    public var rows: Int
    /// In chunk 0 only.
    public var kinds: [Kind]
    /// In chunk 0 only; nil in the others.
    public var settings: Settings?
    /// In chunk 0 only: the table is in edit mode.
    public var isEditing = false
    /// Of all chunks together: those that have not ended, without the rows that were pressed.
    public var invocations: [Invocation] = []
    /// A section that goes on from the chunk before is named again.
    public var slices: [Slice]

    /// Some rows of a section.
    public struct Slice: Equatable, Sendable {
        /// The section.
        public var section: SectionID
        /// The section's title.
        public var title: String
        /// In order; a section without rows has an empty slice.
        public var rows: [Row]

        /// A slice as given.
        public init(section: SectionID, title: String, rows: [Row]) {
            self.section = section
            self.title = title
            self.rows = rows
        }
    }

    /// A chunk as given.
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

/// How what a viewer holds stands to what the daemon holds.
public struct Standing: Equatable, Sendable {
    /// The names are those of the protocol.
    public enum Relation: String, Sendable, CaseIterable {
        case same
        /// The daemon went on from there.
        case extend
        /// The daemon has lost what the viewer saw.
        case rolledBack
        /// Another history, or another content.
        case diverged
        /// Too old to tell.
        case compacted
    }

    /// How the two stand.
    public var relation: Relation
    /// What the daemon holds.
    public var head: Head

    /// A standing as given.
    public init(_ relation: Relation, head: Head) {
        self.relation = relation
        self.head = head
    }
}

/// The state of a table, in short.
public struct Head: Equatable, Sendable {
    /// The newest.
    public var revision: UInt64
    /// Of the table at `revision`.
    public var digest: UInt64
    /// The oldest revision that `replay` can start from.
    public var oldest: UInt64

    /// A head as given.
    public init(revision: UInt64, digest: UInt64, oldest: UInt64) {
        self.revision = revision
        self.digest = digest
        self.oldest = oldest
    }
}

/// What is published on a table's topics.
public struct Publication: Equatable, Sendable {
    /// The table it is about.
    public var table: TableID
    /// Nil: there is no such table (in a welcome).
    public var history: ID128?
    /// Of the daemon: another one after each start.
    public var epoch: ID128
    /// Of the commit, milliseconds since 1970 (UTC).
    public var timeMs: UInt64?
    /// All of this table in one commit, in order.
    public var diffs: [Diff]
    /// The answer to a subscription.
    public var welcome: Head?
    /// The state of the table; nil in all but a heartbeat.
    public var heartbeat: Head?
    /// The table is no more.
    public var isDropped: Bool
    /// Tells a welcome to a table that does not exist from a publication with diffs.
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

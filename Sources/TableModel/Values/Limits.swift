/// Every bound on what may come in and be held, with its reason. `hello` reports those that clients
/// can keep to.
public struct Limits: Equatable, Sendable {
    /// A request, all frames: one message must not hold the loop for long.
    public var requestBytes = 1 << 20
    /// Frames of a request.
    public var frames = 8
    /// Commands of a batch: its diff is one message to every viewer.
    public var batchCommands = 1_000
    /// An id: ids stand in every diff.
    public var idBytes = 128
    /// A title: what a person reads in one row.
    public var titleBytes = 4 << 10
    /// All text of a row: a snapshot chunk must hold several.
    public var rowBytes = 16 << 10
    /// Fields of a row: they are kept sorted in an array.
    public var fields = 256
    /// Rows of a table: what was measured to stay fast.
    public var rows = 1_000_000
    /// Items of a strip: they stand in an array.
    public var items = 1_000
    /// All text of a strip's items: a snapshot chunk must hold several rows.
    public var stripBytes = 64 << 10
    /// Tables of a daemon: each sends a heartbeat every second.
    public var tables = 1_024
    /// Sections of a table: they stand in an array.
    public var sections = 1_024
    /// Kinds of a table: they travel in every snapshot's first chunk.
    public var kinds = 256
    /// One kind's definition, as text.
    public var kindBytes = 64 << 10
    /// Actions of a group.
    public var actions = 16
    /// Levels of a face.
    public var faceDepth = 32
    /// A face, as text: it is drawn for every row that is open.
    public var faceBytes = 16 << 10
    /// Invocations of a table that have not ended: they travel in every snapshot.
    public var invocations = 10_000
    /// Invocations that a handler takes with one command: the reply holds their rows.
    public var takenInvocations = 64
    /// Why an invocation failed: it stands in the row.
    public var reasonBytes = 1 << 10
    /// A deadline of an invocation: a day.
    public var deadlineSeconds = 86_400.0
    /// A handler that is not heard of for so long loses what it holds, in milliseconds.
    public var holderTimeoutMs = 5_000
    /// Points: beyond it a Double no longer adds up exactly over a million rows.
    public var heightPoints = 1e6
    /// Clients whose answers are remembered.
    public var sessions = 10_000
    /// Answers remembered of one client: as many as it may have under way.
    public var repliesPerSession = 64
    /// Answers remembered in all.
    public var replies = 100_000
    /// Rows of a table that are of pinned kinds: each move is held against them.
    public var pinnedRows = 1_000
    /// Rows that one lease lifts: they travel in every ghost.
    public var liftedRows = 256
    /// Leases of a table: their ghosts travel together.
    public var leases = 1_024
    /// A lease that is not renewed for longer, in seconds, is not of this interaction.
    public var leaseSeconds = 1.0...60.0
    /// Claimed rows of a table: they are looked at ten times a second.
    public var claims = 10_000
    /// A claim that is not renewed, in seconds: up to a day.
    public var claimSeconds = 1.0...86_400.0
    /// What somebody says of a claim: it stands in the row.
    public var noteBytes = 1 << 10
    /// A time that a row brings, in milliseconds since 1970: to the end of the year 9999.
    public var timeMs: UInt64 = 253_402_300_799_999
    /// Viewers of a table that are remembered by name.
    public var attendants = 4_096
    /// What takes a revision back, encoded: a larger one is not kept, and not undone.
    public var inverseBytes = 1 << 20
    /// The parts of a restore, and 256 for each row: they are held beside the tables until the
    /// last has come. As much as tables with sixteen million small rows take anyway.
    public var restoreBytes = 4 << 30
    /// Removed rows whose places are remembered, for moves that rebase.
    public var removedPlaces = 10_000

    /// The defaults.
    public init() {}

    /// Answers that are remembered of one client: never more than of all.
    public var answersOfOneClient: Int { min(repliesPerSession, replies) }
}

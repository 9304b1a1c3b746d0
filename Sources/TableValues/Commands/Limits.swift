/// Every bound on what may come in and be held, with its reason. `hello` reports those that clients
/// can obey.
public struct Limits: Equatable, Sendable {
    /// A request, all frames: one message must not hold the loop for long.
    public var requestBytes = 1 << 20
    /// Messages and entries of maps in a request: each becomes up to 600 bytes, in up to a microsecond,
    /// however few it had. Fixed, so `hello` does not tell it.
    public var elements = 1 << 16
    /// Frames of a request.
    public var frames = 8
    /// Commands of a batch: its diff is one message to every viewer.
    public var batchCommands = 1_000
    /// An id: ids stand in every diff.
    public var idBytes = 128
    /// An id that the daemon makes: of a lease, a snapshot or a backup. It takes what it gave, however short
    /// `idBytes` lets others be. Fixed, so `hello` does not tell it.
    public static let madeIDBytes = 64
    /// A title: a person reads it in one row.
    public var titleBytes = 4 << 10
    /// All text of a row: a snapshot chunk must hold several.
    public var rowBytes = 16 << 10
    /// Fields of a row: they are a sorted array.
    public var fields = 256
    /// States of a row's own: toggling goes through them one by one.
    public var ownStates = 64
    /// Rows of a table: performance was measured up to this number.
    public var rows = 1_000_000
    /// Items of a strip: they are an array.
    public var items = 1_000
    /// All text of a strip's items: a snapshot chunk must hold several rows.
    public var stripBytes = 64 << 10
    /// Tables of a daemon: each sends a heartbeat every second.
    public var tables = 1_024
    /// Sections of a table: they are an array.
    public var sections = 1_024
    /// Kinds of a table: they travel in every snapshot's first chunk.
    public var kinds = 256
    /// Kinds of items of a strip kind. Fixed, so `hello` does not tell it.
    public var itemKinds = 64
    /// One kind's definition, a row's own actions, or an item's tap, as JSON.
    public var kindBytes = 64 << 10
    /// All kinds of a table, in their canonical form: they travel whole in `kinds`, and in every
    /// snapshot's first chunk. Where a site allows one kind more, that is the bound.
    public var kindsBytes = 512 << 10
    /// Actions of a group.
    public var actions = 16
    /// Levels of a face.
    public var faceDepth = 32
    /// A face, as text: it is drawn for every open row.
    public var faceBytes = 16 << 10
    /// Shared faces of a table: they travel with its settings.
    public var faces = 256
    /// All shared faces of a table, with their images: they travel in every snapshot's first chunk.
    public var facesBytes = 256 << 10
    /// Families of a font: a viewer looks for one after the other.
    public var families = 8
    /// An image in a face: it is drawn for every open row.
    public var imageBytes = 16 << 10
    /// A side of an image in a face, in pixels: a few bytes can unpack to very many.
    public var imagePixels = 1_024
    /// Invocations of a table that have not ended: they travel in every snapshot.
    public var invocations = 10_000
    /// Invocations that a handler takes with one command: the reply holds their rows.
    public var takenInvocations = 64
    /// Effects at the end of a table's invocations: all that one handler holds are in one answer. Fixed,
    /// so `hello` does not tell it.
    public var invocationBytes = 4 << 20
    /// The rows of a table's invocations, as they were at their presses: each may be a strip of 64 KiB that
    /// has changed since. Fixed too.
    package static let pressedBytes = 24 << 20
    /// Invocations that a command takes, with their rows, if it is more than one: the answer is remembered.
    /// 64 of the largest rows that are no strips come to this.
    package static let takenBytes = 1 << 20
    /// The bytes of the change that a command may lead to: it is in one entry of the journal, and in one message to every viewer.
    /// A million rows that change their states take less.
    package static let changeBytes = 64 << 20
    /// The text of a condition on a command.
    package static let conditionBytes = 4 << 10
    /// Values that a condition on a command may look up: 50 ms, for which the others wait.
    package static let conditionSteps = 500_000
    /// So few ops are not weighed: each has 64 KiB at most.
    package static let lightOps = 64
    /// The weight of the strips that a command names: each is written, or at least hashed, as a whole. An undo
    /// may write as much as what it takes back.
    package static let changedStripBytes = 16 << 20
    /// So few rows are not weighed: their strips come to less.
    package static let lightRows = 64
    /// The reason of a failed invocation: it is kept in the row.
    public var reasonBytes = 1 << 10
    /// A deadline of an invocation: a day.
    public var deadlineSeconds = 86_400.0
    /// A handler that is silent for this long loses its invocations, in milliseconds.
    public var holderTimeoutMs = 5_000
    /// A height in points. With larger ones a Double no longer adds up exactly over a million rows.
    public var heightPoints = 1e6
    /// Clients whose replies are remembered.
    public var sessions = 10_000
    /// Replies remembered for one client: as many as it may have under way.
    public var repliesPerSession = 64
    /// Replies remembered in all.
    public var replies = 100_000
    /// Bytes of the replies remembered of one principal: that to a move of 1,000 rows can have 250 KiB, and
    /// there are 100,000. Fixed, so `hello` does not tell it.
    public var replyBytes = 8 << 20
    /// Rows of pinned kinds in a table: each move is checked against them.
    public var pinnedRows = 1_000
    /// Rows that one lease lifts: they travel in every ghost.
    public var liftedRows = 256
    /// Leases of a table: their ghosts travel together.
    public var leases = 1_024
    /// How long a lease lives without renewal, in seconds: a longer one is no drag.
    public var leaseSeconds = 1.0...60.0
    /// Claimed rows of a table: they are checked ten times a second.
    public var claims = 10_000
    /// How long a claim lives without renewal, in seconds: up to a day.
    public var claimSeconds = 1.0...86_400.0
    /// How long edit mode for everybody stays on if its holder does not turn it on again, and the screen that turned it
    /// on is not there, in seconds: it keeps all others from their work. Fixed, so `hello` does not tell it.
    package var editSeconds = 900.0
    /// The note of a claim: it is kept in the row.
    public var noteBytes = 1 << 10
    /// Rows that nobody works on, which `next` looks at for one that fits: the turn goes on meanwhile. Fixed too.
    package static let freeRowsLookedAt = 100_000
    /// Rows that are changed together, as one of a group is pressed. Fixed too.
    package static let groupRows = 256
    /// Values of rows that an `each` looks at: nobody else has a turn meanwhile. Fixed too.
    package static let eachLookedUp = 200_000
    /// Rows that an `each` changes. Fixed too.
    package static let eachRows = 10_000
    /// The weight of these rows, as they were: they stand in the way back, which is kept, so that it can be undone.
    package static let eachRowBytes = 8 << 20
    /// Rows of which an `each` sets texts, where it is decided on between turns. Fixed too.
    package static let eachRowsAhead = 100_000
    /// The weight of these rows: they are held twice meanwhile.
    package static let eachRowBytesAhead = 64 << 20
    /// A table of more rows, or a revision of more bytes, is decided on between turns. Fixed; a simulation has less.
    package var aheadRows = 10_000
    package var aheadBytes = 1 << 20
    /// The encoded inverse of an `each`: whatever these rows come to.
    package static let eachInverseBytes = 16 << 20
    /// A time that a row brings, in milliseconds since 1970: up to the end of the year 9999.
    public var timeMs: UInt64 = 253_402_300_799_999
    /// Viewers of a table whose presence is remembered by name.
    public var attendants = 4_096
    /// An encoded inverse. A larger one is not kept, and its revision cannot be undone.
    public var inverseBytes = 1 << 20
    /// Bytes of a restore's parts, plus 256 for each row: they are held beside the live tables
    /// until the last part has come. Tables with sixteen million small rows take as much anyway.
    public var restoreBytes = 4 << 30
    /// Removed rows whose places are remembered, for moves with the policy `rebase`.
    public var removedPlaces = 10_000

    /// The defaults.
    public init() {}

    /// The bytes of an inverse that is kept. The way back of an `each` always is: what it changes is bounded.
    package func keptInverseBytes(of verb: String, ops count: Int) -> Int {
        guard count > Self.lightOps, verb == Command.Name.each.rawValue else { return inverseBytes }
        return max(inverseBytes, Self.eachInverseBytes)
    }

    /// Answers that are remembered of one client: never more than of all.
    public var answersOfOneClient: Int { min(repliesPerSession, replies) }
}

/// Limits that many decisions are made by. An object, so that each holds a reference: the limits
/// themselves have 60 words, and were copied four times a command.
public final class SharedLimits: Sendable {
    /// The limits.
    public let limits: Limits

    /// These limits, from now on.
    public init(_ limits: Limits) { self.limits = limits }
}

// A standby has a journal of its own, and follows that of another daemon entry by entry (docs/STANDBY.md).

/// A place in a journal: its log, an entry, and the hash chain that ties that entry to all before it. Two
/// journals with the same place have the same entries up to there.
public struct JournalPlace: Equatable, Sendable {
    /// The number of the log.
    public var log: UInt64
    /// The position of the entry; 0: before the first.
    public var position: UInt64
    /// The chain after it.
    public var chain: UInt64

    /// A place.
    public init(log: UInt64, position: UInt64, chain: UInt64) {
        (self.log, self.position, self.chain) = (log, position, chain)
    }
}

/// The question of a standby: what comes behind what it has.
public struct Replicate: Equatable, Sendable {
    /// Drawn at the start of its process.
    public var id: String
    /// Where clients reach it.
    public var endpoints: [String] = []
    /// The version of its program.
    public var version = ""
    /// The newest term that it knows of. A daemon that writes in an older one ends to do so.
    public var term: UInt64 = 0
    /// The newest entry that it has on its disk; nil: it has nothing that is worth keeping.
    public var place: JournalPlace?
    /// The next piece of the copy that it takes; nil: it wants entries.
    public var piece: Piece?

    /// The standby with this id.
    public init(id: String) { self.id = id }

    /// A piece of a checkpoint.
    public struct Piece: Equatable, Sendable {
        /// The number of the checkpoint.
        public var checkpoint: UInt64
        /// The bytes before it.
        public var offset: UInt64

        /// From its two numbers.
        public init(checkpoint: UInt64, offset: UInt64) {
            (self.checkpoint, self.offset) = (checkpoint, offset)
        }
    }

    /// The most endpoints that it may tell.
    public static let mostEndpoints = 16
    /// The most bytes of each of its texts.
    public static let mostTextBytes = 256
}

/// The answer to `Replicate`.
public struct Replicated: Equatable, Sendable {
    /// The term in which this daemon writes.
    public var term = Server.Term()
    /// The newest entry that it has.
    public var position: UInt64 = 0
    /// The entries behind the standby's place.
    public var entries: [[UInt8]] = []
    /// The chain after the last of them.
    public var chain: UInt64 = 0
    /// The standby has to begin anew with a copy, of which this is a piece; nil: it goes on.
    public var copy: Copy?

    /// No entries.
    public init() {}

    /// A piece of a copy: the bytes of a file that only a journal reads.
    public struct Copy: Equatable, Sendable {
        /// The place that the whole copy leads to.
        public var place: JournalPlace
        /// Which piece it is; checkpoint 0: there is nothing to copy, and all entries follow.
        public var piece: Replicate.Piece
        /// The bytes of the whole copy.
        public var size: UInt64
        /// The bytes of this piece.
        public var content: [UInt8]

        /// A piece.
        public init(place: JournalPlace, piece: Replicate.Piece, size: UInt64, content: [UInt8]) {
            (self.place, self.piece, self.size, self.content) = (place, piece, size, content)
        }
    }
}

/// The answer to `promote`: a standby writes from now on.
public struct Promotion: Equatable, Sendable {
    /// The term in which it writes.
    public var term: UInt64 = 0
    /// The newest entry of the daemon that it followed.
    public var position: UInt64 = 0
    /// How many later entries that daemon is known to have had.
    public var missing: UInt64 = 0
    /// For how long nothing was heard of that daemon: of what it did meanwhile nothing is known.
    public var silentMs: UInt64 = 0

    /// Every figure 0.
    public init() {}
}

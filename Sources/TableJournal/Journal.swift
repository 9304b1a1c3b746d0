/// Durable, ordered entries of opaque bytes, and checkpoints that allow the oldest to be removed.
///
/// Use it in this order: open, `recover` once, then `append` once per loop turn. A checkpoint is
/// written in slices between appends. `compact` removes what it makes superfluous.
///
/// A journal belongs to one thread. After a failed write, the caller's state is ahead of the disk.
/// So the journal refuses all later writes, and the process should end.
public protocol Journal: AnyObject {
    /// The position of the newest durable entry; 0 if there never was one. Entries count from 1.
    var position: UInt64 { get }

    /// Figures for status pages and metrics.
    var figures: JournalFigures { get }

    /// Makes `entry` durable in one commit. When this returns, it is on disk at `position` + 1.
    func append(_ entry: [UInt8]) throws

    /// Begins a checkpoint that covers every entry up to the present `position`.
    ///
    /// Entries may be appended before it is finished; it does not cover them. It does not count
    /// until `finishCheckpoint`, even after a crash.
    func beginCheckpoint() throws

    /// Adds a part to the checkpoint under way. Recovery returns the parts in this order.
    func appendToCheckpoint(_ part: [UInt8]) throws

    /// Completes the checkpoint under way, in one commit. It becomes the newest complete one.
    /// `compact` removes the parts of the one before.
    func finishCheckpoint() throws

    /// Gives up the checkpoint under way, if any. `compact` removes its parts.
    func abandonCheckpoint() throws

    /// Removes at most `atMost` rows that are no longer needed. First come the parts of replaced
    /// and abandoned checkpoints. Then come entries below `position` that the newest complete
    /// checkpoint covers, oldest first.
    ///
    /// - Returns: how many rows were removed; 0 if there is nothing left to remove.
    func compact(before position: UInt64, atMost: Int) throws -> Int

    /// Hands over everything retained: the newest complete checkpoint (if any) part by part, then
    /// every entry, including those that the checkpoint covers.
    ///
    /// Each payload is checked before `body` sees it. What is missing at the end is noticed only at
    /// the end: if this throws, discard what `body` has built.
    /// - Parameter body: must not use the journal. What it throws is passed on.
    func recover(_ body: (Recovered) throws -> Void) throws -> JournalSummary

    /// Reads everything as `recover` does, and checks the structure of the storage too.
    func verify() throws -> JournalSummary

    /// Starts what `verify` does, in slices. Only one may be under way.
    func verification() throws -> any Verification

    /// Whether the storage may be tidied, which needs room on the disk; true at first.
    var canCopyLog: Bool { get set }

    /// Ends the use of the journal and leaves the storage tidy. Later calls throw. A second `close`
    /// does nothing.
    func close() throws
}

/// One thing that recovery hands over. A payload is valid only during the call.
public enum Recovered {
    /// Comes first if there is a complete checkpoint. It covers the entries up to `position`. Its
    /// `parts` parts follow.
    case checkpoint(position: UInt64, parts: UInt64)

    /// The next part of the checkpoint.
    case part(UnsafeRawBufferPointer)

    /// The next entry. The checkpoint already contains entries up to its own position.
    case entry(position: UInt64, UnsafeRawBufferPointer)
}

/// What a full reading of a journal found.
public struct JournalSummary: Equatable, Sendable {
    /// The position that the newest complete checkpoint covers; nil without one.
    public var checkpoint: UInt64?
    /// Number of parts of that checkpoint.
    public var parts: UInt64 = 0
    /// Payload bytes of those parts.
    public var partBytes: UInt64 = 0
    /// Number of retained entries.
    public var entries: UInt64 = 0
    /// Payload bytes of the retained entries.
    public var entryBytes: UInt64 = 0
    /// Position of the newest entry, retained or not.
    public var position: UInt64 = 0

    /// The summary of an empty journal.
    public init() {}
}

/// The state of a journal in numbers.
public struct JournalFigures: Equatable, Sendable {
    /// Position of the newest entry; 0 if there never was one.
    public var position: UInt64
    /// Position of the oldest retained entry; nil if none is retained.
    public var oldest: UInt64?
    /// Number of retained entries.
    public var entries: UInt64
    /// The position that the newest complete checkpoint covers; nil without one.
    public var checkpoint: UInt64?
    /// Payload bytes of the entries that no complete checkpoint covers.
    public var bytesSinceCheckpoint: UInt64
    /// Size of the files, in bytes.
    public var bytesOnDisk: UInt64
    /// Entries committed since the journal was opened.
    public var commits: UInt64

    /// Stores the figures.
    public init(
        position: UInt64, oldest: UInt64?, entries: UInt64, checkpoint: UInt64?,
        bytesSinceCheckpoint: UInt64, bytesOnDisk: UInt64, commits: UInt64
    ) {
        self.position = position
        self.oldest = oldest
        self.entries = entries
        self.checkpoint = checkpoint
        self.bytesSinceCheckpoint = bytesSinceCheckpoint
        self.bytesOnDisk = bytesOnDisk
        self.commits = commits
    }
}

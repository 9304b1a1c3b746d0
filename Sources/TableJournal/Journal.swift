/// Durable, ordered entries of opaque bytes, and checkpoints that let the oldest of them go.
///
/// The order of use is: open, `recover` once, then `append` once per loop turn. A checkpoint is
/// written in slices between appends, and `compact` removes what it made superfluous.
///
/// A journal belongs to one thread. When a write has failed, whatever the reason, the caller's
/// state is ahead of the disk: the journal refuses all later writes, and the process should end.
public protocol Journal: AnyObject {
    /// The position of the newest durable entry; 0 when there never was one. Entries count from 1.
    var position: UInt64 { get }

    /// What a status page or a metric wants to know.
    var figures: JournalFigures { get }

    /// Makes `entry` durable in one commit: it is on disk when this returns, at `position` + 1.
    func append(_ entry: [UInt8]) throws

    /// Begins a checkpoint that covers every entry up to `position` as it is now.
    ///
    /// Entries may be appended before it is finished; they are not covered. It counts for nothing
    /// until `finishCheckpoint`, also after a crash.
    func beginCheckpoint() throws

    /// Adds a part to the checkpoint that was begun. Recovery hands the parts back in this order.
    func appendToCheckpoint(_ part: [UInt8]) throws

    /// Makes the checkpoint that was begun the newest complete one, in one step; the parts of the
    /// one it replaces are removed by `compact`.
    func finishCheckpoint() throws

    /// Gives up the checkpoint that was begun, if any; its parts are removed by `compact`.
    func abandonCheckpoint() throws

    /// Removes at most `atMost` rows that are no longer needed: first the parts of replaced and
    /// abandoned checkpoints, then, oldest first, entries that the newest complete checkpoint
    /// covers and whose position is less than `position`.
    ///
    /// - Returns: how many rows were removed; 0 when nothing is left to remove.
    func compact(before position: UInt64, atMost: Int) throws -> Int

    /// Hands over everything retained: the newest complete checkpoint (if any) part by part, then
    /// every entry, also those that the checkpoint covers.
    ///
    /// Each payload is checked before `body` sees it, but what is missing at the end is noticed
    /// only at the end: when this throws, discard what `body` has built.
    /// - Parameter body: must not use the journal. What it throws is passed on.
    func recover(_ body: (Recovered) throws -> Void) throws -> JournalSummary

    /// Reads everything as `recover` does and also checks the structure of the storage beneath.
    func verify() throws -> JournalSummary

    /// Begins what `verify` does, a little at a time; one at a time.
    func verification() throws -> any Verification

    /// Whether the storage may be tidied, which takes room on the disk; true at first.
    var canCopyLog: Bool { get set }

    /// Ends the use of the journal, leaving the storage tidy. Later calls throw; a second `close`
    /// does nothing.
    func close() throws
}

/// One thing that recovery hands over. Payloads are lent for the duration of the call.
public enum Recovered {
    /// Comes first if there is a complete checkpoint. It covers the entries up to `position`, and
    /// `parts` parts follow.
    case checkpoint(position: UInt64, parts: UInt64)

    /// The next part of the checkpoint.
    case part(UnsafeRawBufferPointer)

    /// The next entry. A position not above the checkpoint's is already contained in it.
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

    /// Of nothing.
    public init() {}
}

/// The state of a journal in numbers.
public struct JournalFigures: Equatable, Sendable {
    /// Position of the newest entry; 0 when there never was one.
    public var position: UInt64
    /// Position of the oldest retained entry; nil when none is retained.
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

    /// Figures as given.
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

/// Durable, ordered entries of opaque bytes, and checkpoints that allow the oldest to be removed.
///
/// The order of use is: open, `recover` once, then `submit` one entry after the other and ask `news`
/// what became of them. A checkpoint is written in slices meanwhile, and `compact` removes what it
/// made superfluous.
///
/// Entries have positions: 1, 2, 3 and so on. A position is taken once and for ever. That is what
/// makes it safe to submit an entry again: if its first copy arrives later, its position is taken.
///
/// A journal belongs to one thread, and none of its functions waits for long. When one of them
/// throws, nothing is written any more, and the process should end: recovery is the error path.
public protocol Journal: AnyObject {
    // MARK: Entries

    /// The term in which this process may write; nil while another process may.
    ///
    /// A journal that only one process can open has one term for ever. In another one a new term
    /// begins when another process becomes the leader, or this one becomes it again. What was
    /// submitted in an older term and is not durable by then never will be.
    var term: UInt64? { get }

    /// The position of the newest entry that is known to be durable; 0 when there never was one.
    var durable: UInt64 { get }

    /// Hands over the entry for a position, which is one more than that of the entry before it.
    ///
    /// It may be durable when this returns, or later, or never: `durable` and `news` tell. A journal
    /// may gather entries, and write several at once; it keeps their order.
    func submit(_ entry: [UInt8], position: UInt64, term: UInt64) throws

    /// The outcome of the entries that were submitted. It is asked again and again: a journal that
    /// writes elsewhere reads its answers here.
    func news() throws -> JournalNews

    /// Hands over the durable entries after a position, oldest first, and counts them as durable from
    /// then on. It throws if the first of them is no longer retained.
    ///
    /// - Parameter body: must not use the journal. What it throws is passed on.
    func entries(after: UInt64, _ body: (UInt64, UnsafeRawBufferPointer) throws -> Void) throws

    /// Whether it hands over, by `durable` and `entries(after:)`, what other processes write while this one
    /// may not. Then a change of the term that refuses nothing needs no recovery.
    var isFollowed: Bool { get }

    /// Whether what is followed is kept here too: then this process writes checkpoints of it also while it follows.
    var isOwnCopy: Bool { get }

    /// Whether what is here is the present state, by the clock, now: nobody else can have written
    /// meanwhile; or, while others write, that this process was in touch of late.
    var isCurrent: Bool { get }

    /// Why nothing may be changed at present though it could be written; nil: it may.
    var refusesChanges: String? { get }

    /// Why nothing may be changed that does not make the tables less; nil: it may.
    var refusesMore: String? { get }

    /// The endpoints of the leader, as far as they are known.
    var leaders: [String] { get }

    /// A descriptor that is readable when there is news; nil where nothing is ever under way.
    var descriptor: Int32? { get }

    /// Figures for status pages and metrics.
    var figures: JournalFigures { get }

    // MARK: Checkpoints

    /// Begins a checkpoint that covers every entry up to `durable` as it is now.
    ///
    /// Entries may be submitted before it is finished; they are not covered. It counts for nothing
    /// until `finishCheckpoint`, also after a crash.
    func beginCheckpoint() throws

    /// Adds a part to the checkpoint under way. Recovery returns the parts in this order.
    func appendToCheckpoint(_ part: [UInt8]) throws

    /// Goes on completing the checkpoint under way, without waiting for the disk: to be called until
    /// it is true. Then it is the newest complete one, and `compact` removes the one before.
    func finishCheckpoint() throws -> Bool

    /// Gives up the checkpoint under way, if any.
    func abandonCheckpoint() throws

    /// Removes at most `atMost` of what is no longer needed. First come pieces of replaced
    /// and abandoned checkpoints. Then come entries below `position` that the newest complete
    /// checkpoint covers, oldest first. Some of them may be retained again at the next start.
    ///
    /// - Returns: how many were removed; 0 if there is nothing left to remove.
    func compact(before position: UInt64, atMost: Int) throws -> Int

    /// No bytes are to stay of what was submitted so far when a checkpoint has replaced it: its storage is not used
    /// again. `beginsAnew`: and the next entry shares none with it.
    func forgetEarlier(beginsAnew: Bool) throws

    // MARK: Between turns

    /// Does a little of what makes later entries quick. To be called between turns.
    ///
    /// - Returns: whether there is more to do soon.
    func tend() throws -> Bool

    /// Whether the disk has room for what is not necessary; true at first.
    var hasRoom: Bool { get set }

    // MARK: The whole

    /// Hands over everything retained: the newest complete checkpoint (if any) part by part, then
    /// every entry, including those that the checkpoint covers.
    ///
    /// Each payload is checked before `body` sees it. What is missing at the end is noticed only at
    /// the end: if this throws, discard what `body` has built.
    /// - Parameter body: must not use the journal. What it throws is passed on.
    func recover(_ body: (Recovered) throws -> Void) throws -> JournalSummary

    /// Starts reading everything as `recover` does, in slices. Only one may be under way.
    func verification() throws -> any Verification

    /// Ends the use of the journal and leaves the storage tidy. Later calls throw. A second `close`
    /// does nothing.
    func close() throws
}

extension Journal {
    /// By default nothing is done: the journal uses no storage again.
    public func forgetEarlier(beginsAnew: Bool) throws {}
}

/// The outcome of the entries that were submitted.
public enum JournalNews: Equatable, Sendable {
    /// Those up to `durable` are durable. The others are under way.
    case underWay
    /// Those up to `durable` are durable. Of the others nobody knows, and none is under way any
    /// more: no answer came. `entries(after:)` tells now which are there. An entry that is not there
    /// may still arrive late, so whoever submits it again submits the same bytes for the same
    /// position.
    case unknown
    /// The term in which they were submitted is over. Those that are not durable never will be.
    case refused
}

/// One thing that recovery hands over. Payloads are lent for the duration of the call.
public enum Recovered {
    /// Comes first if there is a complete checkpoint. It covers the entries up to `position`. Its
    /// `parts` parts follow.
    case checkpoint(position: UInt64, parts: UInt64)

    /// The next part of the checkpoint.
    case part(UnsafeRawBufferPointer)

    /// The next entry. The checkpoint already contains entries up to its own position.
    case entry(position: UInt64, UnsafeRawBufferPointer)
}

/// The result of a full reading of a journal.
public struct JournalSummary: Equatable, Sendable {
    /// The position that the newest complete checkpoint covers; nil without one.
    public var checkpoint: UInt64?
    /// Number of parts of that checkpoint.
    public var parts: UInt64 = 0
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
    /// Bytes of the newest complete checkpoint; 0: there is none, or it is not known.
    public var checkpointBytes: UInt64
    /// Whether the journal wants a checkpoint, or none; nil: the bytes since the last one say it.
    public var isCheckpointDue: Bool?

    /// Stores the figures.
    public init(
        position: UInt64, entries: UInt64, checkpoint: UInt64?,
        bytesSinceCheckpoint: UInt64, bytesOnDisk: UInt64, commits: UInt64,
        checkpointBytes: UInt64 = 0, isCheckpointDue: Bool? = nil
    ) {
        self.position = position
        self.entries = entries
        self.checkpoint = checkpoint
        self.bytesSinceCheckpoint = bytesSinceCheckpoint
        self.bytesOnDisk = bytesOnDisk
        self.commits = commits
        self.checkpointBytes = checkpointBytes
        self.isCheckpointDue = isCheckpointDue
    }
}

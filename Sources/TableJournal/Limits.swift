import JournalFormat

/// Every bound of the journal, with its reason. Tests take smaller ones.
struct Limits: Sendable {
    /// Bytes of a segment. A tenth of it is room for hundreds of turns; zeros for all of it are written in
    /// some 20 ms, and an empty directory is not large. A larger entry makes its segment longer.
    var segmentBytes = 4 << 20

    /// Segments that are prepared and wait. With two, one is in use while the next is made; what a
    /// checkpoint has covered comes back as one of them.
    var spares = 2

    /// Bytes that are prepared in one turn: to write so many zeros takes some 20 µs.
    var preparedBytes = 64 << 10

    /// Bytes of one entry or checkpoint part: more is an error of the caller, not of the disk.
    var payloadBytes = EntryHeader.mostBytes

    /// Bytes of a checkpoint after which the system is told to begin writing them, so that little is left
    /// for the sync at its end.
    var writtenBytes = 256 << 10

    /// Bytes that a file loses at a time when it is removed: to let go of more at once takes milliseconds,
    /// in which others wait for the file system.
    var cutBytes = 8 << 20

    /// The checks of a reader; fewer only where a test shows that each is needed.
    var checks: SegmentChecks = .all
    /// Whether the newest entry is written again at the start; see `Opening`.
    var rewritesNewest = true
    /// Whether names are synced before anything relies on them.
    var syncsNames = true
    /// Whether a start syncs names before it promises what it found under them.
    var syncsNamesFirst = true
}

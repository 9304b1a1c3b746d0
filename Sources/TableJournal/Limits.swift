/// Every bound of the journal, with its reason.
enum Limits {
    /// Bytes of one entry or checkpoint part. SQLite's own limit is 1 GB, and for a moment it holds
    /// a row twice in memory. A daemon with less memory than that should get an error that names
    /// the limit.
    static let payloadBytes = 512 << 20

    /// Pages (of 4 KiB) in the write-ahead log before they are copied into the database.
    ///
    /// Small commits rewrite the same leaf again and again, so 1,000 pages of log need a few dozen
    /// writes and one sync. With entries of 10 KB all pages differ, and copying them takes about 5
    /// ms once in 300 commits. A longer log would save little. It would lengthen that pause and the
    /// start after a crash.
    static let logPages: Int32 = 1000

    /// The log file is cut back to this many bytes after it had to grow, for instance for a
    /// checkpoint.
    static let logBytesKept = 64 << 20

    /// A database with at least this many bytes of free pages is rewritten at opening, if they are
    /// more than half of the file: an abandoned restore may have left gigabytes.
    static let freeBytes: Int64 = 16 << 20

    /// The rewrite happens only up to this many bytes in other pages: they pass through memory,
    /// while people wait.
    static let keptBytes: Int64 = 64 << 20

    /// Rows that one transaction removes at opening. Few enough that the log stays small if each
    /// row is a part of a large checkpoint.
    static let rowsPerSweep = 64
}

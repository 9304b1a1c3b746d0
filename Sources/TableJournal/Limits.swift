/// Every bound of the journal, with its reason.
enum Limits {
    /// Bytes of one entry or checkpoint part. SQLite's own limit is 1 GB, and it holds a row twice
    /// in memory for a moment; a daemon with less memory than that should hear of it by name.
    static let payloadBytes = 512 << 20

    /// Pages (of 4 KiB) in the write-ahead log before they are copied into the database.
    ///
    /// Small commits rewrite the same leaf again and again, so that 1,000 pages of log are a few
    /// dozen writes and one sync; with entries of 10 KB they are all different, and copying them
    /// takes some 5 ms once in 300 commits. A longer log would save little, and lengthen that
    /// pause and the start after a crash.
    static let logPages: Int32 = 1000

    /// Bytes to which the log file is cut back after it had to grow, for instance by a checkpoint.
    static let logBytesKept = 64 << 20

    /// Bytes of free pages from which a database is written anew when it is opened, if they are more
    /// than half of it: a restore that was let go may have left gigabytes.
    static let freeBytes: Int64 = 16 << 20

    /// Bytes of all other pages up to which that is done: they pass through memory, while people wait.
    static let keptBytes: Int64 = 64 << 20

    /// Rows that one transaction removes while the journal is being opened: few enough that the
    /// log stays small when each is a part of a large checkpoint.
    static let rowsPerSweep = 64
}

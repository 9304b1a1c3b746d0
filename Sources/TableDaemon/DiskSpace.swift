import Glibc

/// Whether the disk has room for what is to be committed.
///
/// A commit that fails ends the process, so room is looked for before: a table that can still be
/// read is worth more than a daemon that starts and ends.
struct DiskSpace {
    /// Bytes that must be free: what is committed before the next look, and what is written beside
    /// commits, such as slices of a checkpoint. Less, and nothing is changed any more.
    var reserve: UInt64
    /// As the system wants it.
    private let path: [CChar]
    /// Whether there is less.
    private(set) var isShort = false
    /// Whether no more files can be made. A commit needs one where a segment is full.
    private(set) var lacksFiles = false
    /// Whether there is too little for what can wait, such as segments that are prepared: the reserve is
    /// for commits.
    private(set) var isTight = false
    /// Bytes that a checkpoint may take, so that there is still more than the reserve.
    private(set) var checkpointBytes = UInt64.max
    private var nextMs: UInt64 = 0
    private var bytesSince = 0

    /// Between two looks, unless more was committed.
    private static let pauseMs: UInt64 = 10
    private static let mostBytes = 256 << 10
    /// Bytes of two segments.
    private static let preparedBytes: UInt64 = 8 << 20
    /// Files that it must be possible to make: the next segments, a checkpoint, the file "acknowledged".
    private static let leastFiles: UInt64 = 16

    init(path: String, reserve: UInt64) {
        self.path = Array(path.utf8CString)
        self.reserve = reserve
    }

    /// Whether it is time to look again. To look is a system call, of 20 µs and more: not in each turn.
    func isDue(_ nowMs: UInt64) -> Bool {
        isShort || nowMs >= nextMs || bytesSince >= Self.mostBytes
    }

    /// Looks again, if it is time to; true if there is another answer than before. `nowMs` never
    /// goes back. `isAnew`: something was removed, and it looks as if it never was short.
    ///
    /// It is enough again with an eighth more than the reserve, so that the answer does not change
    /// with each commit. Where the system cannot tell, commits go on as if there were room.
    mutating func look(nowMs: UInt64, isAnew: Bool = false) -> Bool {
        guard isDue(nowMs) else { return false }
        (nextMs, bytesSince) = (nowMs + Self.pauseMs, 0)
        let before = isShort
        if isAnew { isShort = false }
        let again = reserve + reserve / 8
        let enough = isShort ? again : reserve
        let (free, files) = left ?? (.max, .max)
        // Without a reserve nothing is ever refused.
        lacksFiles = reserve > 0 && files < (isShort ? Self.leastFiles * 2 : Self.leastFiles)
        isShort = free < enough || lacksFiles
        isTight = isShort || free < enough + Self.preparedBytes
        checkpointBytes = isShort ? 0 : free - min(free, again)
        return isShort != before
    }

    /// Why nothing is changed, where it is short.
    var refusal: String {
        lacksFiles ? "the disk can take no more files (inodes)" : "the disk is full"
    }

    /// Notes bytes that were committed since the last look.
    mutating func written(_ bytes: Int) { bytesSince += bytes }

    /// Bytes that this process may still write there, or nil.
    var free: UInt64? { left?.bytes }

    /// The bytes that are free, and how many files can be made. Some file systems make inodes as they are needed,
    /// and have no number of them.
    private var left: (bytes: UInt64, files: UInt64)? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let (bytes, isMore) = UInt64(status.f_bavail).multipliedReportingOverflow(
            by: UInt64(status.f_frsize))
        let files = status.f_files > 0 ? UInt64(status.f_favail) : .max
        return (isMore ? .max : bytes, files)
    }
}

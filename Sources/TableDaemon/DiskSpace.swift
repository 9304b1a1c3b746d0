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
    /// Whether there is too little for what can wait, such as segments that are prepared: the reserve is
    /// for commits.
    private(set) var isTight = false
    private var nextMs: UInt64 = 0
    private var bytesSince = 0

    /// Between two looks, unless more was committed.
    private static let pauseMs: UInt64 = 10
    private static let mostBytes = 256 << 10
    /// Bytes of two segments.
    private static let preparedBytes: UInt64 = 8 << 20

    init(path: String, reserve: UInt64) {
        self.path = Array(path.utf8CString)
        self.reserve = reserve
    }

    /// Looks again, if it is time to; true if there is another answer than before. `nowMs` never
    /// goes back.
    ///
    /// It is enough again with an eighth more than the reserve, so that the answer does not change
    /// with each commit. Where the system cannot tell, commits go on as if there were room.
    mutating func look(nowMs: UInt64) -> Bool {
        // To look is a system call, of 20 µs and more: not in each turn.
        guard isShort || nowMs >= nextMs || bytesSince >= Self.mostBytes else { return false }
        (nextMs, bytesSince) = (nowMs + Self.pauseMs, 0)
        let before = isShort
        let enough = isShort ? reserve + reserve / 8 : reserve
        let free = self.free ?? .max
        isShort = free < enough
        isTight = free < enough + Self.preparedBytes
        return isShort != before
    }

    /// What was committed since counts.
    mutating func written(_ bytes: Int) { bytesSince += bytes }

    /// Bytes that this process may still write there, or nil.
    var free: UInt64? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let (bytes, isMore) = UInt64(status.f_bavail).multipliedReportingOverflow(
            by: UInt64(status.f_frsize))
        return isMore ? .max : bytes
    }
}

import Glibc

/// The clock that never goes back.
enum MonotonicClock {
    /// Nanoseconds since some time before this process.
    static var nanoseconds: UInt64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return UInt64(clamping: now.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: now.tv_nsec)
    }
}

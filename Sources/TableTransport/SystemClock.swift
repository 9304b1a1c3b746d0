public import Glibc

/// Reads the system's clocks, such as `CLOCK_MONOTONIC`.
public enum SystemClock {
    /// Nanoseconds by this clock; some tell the processor time of this thread, or of the process.
    public static func nanoseconds(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(max(0, time.tv_sec)) &* 1_000_000_000 &+ UInt64(max(0, time.tv_nsec))
    }

    /// Milliseconds by this clock.
    public static func milliseconds(_ clock: clockid_t) -> UInt64 { nanoseconds(clock) / 1_000_000 }
}

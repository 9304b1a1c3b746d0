import Glibc
import TableTurn

/// The times that the daemon goes by, and hands to its turn.
struct Clock: TableTurn.Clock {
    var wallMs: UInt64 { Self.wallMs }
    var monotonicMs: UInt64 { Self.monotonicMs }
    var elapsedMs: UInt64 { Self.elapsedMs }
    var monotonicNs: UInt64 { Self.monotonicNs }
    var processorNs: UInt64 { Self.threadNs }

    /// Milliseconds since 1970 (UTC): for what people read.
    static var wallMs: UInt64 { milliseconds(CLOCK_REALTIME) }

    /// Milliseconds that never go back: for intervals.
    static var monotonicMs: UInt64 { milliseconds(CLOCK_MONOTONIC) }

    /// Milliseconds that never go back, and go on while the machine sleeps: for pauses.
    static var elapsedMs: UInt64 { milliseconds(CLOCK_BOOTTIME) }

    /// Nanoseconds that never go back: for what takes less.
    static var monotonicNs: UInt64 { nanoseconds(CLOCK_MONOTONIC) }

    /// Nanoseconds that this thread had the processor. Takes a system call.
    static var threadNs: UInt64 { nanoseconds(CLOCK_THREAD_CPUTIME_ID) }

    /// Nanoseconds of any clock; some tell the processor time of this thread, or of the process.
    static func nanoseconds(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(max(0, time.tv_sec)) &* 1_000_000_000 &+ UInt64(max(0, time.tv_nsec))
    }

    private static func milliseconds(_ clock: clockid_t) -> UInt64 {
        nanoseconds(clock) / 1_000_000
    }
}

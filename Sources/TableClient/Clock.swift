import Glibc
import TableTransport

/// Milliseconds that never go back, and go on while the machine sleeps. What was live before the sleep counts as stale
/// afterwards, and the daemon's time has gone on as long.
public func monotonicMs() -> UInt64 { SystemClock.milliseconds(CLOCK_BOOTTIME) }

/// Milliseconds since 1970 (UTC), by this machine's clock.
public func wallClockMs() -> UInt64 { SystemClock.milliseconds(CLOCK_REALTIME) }

/// Seconds that this machine's time of day is ahead of UTC.
public func zoneSeconds() -> Int {
    var now = time(nil)
    var local = tm()
    return localtime_r(&now, &local) == nil ? 0 : local.tm_gmtoff
}

/// When to give up.
public struct Deadline: Sendable {
    let atMs: UInt64?

    /// A deadline in so many milliseconds; nil: never.
    public init(inMilliseconds milliseconds: UInt64?) {
        atMs = milliseconds.map { monotonicMs() &+ $0 }
    }

    /// Whether the deadline has passed.
    public var hasPassed: Bool { atMs.map { monotonicMs() >= $0 } ?? false }

    /// Milliseconds that are left, at most `most`.
    func milliseconds(atMost most: Int) -> Int {
        guard let atMs else { return most }
        let now = monotonicMs()
        return atMs > now ? Int(min(atMs - now, UInt64(most))) : 0
    }
}

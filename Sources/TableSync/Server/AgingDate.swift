/// The date by which diffs get old. It goes as fast as time, and follows a date that was set forward once that has
/// lasted for as long as diffs are kept.
///
/// A date that jumps forward for a moment would else throw everything away for good: histories, and what can be
/// undone. A machine without a clock battery has another date until the network tells it. What is older than a jump
/// that has lasted for so long is really as old as that.
struct AgingDate {
    /// Milliseconds since 1970, as of the last look; nil: nobody has looked yet.
    private(set) var ms: UInt64?
    private var lookedMs: UInt64 = 0
    /// Since when the least lead counts.
    private var sinceMs: UInt64 = 0
    /// By how much the daemon's date was ahead of this one, at the least, since then.
    private var leadMs = UInt64.max

    /// The date that counts now, of the daemon's. `elapsedMs` never goes back, and goes on while the machine sleeps.
    /// Diffs are kept for `keptMs`.
    mutating func look(nowMs: UInt64, elapsedMs: UInt64, keptMs: UInt64) -> UInt64 {
        let step = elapsedMs - min(lookedMs, elapsedMs)
        // Rows made from now on have the daemon's date, so they must not look older than they are.
        var date = min(nowMs, ms.map { $0 + step } ?? nowMs)
        leadMs = min(leadMs, nowMs - date)
        if elapsedMs - min(sinceMs, elapsedMs) >= keptMs {
            date += leadMs
            (sinceMs, leadMs) = (elapsedMs, .max)
        }
        (ms, lookedMs) = (date, elapsedMs)
        return date
    }
}

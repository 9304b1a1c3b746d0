/// The date by which diffs get old. It follows the daemon's date, and goes at most twice as fast as time.
///
/// A date that jumps forward for a moment would else throw everything away for good: histories, and what can be
/// undone. A machine without a clock battery has another date until the network tells it. With twice the
/// speed a jump that lasts is made up for in time, and half of the time that was asked for is kept meanwhile.
struct AgingDate {
    /// Milliseconds since 1970, as of the last look; nil: nobody has looked yet.
    private(set) var ms: UInt64?
    private var lookedMs: UInt64 = 0

    /// The date that counts now. `elapsedMs` never goes back, and goes on while the machine sleeps.
    mutating func look(nowMs: UInt64, elapsedMs: UInt64) -> UInt64 {
        let step = elapsedMs - min(lookedMs, elapsedMs)
        let date = min(nowMs, ms.map { $0 + 2 * step } ?? nowMs)
        (ms, lookedMs) = (date, elapsedMs)
        return date
    }
}

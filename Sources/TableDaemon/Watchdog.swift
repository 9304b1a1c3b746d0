/// systemd is told twice per watchdog interval that the loop turns.
struct Watchdog {
    private let everyMs: UInt64?
    private var nextMs: UInt64

    init(_ intervalMicroseconds: UInt64?, nowMs: UInt64) {
        everyMs = intervalMicroseconds.map { max(1, $0 / 2_000) }
        nextMs = nowMs
    }

    /// How long the loop may wait at most.
    func untilNext(_ nowMs: UInt64) -> Int {
        guard everyMs != nil else { return .max }
        return nextMs > nowMs ? Int(clamping: nextMs - nowMs) : 0
    }

    mutating func isDue(_ nowMs: UInt64) -> Bool {
        guard let everyMs, nowMs >= nextMs else { return false }
        nextMs = nowMs + everyMs
        return true
    }
}

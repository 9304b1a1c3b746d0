/// When a turn is due although nothing arrives. All times are monotonic milliseconds.
struct Timers {
    private let heartbeatMs: UInt64
    private var nextHeartbeat: UInt64
    /// Nil: there is nothing that time ends.
    private var nextWatch: UInt64?
    /// How much later than its time an invocation, a lease or a claim may end, or a row wake.
    private static let watchMs: UInt64 = 100

    init(heartbeatMs: Int, nowMs: UInt64) {
        self.heartbeatMs = UInt64(max(1, heartbeatMs))
        nextHeartbeat = nowMs
    }

    /// How long to wait at most, where nothing is due but heartbeats.
    func untilHeartbeat(_ nowMs: UInt64) -> Int {
        nextHeartbeat > nowMs ? Int(min(nextHeartbeat - nowMs, 60_000)) : 0
    }

    /// How long to wait at most; `presence` is how long until there is one to publish.
    func untilNext(_ nowMs: UInt64, presence: UInt64?) -> Int {
        var next = nextHeartbeat
        if let nextWatch { next = min(next, nextWatch) }
        if let presence { next = min(next, nowMs + presence) }
        return next > nowMs ? Int(min(next - nowMs, 60_000)) : 0
    }

    mutating func heartbeatIsDue(_ nowMs: UInt64) -> Bool {
        guard nowMs >= nextHeartbeat else { return false }
        nextHeartbeat = nowMs + heartbeatMs
        return true
    }

    /// Where nothing was that time can end, the turn in which it begins looks at it at once. Otherwise the last look is
    /// at most `watchMs` ago. So no more than that counts by the date, whatever happens to it. `isNeeded` asks all tables.
    mutating func watchIsDue(_ nowMs: UInt64, isNeeded: () -> Bool) -> Bool {
        if let nextWatch, nowMs < nextWatch { return false }
        nextWatch = isNeeded() ? nowMs + Self.watchMs : nil
        return nextWatch != nil
    }

    /// The next look is no later than this; nil: nothing is known to come.
    mutating func watch(within milliseconds: UInt64?, _ nowMs: UInt64) {
        guard let milliseconds, let next = nextWatch, next > nowMs else { return }
        nextWatch = nowMs + min(milliseconds, next - nowMs)
    }
}

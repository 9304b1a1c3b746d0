/// When the loop has to wake although nothing arrives. All times are monotonic milliseconds.
struct Timers {
    private let heartbeatMs: UInt64
    private let watchdogMs: UInt64?
    private var nextHeartbeat: UInt64
    private var nextWatchdog: UInt64
    /// Nil: no handler has anything to do.
    private var nextHandlers: UInt64?
    /// How much later than its deadline an invocation may fail.
    private static let handlersMs: UInt64 = 100

    /// systemd is told twice per watchdog interval that the loop turns.
    init(heartbeatMs: Int, watchdogMicroseconds: UInt64?, nowMs: UInt64) {
        self.heartbeatMs = UInt64(max(1, heartbeatMs))
        watchdogMs = watchdogMicroseconds.map { max(1, $0 / 2_000) }
        nextHeartbeat = nowMs
        nextWatchdog = nowMs
    }

    /// How long to wait at most.
    func untilNext(_ nowMs: UInt64) -> Int {
        var next = nextHeartbeat
        if watchdogMs != nil { next = min(next, nextWatchdog) }
        if let nextHandlers { next = min(next, nextHandlers) }
        return next > nowMs ? Int(min(next - nowMs, 60_000)) : 0
    }

    mutating func heartbeatIsDue(_ nowMs: UInt64) -> Bool {
        guard nowMs >= nextHeartbeat else { return false }
        nextHeartbeat = nowMs + heartbeatMs
        return true
    }

    mutating func handlersAreDue(_ nowMs: UInt64, hasInvocations: Bool) -> Bool {
        guard hasInvocations else {
            nextHandlers = nil
            return false
        }
        if let nextHandlers, nowMs < nextHandlers { return false }
        nextHandlers = nowMs + Self.handlersMs
        return true
    }

    mutating func watchdogIsDue(_ nowMs: UInt64) -> Bool {
        guard let watchdogMs, nowMs >= nextWatchdog else { return false }
        nextWatchdog = nowMs + watchdogMs
        return true
    }
}

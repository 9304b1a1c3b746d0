import TableTransport

/// Tells systemd twice per watchdog interval that the loop turns.
struct Watchdog {
    let notify: Notify
    private let everyMs: UInt64?
    private var nextMs = Clock.monotonicMs

    init(_ notify: Notify) {
        self.notify = notify
        everyMs = notify.watchdogIntervalMicroseconds.map { max(1, $0 / 2_000) }
    }

    /// How long the loop may wait at most.
    func untilNext(_ nowMs: UInt64) -> Int {
        guard everyMs != nil else { return .max }
        return nextMs > nowMs ? Int(clamping: nextMs - nowMs) : 0
    }

    mutating func turn(_ nowMs: UInt64) {
        guard let everyMs, nowMs >= nextMs else { return }
        nextMs = nowMs + everyMs
        notify.watchdog()
    }
}

/// Tells systemd that a reading of the journal goes on, which may take minutes, and nothing else is done
/// meanwhile. Before the daemon serves it has the start take longer, and later it says that it is alive.
final class LongReading {
    /// Whether the daemon serves already.
    var isServing = false
    private let notify: Notify
    private let clock: () -> UInt64
    private let everyMs: UInt64
    private var nextMs: UInt64 = 0

    /// One portion must not take so long.
    private static let extendedMicroseconds: UInt64 = 90_000_000
    private static let mostMs: UInt64 = 5_000

    /// `clock` tells milliseconds.
    init(_ notify: Notify, clock: @escaping () -> UInt64 = { Clock.monotonicMs }) {
        (self.notify, self.clock) = (notify, clock)
        let watched = notify.watchdogIntervalMicroseconds.map { max(1, $0 / 2_000) }
        everyMs = min(Self.mostMs, watched ?? .max)
    }

    /// To be called often, with each portion or entry that was read: mostly it only looks at the clock.
    func goesOn() {
        let now = clock()
        guard now >= nextMs else { return }
        nextMs = now + everyMs
        if isServing {
            notify.watchdog()
        } else {
            notify.extend(microseconds: Self.extendedMicroseconds)
        }
    }
}

/// The clock by which somebody counts as late, and when it may be looked at.
///
/// A daemon that was stopped (SIGSTOP, a slow disk, a paused machine) did not hear those who spoke
/// meanwhile, and one that was out of touch turned them away. So this clock does not count such time:
/// whoever was in time when a pause began has as much time left when it ends. And nobody is called late before
/// what has arrived is taken in, and what is on its way had time to arrive: libzmq's thread was
/// stopped too, connections that were given up come back within two seconds, and a client says
/// after a third of its time that it is there.
///
/// The loop hands in CLOCK_BOOTTIME, which also counts while the machine sleeps: clients elsewhere
/// do not sleep with it.
package struct LivenessClock {
    /// Milliseconds in which the loop ran. Never goes back.
    package private(set) var nowMs: UInt64
    /// Whether somebody might be called late in the latest turn.
    package private(set) var judges = true
    private var seenMs: UInt64
    /// Until then, by this clock, nobody is called late.
    private var graceEndsMs: UInt64 = 0
    /// When it was last allowed to.
    private var judgedMs: UInt64
    /// When everything that had arrived was taken in.
    private var drainedMs: UInt64

    /// How much longer than it meant to wait a turn may take: a turn takes in requests for at most
    /// 200 ms, and then commits.
    private static let turnMs: UInt64 = 250
    /// After a pause, as long as it was, but no longer than connections need to come back (2 s) and
    /// clients to be heard on them (1 s).
    private static let mostGraceMs: UInt64 = 3_000
    /// However often there are pauses: else leases of those who are gone would stay for ever.
    private static let mostUnjudgedMs: UInt64 = 6_000
    /// However much there is to take in: a flood must not keep them either.
    private static let mostUndrainedMs: UInt64 = 1_000

    /// Begins at the time that the system's clock has.
    package init(at ms: UInt64) { (nowMs, seenMs, judgedMs, drainedMs) = (ms, ms, ms, ms) }

    /// A turn begins, before which the loop meant to wait for so long.
    package mutating func turn(at ms: UInt64, planned waitMs: UInt64) {
        // A clock that goes back tells nothing of how long it was.
        let step = ms > seenMs ? ms - seenMs : 0
        seenMs = ms
        let most = waitMs + Self.turnMs
        nowMs += min(step, most)
        guard step > most else { return }
        let end = nowMs + min(step - most, Self.mostGraceMs)
        graceEndsMs = max(graceEndsMs, min(end, judgedMs + Self.mostUnjudgedMs))
    }

    /// Whether those may be called late whose time is over. To be asked once in each turn, when it
    /// has taken in what it could: `hasTakenAll` if there was no more.
    package mutating func mayJudge(hasTakenAll: Bool) -> Bool {
        if hasTakenAll { drainedMs = nowMs }
        let isFlood = nowMs >= max(drainedMs, graceEndsMs) + Self.mostUndrainedMs
        judges = nowMs >= graceEndsMs && (hasTakenAll || isFlood)
        if judges { judgedMs = nowMs }
        return judges
    }
}

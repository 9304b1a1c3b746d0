/// The daemon's time at a viewer, whatever the viewer's own clock says. Each heartbeat says when it was sent, and is
/// heard later than that: of the latest ones that counts which was under way for the shortest time.
public struct DaemonClock: Sendable {
    private static let kept = 16
    /// The times of the latest heartbeats, less those at which they were heard.
    private var heads: [Int64] = []

    /// A clock that has heard nothing.
    public init() {}

    /// Takes the time of a heartbeat, in milliseconds since 1970 (UTC), that was heard at `monotonicMs`.
    public mutating func heard(_ timeMs: UInt64, monotonicMs: UInt64) {
        heads.append(Int64(clamping: timeMs) &- Int64(clamping: monotonicMs))
        if heads.count > Self.kept { heads.removeFirst() }
    }

    /// How far a clock that says `wallMs` is ahead of the daemon's, in milliseconds; 0: nothing was heard.
    public func aheadMs(wallMs: UInt64, monotonicMs: UInt64) -> Int64 {
        guard let head = heads.max() else { return 0 }
        return Int64(clamping: wallMs) &- Int64(clamping: monotonicMs) &- head
    }
}

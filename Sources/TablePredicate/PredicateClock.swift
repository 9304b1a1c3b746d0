import TableModel

/// The moment at which a predicate is evaluated, and the time zone of its reader.
public struct PredicateClock: Sendable {
    /// The daemon's time, in milliseconds since 1970 (UTC).
    public var nowMs: UInt64
    /// The seconds that the time of day is ahead of UTC, for clock times.
    public var zoneSeconds: Int

    /// A clock at this time.
    public init(nowMs: UInt64, zoneSeconds: Int = 0) {
        self.nowMs = nowMs
        self.zoneSeconds = zoneSeconds
    }

    static let dayMs = 86_400_000.0

    /// The moment with which today begins.
    var midnightMs: Double { day(of: nowMs) * Self.dayMs - Double(zoneSeconds) * 1_000 }

    /// The number of the day on which a moment lies, in this time zone.
    public func day(of timeMs: UInt64) -> Double {
        ((Double(timeMs) + Double(zoneSeconds) * 1_000) / Self.dayMs).rounded(.down)
    }

    /// The next moment at which clocks show such a time as `14:00`: today's, or else tomorrow's. Nil: the text is none.
    public func next(_ text: String) -> UInt64? {
        guard let ofDay = PredicateValue.text(text).clockMs else { return nil }
        let today = midnightMs + ofDay
        return UInt64(max(0, today > Double(nowMs) ? today : today + Self.dayMs))
    }

    func time(_ timeMs: UInt64) -> PredicateValue { .time(Double(timeMs), midnight: midnightMs) }
}

/// How often a key may make new connections: so many at once, then so many a second. Each takes a routing
/// id of libzmq's, or claims one (docs/decisions/0022).
struct KeyPace {
    /// New connections at once.
    var burst: UInt64
    static let perSecond: UInt64 = 20
    /// Up to when what a key has made is paid for, in nanoseconds.
    private var paid: [CurveKey: UInt64] = [:]

    init(burst: Int) { self.burst = UInt64(clamping: burst) }

    /// Whether one more may come. It counts if so.
    mutating func lets(_ key: CurveKey, at now: UInt64) -> Bool {
        let each = 1_000_000_000 / Self.perSecond
        let earliest = now - min(now, burst * each)
        let next = max(paid[key] ?? 0, earliest) + each
        guard next <= now else { return false }
        paid[key] = next
        return true
    }

    /// Forgets the others: they are no longer on the list.
    mutating func keep(_ keys: some Sequence<CurveKey>) {
        let keys = Set(keys)
        paid = paid.filter { keys.contains($0.key) }
    }
}

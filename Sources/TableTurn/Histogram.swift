import TableSync

/// How often something took how long. To add to it costs a few comparisons.
struct Histogram {
    /// Microseconds, from the quickest commit to what everybody notices.
    private static let boundsUs: [UInt64] = [
        50, 100, 250, 500, 1_000, 2_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000,
        1_000_000,
    ]

    /// Counts of times above the bound before, up to the bound; the last is beyond all bounds.
    private var counts = [UInt64](repeating: 0, count: boundsUs.count + 1)
    private var sumNs: UInt64 = 0

    /// Something took so long, or so many things did.
    mutating func add(ns: UInt64, times: UInt64 = 1) {
        var place = 0
        while place < Self.boundsUs.count, ns > Self.boundsUs[place] * 1_000 { place += 1 }
        counts[place] &+= times
        sumNs &+= ns &* times
    }

    /// As counters: how many took at most so many microseconds, how many there were, and all their
    /// microseconds.
    func tell(_ name: String, in stats: inout Stats) {
        var total: UInt64 = 0
        for (bound, count) in zip(Self.boundsUs, counts) {
            total &+= count
            stats.counters["\(name)_us_le_\(bound)"] = total
        }
        stats.counters["\(name)_us_count"] = total &+ (counts.last ?? 0)
        stats.counters["\(name)_us_sum"] = sumNs / 1_000
    }
}

package import TableSync

/// What a turn counts.
package struct TurnCounters {
    /// Turns since the start.
    package var turns: UInt64 = 0
    /// How long turns took that took something in.
    private var turnTimes = Histogram()
    /// For each request that of its turn.
    private var requestTimes = Histogram()
    /// How long it took until entries were durable.
    var commits = Histogram()

    /// A turn took in so many requests, and decided on them.
    mutating func answered(_ requests: UInt64, in ns: UInt64) {
        turnTimes.add(ns: ns)
        requestTimes.add(ns: ns, times: requests)
    }

    /// Adds them to what the daemon tells.
    package func tell(in stats: inout Stats) {
        stats.counters["turns"] = turns
        turnTimes.tell("turn", in: &stats)
        requestTimes.tell("request", in: &stats)
        commits.tell("commit", in: &stats)
    }
}

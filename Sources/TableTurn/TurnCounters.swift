package import TableSync

/// The counters of turns.
package struct TurnCounters {
    /// Turns since the start.
    package var turns: UInt64 = 0
    /// Bytes that the latest turn has submitted.
    package internal(set) var submittedBytes = 0
    /// How long turns took that took something in.
    private var turnTimes = Histogram()
    /// For each request that of its turn.
    private var requestTimes = Histogram()
    /// How long turns had the processor, from the begin of one to that of the next.
    private var processorTimes = Histogram()
    private var begunProcessorNs: UInt64?
    /// How long it took until entries were durable.
    var commits = Histogram()
    /// For each message of news: from the submission of its entry until it was handed to the sockets.
    private var deliveries = Histogram()

    /// A turn begins; the thread had the processor for so long until then.
    mutating func began(processorNs: UInt64) {
        if let begun = begunProcessorNs {
            processorTimes.add(ns: processorNs - min(begun, processorNs))
        }
        begunProcessorNs = processorNs
    }

    /// A turn took in so many requests, and decided on them.
    mutating func answered(_ requests: UInt64, in ns: UInt64) {
        turnTimes.add(ns: ns)
        requestTimes.add(ns: ns, times: requests)
    }

    /// So many messages of news left, so long after their entry was submitted.
    mutating func delivered(_ publications: Int, in ns: UInt64) {
        if publications > 0 { deliveries.add(ns: ns, times: UInt64(publications)) }
    }

    /// Adds them to what the daemon tells.
    package func tell(in stats: inout Stats) {
        stats.counters["turns"] = turns
        turnTimes.tell("turn", in: &stats)
        processorTimes.tell("turn_processor", in: &stats)
        requestTimes.tell("request", in: &stats)
        commits.tell("commit", in: &stats)
        deliveries.tell("delivery", in: &stats)
    }
}

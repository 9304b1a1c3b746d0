/// How long a turn takes in requests: one to two times as long as its commit will take.
///
/// While a turn decides, the clients that were answered before it can write their next commands;
/// were everything taken in that has arrived, all clients would be in one turn, and wait
/// together while the daemon works, and the daemon while they do. So where the daemon had to wait
/// after a turn, the next ones are shorter. On a slow disk a turn takes in so much that the commit
/// is still shared by all who wait.
package struct IntakeBudget {
    /// Nanoseconds that the latest commits took.
    private var commitNs: UInt64 = 100_000
    /// How long to take in requests, in hundredths of `commitNs`.
    private var percent: UInt64 = 200

    /// Measured: with less the commits take too much of the time, with more clients are in step.
    private static let percents: ClosedRange<UInt64> = 100...200
    /// However slow the disk, who asks for something else is heard within two such times.
    private static let longestNs: UInt64 = 100_000_000

    /// As before the first commit.
    package init() {}

    /// How long to take in requests, in nanoseconds.
    package var drainNs: UInt64 { commitNs * percent / 100 }

    /// Learns from a commit. One that was held up, by the copying of the log, counts for little.
    package mutating func committed(in ns: UInt64) {
        commitNs = (7 * commitNs + min(ns, 2 * commitNs + 1_000, Self.longestNs)) / 8
    }

    /// Learns how long nothing had arrived after a turn.
    package mutating func waited(_ ns: UInt64) {
        let isInStep = ns > commitNs / 4
        // Down at once, up slowly: being in step keeps itself going.
        let next = isInStep ? percent - 50 : percent + 1
        percent = min(max(next, Self.percents.lowerBound), Self.percents.upperBound)
    }
}

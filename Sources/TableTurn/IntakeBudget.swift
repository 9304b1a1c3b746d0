/// How long a turn takes in requests: one to two times as long as all that it costs besides, and longer
/// where that is little.
///
/// A turn pays for its commit, and for one publication to each viewer, however few requests it has. So
/// the intake is as long as these are. Where a commit is quick and there are viewers, the publications
/// are most of it; on a slow disk the commit is, and it is shared by all who wait. Publications count
/// double: a disk that is waited for leaves the processors to the clients, and sending does not.
///
/// While a turn decides, the clients that were answered before it can write their next commands;
/// were everything taken in that has arrived, all clients would be in one turn, and wait
/// together while the daemon works, and the daemon while they do. So where the daemon had to wait
/// after a turn, the next ones are shorter.
///
/// A turn also costs what no clock here sees: libzmq's thread wakes for its answers, and so do clients.
/// Where a commit takes no time and few look on, that is most of it. So a turn grows to `plentyNs` as
/// long as the daemon need not wait.
package struct IntakeBudget {
    /// Nanoseconds that the latest turns took besides their requests.
    private var costNs: UInt64 = 100_000
    /// How long to take in requests, in hundredths of `costNs`.
    private var percent: UInt64 = 200

    /// In how many turns costly requests have waited.
    private var turnsPassed = 0
    /// Turns in which costly requests wait since others were decided; then one is, before them.
    private static let mostTurnsPassed = 4

    /// Measured: with less the commits take too much of the time, with more clients are in step.
    private static let percents: ClosedRange<UInt64> = 100...200
    /// Measured in memory: with less a turn has too few requests for the wake-ups that it makes.
    private static let plentyNs: UInt64 = 120_000
    /// However slow the disk, who asks for something else is heard within two such times.
    private static let longestNs: UInt64 = 100_000_000

    /// As before the first commit.
    package init() {}

    /// How long to take in requests, in nanoseconds.
    package var drainNs: UInt64 { min(costNs * percent, costNs * mostPercent) / 100 }

    private var mostPercent: UInt64 {
        max(Self.percents.upperBound, 100 * Self.plentyNs / max(costNs, 1))
    }

    /// Whether a costly request is decided before others that have arrived.
    var owesCostly: Bool { turnsPassed >= Self.mostTurnsPassed }

    /// A turn took in a costly request, or none waits; else those that wait have waited once more.
    mutating func passed(hasTaken: Bool) { turnsPassed = hasTaken ? 0 : turnsPassed + 1 }

    /// Learns what a turn took besides its requests: its commit, and its publications, wherever they
    /// are sent. A commit that was held up, by the copying of the log, counts for little.
    package mutating func committed(in commitNs: UInt64, publishing: UInt64 = 0) {
        let ns = min(commitNs, Self.longestNs) + 2 * min(publishing, Self.longestNs)
        costNs = (7 * costNs + min(ns, 2 * costNs + 1_000, Self.longestNs)) / 8
    }

    /// Learns how long nothing had arrived after a turn.
    package mutating func waited(_ ns: UInt64) {
        let isInStep = ns > costNs / 4
        // Down at once, up slowly: being in step keeps itself going.
        let next = isInStep ? percent - max(50, percent / 4) : percent + 1
        percent = min(max(next, Self.percents.lowerBound), mostPercent)
    }
}

/// How long a turn takes in requests: some times as long as its commit will take.
///
/// While a turn decides, the clients that were answered before it can write their next commands;
/// were everything taken in that has arrived, all clients would be in one turn, and wait
/// together while the daemon works, and the daemon while they do. On a slow disk a turn takes in
/// so much that the commit is still shared by all who wait.
struct Pace {
    /// Nanoseconds that the latest commits took.
    private var commitNs: UInt64 = 100_000

    /// Measured: with 1 the commits take too much of the time, with 4 the clients are in step.
    private static let commitsPerTurn: UInt64 = 2

    /// How long to take in requests, in nanoseconds.
    var drainNs: UInt64 { Self.commitsPerTurn * commitNs }

    /// Learns from a commit. One that was held up counts for little.
    mutating func committed(in ns: UInt64) {
        commitNs = (7 * commitNs + min(ns, 100_000_000)) / 8
    }
}

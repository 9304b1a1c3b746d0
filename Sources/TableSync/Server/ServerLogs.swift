// The logs of all tables together. A bound of each alone is none: there may be a thousand tables.

extension Server {
    /// Entries that go at most with one that comes: no turn gets long.
    private static let mostGoing = 4_096

    /// Keeps a table's next diff.
    @inline(__always)  // Else the entry is moved for the call.
    func keep(_ entry: consuming DiffLog.Entry, of live: LiveTable) {
        let before = live.log.weight
        live.log.append(entry, within: retention, rows: live.table.count)
        guard let weight = logWeight else { return boundLogsNow() }
        let now = weight + live.log.weight - before
        logWeight = now
        if now > retention.totalBytes { boundLogsNow() }
    }

    private func boundLogsNow() {
        var left = Self.mostGoing
        boundLogs(atMost: &left)
    }

    /// Where all logs weigh too much, the heaviest lose their oldest entries, until those weigh the
    /// same: at most `left` entries, which becomes less by as many.
    ///
    /// More goes than has to, so that the logs are not compared with each diff. Which entries go
    /// depends on the weights alone. It need not be the same in two processes: what is kept is in
    /// no digest, and a viewer that asks for more takes a snapshot.
    func boundLogs(atMost left: inout Int) {
        let weights = tables.values.map(\.log.weight).sorted()
        let total = weights.reduce(0, +)
        logWeight = total
        guard total > retention.totalBytes else { return }
        let level = Self.level(weights, holding: retention.totalBytes / 16 * 15)
        for live in tables.values where live.log.weight > level {
            let before = live.log.weight
            live.log.shrink(to: level, atMost: &left)
            logWeight? += live.log.weight - before
        }
    }

    /// The most that each may weigh, so that all together weigh no more than `most`. `weights` is
    /// sorted.
    static func level(_ weights: [Int], holding most: Int) -> Int {
        var rest = most
        for (place, weight) in weights.enumerated() {
            let share = rest / (weights.count - place)
            if weight > share { return share }
            rest -= weight
        }
        return weights.last ?? 0
    }
}

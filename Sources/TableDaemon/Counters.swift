import Glibc
import TableSync

/// The figures that the daemon counts; those of a turn are in `TurnCounters`.
final class Counters {
    let startedMs = Clock.monotonicMs
    var requests: UInt64 = 0
    var requestBytes: UInt64 = 0
    /// Messages to which no reply was possible.
    var dropped: UInt64 = 0
    var replies: UInt64 = 0
    var repliesDropped: UInt64 = 0
    var publications: UInt64 = 0
    /// The figures that were told in this turn.
    var told: Stats?

    var stats: Stats {
        var stats = Stats()
        stats.counters = [
            "requests": requests, "request_bytes": requestBytes, "messages_dropped": dropped,
            "replies": replies, "replies_dropped": repliesDropped, "publications": publications,
        ]
        return stats
    }

    /// Memory in use, from the kernel.
    static var residentBytes: UInt64 {
        let fields = SmallFile.text("/proc/self/statm")?.split(separator: " ") ?? []
        guard fields.count > 1, let pages = UInt64(fields[1]) else { return 0 }
        return pages &* UInt64(max(0, sysconf(Int32(_SC_PAGESIZE))))
    }
}

import Logging
import TableSync
import TableTransport

/// The daemon's log, and its audit: what the turn notes of requests, and what no request did, such as signals and
/// keys. The audit is kept in memory for `trestle audit`, and written to the log.
final class DaemonLog {
    var lines: Logger
    private var trail = AuditTrail()
    /// Nil: standard error does not lead to systemd's journal.
    private let journal: JournalSocket?

    init(_ lines: Logger, journalStream: String?) {
        self.lines = lines
        journal = JournalSocket.isStandardError(journalStream) ? JournalSocket() : nil
    }

    /// The latest entries of the audit, at most so many.
    func latest(_ most: Int) -> [AuditEntry] { trail.latest(most) }

    func note(_ entry: AuditEntry) {
        for new in trail.note(entry, timeMs: Clock.wallMs, monotonicMs: Clock.monotonicMs) {
            write(new)
        }
    }

    func leaveOut(_ count: UInt64, like entry: AuditEntry) {
        trail.leaveOut(count, like: entry, monotonicMs: Clock.monotonicMs)
    }

    /// Says what the audit has left out, of those who have been quiet since.
    func tellLeftOut() {
        for entry in trail.tell(timeMs: Clock.wallMs, monotonicMs: Clock.monotonicMs) {
            write(entry)
        }
    }

    private func write(_ entry: AuditEntry) {
        let level: Logger.Level = entry.outcome == .allowed ? .notice : .warning
        guard level >= lines.logLevel else { return }
        let words = entry.pairs.map { ($0.key, Printable.word($0.value)) }
        if let journal {
            let message = "audit " + words.map { "\($0.0)=\($0.1)" }.joined(separator: " ")
            let fields =
                [
                    ("MESSAGE", message), ("PRIORITY", "\(StandardErrorLog.priority(level))"),
                    ("SYSLOG_IDENTIFIER", "trestled"),
                ] + entry.pairs.map { ("TRESTLE_\($0.key.uppercased())", $0.value) }
            if journal.write(fields) { return }
        }
        var metadata: Logger.Metadata = [:]
        for (key, value) in words { metadata[key] = "\(value)" }
        lines.log(level: level, "audit", metadata: metadata)
    }
}

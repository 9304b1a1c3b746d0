import Logging
import TableModel
import TableSync
import TableTransport

/// The daemon's log, and its audit: what the turn notes of requests, and what no request did, such as signals and
/// keys. The audit is kept in memory for `trestle audit`, and written to the log.
final class DaemonLog {
    var lines: Logger
    private var trail = AuditTrail()
    /// A request that takes so long is logged; 0: none is.
    private var slowMs: UInt64 = 0
    /// Whether it tells of requests: of each at `debug`, else of those that take long. And of turns. To ask the logger
    /// for its level costs more than a request may.
    private(set) var (tellsOfRequests, tellsOfTurns) = (false, false)
    /// The second that lines about requests are counted in, and how many were written and left out in it.
    private var second = (number: UInt64(0), written: 0, leftOut: 0)
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

    // MARK: Requests

    /// In a second no more lines than these are about requests: a log must not be what fills the disk.
    private static let mostLines = 200

    /// From now on it tells of what is of this level, and of slow requests.
    func set(_ level: Logger.Level, slowMs: Int) {
        lines.logLevel = level
        self.slowMs = UInt64(slowMs)
        tellsOfRequests = level <= .debug || slowMs > 0
        tellsOfTurns = level == .trace
    }

    /// A request is answered.
    func answered(_ asked: AskedRequest, _ sender: Principal, refusedAs code: Rejection.Code?) {
        let nowNs = Clock.monotonicNs
        let tookNs = nowNs - min(asked.beganNs, nowNs)
        let isSlow = slowMs > 0 && tookNs / 1_000_000 >= slowMs && !asked.isToWait
        let level: Logger.Level = isSlow ? .warning : .debug
        guard level >= lines.logLevel, mayWrite(nowNs / 1_000_000_000) else { return }
        var metadata: Logger.Metadata = [
            "verb": "\(asked.verb)", "outcome": "\(code?.rawValue ?? "done")",
            "ms": "\(tookNs / 1_000_000).\(tookNs / 100_000 % 10)",
        ]
        let who = Cause.shown(asked.name?.text, provenAs: sender.name?.text)
        for (key, value) in [
            ("user", who), ("client", asked.client?.text), ("table", asked.table?.text),
        ] {
            if let value { metadata[key] = "\(Printable.word(Printable.text(value)))" }
        }
        lines.log(level: level, isSlow ? "slow request" : "request", metadata: metadata)
    }

    private func mayWrite(_ now: UInt64) -> Bool {
        if now != second.number {
            if second.leftOut > 0 {
                lines.warning("requests left out", metadata: ["count": "\(second.leftOut)"])
            }
            second = (now, 0, 0)
        }
        guard second.written < Self.mostLines else {
            second.leftOut += 1
            return false
        }
        second.written += 1
        return true
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

import Logging
package import TableSync
import TableTransport

// The audit: what the turn notes of requests, and what no request did: signals, keys, connections that
// were refused. It is kept in memory for `trestle audit`, and written to the log.

/// Where the audit is kept and written.
struct Audit {
    private(set) var trail = AuditTrail()
    /// Nil: standard error does not lead to systemd's journal.
    private let journal: JournalSocket?

    init(journalStream: String?) {
        journal = JournalSocket.isStandardError(journalStream) ? JournalSocket() : nil
    }

    mutating func note(_ entry: AuditEntry, _ log: Logger) {
        let new = trail.note(entry, timeMs: Clock.wallMs, monotonicMs: Clock.monotonicMs)
        for entry in new { write(entry, log) }
    }

    mutating func leaveOut(_ count: UInt64, like entry: AuditEntry) {
        trail.leaveOut(count, like: entry, monotonicMs: Clock.monotonicMs)
    }

    /// Says what was left out, of those who have been quiet since.
    mutating func tell(_ log: Logger) {
        let left = trail.tell(timeMs: Clock.wallMs, monotonicMs: Clock.monotonicMs)
        for entry in left { write(entry, log) }
    }

    private func write(_ entry: AuditEntry, _ log: Logger) {
        let level: Logger.Level = entry.outcome == .allowed ? .notice : .warning
        guard level >= log.logLevel else { return }
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
        log.log(level: level, "audit", metadata: metadata)
    }
}

extension Daemon {
    /// What was done by requests, and refused to them.
    package func note(_ audited: [AuditEntry]) {
        for entry in audited { audit.note(entry, log) }
    }

    /// Where the request in `incoming` came from.
    var originOfRequest: String {
        if let originOfPostponed { return originOfPostponed }
        guard incoming.count > 1 else { return "" }
        let address = incoming.property("Peer-Address", at: incoming.count - 1) ?? ""
        // As libzmq writes it of a unix socket: localhost:UID:GID:PID.
        let parts = address.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "localhost" else { return "tcp:\(address)" }
        return "pid:\(parts[3])"
    }

    /// A configuration that was read again, by whose signal. `changed` are names of settings; nil:
    /// it was not taken.
    func noteReload(_ signal: SignalDescriptor.Received, changed: [String]?, detail: String = "") {
        let said = changed.map { $0.isEmpty ? "nothing changed" : $0.joined(separator: " ") }
        audit.note(
            AuditEntry(
                Visitors.user(signal.uid), from: "pid:\(signal.pid)", verb: "reload",
                refusedAs: changed == nil ? "badConfiguration" : nil, detail: said ?? detail), log)
    }

    /// A principal that may read less than before.
    func noteRevoked(_ principal: Principal) {
        audit.note(
            AuditEntry(principal, from: "file", verb: "subscribe", refusedAs: "revoked"), log)
    }

    /// Keys that were added or revoked: `trestled keys` writes their file, and nobody says who did.
    func noteKeys(_ change: KeyList.Change) {
        for (verb, names) in [("addKey", change.added), ("revokeKey", change.revoked)] {
            for name in names {
                audit.note(
                    AuditEntry(user: "", from: "file", verb: verb, .allowed, detail: name), log)
            }
        }
    }

    /// Connections with keys that are not known, or not any more.
    func noteRefusedKeys() {
        let (refused, unkept) = authenticator.takeRefused()
        let entries = refused.map { one in
            let name = keyList?.revokedKeys[one.key]
            return AuditEntry(
                user: name.map { Principal.keyPrefix + $0 } ?? "", from: "tcp:\(one.address)",
                verb: "connect", .refused, code: name == nil ? "unknownKey" : "revokedKey",
                detail: one.key.text)
        }
        for entry in entries { audit.note(entry, log) }
        if unkept > 0, let last = entries.last { audit.leaveOut(unkept, like: last) }
    }
}

import CPeerGuard
import Logging
import TableModel
import TableSync
import TableTransport

/// The connections: whose they are, whether they may be made, and whether they are read.
final class Connections {
    var visitors = Visitors()
    var authenticator: Authenticator
    /// Nil where no endpoint is served with CURVE.
    private var keyList: KeyList?
    private let log: DaemonLog
    /// How many refused connections the log has told of, by what the authenticator counts.
    private var reported: (refusals: UInt64, hasty: UInt64) = (0, 0)
    private var nextRefusalReportMs: UInt64 = 0
    private var reportedEnds: [String: UInt64] = [:]
    /// At most one report a second.
    private var nextEndReportMs: UInt64 = 0
    private var publishedSinceLook = 0

    /// Decides on connections from now on. `keys` are the files of those that may connect with CURVE, if any
    /// endpoint is served with it.
    init(in context: Context, keys: KeyFiles?, newOfKey: Int, _ log: DaemonLog) throws {
        self.log = log
        authenticator = try Authenticator(in: context)
        authenticator.newOfKey = newOfKey
        if let keys {
            var list = KeyList(keys)
            _ = try list.look()
            authenticator.keys = list.keys
            keyList = list
        }
    }

    /// Whether some are encrypted: of these the guard cannot see what they send.
    var areSealed: Bool { keyList != nil }

    // MARK: Reading

    /// Counts a publication. After many it looks whether all viewers read.
    func published(_ bytes: Int) {
        peer_guard_published(UInt64(bytes))
        publishedSinceLook += bytes
        if publishedSinceLook >= PeerGuard.publishedPerLook { look() }
    }

    /// Ends connections that do not read, and says what was ended.
    func look() {
        publishedSinceLook = 0
        peer_guard_look()
        guard Clock.monotonicMs >= nextEndReportMs else { return }
        nextEndReportMs = Clock.monotonicMs + 1_000
        // The counts are compared each second, and nearly always no connection was ended meanwhile.
        guard PeerGuard.endedCount != reportedEnds.values.reduce(0, &+) else { return }
        let figures = PeerGuard.figures
        for (reason, ended) in figures.ended where ended > reportedEnds[reason, default: 0] {
            let new = ended - reportedEnds[reason, default: 0]
            reportedEnds[reason] = ended
            log.lines.warning(
                "connections ended",
                metadata: [
                    "reason": "\(reason)", "count": "\(new)",
                    "last user": "\(figures.lastUser)", "last process": "\(figures.lastProcess)",
                ])
        }
    }

    /// Forgets what is kept of those that are quiet, and asks again about a user that the machine could not name.
    ///
    /// - Returns: whether one has a name now, and other rights with it.
    func tidy() -> Bool {
        visitors.forgetConnections()
        visitors.forgetQuietChildren()
        return visitors.askAgain()
    }

    /// Tells the audit that somebody has ended a connection, or would have.
    func noteEnd(of id: String, _ request: Request, from origin: String, _ rejection: Rejection?) {
        log.note(
            AuditEntry(
                request.sender, saying: request.name, from: origin, verb: "endConnection",
                refusedAs: rejection?.code.rawValue, detail: id))
    }

    // MARK: Keys

    /// Lets new keys in, and ends connections when one was revoked; returns the names of those.
    ///
    /// libzmq does not say which connection has which key before it sends something. So all encrypted
    /// connections end: those of other keys are there again in a moment, and go on where they were. What a
    /// revoked key has sent is to be dropped.
    func lookAtKeys() -> [String] {
        let nowMs = Clock.monotonicMs
        guard nowMs >= keyList?.nextLookMs ?? .max else { return [] }
        keyList?.nextLookMs = nowMs + UInt64(KeyList.lookEveryMs)
        tellRefusals(nowMs)
        noteRefusedKeys()
        do {
            guard let change = try keyList?.look() else { return [] }
            authenticator.keys = keyList?.keys ?? [:]
            if !change.revoked.isEmpty { peer_guard_end_sealed() }
            // `trestled keys` writes the file, and nothing says who has called it.
            for (verb, names) in [("addKey", change.added), ("revokeKey", change.revoked)] {
                for name in names {
                    log.note(AuditEntry(user: "", from: "file", verb: verb, .allowed, detail: name))
                }
            }
            log.lines.notice(
                "keys",
                metadata: [
                    "added": "\(change.added.joined(separator: " "))",
                    "revoked": "\(change.revoked.joined(separator: " "))",
                ])
            return change.revoked
        } catch {
            log.lines.error("the keys stay as they were", metadata: ["error": "\(error)"])
            keyList?.nextLookMs = nowMs + 5_000
            return []
        }
    }

    /// At most one line a second.
    private func tellRefusals(_ nowMs: UInt64) {
        let unknown = authenticator.refusals - reported.refusals
        let hasty = authenticator.hasty - reported.hasty
        guard unknown + hasty > 0, nowMs >= nextRefusalReportMs else { return }
        reported = (authenticator.refusals, authenticator.hasty)
        nextRefusalReportMs = nowMs + 1_000
        for (count, reason) in [(unknown, "no known key"), (hasty, "too many new ones of one key")]
        where count > 0 {
            log.lines.warning(
                "connections refused", metadata: ["reason": "\(reason)", "count": "\(count)"])
        }
    }

    /// Connections with keys that are not known, or not any more.
    private func noteRefusedKeys() {
        let (refused, unkept) = authenticator.takeRefused()
        let entries = refused.map { one in
            let name = keyList?.revokedKeys[one.key]
            return AuditEntry(
                user: name.map { Principal.keyPrefix + $0 } ?? "", from: "tcp:\(one.address)",
                verb: "connect", .refused, code: name == nil ? "unknownKey" : "revokedKey",
                detail: one.key.text)
        }
        for entry in entries { log.note(entry) }
        if unkept > 0, let last = entries.last { log.leaveOut(unkept, like: last) }
    }
}

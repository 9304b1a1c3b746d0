import CPeerGuard
import TableModel
import TableSync

// Administrators list the connections of clients, and end one by its id.

extension Connections {
    /// There are as many connections as the configuration allows, but an answer is bounded.
    private static let most = 1_024

    /// The connections whose handshake has ended, the oldest first.
    func list() -> [ConnectionSummary] {
        let found = [peer_guard_connection](unsafeUninitializedCapacity: Self.most) {
            $1 = Int(peer_guard_list($0.baseAddress, UInt32(Self.most)))
        }
        let (nowNs, wallMs) = (Clock.monotonicNs, Clock.wallMs)
        return found.sorted { $0.accepted_ns < $1.accepted_ns }.map {
            summary($0, nowNs: nowNs, wallMs: wallMs)
        }
    }

    private func summary(
        _ one: peer_guard_connection, nowNs: UInt64, wallMs: UInt64
    ) -> ConnectionSummary {
        var one = one
        let address = withUnsafeBytes(of: &one.address) { Self.text($0) }
        var summary = ConnectionSummary(
            id: "\(one.descriptor)-\(one.accepted_ns)",
            from: one.uid < 0 ? "tcp:\(address)" : "pid:\(max(0, one.pid))")
        if let uid = UInt32(exactly: one.uid) {
            summary.uid = uid
            summary.user =
                (visitors.known[.user(uid: uid)]?.principal ?? Machine.principal(uid).0)
                .name?.text
        }
        summary.sinceMs = wallMs - min(wallMs, (nowNs - min(nowNs, one.accepted_ns)) / 1_000_000)
        (summary.subscribes, summary.isSealed) = (one.subscribes, one.is_sealed)
        (summary.receivedBytes, summary.sentBytes) = (one.received, one.sent)
        summary.waitingBytes = one.waiting
        if one.blocked_ms > 0 {
            summary.unreadMs = nowNs / 1_000_000 - min(nowNs / 1_000_000, one.blocked_ms)
        }
        summary.topics = Int(one.topics)
        let names = withUnsafeBytes(of: &one.names) { Self.text($0) }.split(separator: "\n")
        let tables = names.map { name in
            Topics.parse(Array(name.utf8)[...])?.table.text ?? String(name)
        }
        summary.tables = Array(Set(tables)).sorted().map { Printable.text($0) }
        return summary
    }

    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Ends a connection. Its client may come again, unless the guest list or the list of keys forbids it.
    func end(_ id: String, for request: Request, from origin: String) -> Reply.Answer {
        let parts = id.split(separator: "-").map { UInt64($0) }
        var isThere = false
        if parts.count == 2, let descriptor = parts[0].flatMap({ Int32(exactly: $0) }),
            let accepted = parts[1]
        {
            isThere = peer_guard_end_connection(descriptor, accepted)
        }
        let rejection =
            isThere
            ? nil
            : Rejection(
                .badValue, "There is no connection \"\(Printable.text(id, atMost: 64))\".",
                field: "endConnection.id")
        noteEnd(of: id, request, from: origin, rejection)
        return rejection.map { Reply.Answer.refused($0) } ?? .done(rows: [], unchanged: false)
    }
}

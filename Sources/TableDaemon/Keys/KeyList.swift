import Logging
import TableTransport

/// The keys that may connect, as the daemon knows them: read again when their file is another one.
struct KeyList {
    /// Between two looks: a revoked key's connections end within a second.
    static let lookEveryMs = 250

    private let files: KeyFiles
    private var stamp: [UInt64] = []
    private var isRead = false
    private(set) var keys: [CurveKey: String] = [:]
    /// Those that were revoked of late, by their names: whose they were is still known.
    private(set) var revokedKeys: [CurveKey: String] = [:]
    private static let mostRevoked = 1_024
    var nextLookMs: UInt64 = 0

    init(_ files: KeyFiles) {
        self.files = files
    }

    /// What has changed.
    struct Change {
        var added: [String]
        var revoked: [String]
    }

    /// Reads the file if it is another one. Nil: nothing has changed.
    ///
    /// A file that cannot be understood changes nothing, and is read again by the next look.
    mutating func look() throws -> Change? {
        let found = files.stamp
        guard !isRead || found != stamp else { return nil }
        isRead = false
        var fresh: [CurveKey: String] = [:]
        for client in try files.list() {
            if let key = CurveKey(client.key) { fresh[key] = client.name }
        }
        (stamp, isRead) = (found, true)
        let added = fresh.filter { keys[$0.key] != $0.value }.values.sorted()
        let revoked = keys.filter { fresh[$0.key] != $0.value }.values.sorted()
        let gone = keys.filter { fresh[$0.key] == nil }
        if revokedKeys.count + gone.count > Self.mostRevoked { revokedKeys = [:] }
        revokedKeys.merge(gone) { $1 }
        for key in fresh.keys { revokedKeys[key] = nil }
        keys = fresh
        return added.isEmpty && revoked.isEmpty ? nil : Change(added: added, revoked: revoked)
    }
}

extension Daemon {
    /// Lets new keys in, and ends connections when one was revoked.
    ///
    /// libzmq does not say which connection has which key before it sends something. So all encrypted
    /// connections end: those of other keys are there again in a moment, and go on where they were. What a
    /// revoked key has sent is dropped.
    func lookAtKeys() {
        guard keyList != nil, Clock.monotonicMs >= keyList?.nextLookMs ?? 0 else { return }
        keyList?.nextLookMs = Clock.monotonicMs + UInt64(KeyList.lookEveryMs)
        tellRefusals()
        noteRefusedKeys()
        do {
            guard let change = try keyList?.look() else { return }
            authenticator.keys = keyList?.keys ?? [:]
            if !change.revoked.isEmpty { PeerGuard.endSealed() }
            dropRequests(ofKeys: change.revoked)
            noteKeys(change)
            log.notice(
                "keys",
                metadata: [
                    "added": "\(change.added.joined(separator: " "))",
                    "revoked": "\(change.revoked.joined(separator: " "))",
                ])
        } catch {
            log.error("the keys stay as they were", metadata: ["error": "\(error)"])
            keyList?.nextLookMs = Clock.monotonicMs + 5_000
        }
    }

    /// At most one line a second.
    private func tellRefusals() {
        let unknown = authenticator.refusals - reported.refusals
        let hasty = authenticator.hasty - reported.hasty
        guard unknown + hasty > 0, Clock.monotonicMs >= nextRefusalReportMs else { return }
        reported = (authenticator.refusals, authenticator.hasty)
        nextRefusalReportMs = Clock.monotonicMs + 1_000
        for (count, reason) in [(unknown, "no known key"), (hasty, "too many new ones of one key")]
        where count > 0 {
            log.warning(
                "connections refused", metadata: ["reason": "\(reason)", "count": "\(count)"])
        }
    }
}

// The lease, and who writes.

extension EtcdMember {
    /// Between two renewals.
    private static let renewMs: UInt64 = 750

    mutating func nextLease(_ nowMs: UInt64) -> (Purpose, EtcdCall)? {
        guard nowMs >= renewDueMs else { return nil }
        guard let lease else {
            return (.grant, .grant(seconds: Int64(settings.service.leaseSeconds)))
        }
        return (.renew, .keepAlive(lease: lease.id))
    }

    mutating func granted(_ answer: EtcdAnswer, _ sentMs: UInt64) {
        guard case .lease(let id, let seconds) = answer.body, seconds > 0 else { return }
        let ttlMs = UInt64(min(seconds, 3_600)) * 1_000
        lease = Lease(id: id, ttlMs: ttlMs, untilMs: sentMs + ttlMs)
        renewed = (sentMs, ttlMs)
        renewDueMs = sentMs + Self.renewMs
        pollDueMs = 0
        upkeep.announceDueMs = 0
    }

    /// A renewal that succeeds does not prove that the key is still there: a read behind it does.
    mutating func renewed(_ answer: EtcdAnswer, _ sentMs: UInt64) {
        guard case .lease(let id, let seconds) = answer.body, id == lease?.id, seconds > 0 else {
            return loseLease()
        }
        let ttlMs = UInt64(min(seconds, 3_600)) * 1_000
        lease?.untilMs = sentMs + ttlMs
        renewed = (sentMs, ttlMs)
        renewDueMs = sentMs + Self.renewMs
        if isLeading { pollDueMs = 0 }
    }

    /// The keys bound to the lease are gone, or will be. Another lease is taken only now.
    mutating func loseLease() {
        lease = nil
        renewed = nil
        renewDueMs = 0
        pollDueMs = 0
    }

    /// Whether the lease is there for a while: whoever makes the key has the time to prove that it is.
    private func hasLease(_ nowMs: UInt64) -> Bool {
        lease.map { $0.untilMs > nowMs + $0.ttlMs / 4 } ?? false
    }

    // MARK: Who writes

    /// A candidate has read everything, so that it can write at once.
    func isCandidate(_ nowMs: UInt64) -> Bool {
        role == .standby && leader == nil && hasLease(nowMs) && nowMs >= candidateAtMs
            && known.position >= head?.position ?? 0 && !isSteppingDown
    }

    func campaign() -> (Purpose, EtcdCall)? {
        guard let lease else { return nil }
        let note = note.bytes
        return (
            .campaign,
            .txn(
                EtcdTxn(
                    compares: [.created(key: keys.leader, 0)],
                    success: [
                        .put(key: keys.leader, value: note, lease: lease.id),
                        .range(key: keys.head, end: [], limit: 1),
                        .range(key: keys.manifest, end: [], limit: 1),
                    ],
                    failure: [
                        .range(key: keys.leader, end: [], limit: 1),
                        .range(key: keys.head, end: [], limit: 1),
                    ]))
        )
    }

    mutating func campaigned(_ answer: EtcdAnswer) {
        // Whatever it says, a read tells the rest: also that the key is ours, if no answer had come.
        pollDueMs = 0
        guard let (succeeded, found) = answer.txn, succeeded, found.count == 3 else { return }
        lead(created: answer.revision)
        note(head: found[1], answer.revision)
        note(manifest: found[2], answer.revision)
    }

    /// The key is ours. There may still be entries to read.
    mutating func lead(created: Int64) {
        role = .leading(created: created)
        takeovers += 1
        (leader, leaderCreated) = (note, created)
        mayWrite = false
        currentUntilMs = 0
        renewDueMs = 0
        upkeep.begin()
    }

    /// The turn may write as soon as it has taken all that was written before.
    mutating func writeIfAllIsRead() {
        guard isLeading, !mayWrite, isJoined, !isLost, let upTo = readUpTo else { return }
        if known.position >= upTo, taken >= upTo { mayWrite = true }
    }

    /// The head as it is since the key is ours; nil: it was not read since.
    private var readUpTo: UInt64? { upkeep.hasReadHead ? head?.position ?? 0 : nil }

    mutating func note(head found: [EtcdPair]?, _ revision: Int64) {
        guard let found, revision >= headRevision else { return }
        headRevision = revision
        if let pair = found.first {
            guard let new = EtcdHead(pair.value) else {
                fault = "the key \(keys.prefix)head holds something that this version does not know"
                return
            }
            guard new.position >= known.position else {
                fault =
                    "etcd's journal ends at \(new.position), and \(known.position) was there:"
                    + " etcd was put back to an older state"
                return
            }
            head = new
        } else if known.position > 0 {
            fault = "the journal below \(keys.prefix) is gone from etcd"
            return
        }
        if isLeading { upkeep.hasReadHead = true }
        writeIfAllIsRead()
    }

    /// Another writes now, or may. What is not durable never will be.
    mutating func fence() {
        role = .standby
        mayWrite = false
        isSteppingDown = false
        currentUntilMs = 0
        if batch != nil || !queue.isEmpty { isLost = true }
        (batch, queue) = (nil, [])
        upkeep.end()
        pollDueMs = 0
    }

    func resign(_ created: Int64) -> (Purpose, EtcdCall) {
        (
            .resign,
            .txn(
                EtcdTxn(
                    compares: [.created(key: keys.leader, created)],
                    success: [.delete(key: keys.leader, end: [])]))
        )
    }

    mutating func resigned(_ nowMs: UInt64) {
        leader = nil
        candidateAtMs = nowMs + 3_000 * UInt64(settings.service.leaseSeconds)
        fence()
    }

    /// This member's description of itself.
    var note: EtcdMemberNote {
        EtcdMemberNote(
            id: settings.id, endpoints: settings.endpoints, position: known.position,
            version: settings.version)
    }
}

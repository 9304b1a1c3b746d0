import JournalFormat

// A member reads what other members wrote, and learns who they are.

extension EtcdMember {
    /// Without a wake-up.
    private static let pollMs: UInt64 = 400
    static let leastPoll = 1
    private static let mostPoll = 4_096
    private static let readMs: UInt64 = 3_000
    private static let mostFetched = 16 << 20

    mutating func nextRead(_ nowMs: UInt64) -> (Purpose, EtcdCall)? {
        if isSteppingDown, batch == nil, queue.isEmpty, case .leading(let created) = role {
            return resign(created)
        }
        guard nowMs >= pollDueMs else { return nil }
        if isCandidate(nowMs), hasSeenNoLeader {
            // One try for each look: whoever has lost it looks who has won.
            hasSeenNoLeader = false
            return campaign()
        }
        let renewal = renewed?.sentMs
        var steps: [EtcdTxn.Op] = [
            .range(key: keys.leader, end: [], limit: 1),
            .range(key: keys.head, end: [], limit: 1),
            .range(key: keys.manifest, end: [], limit: 1),
        ]
        if !mayWrite, fetchedBytes < Self.mostFetched {
            steps.append(
                .range(key: keys.entry(known.position + 1), end: keys.logEnd, limit: pollLimit))
        }
        return (.poll(renewedMs: renewal), .txn(EtcdTxn(success: steps)))
    }

    /// One look at the leader, the head and what is behind it: all of one moment.
    mutating func polled(
        _ answer: EtcdAnswer, _ sentMs: UInt64, renewedMs: UInt64?, _ nowMs: UInt64
    ) {
        pollDueMs = nowMs + Self.pollMs
        guard let (_, found) = answer.txn, found.count >= 3, let leaders = found[0] else { return }
        look(at: leaders.first)
        note(head: found[1], answer.revision)
        note(manifest: found[2], answer.revision)
        guard fault == nil else { return }
        if isLeading {
            // It was the leader's after that renewal.
            if let renewedMs, let renewed, renewed.sentMs >= renewedMs {
                currentUntilMs = max(currentUntilMs, renewedMs + renewed.ttlMs)
            }
        }
        if found.count == 4, let pairs = found[3] {
            // All of it was covered by checkpoints and is removed: nothing will ever come behind what is known.
            if pairs.isEmpty, answer.revision >= headRevision, known.position < head?.position ?? 0
            {
                isLost = true
            }
            take(pairs)
        }
        // A member behind the head of that moment is not current, however lately it has asked.
        if !isLeading, !isLost, known.position >= head?.position ?? 0 {
            let leaseMs = 1_000 * UInt64(settings.service.leaseSeconds)
            currentUntilMs = max(currentUntilMs, sentMs + leaseMs)
        }
        if known.position < head?.position ?? 0, fetchedBytes < Self.mostFetched { pollDueMs = 0 }
        if !isLeading, isCandidate(nowMs) { pollDueMs = 0 }
    }

    private mutating func look(at pair: EtcdPair?) {
        hasSeenNoLeader = pair == nil
        leader = pair.flatMap { EtcdMemberNote($0.value) }
        leaderCreated = pair?.created ?? 0
        switch role {
        case .leading(let created):
            if pair?.created != created { fence() }
        case .standby:
            // Ours, though no answer had said so.
            if let pair, leader?.id == settings.id, pair.lease == lease?.id {
                lead(created: pair.created)
            }
        }
    }

    private mutating func take(_ pairs: [EtcdPair]) {
        let asked = pollLimit
        let bytes = pairs.reduce(0) { $0 + $1.value.count }
        if pairs.count == asked { pollLimit = min(Self.mostPoll, asked * 2) }
        if bytes > 4 << 20 { pollLimit = max(Self.leastPoll, asked / 2) }
        let end = head?.position ?? 0
        guard known.position < end else { return }
        var reader = EtcdLogReader(keys: keys, known: known)
        do {
            try reader.read(pairs, upTo: end) { position, payload in
                fetched.append((position, payload))
                fetchedBytes += payload.count
                upkeep.grew(by: payload.count)
            }
        } catch {
            // The oldest may have been removed, or it is another journal: reading anew tells.
            isLost = true
        }
        // An entry is cut into as many keys as it takes: fewer would never show it whole.
        // What comes of it may take long, so that its time goes on growing.
        if reader.known != known {
            pollFailures = 0
        } else if pairs.count == asked {
            pollLimit = min(Self.mostPoll, asked * 2)
        }
        known = reader.known
        writeIfAllIsRead()
    }

    /// No answer: the next one is smaller.
    mutating func pollFailed() {
        pollLimit = max(Self.leastPoll, pollLimit / 2)
        pollFailures = min(pollFailures + 1, 4)
    }

    /// How long a reading may take. On a slow line one entry may take longer than others wait for.
    package var readPatienceMs: UInt64 {
        known.position < head?.position ?? 0 ? Self.readMs << pollFailures : Self.readMs
    }
}

/// Puts entries together from what a range of the log gave, and holds them against the chain.
struct EtcdLogReader {
    let keys: EtcdKeys
    /// The newest entry that was read.
    private(set) var known: ChainPoint

    init(keys: EtcdKeys, known: ChainPoint) { (self.keys, self.known) = (keys, known) }

    /// An entry whose parts are not all there is left for the next reading: how many keys come before it.
    @discardableResult
    mutating func read(
        _ pairs: [EtcdPair], upTo end: UInt64, _ body: (UInt64, [UInt8]) throws -> Void
    ) throws -> Int {
        var index = 0
        while index < pairs.count {
            guard let place = keys.place(of: pairs[index].key) else {
                throw EtcdJournalError.damaged("a key of the log has a name that is none")
            }
            // Parts that belong to nothing: their writer ended before the entry was there.
            if place.part != nil {
                index += 1
                continue
            }
            guard place.position <= end else { return index }
            guard place.position == known.position + 1 else {
                throw EtcdJournalError.damaged(
                    "entry \(known.position + 1) is missing, \(place.position) is there")
            }
            guard let entry = EtcdEntry(pairs[index].value) else {
                throw EtcdJournalError.damaged("entry \(place.position) cannot be read")
            }
            var payload = entry.payload
            if entry.parts > 0 {
                let parts = pairs[(index + 1)...].prefix(Int(entry.parts))
                guard parts.count == Int(entry.parts) else { return index }
                for (number, part) in parts.enumerated() {
                    guard part.key == keys.part(place.position, number) else {
                        throw EtcdJournalError.damaged("entry \(place.position) lacks a part")
                    }
                    payload += part.value
                }
                index += parts.count
            }
            let chain = payload.withUnsafeBytes {
                Chain.link(after: known.chain, number: place.position, payload: $0)
            }
            guard chain == entry.chain else {
                throw EtcdJournalError.damaged(
                    "entry \(place.position) does not fit the one before")
            }
            try body(place.position, payload)
            known = ChainPoint(position: place.position, chain: chain)
            index += 1
        }
        return index
    }
}

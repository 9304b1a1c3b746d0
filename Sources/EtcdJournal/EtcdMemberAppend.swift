import JournalFormat

// The leader's entries: one transaction at a time, with as many of them as have come meanwhile.

extension EtcdMember {
    /// The bytes of one request at most: etcd takes 1.5 MiB and 128 steps.
    static let mostBytes = 1 << 20
    private static let mostEntries = 100

    /// The entries that one transaction, or the last of several, makes durable. Nothing else is ever sent for these
    /// positions in this term: a copy that arrives late finds the head moved.
    struct Batch {
        var number: UInt64
        /// Parts of a large entry come first, one by one.
        var steps: [EtcdTxn]
        var step = 0
        var head: EtcdHead
        var entries: Int
        var bytes: Int
        /// A copy of it may be under way that nobody hears of.
        var isUncertain = false
    }

    /// Hands over the next entry.
    package mutating func submit(_ entry: [UInt8], position: UInt64, term: UInt64) {
        guard term == self.term else {
            // The turn has not heard yet that its term is over.
            isLost = true
            return
        }
        queue.append((position, entry))
    }

    var hasToAppend: Bool { mayWrite && !isLost && (batch != nil || !queue.isEmpty) }

    mutating func nextAppend() -> (Purpose, EtcdCall)? {
        guard hasToAppend, case .leading(let created) = role else { return nil }
        if batch == nil { batch = makeBatch(created) }
        guard let batch else { return nil }
        return (.append(batch: batch.number), .txn(batch.steps[batch.step]))
    }

    private mutating func makeBatch(_ created: Int64) -> Batch? {
        guard let first = queue.first else { return nil }
        batches += 1
        var point = known
        var (bytes, count) = (0, 0)
        var steps: [EtcdTxn] = []
        var puts: [EtcdTxn.Op] = []
        if first.entry.count > Self.mostBytes {
            steps = parts(of: first, created)
            point = link(first, behind: point)
            let entry = EtcdEntry(parts: UInt32(steps.count), chain: point.chain, payload: [])
            puts = [.put(key: keys.entry(first.position), value: entry.bytes, lease: 0)]
            (bytes, count) = (first.entry.count, 1)
        } else {
            for one in queue.prefix(Self.mostEntries) {
                guard bytes + one.entry.count <= Self.mostBytes else { break }
                point = link(one, behind: point)
                let entry = EtcdEntry(parts: 0, chain: point.chain, payload: one.entry)
                puts.append(.put(key: keys.entry(one.position), value: entry.bytes, lease: 0))
                bytes += one.entry.count
                count += 1
            }
        }
        queue.removeFirst(count)
        let next = EtcdHead(
            position: point.position, chain: point.chain, term: UInt64(clamping: created))
        puts.append(.put(key: keys.head, value: next.bytes, lease: 0))
        let before: EtcdTxn.Compare =
            head.map { .value(key: keys.head, $0.bytes) } ?? .created(key: keys.head, 0)
        steps.append(fenced(created, [before], puts))
        return Batch(number: batches, steps: steps, head: next, entries: count, bytes: bytes)
    }

    private func link(
        _ one: (position: UInt64, entry: [UInt8]), behind point: ChainPoint
    ) -> ChainPoint {
        let chain = one.entry.withUnsafeBytes {
            Chain.link(after: point.chain, number: one.position, payload: $0)
        }
        return ChainPoint(position: one.position, chain: chain)
    }

    /// A large entry, cut: nobody reads the parts before the entry itself is there.
    private func parts(of one: (position: UInt64, entry: [UInt8]), _ created: Int64) -> [EtcdTxn] {
        stride(from: 0, to: one.entry.count, by: Self.mostBytes).enumerated().map { index, from in
            let part = Array(one.entry[from..<min(from + Self.mostBytes, one.entry.count)])
            return fenced(
                created, [], [.put(key: keys.part(one.position, index), value: part, lease: 0)])
        }
    }

    /// Only while we write.
    func fenced(
        _ created: Int64, _ compares: [EtcdTxn.Compare], _ steps: [EtcdTxn.Op],
        _ otherwise: [EtcdTxn.Op] = []
    ) -> EtcdTxn {
        EtcdTxn(
            compares: [.created(key: keys.leader, created)] + compares, success: steps,
            failure: [
                .range(key: keys.leader, end: [], limit: 1),
                .range(key: keys.head, end: [], limit: 1),
            ] + otherwise)
    }

    mutating func appended(_ answer: EtcdAnswer, _ number: UInt64) {
        guard let batch, batch.number == number, case .leading(let created) = role,
            let (succeeded, found) = answer.txn
        else { return }
        if succeeded {
            upkeep.isFull = false
            self.batch?.step += 1
            if batch.step + 1 == batch.steps.count { isDurable(batch, answer.revision) }
            return
        }
        guard found.count == 2, let leaders = found[0], let heads = found[1] else { return }
        // An earlier copy may have been carried out though no answer came.
        let isThere = heads.first?.value == batch.head.bytes
        if isThere { isDurable(batch, answer.revision) }
        if leaders.first?.created != created { return fence() }
        if !isThere { fault = "another process has written in our term" }
    }

    /// Where etcd has no space it is certain that nothing was carried out, unless an earlier copy is under way:
    /// then whoever waits is not kept waiting for space.
    mutating func appendFailed(_ failure: EtcdFailure) {
        switch failure {
        case .full where batch?.isUncertain == false:
            isLost = true
            (batch, queue) = (nil, [])
        case .full, .tooLarge, .denied: break
        case .noAnswer, .compacted, .leaseGone: batch?.isUncertain = true
        }
    }

    private mutating func isDurable(_ batch: Batch, _ revision: Int64) {
        head = batch.head
        headRevision = max(headRevision, revision)
        known = ChainPoint(position: batch.head.position, chain: batch.head.chain)
        taken = known.position
        upkeep.commits += UInt64(batch.entries)
        upkeep.grew(by: batch.bytes, entries: batch.entries)
        self.batch = nil
    }
}

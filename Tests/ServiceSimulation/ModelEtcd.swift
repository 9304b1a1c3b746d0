package import EtcdJournal

/// etcd as far as a member sees it: keys with revisions, leases, transactions that compare.
package struct ModelEtcd {
    package struct Kept {
        package var value: [UInt8]
        var created: Int64
        var lease: Int64
    }

    private(set) var revision: Int64 = 1
    package private(set) var keys: [[UInt8]: Kept] = [:]
    /// All keys in their order.
    private var sorted: [[UInt8]] = []
    private var leases: [Int64: (seconds: Int64, untilMs: UInt64)] = [:]
    private var nextLease: Int64 = 100
    package var isFull = false

    package init() {}

    /// Leases that are over take their keys with them.
    package mutating func tick(_ nowMs: UInt64) {
        let over = leases.filter { $0.value.untilMs <= nowMs }.keys.sorted()
        for id in over {
            leases[id] = nil
            remove(sorted.filter { keys[$0]?.lease == id })
        }
    }

    /// Another leader of etcd gives each lease its whole time again.
    package mutating func extendLeases(_ nowMs: UInt64) {
        for (id, lease) in leases { leases[id]?.untilMs = nowMs + UInt64(lease.seconds) * 1_000 }
    }

    package mutating func answer(_ call: EtcdCall, _ nowMs: UInt64) -> Result<
        EtcdAnswer, EtcdFailure
    > {
        switch call {
        case .txn(let txn): return carryOut(txn)
        case .range(let key, let end, let limit, _):
            let all = range(key, end, limit)
            return .success(EtcdAnswer(revision: revision, .range(all, more: all.count == limit)))
        case .grant(let seconds):
            nextLease += 1
            leases[nextLease] = (seconds, nowMs + UInt64(seconds) * 1_000)
            return .success(EtcdAnswer(revision: revision, .lease(nextLease, seconds: seconds)))
        case .keepAlive(let id):
            let seconds = leases[id]?.seconds ?? 0
            leases[id]?.untilMs = nowMs + UInt64(seconds) * 1_000
            return .success(EtcdAnswer(revision: revision, .lease(id, seconds: seconds)))
        case .revoke(let id):
            leases[id]?.untilMs = 0
            tick(nowMs)
            return .success(EtcdAnswer(revision: revision, .done))
        case .compact: return .success(EtcdAnswer(revision: revision, .done))
        case .status:
            let bytes = keys.values.reduce(0) { $0 + $1.value.count }
            return .success(
                EtcdAnswer(
                    revision: revision,
                    .status(bytes: UInt64(bytes), isFull: isFull)))
        }
    }

    /// Answers over a line on which an answer of several keys with more bytes does not arrive: nil.
    package mutating func answer(
        _ call: EtcdCall, _ nowMs: UInt64, atMost bytes: Int
    ) throws(EtcdFailure) -> EtcdAnswer? {
        let answer = try answer(call, nowMs).get()
        let ranges: [[EtcdPair]] =
            switch answer.body {
            case .range(let pairs, _): [pairs]
            case .txn(_, let found): found.compactMap { $0 }
            case .lease, .status, .done: []
            }
        let all = ranges.joined().reduce(0) { $0 + $1.value.count }
        return all > bytes && ranges.contains { $0.count > 1 } ? nil : answer
    }

    private mutating func carryOut(_ txn: EtcdTxn) -> Result<EtcdAnswer, EtcdFailure> {
        let holds = txn.compares.allSatisfy { compare in
            switch compare {
            case .created(let key, let created): keys[key]?.created ?? 0 == created
            case .value(let key, let value): keys[key]?.value == value
            }
        }
        let steps = holds ? txn.success : txn.failure
        var changes = false
        for case .put(_, _, let lease) in steps where lease != 0 && leases[lease] == nil {
            return .failure(.leaseGone)
        }
        for step in steps {
            if case .range = step { continue }
            changes = true
        }
        if changes, isFull { return .failure(.full("etcdserver: mvcc: database space exceeded")) }
        if changes { revision += 1 }
        let found = steps.map { step -> [EtcdPair]? in
            switch step {
            case .range(let key, let end, let limit): return range(key, end, limit)
            case .put(let key, let value, let lease):
                let created = keys[key]?.created ?? revision
                if keys[key] == nil { sorted.insert(key, at: place(of: key)) }
                keys[key] = Kept(value: value, created: created, lease: lease)
                return nil
            case .delete(let key, let end):
                remove(Array(sorted[places(key, end)]))
                return nil
            }
        }
        return .success(EtcdAnswer(revision: revision, .txn(succeeded: holds, found)))
    }

    private mutating func remove(_ some: [[UInt8]]) {
        if !some.isEmpty { revision += 1 }
        for key in some {
            if keys.removeValue(forKey: key) != nil { sorted.remove(at: place(of: key)) }
        }
    }

    private func range(_ key: [UInt8], _ end: [UInt8], _ limit: Int) -> [EtcdPair] {
        sorted[places(key, end)].prefix(limit == 0 ? .max : limit).compactMap { key in
            keys[key].map {
                EtcdPair(key: key, value: $0.value, created: $0.created, lease: $0.lease)
            }
        }
    }

    /// The index of the first key that does not come before this one.
    private func place(of key: [UInt8]) -> Int {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle].lexicographicallyPrecedes(key) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    private func places(_ begin: [UInt8], _ end: [UInt8]) -> Range<Int> {
        let first = place(of: begin)
        if end.isEmpty { return first..<first + (keys[begin] == nil ? 0 : 1) }
        return first..<max(first, place(of: end))
    }
}

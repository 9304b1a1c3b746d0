@testable import EtcdJournal

/// etcd as far as a member sees it: keys with revisions, leases, transactions that compare.
struct ModelEtcd {
    struct Kept {
        var value: [UInt8]
        var created: Int64
        var lease: Int64
    }

    private(set) var revision: Int64 = 1
    private(set) var keys: [[UInt8]: Kept] = [:]
    private var leases: [Int64: (seconds: Int64, untilMs: UInt64)] = [:]
    private var nextLease: Int64 = 100
    var isFull = false

    /// Leases that are over take their keys with them.
    mutating func tick(_ nowMs: UInt64) {
        let over = leases.filter { $0.value.untilMs <= nowMs }.keys.sorted()
        for id in over {
            leases[id] = nil
            remove(keys.filter { $0.value.lease == id }.keys)
        }
    }

    /// Another leader of etcd gives each lease its whole time again.
    mutating func extendLeases(_ nowMs: UInt64) {
        for (id, lease) in leases { leases[id]?.untilMs = nowMs + UInt64(lease.seconds) * 1_000 }
    }

    mutating func answer(_ call: EtcdCall, _ nowMs: UInt64) -> Result<EtcdAnswer, EtcdFailure> {
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
                    .status(version: "model", bytes: UInt64(bytes), isFull: isFull)))
        }
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
                keys[key] = Kept(value: value, created: created, lease: lease)
                return nil
            case .delete(let key, let end):
                remove(keys.keys.filter { Self.isIn($0, key, end) })
                return nil
            }
        }
        return .success(EtcdAnswer(revision: revision, .txn(succeeded: holds, found)))
    }

    private mutating func remove(_ some: some Collection<[UInt8]>) {
        if !some.isEmpty { revision += 1 }
        for key in Array(some) { keys[key] = nil }
    }

    private func range(_ key: [UInt8], _ end: [UInt8], _ limit: Int) -> [EtcdPair] {
        keys.filter { Self.isIn($0.key, key, end) }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .prefix(limit == 0 ? .max : limit)
            .map {
                EtcdPair(
                    key: $0.key, value: $0.value.value, created: $0.value.created,
                    lease: $0.value.lease)
            }
    }

    private static func isIn(_ key: [UInt8], _ begin: [UInt8], _ end: [UInt8]) -> Bool {
        if end.isEmpty { return key == begin }
        return !key.lexicographicallyPrecedes(begin) && key.lexicographicallyPrecedes(end)
    }
}

/// Numbers that a seed leads to.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func next() -> UInt64 {
        state = state &+ 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
}

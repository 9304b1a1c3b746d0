import TableModel

@testable import TableSync

/// What is late and lost, found by a look at all invocations and claims of all tables each time.
struct FullWalk {
    private typealias Holder = UnderWay.Holder

    private var due: [ID128: [InvocationID: UInt64]] = [:]
    private var lookedMs: UInt64 = 0
    private var heardMs: [Holder: UInt64] = [:]
    private var heardNow: Set<Holder> = []
    private var claimed: [ID128: [RowID: (claim: Claim, ms: UInt64)]] = [:]

    mutating func heard(_ client: ID) {
        let holder = Holder(client: client, user: nil)
        if heardMs[holder] != nil { heardNow.insert(holder) }
    }

    mutating func look(
        at table: Table, nowMs: UInt64, monotonicMs: UInt64, timeoutMs: UInt64
    ) -> (late: [InvocationID], lost: [InvocationID]) {
        var late: [InvocationID] = []
        var lost: [InvocationID] = []
        let old = due.removeValue(forKey: table.history)
        let mostPastMs = old == nil ? .max : monotonicMs - min(lookedMs, monotonicMs)
        var present: [InvocationID: UInt64] = [:]
        for invocation in table.invocations.all {
            let whole = UInt64(invocation.deadlineSeconds * 1_000)
            let past = min(
                nowMs > invocation.pressedMs ? nowMs - invocation.pressedMs : 0, mostPastMs)
            let end =
                old?[invocation.id] ?? monotonicMs + (whole > past ? whole - past : 0)
            present[invocation.id] = end
            if end <= monotonicMs {
                late.append(invocation.id)
            } else if let client = invocation.holder {
                let holder = Holder(client: client, user: nil)
                if let last = heardMs[holder], !heardNow.contains(holder) {
                    if monotonicMs - last > timeoutMs { lost.append(invocation.id) }
                } else {
                    heardMs[holder] = monotonicMs
                }
            }
        }
        due[table.history] = present
        return (late, lost)
    }

    /// After what is late has ended.
    mutating func endLook(at tables: [Table], monotonicMs: UInt64) {
        lookedMs = monotonicMs
        let histories = Set(tables.map(\.history))
        due = due.filter { histories.contains($0.key) }
        let holders = Set(tables.flatMap { $0.invocations.all.compactMap(\.holder) })
        heardMs = heardMs.filter { holders.contains($0.key.client) }
        heardNow = []
    }

    /// After a command. A claim that was not there before counts from now.
    mutating func noteClaims(_ table: Table, nowMs: UInt64) {
        var present: [RowID: (claim: Claim, ms: UInt64)] = [:]
        for row in table.claimedRows {
            guard let claim = table.row(row)?.claim else { continue }
            let old = claimed[table.history]?[row]
            present[row] = old?.claim == claim ? old : (claim: claim, ms: nowMs)
        }
        claimed[table.history] = present
    }

    mutating func renewClaims(of rows: [RowID], _ table: Table, nowMs: UInt64) {
        for row in rows { claimed[table.history]?[row]?.ms = nowMs }
    }

    func endedClaims(_ table: Table, nowMs: UInt64) -> [RowID] {
        let over = (claimed[table.history] ?? [:]).filter { _, held in
            held.claim.ttlSeconds.map { nowMs - held.ms > UInt64($0 * 1_000) } ?? false
        }
        return over.keys.sorted()
    }
}

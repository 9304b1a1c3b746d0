import TableSync

/// Who sends requests that take long, though they are of a kind that is quick as a rule: an action with many
/// effects on a large strip, a row that opens where a hundred thousand have to close. No list of verbs is
/// complete, so what counts is the time that requests took. The next of the same connection wait as costly ones
/// do, and all of the user if that was much: else another connection would begin anew.
package struct SlowSenders {
    /// A request that takes no longer is quick. Most take a tenth of it.
    package static var quickNs: UInt64 { 300_000 }
    /// What a connection may take with slow requests before its requests wait. A clock may be wrong once.
    private static var mostOfOneNs: UInt64 { 2_000_000 }
    /// So long they wait after each one that was slow.
    private static var waitNs: UInt64 { 1_000_000_000 }
    /// What a user may take with slow requests before all of the user's wait.
    private static var mostNs: UInt64 { 25_000_000 }
    /// A sixteenth of the time is forgiven.
    private static var forgiven: UInt64 { 16 }
    /// Of connections that were slow so many are known, and of users.
    private static var most: Int { 1_024 }

    private struct Debt {
        var tookNs: UInt64
        var atNs: UInt64

        func left(atNs now: UInt64) -> UInt64 {
            let forgiven = (now - min(atNs, now)) / SlowSenders.forgiven
            return tookNs - min(tookNs, forgiven)
        }
    }

    /// How many requests were slow so far.
    package private(set) var noted: UInt64 = 0
    private var connections: [RequestSender: Debt] = [:]
    private var untilNs: [RequestSender: UInt64] = [:]
    private var debts: [Principal.Proof: Debt] = [:]

    /// Nobody was slow.
    package init() {}

    /// From then on nobody has to wait.
    private var quietFromNs: UInt64 = 0

    /// Whether nobody has to wait: then nobody need be looked up.
    package func isQuiet(atNs now: UInt64) -> Bool { now >= quietFromNs }

    /// A request was slow.
    ///
    /// - Parameters:
    ///   - tookNs: what it took.
    ///   - sender: whose it was.
    ///   - nowNs: a clock that never goes back.
    ///   - hasWaited: it had let others by, so the user owes nothing for it.
    package mutating func note(
        tookNs: UInt64, of sender: RequestSender, nowNs: UInt64, hasWaited: Bool
    ) {
        forget(nowNs)
        noted += 1
        let own = (connections[sender]?.left(atNs: nowNs) ?? 0) + tookNs
        connections[sender] = Debt(tookNs: own, atNs: nowNs)
        if own > Self.mostOfOneNs {
            untilNs[sender] = nowNs + Self.waitNs
            quietFromNs = max(quietFromNs, nowNs + Self.waitNs)
        }
        if hasWaited { return }
        let owed = (debts[sender.user]?.left(atNs: nowNs) ?? 0) + tookNs
        debts[sender.user] = Debt(tookNs: owed, atNs: nowNs)
        let over = owed - min(owed, Self.mostNs)
        quietFromNs = max(quietFromNs, nowNs + over * Self.forgiven)
    }

    /// Whether the sender's next request is to let others by.
    package func mustWait(_ sender: RequestSender, nowNs: UInt64) -> Bool {
        if let until = untilNs[sender], nowNs < until { return true }
        return debts[sender.user].map { $0.left(atNs: nowNs) > Self.mostNs } ?? false
    }

    /// Beyond so many those go first whose time is over. Whoever is left out is noticed again.
    private mutating func forget(_ nowNs: UInt64) {
        if untilNs.count >= Self.most {
            untilNs = untilNs.filter { $0.value > nowNs }
            if untilNs.count >= Self.most { untilNs = [:] }
        }
        if connections.count >= Self.most {
            connections = connections.filter { $0.value.left(atNs: nowNs) > 0 }
            if connections.count >= Self.most { connections = [:] }
        }
        if debts.count >= Self.most {
            debts = debts.filter { $0.value.left(atNs: nowNs) > 0 }
            if debts.count >= Self.most { debts = [:] }
        }
    }
}

import TableSync

/// The senders of requests that take long, though they are of a kind that is quick as a rule: an action with many
/// effects on a large strip, a row that opens where a hundred thousand have to close. No list of verbs is
/// complete, so what counts is the time that requests took. The next of the same connection wait as costly ones
/// do, and all of the user if that was much: else another connection would begin anew.
package struct SlowSenders {
    /// A request that takes no longer is quick. Most take a tenth of it.
    package static var quickNs: UInt64 { 300_000 }
    /// A user owes for one that takes longer than this, though it is quick: libzmq's turns go by connection, so
    /// one with 600 connections has 600 of them before another user's next one.
    package static var lightNs: UInt64 { 100_000 }
    /// The time that a connection may take with slow requests before its requests wait. A clock may be wrong once.
    private static var mostOfOneNs: UInt64 { 2_000_000 }
    /// So long they wait after each one that was slow.
    private static var waitNs: UInt64 { 1_000_000_000 }
    /// The time that a user may take with slow requests before all of the user's requests wait.
    private static var mostNs: UInt64 { 25_000_000 }
    /// A sixteenth of the time is forgiven.
    private static var forgiven: UInt64 { 16 }
    /// The number of slow connections, and of slow users, that are known.
    private static var most: Int { 1_024 }

    /// The debts for slow requests, and the times until which later ones wait.
    private struct Debts<Debtor: Hashable> {
        private struct Debt {
            var tookNs: UInt64
            var atNs: UInt64
            var untilNs: UInt64 = 0

            func left(atNs now: UInt64) -> UInt64 {
                let forgiven = (now - min(atNs, now)) / SlowSenders.forgiven
                return tookNs - min(tookNs, forgiven)
            }
        }

        private var all: [Debtor: Debt] = [:]

        /// Adds to a debt. `wait` says how long the debtor's requests wait then; returns until when.
        mutating func add(
            _ tookNs: UInt64, of debtor: Debtor, nowNs: UInt64, wait: (_ owedNs: UInt64) -> UInt64
        ) -> UInt64 {
            if all.count >= SlowSenders.most { forget(nowNs) }
            var debt = all[debtor] ?? Debt(tookNs: 0, atNs: nowNs)
            (debt.tookNs, debt.atNs) = (debt.left(atNs: nowNs) + tookNs, nowNs)
            debt.untilNs = max(debt.untilNs, nowNs + wait(debt.tookNs))
            all[debtor] = debt
            return debt.untilNs
        }

        func mustWait(_ debtor: Debtor, nowNs: UInt64) -> Bool {
            all[debtor].map { nowNs < $0.untilNs } ?? false
        }

        /// Those go first whose time is over. Whoever is left out is noticed again.
        private mutating func forget(_ nowNs: UInt64) {
            all = all.filter { $0.value.untilNs > nowNs || $0.value.left(atNs: nowNs) > 0 }
            if all.count >= SlowSenders.most { all = [:] }
        }
    }

    /// How many requests were slow so far.
    package private(set) var noted: UInt64 = 0
    private var connections = Debts<RequestSender>()
    private var users = Debts<Principal.Proof>()
    /// From then on nobody has to wait: then nobody need be looked up. Read by itself: to call a method copies
    /// all debts.
    package private(set) var quietFromNs: UInt64 = 0

    /// Nobody was slow.
    package init() {}

    /// A request was slow, or at least not light.
    ///
    /// - Parameters:
    ///   - tookNs: what it took.
    ///   - sender: whose it was.
    ///   - nowNs: a clock that never goes back.
    ///   - hasWaited: it had let others by, so the user owes nothing for it.
    package mutating func note(
        tookNs: UInt64, of sender: RequestSender, nowNs: UInt64, hasWaited: Bool
    ) {
        noted += 1
        if tookNs > Self.quickNs {
            let until = connections.add(tookNs, of: sender, nowNs: nowNs) {
                $0 > Self.mostOfOneNs ? Self.waitNs : 0
            }
            quietFromNs = max(quietFromNs, until)
        }
        if hasWaited { return }
        // Until no more is owed than may be.
        let untilOfUser = users.add(tookNs, of: sender.user, nowNs: nowNs) {
            ($0 - min($0, Self.mostNs)) * Self.forgiven
        }
        quietFromNs = max(quietFromNs, untilOfUser)
    }

    /// Whether the sender's next request is to let others by.
    package func mustWait(_ sender: RequestSender, nowNs: UInt64) -> Bool {
        connections.mustWait(sender, nowNs: nowNs) || users.mustWait(sender.user, nowNs: nowNs)
    }
}

// What is kept of the audit, and how much of it one peer may cause.

/// The latest entries of the audit. It is bounded, and so is what anybody makes it say: neither a
/// flood of refusals nor many users push out what others did.
public struct AuditTrail {
    /// Entries that are kept: some hundred kilobytes.
    public static let mostEntries = 1_024

    /// Those that are kept, oldest first.
    public private(set) var entries: [AuditEntry] = []
    private var counts: [String: Int] = [:]
    private var limit = AuditLimit()
    private var number: UInt64 = 0

    /// Nothing has happened yet.
    public init() {}

    /// Takes an entry in. Returns what is to be written to the log: nothing if its user has made too
    /// many, and before it how many were left out meanwhile.
    public mutating func note(
        _ entry: AuditEntry, timeMs: UInt64, monotonicMs: UInt64
    ) -> [AuditEntry] {
        switch limit.take(entry, monotonicMs) {
        case .leftOut: return []
        case .taken(let before):
            return ([before].compactMap { $0 } + [entry]).map { keep($0, timeMs) }
        }
    }

    /// So many more like this entry are left out, since nobody kept them.
    public mutating func leaveOut(_ count: UInt64, like entry: AuditEntry, monotonicMs: UInt64) {
        limit.leaveOut(count, like: entry, monotonicMs)
    }

    /// What was left out and not said yet, of those who have been quiet since.
    public mutating func tell(timeMs: UInt64, monotonicMs: UInt64) -> [AuditEntry] {
        limit.leftOut(monotonicMs).map { keep($0, timeMs) }
    }

    /// At most so many entries, newest first.
    public func latest(_ most: Int) -> [AuditEntry] { entries.suffix(most).reversed() }

    private mutating func keep(_ entry: AuditEntry, _ timeMs: UInt64) -> AuditEntry {
        var entry = entry
        number += 1
        (entry.number, entry.timeMs) = (number, timeMs)
        if entries.count >= Self.mostEntries { removeOne() }
        entries.append(entry)
        counts[entry.holder, default: 0] += 1
        return entry
    }

    /// Who has most loses its oldest; of several the one whose oldest is older.
    private mutating func removeOne() {
        let most = counts.values.max() ?? 0
        guard let place = entries.firstIndex(where: { counts[$0.holder] == most }) else { return }
        let holder = entries.remove(at: place).holder
        counts[holder] = most > 1 ? most - 1 : nil
    }
}

extension AuditEntry {
    /// Whose it is, for bounds. Who has proven nothing is told apart by where it came from.
    fileprivate var holder: String { uid.map { "uid:\($0)" } ?? (user.isEmpty ? from : user) }
}

/// How many entries each may cause: some at once, then one now and then.
///
/// What was refused is counted apart from what was allowed: who fails often must not hide what it
/// then does.
struct AuditLimit {
    /// What became of an entry.
    enum Verdict {
        /// With it goes what says how many were left out before.
        case taken(AuditEntry?)
        case leftOut
    }

    private struct Key: Hashable {
        let holder: String
        let outcome: AuditEntry.Outcome
    }

    /// All that was taken would be paid at `paidMs`, at one entry in each interval.
    private struct Account {
        var paidMs: UInt64 = 0
        var suppressed: UInt64 = 0
        var latest: AuditEntry
    }

    private var accounts: [Key: Account] = [:]
    /// When to look again for accounts that are good: it takes all of them.
    private var nextLookMs: UInt64 = 0
    /// Beyond these, which a user may have by a namespace of its own, all others share one.
    static let most = 256
    static let others = "others"

    /// So many at once.
    static func burst(_ outcome: AuditEntry.Outcome) -> UInt64 {
        switch outcome {
        case .allowed: return 200
        case .refused: return 20
        }
    }

    /// Then one in so many milliseconds.
    static func intervalMs(_ outcome: AuditEntry.Outcome) -> UInt64 {
        switch outcome {
        case .allowed: return 1_000
        case .refused: return 5_000
        }
    }

    mutating func take(_ entry: AuditEntry, _ nowMs: UInt64) -> Verdict {
        let key = key(of: entry, nowMs)
        var account = accounts[key] ?? Account(latest: entry)
        defer { accounts[key] = account }
        account.latest = entry
        guard Self.mayTake(account, key.outcome, nowMs) else {
            account.suppressed += 1
            return .leftOut
        }
        account.paidMs = max(account.paidMs, nowMs) + Self.intervalMs(key.outcome)
        return .taken(Self.said(&account, key))
    }

    mutating func leaveOut(_ count: UInt64, like entry: AuditEntry, _ nowMs: UInt64) {
        let key = key(of: entry, nowMs)
        accounts[key, default: Account(latest: entry)].suppressed += count
    }

    /// What says how many were left out, of those from whom another entry would be taken by now.
    mutating func leftOut(_ nowMs: UInt64) -> [AuditEntry] {
        var said: [AuditEntry] = []
        for (key, account) in accounts where account.suppressed > 0 {
            var account = account
            guard Self.mayTake(account, key.outcome, nowMs) else { continue }
            said += [Self.said(&account, key)].compactMap { $0 }
            accounts[key] = account
        }
        return said.sorted { $0.user < $1.user }
    }

    private static func mayTake(
        _ account: Account, _ outcome: AuditEntry.Outcome, _ nowMs: UInt64
    ) -> Bool {
        max(account.paidMs, nowMs) - nowMs <= (burst(outcome) - 1) * intervalMs(outcome)
    }

    private static func said(_ account: inout Account, _ key: Key) -> AuditEntry? {
        guard account.suppressed > 0 else { return nil }
        let isShared = key.holder == others
        var entry = AuditEntry(
            user: isShared ? others : account.latest.user,
            from: isShared ? "" : account.latest.from, verb: "", key.outcome)
        if !isShared { entry.uid = account.latest.uid }
        entry.suppressed = account.suppressed
        account.suppressed = 0
        return entry
    }

    private mutating func key(of entry: AuditEntry, _ nowMs: UInt64) -> Key {
        let own = Key(holder: entry.holder, outcome: entry.outcome)
        guard accounts[own] == nil, accounts.count >= Self.most else { return own }
        if nowMs >= nextLookMs {
            nextLookMs = nowMs + 1_000
            accounts = accounts.filter { $0.value.suppressed > 0 || $0.value.paidMs > nowMs }
        }
        return accounts.count < Self.most ? own : Key(holder: Self.others, outcome: entry.outcome)
    }
}

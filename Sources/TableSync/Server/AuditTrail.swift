// The entries of the audit, and a bound on those that one peer may cause.

/// The latest entries of the audit. It is bounded, and so is what anybody makes it say: neither a
/// flood of refusals nor many users push out what others did.
public struct AuditTrail {
    /// Entries that are kept: some hundred kilobytes.
    public static let mostEntries = 1_024

    /// Those that are kept, oldest first.
    public private(set) var entries: [AuditEntry] = []
    /// Kept entries, by family and by whose they are.
    private var counts: [String: [String: Int]] = [:]
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

    /// Entries about those left out and not reported yet, of principals that have been quiet since.
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
        counts[entry.family, default: [:]][entry.holder, default: 0] += 1
        return entry
    }

    /// The family that has most loses its oldest, and there who has most; of several the one whose oldest
    /// is older. So who makes up children hides nothing of what others did.
    private mutating func removeOne() {
        let families = counts.mapValues { $0.values.reduce(0, +) }
        let most = families.values.max() ?? 0
        let mostOfOne = counts.mapValues { $0.values.max() ?? 0 }
        let place = entries.firstIndex { entry in
            let family = entry.family
            return families[family] == most && counts[family]?[entry.holder] == mostOfOne[family]
        }
        guard let place else { return }
        let gone = entries.remove(at: place)
        let left = (counts[gone.family]?[gone.holder] ?? 1) - 1
        counts[gone.family]?[gone.holder] = left > 0 ? left : nil
        if counts[gone.family]?.isEmpty == true { counts[gone.family] = nil }
    }
}

extension AuditEntry {
    private static let slash = UInt8(ascii: "/")

    /// Whose it is and that of all of its siblings, for bounds. Who has proven nothing is told apart by
    /// where it came from.
    fileprivate var family: String {
        if let uid { return "uid:\(uid)" }
        let parent = user.utf8.prefix { $0 != Self.slash }
        return parent.isEmpty ? from : String(decoding: parent, as: UTF8.self)
    }

    /// Whose it is, for bounds.
    fileprivate var holder: String { family + child }

    /// The name that its parent gives it, behind a slash; empty: it is nobody's child.
    private var child: String {
        String(decoding: user.utf8.drop { $0 != Self.slash }, as: UTF8.self)
    }
}

/// How many entries each may cause: some at once, then one now and then.
///
/// What was refused is counted apart from what was allowed: who fails often must not hide what it
/// then does.
struct AuditLimit {
    /// The verdict on an entry.
    enum Verdict {
        /// With it goes what says how many were left out before.
        case taken(AuditEntry?)
        case leftOut
    }

    private struct Key: Hashable {
        let family: String
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
    /// Accounts of one family; more of its children share one.
    static let mostOfFamily = 64

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

    /// Entries that say how many were left out, of principals from which another entry would be taken by now.
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
    ) -> Bool { max(account.paidMs, nowMs) - nowMs <= (burst(outcome) - 1) * intervalMs(outcome) }

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
        let (family, holder) = (entry.family, entry.holder)
        let own = Key(family: family, holder: holder, outcome: entry.outcome)
        if accounts[own] != nil { return own }
        let isFull = accounts.count >= Self.most
        let isCrowded =
            holder != family && accounts.keys.count { $0.family == family } >= Self.mostOfFamily
        if !isFull, !isCrowded { return own }
        if nowMs >= nextLookMs {
            nextLookMs = nowMs + 1_000
            accounts = accounts.filter { $0.value.suppressed > 0 || $0.value.paidMs > nowMs }
        }
        // A family that has many accounts shares its parent's: it takes no others' places.
        if isCrowded { return Key(family: family, holder: family, outcome: entry.outcome) }
        return accounts.count < Self.most
            ? own : Key(family: Self.others, holder: Self.others, outcome: entry.outcome)
    }
}

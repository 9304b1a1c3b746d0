/// The deeds of a moment ago, so that a press that was aimed at a row as it was before is refused
/// (rule A18).
///
/// It follows from the diffs and their times. Only who decides asks for it, so no digest covers it. Bounded: of very
/// many presses within the window the oldest are forgotten.
public struct RecentDeeds: Sendable {
    /// An action is not performed again on a row for so long, unless it says that it repeats. A finger that taps twice
    /// and a second person who has not seen the first press are quicker.
    public static let windowMs: UInt64 = 1_000

    /// One deed that was performed.
    public struct Entry: Equatable, Sendable {
        /// The row.
        public let row: RowID
        /// The action, of the row or of one of its items.
        public let deed: Deed
        /// The revision of the press; 0: it is being decided on.
        public let revision: UInt64
        /// When it was performed, or when its handler was done, in milliseconds since 1970 (UTC).
        public let timeMs: UInt64
        /// Its handler has failed since.
        public internal(set) var hasFailed: Bool

        /// A deed that was performed at that time.
        public init(
            row: RowID, deed: Deed, revision: UInt64, timeMs: UInt64, hasFailed: Bool = false
        ) {
            self.hasFailed = hasFailed
            self.row = row
            self.deed = deed
            self.revision = revision
            self.timeMs = timeMs
        }

        /// Whether the window is still open. After a clock that was set back nobody waits for the time that was.
        func isRecent(at nowMs: UInt64) -> Bool {
            revision == 0 || timeMs <= nowMs && nowMs - timeMs < RecentDeeds.windowMs
        }
    }

    /// Two generations: when the younger one is as old as the window, the older one goes. A row is in one of them.
    private var young: [RowID: Few<Entry>] = [:]
    private var old: [RowID: Few<Entry>] = [:]
    /// When the younger one began, and how many were added to it.
    private var sinceMs: UInt64 = 0
    private var added = 0
    private static let mostInGeneration = 1_024
    /// False: no handler has failed. Most rows are changed then, and none is looked for.
    private var hasFailures = false
    /// While ops are applied on trial, the lists of the rows that they are about are only here.
    private var trial: [RowID: Few<Entry>]?

    /// Whether none is known.
    var isEmpty: Bool { young.isEmpty && old.isEmpty && trial?.isEmpty ?? true }

    private func list(of row: RowID) -> Few<Entry> {
        if let list = trial?[row] { return list }
        return young[row] ?? (old.isEmpty ? .none : old[row] ?? .none)
    }

    private mutating func set(_ list: Few<Entry>, of row: RowID) {
        if trial != nil {
            trial?[row] = list
        } else {
            young[row] = list.isEmpty ? nil : list
            if !old.isEmpty { old[row] = nil }
        }
    }

    /// Keeps the deeds on the row that are such ones.
    private mutating func keep(_ row: RowID, where isKept: (Entry) -> Bool) {
        let list = list(of: row)
        let kept = list.filter(isKept)
        if kept.count < list.count { set(Few(kept), of: row) }
    }

    /// When this was last performed on the row; nil: not within the window.
    package func latest(_ deed: Deed, on row: RowID, at nowMs: UInt64) -> Entry? {
        list(of: row).last { $0.deed == deed && $0.isRecent(at: nowMs) }
    }

    // MARK: What diffs do

    /// A press. The row is another one to act on: other actions of it may be performed again. What is done to an
    /// item says nothing of the other ones. To select a row changes nothing for those who act on it.
    mutating func perform(_ deed: Deed, on row: RowID, at moment: Moment) {
        add(deed, on: row, in: moment.revision, at: moment) { other in
            other.deed != deed
                && (deed.action == .tap || deed.item != nil && other.deed.item != deed.item)
        }
    }

    /// A handler was done with it. Whoever pressed until now was aiming at the row as it was before.
    mutating func finish(_ deed: Deed, on row: RowID, begunIn revision: UInt64, at moment: Moment) {
        add(deed, on: row, in: revision, at: moment) { $0.deed != deed }
    }

    /// A handler has failed. Whoever changes the row then and presses again has seen that.
    mutating func fail(_ deed: Deed, on row: RowID) {
        var list = list(of: row).array
        guard let place = list.lastIndex(where: { $0.deed == deed }) else { return }
        list[place].hasFailed = true
        hasFailures = true
        set(Few(list), of: row)
    }

    /// The row has other content.
    mutating func change(_ row: RowID) {
        if hasFailures { keep(row) { !$0.hasFailed } }
    }

    /// Another row has this id, or the row came back.
    mutating func forget(_ row: RowID) { keep(row) { _ in false } }

    /// An undo took back the deeds on the row, but for some.
    mutating func takeBack(_ row: RowID, leaving isLeft: (Deed) -> Bool) {
        keep(row) { isLeft($0.deed) }
    }

    /// Adds a deed to those on the row that stand beside it.
    private mutating func add(
        _ deed: Deed, on row: RowID, in revision: UInt64, at moment: Moment,
        _ standsBeside: (Entry) -> Bool
    ) {
        if trial != nil {
            let entry = Entry(row: row, deed: deed, revision: 0, timeMs: 0)
            return set(Few(list(of: row).filter(standsBeside) + [entry]), of: row)
        }
        // Nobody knows when it was.
        guard moment.timeMs != 0 else { return keep(row, where: standsBeside) }
        age(at: moment.timeMs)
        added += 1
        let entry = Entry(row: row, deed: deed, revision: revision, timeMs: moment.timeMs)
        let older = old.isEmpty ? nil : old.removeValue(forKey: row)
        guard let others = young.updateValue(.one(entry), forKey: row) ?? older else { return }
        let kept = others.filter { standsBeside($0) && $0.isRecent(at: moment.timeMs) }
        if !kept.isEmpty { young[row] = Few(kept + [entry]) }
    }

    private mutating func age(at nowMs: UInt64) {
        // The clock was set back: what is here is kept for as long again.
        sinceMs = min(sinceMs, nowMs)
        guard nowMs - sinceMs >= Self.windowMs || added >= Self.mostInGeneration else { return }
        (old, young) = (young, [:])
        (sinceMs, added) = (nowMs, 0)
        if hasFailures { hasFailures = entries.contains(where: \.hasFailed) }
    }

    // MARK: Keeping them

    /// All that are known, the oldest first: for a checkpoint.
    public var entries: [Entry] {
        [old, young].flatMap { $0.values.joined() }.sorted {
            ($0.timeMs, $0.revision, $0.row) < ($1.timeMs, $1.revision, $1.row)
        }
    }

    /// Takes one over from a checkpoint. Call it for the oldest first.
    mutating func restore(_ entry: Entry) {
        age(at: entry.timeMs)
        var list = list(of: entry.row)
        list.append(entry)
        set(list, of: entry.row)
        added += 1
        hasFailures = hasFailures || entry.hasFailed
    }

    /// Returns what `endTrial` needs, so that trials can be nested.
    mutating func beginTrial() -> [RowID: Few<Entry>]? {
        let outer = trial
        trial = outer ?? [:]
        return outer
    }
    mutating func endTrial(_ outer: [RowID: Few<Entry>]?) { trial = outer }
}

extension Table {
    /// Remembers a deed of a moment ago. Call it for the oldest first.
    public func appendRecentDeed(_ entry: RecentDeeds.Entry) { recent.restore(entry) }

    /// Forgets what was performed a moment ago, as a faulty daemon would.
    package func forgetRecentDeeds() { recent = RecentDeeds() }
}

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

    /// Two generations: when the younger one is as old as the window, the older one goes.
    private var young: [RowID: [Entry]] = [:]
    private var old: [RowID: [Entry]] = [:]
    /// When the younger one began, and how many were added to it.
    private var sinceMs: UInt64 = 0
    private var added = 0
    private static let mostInGeneration = 1_024
    /// While ops are applied on trial, the lists of the rows that they are about are only here.
    private var trial: [RowID: [Entry]]?

    /// Whether none is known.
    var isEmpty: Bool { young.isEmpty && old.isEmpty && trial?.isEmpty ?? true }

    private func list(of row: RowID) -> [Entry] {
        if let list = trial?[row] { return list }
        if young.isEmpty, old.isEmpty { return [] }
        return (old[row] ?? []) + (young[row] ?? [])
    }

    private mutating func set(_ list: [Entry], of row: RowID) {
        if trial != nil {
            trial?[row] = list
        } else {
            young[row] = list.isEmpty ? nil : list
            old[row] = nil
        }
    }

    /// When this was last performed on the row; nil: not within the window.
    package func latest(_ deed: Deed, on row: RowID, at nowMs: UInt64) -> Entry? {
        list(of: row).last { $0.deed == deed && $0.isRecent(at: nowMs) }
    }

    // MARK: What diffs do

    /// A press. The row is another one to act on: other actions of it may be performed again. What is done to an
    /// item says nothing of the other ones. To select a row changes nothing for those who act on it.
    mutating func perform(_ deed: Deed, on row: RowID, at moment: Moment) {
        let others = list(of: row).filter { other in
            other.deed != deed
                && (deed.action == .tap || deed.item != nil && other.deed.item != deed.item)
        }
        add(deed, on: row, in: moment.revision, at: moment, beside: others)
    }

    /// A handler was done with it. Whoever pressed until now was aiming at the row as it was before.
    mutating func finish(_ deed: Deed, on row: RowID, begunIn revision: UInt64, at moment: Moment) {
        let others = list(of: row).filter { $0.deed != deed }
        add(deed, on: row, in: revision, at: moment, beside: others)
    }

    /// A handler has failed. Whoever changes the row then and presses again has seen that.
    mutating func fail(_ deed: Deed, on row: RowID) {
        var list = list(of: row)
        guard let place = list.lastIndex(where: { $0.deed == deed }) else { return }
        list[place].hasFailed = true
        set(list, of: row)
    }

    /// The row has other content.
    mutating func change(_ row: RowID) {
        let list = list(of: row)
        if list.contains(where: \.hasFailed) { set(list.filter { !$0.hasFailed }, of: row) }
    }

    /// Another row has this id, or the row came back.
    mutating func forget(_ row: RowID) {
        if !list(of: row).isEmpty { set([], of: row) }
    }

    /// An undo took back the deeds on the row, but for some.
    mutating func takeBack(_ row: RowID, leaving isLeft: (Deed) -> Bool) {
        let list = list(of: row)
        let left = list.filter { isLeft($0.deed) }
        if left.count < list.count { set(left, of: row) }
    }

    private mutating func add(
        _ deed: Deed, on row: RowID, in revision: UInt64, at moment: Moment, beside others: [Entry]
    ) {
        if trial != nil {
            let entry = Entry(row: row, deed: deed, revision: 0, timeMs: 0)
            return set(others + [entry], of: row)
        }
        // Nobody knows when it was.
        guard moment.timeMs != 0 else { return set(others, of: row) }
        age(at: moment.timeMs)
        let entry = Entry(row: row, deed: deed, revision: revision, timeMs: moment.timeMs)
        set(others.filter { $0.isRecent(at: moment.timeMs) } + [entry], of: row)
        added += 1
    }

    private mutating func age(at nowMs: UInt64) {
        // The clock was set back: what is here is kept for as long again.
        sinceMs = min(sinceMs, nowMs)
        guard nowMs - sinceMs >= Self.windowMs || added >= Self.mostInGeneration else { return }
        (old, young) = (young, [:])
        (sinceMs, added) = (nowMs, 0)
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
        set(list(of: entry.row) + [entry], of: entry.row)
        added += 1
    }

    /// Returns what `endTrial` needs, so that trials can be nested.
    mutating func beginTrial() -> [RowID: [Entry]]? {
        let outer = trial
        trial = outer ?? [:]
        return outer
    }
    mutating func endTrial(_ outer: [RowID: [Entry]]?) { trial = outer }
}

extension Table {
    /// Remembers a deed of a moment ago. Call it for the oldest first.
    public func appendRecentDeed(_ entry: RecentDeeds.Entry) { recent.restore(entry) }

    /// Forgets what was performed a moment ago, as a faulty daemon would.
    package func forgetRecentDeeds() { recent = RecentDeeds() }
}

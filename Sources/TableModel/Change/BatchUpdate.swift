/// A diff as UIKit's tables and collections want it (`performBatchUpdates`): index paths to delete,
/// to insert and to move at once, then rows to reload. It stands in this module because it speaks
/// of nothing but steps and places.
///
/// Deletes, and where moves begin, are places **before** the diff; inserts, and where moves end,
/// are places **after** it. So one batch of `deletedSections`, `insertedSections`, `deletes`,
/// `inserts` and `moves`, in any order of the calls, leads from the one to the other.
///
/// - No row is in two of `deletes`, `inserts` and `moves`. A row that was removed and is back in
///   the same diff is a move and a reload.
/// - `reloads` are places **after** the diff: reload them when the batch is done, not within it.
///   Toolkits cannot move and reload a row in one batch; afterwards a row that was moved is
///   reloaded like any other. Inserted rows are not among them.
/// - A section's deletion takes its rows along, and its insertion brings them: these rows are in no
///   list, and a row that comes from a deleted section or goes to an inserted one is an insert or a
///   delete. Toolkits refuse the move. No step moves a section: one that was removed and is back is
///   deleted and inserted.
public struct BatchUpdate: Equatable, Sendable {
    /// A row's place, as an `IndexPath` of two numbers.
    public struct Path: Hashable, Comparable, Sendable {
        /// Index of the section in the table.
        public var section: Int
        /// Index of the row in its section.
        public var index: Int

        /// A place as given.
        public init(section: Int, index: Int) {
            self.section = section
            self.index = index
        }

        /// From the top of the table down.
        public static func < (a: Path, b: Path) -> Bool {
            (a.section, a.index) < (b.section, b.index)
        }
    }

    /// A row that stands elsewhere; both places may be the same where others have moved around it.
    public struct Move: Hashable, Sendable {
        /// Before the diff.
        public var from: Path
        /// After the diff.
        public var to: Path

        /// A move as given.
        public init(from: Path, to: Path) {
            self.from = from
            self.to = to
        }
    }

    /// Before the diff, ascending.
    public internal(set) var deletedSections: [Int] = []
    /// After the diff, ascending.
    public internal(set) var insertedSections: [Int] = []
    /// Sections whose title is another, after the diff, ascending; without inserted ones.
    public internal(set) var retitledSections: [Int] = []
    /// Before the diff, ascending.
    public internal(set) var deletes: [Path] = []
    /// After the diff, ascending.
    public internal(set) var inserts: [Path] = []
    /// Ascending by where they end.
    public internal(set) var moves: [Move] = []
    /// After the diff, ascending: rows whose content, state or performed actions are others.
    public internal(set) var reloads: [Path] = []
    /// Kinds or settings are others: rows that are in no list may be higher or look different.
    public internal(set) var isRedefined = false

    /// Nothing changes.
    public init() {}

    /// Nothing changes that a list of rows shows.
    public var isEmpty: Bool { self == BatchUpdate() }
}

extension BatchUpdate {
    /// The batch carried out as a toolkit does it: the reference for any consumer, and the law that
    /// tests hold the lists against. O(n).
    ///
    /// - Parameters:
    ///   - old: rows by section, as they are shown before.
    ///   - source: what a data source answers from afterwards. Only inserted sections and rows, and
    ///     reloaded rows, are asked for.
    /// - Returns: rows as they are shown afterwards; nil where the lists contradict themselves or
    ///   the rows.
    public func applied<Item>(to old: [[Item]], asking source: [[Item]]) -> [[Item]]? {
        guard let kept = rest(of: old) else { return nil }
        var sections = kept
        for index in insertedSections {
            guard index <= sections.count, source.indices.contains(index) else { return nil }
            sections.insert(source[index], at: index)
        }
        // By ascending place, so that each is put where it ends.
        var arrivals: [(to: Path, item: Item)] = []
        for path in inserts {
            guard let item = Self.item(at: path, in: source) else { return nil }
            arrivals.append((path, item))
        }
        for move in moves {
            guard let item = Self.item(at: move.from, in: old) else { return nil }
            arrivals.append((move.to, item))
        }
        let inserted = Set(insertedSections)
        for (to, item) in arrivals.sorted(by: { $0.to < $1.to }) {
            guard sections.indices.contains(to.section), !inserted.contains(to.section),
                (0...sections[to.section].count).contains(to.index)
            else { return nil }
            sections[to.section].insert(item, at: to.index)
        }
        for path in reloads {
            guard let item = Self.item(at: path, in: source),
                Self.item(at: path, in: sections) != nil
            else { return nil }
            sections[path.section][path.index] = item
        }
        return sections
    }

    /// What neither goes nor moves.
    private func rest<Item>(of old: [[Item]]) -> [[Item]]? {
        let leaving = deletes + moves.map(\.from)
        let gone = Set(leaving)
        let goneSections = Set(deletedSections)
        guard gone.count == leaving.count, goneSections.count == deletedSections.count,
            goneSections.allSatisfy(old.indices.contains),
            gone.allSatisfy({
                Self.item(at: $0, in: old) != nil && !goneSections.contains($0.section)
            })
        else { return nil }
        return old.indices.filter { !goneSections.contains($0) }.map { section in
            old[section].indices.filter { !gone.contains(Path(section: section, index: $0)) }
                .map { old[section][$0] }
        }
    }

    private static func item<Item>(at path: Path, in sections: [[Item]]) -> Item? {
        guard sections.indices.contains(path.section),
            sections[path.section].indices.contains(path.index)
        else { return nil }
        return sections[path.section][path.index]
    }
}

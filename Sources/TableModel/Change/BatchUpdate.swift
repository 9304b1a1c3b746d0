/// A diff in the form of UIKit's `performBatchUpdates`: index paths to delete, insert and move at
/// once, then rows to reload. It is in this module because it is only about ops and places.
///
/// Deletes and the starts of moves are places **before** the diff. Inserts and the ends of moves
/// are places **after** it. So one batch of `deletedSections`, `insertedSections`, `deletes`,
/// `inserts` and `moves`, called in any order, leads from the old rows to the new.
///
/// - No row is in two of `deletes`, `inserts` and `moves`. A row that one diff removes and brings
///   back is a move and a reload.
/// - `reloads` are places **after** the diff. Reload them when the batch is done, not within it:
///   toolkits cannot move and reload a row in one batch. Inserted rows are not among them.
/// - A deleted section takes its rows along, and an inserted section brings its rows: these rows
///   are in no list. A row that moves out of a deleted section is an insert. A row that moves into
///   an inserted section is a delete. Toolkits refuse such moves.
/// - No op moves a section. A section that one diff removes and brings back is deleted and
///   inserted.
public struct BatchUpdate: Equatable, Sendable {
    /// A row's place, like an `IndexPath` of two numbers.
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

        /// From the top of the table to the bottom.
        public static func < (a: Path, b: Path) -> Bool {
            (a.section, a.index) < (b.section, b.index)
        }
    }

    /// A row that moved. Both places may be the same if other rows moved around it.
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

    /// Indexes before the diff, ascending.
    public internal(set) var deletedSections: [Int] = []
    /// Indexes after the diff, ascending.
    public internal(set) var insertedSections: [Int] = []
    /// Sections with a new title, except inserted ones: indexes after the diff, ascending.
    public internal(set) var retitledSections: [Int] = []
    /// Places before the diff, ascending.
    public internal(set) var deletes: [Path] = []
    /// Places after the diff, ascending.
    public internal(set) var inserts: [Path] = []
    /// How rows of `deletes` go, where the diff says so (F2).
    public internal(set) var deleteHints: [Path: AnimationHint] = [:]
    /// How rows of `inserts` come, where the diff says so (F2).
    public internal(set) var insertHints: [Path: AnimationHint] = [:]
    /// Ascending by `to`.
    public internal(set) var moves: [Move] = []
    /// Rows with other content, state or performed actions: places after the diff, ascending.
    public internal(set) var reloads: [Path] = []
    /// Kinds or settings have changed: rows in no list may be higher or look different.
    public internal(set) var isRedefined = false

    /// An empty batch.
    public init() {}

    /// Whether the batch changes nothing that a list of rows shows.
    public var isEmpty: Bool { self == BatchUpdate() }
}

extension BatchUpdate {
    /// Carries out the batch as a toolkit does. It is the reference for any consumer, and tests
    /// check the lists with it. O(n).
    ///
    /// - Parameters:
    ///   - old: the rows by section, as shown before the batch.
    ///   - source: the data source's answers after the diff. Only inserted sections and rows, and
    ///     reloaded rows, are asked for.
    /// - Returns: the rows as shown after the batch; nil if the lists contradict each other or the
    ///   rows.
    public func applied<Item>(to old: [[Item]], asking source: [[Item]]) -> [[Item]]? {
        guard let kept = rest(of: old) else { return nil }
        var sections = kept
        for index in insertedSections {
            guard index <= sections.count, source.indices.contains(index) else { return nil }
            sections.insert(source[index], at: index)
        }
        // Ascending by place, so that each row is put where it ends.
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

    /// The rows that are neither deleted nor moved.
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

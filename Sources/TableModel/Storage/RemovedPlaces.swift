/// The places of removed rows, so that a move towards one can land there. Bounded: the oldest are
/// dropped.
public struct RemovedPlaces: Sendable {
    /// One removed row.
    public struct Entry: Equatable, Sendable {
        /// The removed row.
        public let row: RowID
        /// The section it stood in.
        public let section: SectionID
        /// The row it stood behind; nil at the top.
        public let after: RowID?
        /// The actions that removed it. In an older journal: all that were performed on it, or the latest of
        /// them.
        public let performed: [Deed]
        /// The revision that removed it; 0: unknown.
        public let revision: UInt64

        /// The row's place when it was removed.
        public init(
            row: RowID, section: SectionID, after: RowID?, performed: [Deed] = [],
            revision: UInt64 = 0
        ) {
            self.performed = Self.kept(of: performed)
            self.revision = revision
            self.row = row
            self.section = section
            self.after = after
        }

        /// The bytes that the names of a row's actions may have together. Without a bound rows that come and go
        /// with all that they may carry would hold 60 KB each.
        private static let mostBytes = 1_024

        private static func kept(of performed: [Deed]) -> [Deed] {
            var bytes = 0
            var first = performed.endIndex
            while first > 0 {
                let deed = performed[first - 1]
                bytes += deed.action.byteCount + (deed.item?.byteCount ?? 0)
                if bytes > mostBytes { break }
                first -= 1
            }
            return first == 0 ? performed : Array(performed[first...])
        }
    }

    /// How many are kept. Beyond a smaller number the oldest go when the next comes.
    var capacity: Int
    /// For which the ring is laid out.
    private var laidOut: Int
    private var latest: [RowID: Int] = [:]
    private var ring: [Entry] = []
    private var next = 0
    /// While ops are applied on trial, their removals are kept only here.
    private var trial: [RowID: Entry]?

    init(capacity: Int) {
        self.capacity = capacity
        laidOut = capacity
    }

    /// Where this row was when it was last removed.
    public subscript(row: RowID) -> Entry? { trial?[row] ?? latest[row].map { ring[$0] } }

    /// Remembers one. At capacity, it replaces the oldest.
    public mutating func append(_ entry: Entry) {
        if trial != nil {
            trial?[entry.row] = entry
            return
        }
        if laidOut != capacity { layOut() }
        guard capacity > 0 else { return }
        if ring.count < capacity {
            ring.append(entry)
        } else {
            if latest[ring[next].row] == next { latest[ring[next].row] = nil }
            ring[next] = entry
        }
        latest[entry.row] = next
        next = (next + 1) % capacity
    }

    /// Forgets these rows; false: none was remembered.
    mutating func remove(_ rows: Set<RowID>) -> Bool {
        guard rows.contains(where: { latest[$0] != nil }) else { return false }
        ring = entries.filter { !rows.contains($0.row) }
        layOut()
        return true
    }

    /// Returns what `endTrial` needs, so that trials can be nested.
    mutating func beginTrial() -> [RowID: Entry]? {
        let outer = trial
        trial = outer ?? [:]
        return outer
    }
    var isOnTrial: Bool { trial != nil }
    mutating func endTrial(_ outer: [RowID: Entry]?) { trial = outer }

    /// Oldest first.
    public var entries: [Entry] {
        let all = ring.count < laidOut ? ring : Array(ring[next...] + ring[..<next])
        return all.count > capacity ? Array(all.suffix(capacity)) : all
    }

    /// For another capacity: all that fit, oldest first.
    private mutating func layOut() {
        ring = entries
        laidOut = capacity
        next = capacity > 0 ? ring.count % capacity : 0
        latest = [:]
        for (place, entry) in ring.enumerated() { latest[entry.row] = place }
    }
}

extension Table {
    /// The actions that remove a row which is about to go in this revision: those that were performed in it, and
    /// remove. What else was performed did not.
    func deeds(removing row: Row, at revision: UInt64) -> [Deed] {
        let performed = row.performed
        // A press makes a new version.
        if performed.isEmpty || row.version != revision { return [] }
        return performed.filter { performance in
            actions(of: performance.deed, on: row).contains {
                $0.removes(isDone: performance.state == .done)
            }
        }.map(\.deed)
    }

    /// The actions of a row that a deed may be of. Its item may be gone, and its edge is not known.
    private func actions(of deed: Deed, on row: Row) -> [Action] {
        let actions: [Action]
        if deed.item == nil {
            actions = Edge.allCases.flatMap { self.actions(of: row, at: $0)?.actions ?? [] }
        } else {
            actions = kind(of: row)?.itemKinds.values.flatMap(\.menu) ?? []
        }
        return actions.filter { $0.id == deed.action }
    }
}

extension Action {
    /// Whether it has removed its row, now that it was performed.
    fileprivate func removes(isDone: Bool) -> Bool {
        effects.contains { effect in
            // At its end, and not while its handler runs.
            if case .invoke(_, let then, _) = effect {
                return isDone && then.contains(where: \.removesRow)
            }
            return effect.removesRow
        }
    }
}

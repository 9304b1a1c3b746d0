/// Checks everything in a table, a slice at a time, while the table goes on. It recomputes the
/// digest from the rows as they were at the start. It checks the sets and indexes as they are at
/// the time. For `trestle check`.
public final class TableCheck {
    private let table: Table
    private let revision: UInt64
    private let trials: UInt64
    private let digest: UInt64
    /// Kinds, settings and invocations at the start, without rows.
    private let frame: Table
    private var sections: [(id: SectionID, title: String, runs: [ContiguousArray<Row>])]
    /// The next slice.
    private var step = Step.rows(section: 0, run: 0)
    private var rows = SequenceDigest.empty
    private var all = SequenceDigest.empty
    private var seen = 0

    private enum Step {
        case rows(section: Int, run: Int)
        /// The index of the rows, from this place on.
        case index(Int)
        /// The tree of a section, in one slice: it has one node for many rows.
        case order(Int)
        case end
    }

    /// The result of one call of `work`.
    public enum Progress: Equatable {
        /// There are more slices.
        case more
        /// All is well.
        case whole
        /// A fault, in a few words.
        case fault(String)
    }

    private static let placesPerStep = 512

    /// Starts a check: O(rows / 64).
    public init(_ table: Table) {
        self.table = table
        revision = table.revision
        trials = table.trials
        digest = table.digest
        frame = Table(
            restoring: table.name, history: table.history, revision: table.revision,
            kinds: Array(table.kinds.values), settings: table.settings, removedPlaces: 0)
        frame.restoreEditing(table.isEditing)
        for invocation in table.invocations.all { frame.restore(invocation) }
        sections = table.sections.map { ($0.id, $0.title, $0.runs()) }
    }

    /// Checks about 64 rows, or something else that takes about as long.
    public func work() -> Progress {
        switch step {
        case .rows(let section, let run): return lookAtRows(section, run)
        case .index(let place): return lookAtIndex(from: place)
        case .order(let section): return lookAtOrder(of: section)
        case .end: return .whole
        }
    }

    /// Whether the table has not changed since the start, also on trial.
    private var isUnchanged: Bool { table.revision == revision && table.trials == trials }

    private func lookAtRows(_ section: Int, _ run: Int) -> Progress {
        guard section < sections.count else {
            guard frame.digest(ofSections: all) == digest else { return .fault("digest") }
            step = .index(0)
            return .more
        }
        guard run < sections[section].runs.count else {
            let (id, title, _) = sections[section]
            all.append(Table.Section.digest(id, title: title, rows: rows))
            rows = .empty
            step = .rows(section: section + 1, run: 0)
            return .more
        }
        for row in sections[section].runs[run] {
            rows.append(SequenceDigest(hash: row.hash))
            if let fault = fault(of: row) { return .fault(fault) }
        }
        // Frees the run: nothing else holds rows that have changed since.
        sections[section].runs[run] = []
        step = .rows(section: section, run: run + 1)
        return .more
    }

    /// Checks a row of the start as it is now, if it still exists.
    private func fault(of row: Row) -> String? {
        guard let slot = table.slots[row.id] else {
            return isUnchanged ? "row \(row.id): has no slot" : nil
        }
        if isUnchanged, !slot.row.isSame(as: row) { return "row \(row.id): its slot names another" }
        return table.fault(of: slot.row)
    }

    private func lookAtIndex(from place: Int) -> Progress {
        let end = min(place + Self.placesPerStep, table.slots.capacity)
        if place < end {
            if let fault = table.slots.fault(at: place..<end, &seen) { return .fault(fault) }
            step = .index(end)
            return .more
        }
        // Rows that were added or moved meanwhile may have been missed or counted twice.
        if isUnchanged, seen != table.slots.count {
            return .fault("\(table.slots.count) rows are counted, \(seen) are there")
        }
        step = .order(0)
        return .more
    }

    private func lookAtOrder(of section: Int) -> Progress {
        if section < table.sections.count {
            let section = table.sections[section]
            if let fault = section.rows.fault() { return .fault("section \(section.id): \(fault)") }
        }
        step = .order(section + 1)
        guard section + 1 >= table.sections.count else { return .more }
        let ordered = table.sections.reduce(0) { $0 + $1.count }
        if ordered != table.slots.count {
            return .fault("\(table.slots.count) rows are known, \(ordered) are in order")
        }
        if let fault = table.faultInSwipes { return .fault(fault) }
        step = .end
        return .whole
    }
}

import ArgumentParser
import TableClient
import TableModel
import TablePredicate

/// Which revisions `watch` prints.
struct WatchFilterOptions: ParsableArguments {
    @Option(
        help: .value("row", "Only revisions about this row; may be repeated."),
        completion: Live.rows)
    var row: [String] = []
    @Option(
        help: .value(
            "section", "Only revisions about this section or rows in it; may be repeated."),
        completion: Live.sections)
    var section: [String] = []
    @Option(
        help: .value(
            "verb", "Only revisions by this verb (add, move, batch, expire…); may be repeated."))
    var verb: [String] = []
    @Option(
        name: .customLong("where"),
        help: .value(
            "predicate", "Only revisions about rows for which this is true, before or after them."))
    var condition: String?

    /// Nil where everything is to be printed.
    func filter() throws -> WatchFilter? {
        if row.isEmpty, section.isEmpty, verb.isEmpty, condition == nil { return nil }
        let predicate = try condition.map {
            try RowChoiceOptions.parsed($0, "--where", RowPredicate.init)
        }
        return WatchFilter(
            rows: Set(row.map { ID($0) }), sections: Set(section.map { ID($0) }),
            verbs: Set(verb), condition: predicate)
    }
}

/// Tells which revisions are wanted: those that fit every option that is given. Steps about the
/// whole table (edit mode, kinds, all rows expanded) are about each row and section.
final class WatchFilter {
    private let rows: Set<RowID>
    private let sections: Set<SectionID>
    private let verbs: Set<String>
    private let condition: RowPredicate?
    /// Whether what is about to be applied fits as the table is before it.
    private var fitsBefore = false
    private var wanted: Set<UInt64> = []
    private var clock = PredicateClock(nowMs: 0)
    /// The rows that fitted when it was last looked, if times are named.
    private var fitting: Set<RowID>?
    /// The rows of the diffs that were noted since.
    private var touched: Set<RowID> = []
    /// The time by the daemon's clock at which other rows may fit although the table does not change; nil: never.
    private(set) var nextMs: UInt64?

    init(rows: Set<RowID>, sections: Set<SectionID>, verbs: Set<String>, condition: RowPredicate?) {
        self.rows = rows
        self.sections = sections
        self.verbs = verbs
        self.condition = condition
    }

    /// To be told of each diff before it is applied to `table`, and after.
    func note(_ diff: Diff, on table: Table, isApplied: Bool, at clock: PredicateClock) {
        self.clock = clock
        if condition?.isTimed == true {
            for op in diff.ops where op.section == nil && !op.isTableWide {
                touched.formUnion(op.rows(in: table))
            }
        }
        if !isApplied {
            fitsBefore = fits(diff, table, unknownFits: false)
        } else if fitsBefore || fits(diff, table, unknownFits: false) {
            wanted.insert(diff.revision)
        }
    }

    /// Looks which rows fit, if times are named, and gives those that have come to fit since it was last looked, in
    /// order, without rows of the diffs that were noted since. `isNew`: it is another table.
    func look(at table: Table, _ clock: PredicateClock, isNew: Bool) -> [RowID] {
        guard let condition, condition.isTimed else { return [] }
        self.clock = clock
        let outlook = condition.outlook(in: table, at: clock)
        let before = fitting
        let touched = touched
        (fitting, nextMs, self.touched) = (outlook.rows, outlook.untilMs, [])
        guard !isNew, let before, verbs.isEmpty else { return [] }
        let new = outlook.rows.subtracting(before).subtracting(touched).filter {
            fits(row: $0, table, unknownFits: false)
        }
        return new.isEmpty ? [] : table.rows.map(\.id).filter(new.contains)
    }

    /// Whether a noted diff is wanted.
    func wants(_ diff: Diff) -> Bool { wanted.remove(diff.revision) != nil }

    /// Whether an earlier diff is wanted, by the rows as they are now. A row that has gone since may have fitted.
    func wants(past diff: Diff, now table: Table) -> Bool { fits(diff, table, unknownFits: true) }

    private func fits(_ diff: Diff, _ table: Table, unknownFits: Bool) -> Bool {
        if !verbs.isEmpty, !verbs.contains(diff.cause.verb) { return false }
        if rows.isEmpty, sections.isEmpty, condition == nil { return true }
        return diff.ops.contains { op in
            if let section = op.section { return fits(section: section) }
            if op.isTableWide { return true }
            return op.rows(in: table).contains { fits(row: $0, table, unknownFits: unknownFits) }
        }
    }

    private func fits(section: SectionID) -> Bool {
        rows.isEmpty && condition == nil && sections.contains(section)
    }

    private func fits(row id: RowID, _ table: Table, unknownFits: Bool) -> Bool {
        if !rows.isEmpty, !rows.contains(id) { return false }
        if sections.isEmpty, condition == nil { return true }
        guard let section = table.position(of: id)?.section else { return unknownFits }
        if !sections.isEmpty, !sections.contains(section) { return false }
        return condition?.holds(for: id, in: table, at: clock) ?? true
    }
}

import TableModel

// A recall of the removed rows that a condition fits.

extension Decision {
    /// Brings back the rows for which the condition was true when they were removed, all in one revision. With a limit
    /// these are the ones that were removed last.
    func recall(where each: Command.Each) throws(Rejection) -> Plan {
        let ids = try removedRows(of: each)
        if ids.isEmpty { return Plan([]) }
        do throws(Rejection) { return try recall(Few(ids)) } catch { throw error.below("recall") }
    }

    private func removedRows(of each: Command.Each) throws(Rejection) -> [RowID] {
        try checkBounds(of: each)
        // The table that the row stood in is no more, so the condition is about the row alone.
        let condition = RowCondition(each.condition)
        if let fault = condition.fault {
            throw Rejection(
                .badValue, "At character \(fault.offset + 1): \(fault.message)", field: "where")
        }
        guard let past = context.past else { throw .standsAlone }
        var search = RemovedSearch(past: past, condition: condition)
        let most = each.limit ?? .max
        var found: [RowID] = []
        // A row that was removed twice at the same place in one revision stands here twice.
        var seen: Set<RowID> = []
        for entry in table.removed.entries.reversed() where found.count < most {
            guard entry.revision > past.oldest, each.section ?? entry.section == entry.section,
                table.removed[entry.row] == entry, !table.has(entry.row),
                seen.insert(entry.row).inserted
            else { continue }
            if try search.fits(entry) { found.append(entry.row) }
        }
        try bound("rows that fit", found.count, by: limits.liftedRows, field: "limit")
        return found
    }
}

/// Looks at removed rows as they were, which stand in the inverses of the revisions that removed them.
private struct RemovedSearch {
    let past: any Past
    let condition: RowCondition
    /// The rows of the revisions that were read. One that removed thousands is read once.
    private var rows: [UInt64: [RowID: Row]] = [:]
    private var bytes = 0
    private var looked = 0
    /// A change that is read counts as so many bytes besides its own.
    private static let bytesOfChange = 1 << 10

    init(past: any Past, condition: RowCondition) {
        self.past = past
        self.condition = condition
    }

    mutating func fits(_ entry: RemovedPlaces.Entry) throws(Rejection) -> Bool {
        guard let row = try rows(removedBy: entry.revision)[entry.row] else { return false }
        looked += condition.cost(of: row)
        try bound(
            "values of removed rows to look at", looked, by: Limits.eachLookedUp, field: "where")
        return condition.holds(for: row.content, in: row.expansion)
    }

    private mutating func rows(removedBy revision: UInt64) throws(Rejection) -> [RowID: Row] {
        if let known = rows[revision] { return known }
        bytes += Self.bytesOfChange + past.size(of: revision)
        try bound(
            "bytes of changes that removed rows", bytes, by: LaterChanges.mostBytes, field: "limit")
        var removed: [RowID: Row] = [:]
        for case .inserts(let row, _) in (past.change(revision)?.inverse ?? []).lazy.map(\.effect) {
            removed[row.id] = row
        }
        rows[revision] = removed
        return removed
    }
}

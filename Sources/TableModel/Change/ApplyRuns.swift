// Several ops on one row are applied together (Runs.swift).

extension Table {
    /// Several ops on one row write it once.
    @inline(__always)
    func apply(_ run: Run, at moment: Moment) throws(Mismatch) {
        let first = run[run.startIndex]
        if run.count == 1 { return try apply(first, at: moment) }
        if case .set(let row, let changes) = first,
            case .perform(_, let performance) = run[run.startIndex + 1]
        {
            return try apply(changes, with: performance, to: row, at: moment)
        }
        // Actions performed a moment ago are taken back op by op.
        if recent.isEmpty, case .set(let row, let changes) = first,
            case .restore(_, let traces) = run[run.startIndex + 1]
        {
            return try apply(changes, with: traces, to: row, at: moment)
        }
        if run.isOfItems, let strip = first.row {
            return try apply(run.steps, toItemsOf: strip, at: moment)
        }
        for op in run { try apply(op, at: moment) }
    }

    private func apply(
        _ changes: Command.Changes, with traces: Traces, to id: RowID, at moment: Moment
    ) throws(Mismatch) {
        let version = moment.isInverse ? traces.version : moment.revision
        try update(id) { row in
            guard var other = row.set(changes, at: moment) else {
                return row.change { $0.take(traces, version: version) }
            }
            return other.change { $0.take(traces, version: version) } ?? other
        }
    }

    private func apply(
        _ changes: Command.Changes, with performance: Performance, to id: RowID, at moment: Moment
    ) throws(Mismatch) {
        try update(id) { row in
            guard var other = row.set(changes, at: moment) else {
                return row.change { $0.perform(performance, at: moment) }
            }
            return other.change { $0.perform(performance, at: moment) } ?? other
        }
        if !recent.isEmpty { recent.change(id) }
        recent.perform(performance.deed, on: id, at: moment)
    }

    func apply(_ steps: [Item.Step], toItemsOf strip: RowID, at moment: Moment) throws(Mismatch) {
        var items = try slot(strip).row.content.items
        for step in steps { try items.apply(step) }
        try change(strip) { parts in
            parts.changeContent(at: moment)
            parts.changeExtras { $0.items = items }
        }
        if !recent.isEmpty { recent.change(strip) }
    }
}

import TableModel

// The undo of the latest change, where that is about nothing but texts.

extension Decision {
    /// The undo of the latest change, if that changed texts of rows and nothing else: nothing has come in between, so that
    /// its inverse fits as it is. To try it out takes several times as long as to carry it out, and everybody waits
    /// meanwhile. Nil: it has to be tried out.
    func textsBack(_ inverse: [Op], of revision: UInt64) -> Plan? {
        let ops = inverse.withoutSupersededTraces
        var left = ops.count
        var changed: Set<RowID> = []
        for case .set(let id, let changes) in ops {
            // The texts of a second change are not those of now.
            guard let row = table.row(id), changed.insert(id).inserted,
                changes.arePlain(on: row.content, within: shared)
                    || changes.removesFields && row.content.hasOnlyTexts
            else { return nil }
            left -= 1
        }
        for case .restore(let id, let traces) in ops {
            guard traces.performed.isEmpty, table.row(id)?.performed.isEmpty == true else {
                return nil
            }
            left -= 1
        }
        guard left == 0, !ops.isEmpty else { return nil }
        var named: Set<RowID> = []
        let rows = ops.compactMap(\.row).filter { named.insert($0).inserted }
        return Plan(ops, rows: Few(rows), undoes: revision)
    }
}

extension Command.Changes {
    /// Whether nothing comes, and fields go.
    fileprivate var removesFields: Bool {
        title == nil && kind == nil && fields.isEmpty && actions == nil && states == nil
    }
}

import TableModel

// Changing what a row says: its kind, title and fields, its actions and states.

extension Decision {
    func set(_ id: RowID, _ changes: Command.Changes) throws(Rejection) -> Plan {
        let row = try row(id, field: "row")
        try checkKeys(of: changes)
        if changes.arePlain(on: row.content, within: shared) {
            return Plan([.set(id, changes)], rows: .one(id))
        }
        return try set(row, changes)
    }

    /// Checks what is the same for each row.
    func checkKeys(of changes: Command.Changes) throws(Rejection) {
        let most = shared.limits.fields
        try bound("fields", changes.fields.count, by: most, field: "fields")
        try bound("fields", changes.unset.count, by: most, field: "unset")
        for field in changes.fields { try checkID(field.key, field: "fields") }
        for key in changes.unset { try checkID(key, field: "unset") }
    }

    /// Decides by the whole content that the changes make.
    func set(_ row: Row, _ changes: Command.Changes) throws(Rejection) -> Plan {
        let id = row.id
        if let actions = changes.actions { try checkActions(actions) }
        if let states = changes.states { try checkOwnStates(states) }
        let content = changes.applied(to: row.content)
        let kind = try kind(content.kind)
        try checkContent(content)
        try checkItems(content, field: "kind")
        if content == row.content { return Plan([], rows: .one(id)) }
        if content.kind != row.content.kind, !table.pinnedRows.contains(id) {
            try checkRoomForPinned(kind)
        }
        let step = Op.set(id, changes)
        let isOther = content.kind != row.content.kind || content.states != row.content.states
        // Nearly every change is neither. It then needs no trial.
        guard isOther || row.swipe != nil && changes.actions != nil else {
            return Plan([step], rows: .one(id))
        }
        let ops = [step] + fitting(id, after: step, isOfOtherKind: isOther)
        return Plan(ops, rows: .one(id))
    }

    /// The ops that follow from new actions, new states or a new kind (F16). A swipe at an edge without actions
    /// closes. A state that the kind does not have becomes the kind's initial state.
    private func fitting(_ id: RowID, after step: Op, isOfOtherKind isOther: Bool) -> [Op] {
        table.onTrial { trial in
            trial.apply(step)
            guard let row = table.row(id) else { return [] }
            var ops: [Op] = []
            if isOther {
                let fits = statesThatFit(row)
                trial.apply(fits)
                if let now = table.row(id) {
                    ops = closing(where: [(now, to: section(of: id))]) + fits
                }
            }
            if let edge = row.swipe, !table.hasActions(row, at: edge) {
                ops.append(.swipe(id, nil))
            }
            if row.selection != nil { ops += unmarkingMisfits() }
            return ops
        }
    }
}

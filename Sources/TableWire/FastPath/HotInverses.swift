internal import TableModel

// Ops that are written in diffs and, by hand too, in inverses.

extension FieldWriter {
    mutating func op(set id: RowID, _ changes: Command.Changes) {
        write(4) { set in
            set.write(unlessEmpty: 1, id)
            if let title = changes.title { set.write(2, title) }
            set.write(3, changes.fields)
            for key in changes.unset { set.write(4, key) }
            if let kind = changes.kind { set.write(5, kind) }
        }
    }

    mutating func op(swipe id: RowID, _ edge: Edge?) {
        write(5) { swipe in
            swipe.write(unlessEmpty: 1, id)
            swipe.write(unlessEmpty: 2, Edge.word(edge))
        }
    }

    mutating func op(expand id: RowID, _ state: Expansion) {
        write(6) { expand in
            expand.write(unlessEmpty: 1, id)
            expand.write(unlessEmpty: 2, state.text)
        }
    }

    mutating func op(restore id: RowID, _ traces: Traces) {
        write(26) { restore in
            restore.write(unlessEmpty: 1, id)
            if traces.version != 0 { restore.write(2, traces.version) }
            for one in traces.performed { restore.write(3) { $0.write(one) } }
            if traces.changedMs != 0 { restore.write(4, traces.changedMs) }
            if traces.movedMs != 0 { restore.write(5, traces.movedMs) }
        }
    }

    /// One op of an inverse in its journaled form.
    mutating func write(step: Op) { write(1, step, isInverse: true) }
}

/// Takes the ops of an inverse as they are journaled.
extension FieldWriter: InverseWriter {
    mutating func remove(_ id: RowID) {
        write(1) { step in
            step.write(2) { $0.write(unlessEmpty: 1, id) }
        }
    }

    mutating func move(_ id: RowID, to place: Place) {
        write(1) { step in
            step.write(3) { move in
                move.write(1, id)
                move.write(place)
            }
        }
    }

    mutating func expand(_ id: RowID, _ state: Expansion) {
        write(1) { $0.op(expand: id, state) }
    }

    mutating func swipe(_ id: RowID, _ edge: Edge?) {
        write(1) { $0.op(swipe: id, edge) }
    }

    mutating func set(_ id: RowID, _ changes: Command.Changes) {
        // Actions and states are left to the schema.
        if changes.actions != nil || changes.states != nil { return write(step: .set(id, changes)) }
        write(1) { $0.op(set: id, changes) }
    }

    mutating func set(
        _ id: RowID, title: UnsafeRawBufferPointer?, field key: ID?,
        _ value: UnsafeRawBufferPointer?
    ) {
        write(1) { step in
            step.write(4) { set in
                set.write(unlessEmpty: 1, id)
                if let title { set.write(2, title) }
                guard let key else { return }
                guard let value else { return set.write(4, key) }
                set.write(3) { field in
                    field.write(1, key)
                    field.write(2, value)
                }
            }
        }
    }

    mutating func restore(_ id: RowID, _ traces: Traces) {
        write(1) { $0.op(restore: id, traces) }
    }
}

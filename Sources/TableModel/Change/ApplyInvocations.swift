// The effects of a diff on invocations.

extension Table {
    func invoke(_ begun: Invocation) throws(Mismatch) {
        var invocation = begun
        if invocations[invocation.id] != nil {
            throw .op("invocation \(invocation.id.text) is there already")
        }
        notePressed(&invocation, try slot(invocation.row).row)
        invocations.put(invocation)
    }

    /// A handler takes it, which is one more attempt, or lets go of it.
    func changeInvocation(_ id: InvocationID, heldBy holder: ID?) throws(Mismatch) {
        var invocation = try invocation(id)
        invocation.holder = holder
        if holder != nil { invocation.attempts += 1 }
        invocations.put(invocation)
    }

    /// An attempt has failed, and another one follows; nil: it may begin.
    func rest(_ id: InvocationID, _ failure: Invocation.Failure?) throws(Mismatch) {
        var invocation = try invocation(id)
        if let failure {
            invocation.attempts = invocation.attemptsSoFar
            invocation.holder = nil
            invocation.failure = failure
        } else {
            guard invocation.isResting else { throw .op("invocation \(id.text) does not rest") }
            invocation.failure?.isOver = true
        }
        invocations.put(invocation)
    }

    func restoreInvocation(_ id: InvocationID, _ old: Invocation?) {
        guard var old else { return invocations.remove(id) }
        // It travels without its row, which by then is again as it was pressed.
        if old.pressed == nil, let row = row(old.row) { notePressed(&old, row) }
        invocations.put(old)
    }

    func finish(
        _ id: InvocationID, _ outcome: Invocation.Outcome, at moment: Moment
    ) throws(Mismatch) {
        let invocation = try invocation(id)
        invocations.remove(id)
        // It may be another row by now, with the same id.
        guard let row = row(invocation.row) else { return }
        let isNoted = row.performance(of: invocation.deed)?.state == .pending(id)
        // A selection is not noted.
        if isNoted || invocation.action == .tap {
            switch outcome {
            case .done:
                recent.finish(invocation.deed, on: row.id, begunIn: id.revision, at: moment)
            case .failed: recent.fail(invocation.deed, on: row.id)
            }
        }
        guard isNoted else { return }
        let performance = Performance(invocation.deed, .init(outcome))
        try change(row.id) { $0.perform(performance, at: nil) }
    }

    private func notePressed(_ invocation: inout Invocation, _ row: Row) {
        let spot = position(of: row.id)
        invocation.pressed = row
        invocation.section = spot?.section
        invocation.index = spot?.index
    }

    private func invocation(_ id: InvocationID) throws(Mismatch) -> Invocation {
        guard let invocation = invocations[id] else { throw .op("no invocation \(id.text)") }
        return invocation
    }
}

extension Performance.State {
    package init(_ outcome: Invocation.Outcome) {
        switch outcome {
        case .done: self = .done
        case .failed(let reason): self = .failed(reason)
        }
    }
}

extension Op {
    /// The rows that it names as its own, and the row of an invocation, of which an op may only say the id; before
    /// the op is applied.
    public func rows(in table: Table) -> [RowID] {
        switch effect {
        case .begins(let invocation): return [invocation.row]
        case .changesInvocation(let id), .ends(let id):
            return table.invocations[id].map { [$0.row] } ?? []
        case .inserts, .removes, .moves, .swaps, .changes, .claims, .changesAll, .news, .ofSection,
            .ofTable:
            return rows
        }
    }
}

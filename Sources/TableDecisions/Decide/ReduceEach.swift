import TableModel
import TablePredicate

// A command on each row that a condition fits, all in one revision.

extension Decision {
    func each(_ each: Command.Each) throws(Rejection) -> Plan {
        if case .recall = each.verb { return try recall(where: each) }
        var metered = self
        metered.meter = meter ?? LookupMeter()
        return try metered.decide(each)
    }

    private func decide(_ each: Command.Each) throws(Rejection) -> Plan {
        let rows = try rows(of: each)
        // It is checked although no row may fit.
        try require(
            each.verb.about(.one(Command.Each.noRow)) != nil, or: .badValue,
            "A condition cannot choose the rows of \"\(each.verb.name.rawValue)\".", field: "where")
        if rows.isEmpty { return Plan([]) }
        let ids = rows.map(\.id)
        guard each.verb.name.has(.manyRows), let together = each.verb.about(Few(ids)) else {
            return try oneByOne(each.verb, rows, ids)
        }
        do throws(Rejection) {
            return try admittingMany.plan(for: together, seen: nil)
        } catch {
            throw refusal(by: each.verb, ids, from: 0, error).below(each.verb.name.rawValue)
        }
    }

    /// The rows which `ifClaimed` is about: those that the command names or its condition chooses; nil: it cannot
    /// be required.
    func chosenRows(of verb: Command.Verb) throws(Rejection) -> Few<RowID>? {
        guard case .each(let each) = verb else { return verb.rows }
        // Nobody has claimed what is not there.
        if case .recall = each.verb { return nil }
        return Few(try rows(of: each).map(\.id))
    }

    func checkBounds(of each: Command.Each) throws(Rejection) {
        let bytes = each.condition.utf8.count
        try bound("bytes of a condition", bytes, by: Limits.conditionBytes, field: "where")
        if let limit = each.limit, limit < 1 {
            throw Rejection(.badNumber, "The limit is a number from 1.", field: "limit")
        }
    }

    private func rows(of each: Command.Each) throws(Rejection) -> [Row] {
        try checkBounds(of: each)
        var query = RowQuery()
        let condition: RowPredicate
        do throws(PredicateFault) {
            condition = try RowPredicate(each.condition)
        } catch {
            throw Rejection(
                .badValue, "At character \(error.offset + 1): \(error.message)", field: "where")
        }
        var looked = table.count
        if let id = each.section {
            guard let section = table.section(id) else { throw .noSection(id, field: "section") }
            query.sections = [id]
            looked = section.count
        }
        let most = Limits.eachLookedUp
        let lookups = max(looked, condition.cost(among: looked, in: table, upTo: most))
        try bound("values of rows to look at", lookups, by: most, field: "where")
        query.condition = condition
        let found = query.rows(of: table, at: context.clock, atMost: each.limit ?? .max)
        try bound("rows that fit", found.count, by: Limits.eachRows, field: "limit")
        let weight = found.reduce(0) { $0 + $1.row.weight }
        try bound("bytes of the rows that fit", weight, by: Limits.eachRowBytes, field: "limit")
        return found.map(\.row)
    }

    /// This decision by a limit that lets a command name all the rows.
    private var admittingMany: Decision {
        var limits = limits
        limits.batchCommands = max(limits.batchCommands, Limits.eachRows)
        var decision = Decision(table: table, limits: limits, context: context, suffix: suffix)
        decision.meter = meter
        return decision
    }

    /// Decides on one row after the other, each on the result of those before it.
    private func oneByOne(
        _ verb: Command.Verb, _ rows: [Row], _ ids: [RowID]
    ) throws(Rejection) -> Plan {
        // Texts of one row are nothing to another.
        if case .set(_, let changes) = verb, changes.kind == nil, changes.actions == nil,
            changes.states == nil
        {
            return try texts(changes, verb, rows, ids)
        }
        // Anything else may take as long as a command of a batch.
        try bound("rows that fit", ids.count, by: BatchWork.changing.rows, field: "limit")
        let result = table.onTrial { trial in
            Result { () throws(Rejection) in try plan(verb, ids) { trial.apply($0) } }
        }
        return try result.get()
    }

    private func plan(
        _ verb: Command.Verb, _ ids: [RowID], _ apply: ([Op]) -> Void
    ) throws(Rejection) -> Plan {
        var (whole, ops, rows): (Plan, [Op], [RowID]) = (Plan([]), [], [])
        var (bytes, strips) = (0, 0)
        for index in ids.indices {
            if let meter, meter.isSpent { throw meter.rejection(field: "limit") }
            let plan = try decided(verb, ids, index)
            bytes += plan.ops.weight
            strips += plan.ops.reduce(0) { $0 + table.stripBytes(writtenBy: $1) }
            try checkBounds(bytes: bytes, strips: strips)
            apply(plan.ops)
            ops += plan.ops
            rows += plan.rows
            whole.invocations += plan.invocations
            whole.addNotes(of: plan, verb)
        }
        (whole.ops, whole.rows) = (ops, Few(rows))
        return whole
    }

    /// The plan for rows whose texts change. They are decided on in the turn while everybody waits, so that a row on
    /// which the change is plainly in order takes no more than a look at it.
    private func texts(
        _ changes: Command.Changes, _ verb: Command.Verb, _ rows: [Row], _ ids: [RowID]
    ) throws(Rejection) -> Plan {
        var ops: [Op] = []
        ops.reserveCapacity(rows.count)
        let weight = Op.set(Command.Each.noRow, changes).weight
        var (bytes, strips) = (0, 0)
        for (index, row) in rows.enumerated() {
            if row.quickWeight == nil { strips += row.weight }
            // The keys of texts are in order, since the first row took them.
            if index > 0, changes.arePlain(on: row.content, within: shared) {
                ops.append(.set(ids[index], changes))
                bytes += weight + ids[index].byteCount
            } else {
                let plan = try decided(verb, ids, index)
                ops += plan.ops
                bytes += plan.ops.weight
            }
            try checkBounds(bytes: bytes, strips: strips)
        }
        return Plan(ops, rows: Few(ids))
    }

    /// The number of rows is in the hands of whoever asks.
    private func checkBounds(bytes: Int, strips: Int) throws(Rejection) {
        let rejection = BatchWork.changing.refusal(bytes: bytes, takenBytes: 0, stripBytes: strips)
        guard var rejection else { return }
        rejection.field = "limit"
        throw rejection
    }

    /// The plan for one of the rows, or a refusal that tells of all that refuse.
    private func decided(
        _ verb: Command.Verb, _ ids: [RowID], _ index: Int
    ) throws(Rejection) -> Plan {
        do throws(Rejection) { return try alone(verb, ids[index], index) } catch {
            throw refusal(by: verb, ids, from: index, error).below(verb.name.rawValue)
        }
    }

    private func alone(_ verb: Command.Verb, _ id: RowID, _ index: Int) throws(Rejection) -> Plan {
        guard let one = verb.about(.one(id)) else { return Plan([]) }
        var decision = Decision(table: table, shared: shared, context: context, suffix: index)
        decision.meter = meter
        return try decision.plan(for: one, seen: nil)
    }

    /// A refusal that names the first of the rows that refuse and why, and tells how many there are, as far as there is
    /// time to ask them.
    private func refusal(
        by verb: Command.Verb, _ ids: [RowID], from start: Int, _ first: Rejection
    ) -> Rejection {
        var refused = RefusedRows()
        for index in start..<ids.count where index == start || meter?.isSpent != true {
            do throws(Rejection) { _ = try alone(verb, ids[index], index) } catch {
                refused.add(ids[index], error)
            }
        }
        // Perhaps they refuse it only together.
        return refused.rejection(of: ids.count) ?? first
    }
}

extension Command.Verb {
    /// Whether it was weighed row by row, within closer bounds than those of any command.
    var isWeighedRowByRow: Bool {
        guard case .each(let each) = self else { return false }
        return !each.verb.name.has(.manyRows)
    }
}

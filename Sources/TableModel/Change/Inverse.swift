// The inverse of a diff. It is a list of ops like any other. So an undo is a diff that every viewer
// can apply, and the same `apply` leads a table back to an older revision.

extension Table {
    /// The inverse of ops that are not applied yet and are applied together.
    package func inverse(of run: Run) -> [Op] {
        let first = run[run.startIndex]
        // The inverse of a change of texts leads back over the performance with it, since it ends with all traces.
        guard run.count > 1, run.isOfItems, let strip = first.row, let row = row(strip) else {
            return inverse(of: first)
        }
        return inverse(of: run.steps, onItemsOf: row)
    }

    func inverse(of steps: [Item.Step], onItemsOf row: Row) -> [Op] {
        var items = row.content.items
        var inverses: [[Item.Step]] = []
        for (index, step) in steps.enumerated() {
            inverses.append(items.inverse(of: step))
            // After the last one nobody looks. One that does not fit is found out by who applies it.
            guard index < steps.count - 1, (try? items.apply(step)) != nil else { break }
        }
        return inverses.reversed().joined().map { .item(row.id, $0) } + [traces(of: row)]
    }

    /// The inverse of an op that is not applied yet. Applied right after the op, it leaves the
    /// table as it is now. In an inverse (`Moment.isInverse`) this includes versions.
    package func inverse(of op: Op) -> [Op] {
        var frequent = InverseOps()
        return writeInverse(of: op, to: &frequent) ?? frequent.ops
    }

    func traces(of row: Row) -> Op { .restore(row.id, Traces(of: row)) }

    func inverseOfRemoving(_ id: RowID) -> [Op] {
        guard let slot = slots[id], let section = section(of: slot) else { return [] }
        return [.insert(slot.row, place(of: slot, in: section))]
    }

    /// In table order, so that each row goes behind one that is already back. Rows that stood behind each
    /// other go back together.
    func inverseOfMoving(_ ids: Few<RowID>) -> [Op] {
        let spots = ids.compactMap { id in
            slots[id].flatMap { slot in
                section(of: slot).map { section in
                    (
                        row: slot.row, place: place(of: slot, in: section),
                        index: section.rows.index(of: slot.row, in: slot.leaf)
                    )
                }
            }
        }.sorted { $0.index < $1.index }
        var moves: [(ids: Few<RowID>, place: Place)] = []
        for spot in spots {
            if let last = moves.last?.ids.last, spot.place == .after(last) {
                moves[moves.count - 1].ids.append(spot.row.id)
            } else {
                moves.append((.one(spot.row.id), spot.place))
            }
        }
        return moves.map { .move($0.ids, $0.place) } + spots.map { traces(of: $0.row) }
    }

    func inverseOfRemovingSection(_ id: SectionID) -> Op {
        let index = sections.firstIndex { $0.id == id } ?? 0
        let after = index > 0 ? sections[index - 1].id : nil
        return .insertSection(id, title: sectionsByID[id]?.title ?? "", after: after)
    }

    func inverse(of definitions: Command.Definitions) -> Command.Definitions {
        let touched = definitions.kinds.map(\.id) + definitions.dropped
        return Command.Definitions(
            kinds: touched.compactMap { kinds[$0] }, dropped: touched.filter { kinds[$0] == nil },
            settings: definitions.settings.map { _ in settings })
    }

    func inverseOfFinishing(_ id: InvocationID) -> [Op] {
        guard let old = invocations[id] else { return [] }
        return [.invocation(id, old)] + (row(old.row).map { [traces(of: $0)] } ?? [])
    }
}

extension Command.Changes {
    /// The inverse of the changes, on content that they have not changed yet.
    package func inverse(on old: Row.Content) -> Command.Changes {
        let keys = fields.map(\.key) + unset
        let values = old.fields(keys)
        return Command.Changes(
            title: title.map { _ in old.title }, kind: kind.map { _ in old.kind },
            fields: values.present, unset: values.absent,
            actions: actions.map { _ in old.actions ?? RowActions() },
            states: states.map { _ in old.states })
    }
}

extension Row.Content {
    /// The fields with these keys, and the keys that have no field.
    fileprivate func fields(_ keys: [ID]) -> (present: [Row.Field], absent: [ID]) {
        if keys.isEmpty { return ([], []) }
        // As nearly always.
        if keys.count == 1 {
            let value = value(of: keys[0])
            return value.map { ([Row.Field(keys[0], $0)], []) } ?? ([], keys)
        }
        let wanted = Set(keys)
        // Few are looked for one by one: strings of all the others would take several times as long.
        if wanted.count <= 4 {
            var (present, absent): ([Row.Field], [ID]) = ([], [])
            for key in wanted.sorted() {
                if let value = value(of: key) {
                    present.append(Row.Field(key, value))
                } else {
                    absent.append(key)
                }
            }
            return (present, absent)
        }
        let present = fields.filter { wanted.contains($0.key) }
        let absent = wanted.subtracting(present.map(\.key))
        return (present, absent.sorted())
    }
}

extension [Item] {
    /// The inverse of an op that is not applied yet.
    fileprivate func inverse(of step: Item.Step) -> [Item.Step] {
        switch step {
        case .insert(let item, _): return [.remove(item.id)]
        case .remove(let id):
            return index(of: id).map { [.insert(self[$0], after: item(before: $0))] } ?? []
        case .move(let ids, _):
            return ids.compactMap { index(of: $0) }.sorted()
                .map { .move([self[$0].id], after: item(before: $0)) }
        case .set(let id, let changes):
            return index(of: id).map { [.set(id, changes.inverse(on: self[$0]))] } ?? []
        }
    }

    private func item(before index: Int) -> ID? { index > 0 ? self[index - 1].id : nil }
}

extension Item.Changes {
    fileprivate func inverse(on old: Item) -> Item.Changes {
        let values = Row.Content(fields: old.fields).fields(fields.map(\.key) + unset)
        return Item.Changes(
            title: title.map { _ in old.title }, kind: kind.map { _ in old.kind },
            fields: values.present, unset: values.absent, tap: tap.map { _ in old.tap })
    }
}

// MARK: Trial

extension Table {
    /// Applies ops on trial, lets `body` look at the table, then applies their inverses.
    ///
    /// Afterwards the table is as it was: same revision, rows, versions and digest.
    package func onTrial<Answer>(_ body: (inout Trial) -> Answer) -> Answer {
        trials &+= 1
        var trial = Trial(table: self)
        let (outer, recently) = (removed.beginTrial(), recent.beginTrial())
        defer {
            trial.takeBack()
            removed.endTrial(outer)
            recent.endTrial(recently)
        }
        return body(&trial)
    }

    /// Whether these ops can be applied one after the other.
    package func fits(_ ops: [Op]) -> Bool {
        onTrial { trial in
            do {
                try ops.forEachRun { run throws(Mismatch) in try trial.tryToApply(run) }
                return true
            } catch {
                return false
            }
        }
    }

    /// Tries a whole plan, which must come from `reduce` on this very state. Changed rows
    /// have the version that they would get, but the table's revision stays.
    public func onTrial<Answer>(_ plan: Plan, _ body: (Table) -> Answer) -> Answer {
        onTrial { trial in
            trial.apply(plan.ops)
            return body(self)
        }
    }

    /// Ops applied on trial. The table's revision stays.
    package struct Trial {
        let table: Table
        private var back: [StepBack] = []

        private enum StepBack {
            case ops([Op])
            /// A strip as it was: the inverses of ops on its items would write it as often as they did.
            case strip(Row)
        }

        init(table: Table) { self.table = table }

        /// Applies ops that `reduce` made for the table as it is now.
        package mutating func apply(_ ops: [Op]) { ops.forEachRun { apply($0) } }

        /// Applies one op that `reduce` made for the table as it is now.
        package mutating func apply(_ op: Op) { apply([op][...]) }

        private mutating func apply(_ run: Run) {
            do {
                try tryToApply(run)
            } catch {
                preconditionFailure("reduce made an op that does not fit: \(error)")
            }
        }

        /// Applies ops that were made for another state of the table and go together. If it throws, they
        /// have changed nothing.
        package mutating func tryToApply(_ run: Run) throws(Mismatch) {
            let step = stepBack(over: run)
            // A run of several has nothing to check.
            try table.check(run[run.startIndex])
            try table.apply(run, at: Moment(revision: table.revision &+ 1, timeMs: 0))
            if let step { back.append(step) }
        }

        /// Nil: what leads back over the ops before leads back over these too.
        private func stepBack(over run: Run) -> StepBack? {
            guard case .item(let id, _) = run[run.startIndex], let strip = table.row(id) else {
                return .ops(table.inverse(of: run))
            }
            if case .strip(let old) = back.last, old.id == id { return nil }
            return .strip(strip)
        }

        fileprivate mutating func takeBack() {
            for step in back.reversed() {
                do {
                    switch step {
                    case .ops(let inverse): try table.apply(inverse: inverse, to: table.revision)
                    case .strip(let old): try table.putBack(old)
                    }
                } catch {
                    preconditionFailure("the inverse of an op does not fit: \(error)")
                }
            }
            back = []
        }
    }

    /// Applies the inverse of a revision without comparing a digest.
    func apply(inverse ops: [Op], to revision: UInt64) throws(Mismatch) {
        let moment = Moment(revision: revision, timeMs: 0, isInverse: true)
        try ops.forEachRun { run throws(Mismatch) in try apply(run, at: moment) }
    }

    /// Leads the table one revision back. Throws `Mismatch` if the ops do not fit or the digest
    /// differs. The table must then not be used any more.
    public func rewind(_ inverse: [Op], to digest: UInt64) throws(Mismatch) {
        guard revision > 0 else { throw .op("there is no revision before 0") }
        try apply(inverse: inverse, to: revision - 1)
        revision -= 1
        guard self.digest == digest else { throw .digest(table: self.digest, diff: digest) }
    }

    /// Throws if an op does not fit, before anything changes. It covers those ops that `apply`
    /// would carry out in part before it throws.
    private func check(_ op: Op) throws(Mismatch) {
        switch op.effect {
        case .moves(let ids, let place):
            if Set(ids).count != ids.count { throw .op("a row moves twice") }
            for id in ids where slots[id] == nil { throw .op("\(id) is not there") }
            try check(place)
            if case .after(let id) = place, ids.contains(id) { throw .op("\(id) moves itself") }
        case .inserts(_, let place): try check(place)
        case .swaps(let a, let b):
            for id in [a, b] where slots[id] == nil { throw .op("\(id) is not there") }
        case .removes, .changes, .claims, .changesAll, .news: break
        case .ofSection, .ofTable, .begins, .changesInvocation, .ends: break
        }
    }

    private func check(_ place: Place) throws(Mismatch) {
        switch place {
        case .after(let id): if slots[id] == nil { throw .op("\(id) is not there") }
        case .top(let id): if sectionsByID[id] == nil { throw .op("no section \(id)") }
        }
    }
}

import TableModel

// An action may go beyond its row: back to the section that the row left, and to all rows of a group.

extension Decision {
    /// Moves a row to the end of the section that it last left. One that has gone is not made again: that takes rights
    /// which a handler need not have.
    func moveBack(_ id: RowID) throws(Rejection) -> Plan {
        guard let section = try row(id, field: "row").cameFrom else {
            throw Rejection(
                .noSuchSection, "Row \"\(id.text)\" has come from no other section.",
                field: "effect.move")
        }
        guard table.section(section) != nil else { throw .noSection(section, field: "effect.move") }
        return try move([id], section: section, .bottom, .rebase, by: .action)
    }

    /// The ops before a move by which rows remember the section that they leave, if an action of theirs asks for it.
    func remembering(_ ids: Few<RowID>, movedTo section: SectionID?) -> [Op] {
        var ops: [Op] = []
        var kinds: [KindID: Bool] = [:]
        for id in ids {
            guard let row = table.row(id), let here = self.section(of: id), here != section else {
                continue
            }
            let kind = row.content.kind
            let asks = kinds[kind] ?? (table.hasLookingBack && table.kinds[kind]?.looksBack == true)
            kinds[kind] = asks
            if asks || row.content.actions?.looksBack == true { ops.append(.came(id, from: here)) }
        }
        return ops
    }

    /// The ops of effects on all rows of a row's group. The row itself is removed later, as by `remove` alone.
    func apply(
        _ effects: [Effect], toGroupOf id: RowID, _ trial: inout Table.Trial
    ) throws(Rejection) -> [Op] {
        var all: [Op] = []
        for member in try group(of: id) {
            do throws(Rejection) {
                try checkNotLifted([member], field: "row")
                for effect in effects {
                    guard let plan = try plan(for: effect, on: member, nil) else { continue }
                    trial.apply(plan.ops)
                    all += plan.ops
                }
            } catch {
                if member == id { throw error }
                throw Rejection(
                    error.code, "Row \"\(member.text)\" of its group: \(error.message)",
                    field: error.field)
            }
            if member != id, effects.contains(.remove) {
                trial.apply([.remove(member)])
                all.append(.remove(member))
            }
        }
        return all
    }

    /// The rows whose kinds group by the same field as a row's kind, and whose value of it is the row's, in order.
    private func group(of id: RowID) throws(Rejection) -> [RowID] {
        let row = try row(id, field: "row")
        guard let key = table.kinds[row.content.kind]?.show.group,
            let value = row.content.value(of: key), !value.isEmpty
        else {
            throw Rejection(
                .badValue,
                "Row \"\(id.text)\" is in no group: it has no value of its kind's `show.group`.",
                field: "effect.group")
        }
        try bound("rows to look at", table.count, by: Limits.eachLookedUp, field: "effect.group")
        meter?.add(4 * table.count)
        var rows: [RowID] = []
        for row in table.sections.lazy.flatMap({ $0.runs().joined() })
        where table.kinds[row.content.kind]?.show.group == key
            && row.content.value(of: key).map({ ID($0) }) == ID(value)
        {
            rows.append(row.id)
            try bound("rows of a group", rows.count, by: Limits.groupRows, field: "effect.group")
        }
        return rows
    }

    /// Effects on rows that nobody pressed: no handler and no item is meant.
    func checkGroupEffects(_ effects: [Effect], field: String) throws(Rejection) {
        for effect in effects {
            switch effect {
            case .invoke, .group, .removeItem, .setItem:
                throw Rejection(
                    .badValue,
                    "On a group, no effect starts a handler, changes an item or is a group's.",
                    field: field)
            case .remove, .move, .set, .fill, .increment, .toggle, .expand, .unset, .kind,
                .moveBack, .snooze:
                continue
            }
        }
        try checkEffects(effects, of: nil, field: field)
    }
}

extension Limits {
    /// Values that several presses together look at for the rows of their groups: some 50 ms.
    static let groupValuesLookedAt = 1_000_000
}

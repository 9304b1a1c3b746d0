package import TableModel
import TablePredicate

/// A query that is being answered: it goes over the rows a few at a time, as they were when it began.
package struct QueryScan {
    private var scan: RowScan
    private let query: Query
    private let invocations: Invocations
    private let isBounded: Bool

    /// Begins to answer; throws why it is refused. `isBounded`: others wait for it, and it is for one answer.
    package init(
        _ query: Query, of table: Table, nowMs: UInt64, zoneSeconds: Int = 0, isBounded: Bool = true
    ) throws(Rejection) {
        var rows = RowQuery()
        rows.condition = try query.condition.map { text throws(Rejection) in
            try Self.parse(text, "where", RowPredicate.init)
        }
        if let condition = rows.condition, isBounded {
            // Its parts about the whole table are looked at in one go, and so are the groups of all rows.
            let most = Limits.eachLookedUp
            let cost = condition.costAhead(in: table, upTo: most)
            try bound("values of rows to look at", cost, by: most, field: "where")
        }
        for id in query.sections where table.section(id) == nil {
            throw .noSection(id, field: "sections")
        }
        rows.sections = Set(query.sections)
        if let sort = query.sort { rows.order = try Self.parse(sort, "sort", RowKey.list) }
        func column(_ text: String?, _ field: String) throws(Rejection) -> RowColumn? {
            try text.map { text throws(Rejection) in try Self.parse(text, field, RowColumn.init) }
        }
        scan = RowScan(
            rows, row: query.row, by: try column(query.by, "by"), sum: try column(query.sum, "sum"),
            most: query.most, of: table, at: PredicateClock(nowMs: nowMs, zoneSeconds: zoneSeconds))
        (self.query, invocations, self.isBounded) = (query, table.invocations, isBounded)
    }

    private static func parse<Value>(
        _ text: String, _ field: String, _ parse: (String) throws(PredicateFault) -> Value
    ) throws(Rejection) -> Value {
        do throws(PredicateFault) { return try parse(text) } catch {
            throw Rejection(
                .badValue, "At character \(error.offset + 1): \(error.message)", field: field)
        }
    }

    /// The table's history and revision when it began.
    package var history: ID128 { scan.frame.history }
    package var revision: UInt64 { scan.frame.revision }

    /// Looks at some rows more; false: it has looked at all. Throws where there are too many values to count apart.
    package mutating func work() throws(Rejection) -> Bool {
        let goesOn = scan.work()
        let (groups, bytes) = (scan.groups.count, scan.groupBytes)
        guard !isBounded || groups <= Query.mostGroups && bytes <= Query.mostGroupBytes else {
            throw groups > Query.mostGroups
                ? .tooLarge("values to count", groups, limit: Query.mostGroups, field: "by")
                : .tooLarge(
                    "bytes of values to count", bytes, limit: Query.mostGroupBytes, field: "by")
        }
        return goesOn
    }

    /// The answer, once it has looked at all.
    package var found: Found {
        var found = Found()
        found.count = scan.found
        found.sum = query.sum == nil ? nil : scan.sum.value
        found.groups = scan.groups.values.map { group in
            Found.Group(
                Found.Group.Value(group.value), rows: group.rows,
                sum: query.sum == nil ? nil : group.sum.value)
        }
        var (weight, kinds): (Int, Set<KindID>) = (0, [])
        for placed in scan.rows {
            weight += placed.row.weight
            if isBounded, weight > Query.mostRowBytes, !found.rows.isEmpty { break }
            found.rows.append(placed)
            kinds.insert(placed.row.content.kind)
            for case .pending(let id) in placed.row.performed.map(\.state) {
                invocations[id].map { found.invocations.append($0.withoutRow) }
            }
        }
        found.kinds = kinds.sorted().compactMap { scan.frame.kinds[$0] }
        return found
    }
}

extension Found.Group.Value {
    fileprivate init?(_ value: PredicateValue) {
        switch value {
        case .none: return nil
        case .text(let text): self = .text(text)
        case .number(let number), .time(let number, _): self = .number(number)
        case .flag(let flag): self = .flag(flag)
        }
    }
}

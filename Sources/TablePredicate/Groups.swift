package import TableModel

/// The rows of a table that belong together: those whose kinds name the same field in `show.group`, and that have the same
/// value there, in all sections. It is made once for many rows that ask, and finds them anew at another revision.
package final class Groups {
    package let table: Table
    private var known: [Key: [PlacedRow]]?
    private var values: [Value: (of: OfGroup, value: PredicateValue)] = [:]
    private var valuesAtMs: UInt64 = 0
    private var revision: UInt64
    /// The rows of groups that expressions were tried on.
    package private(set) var looked = 0
    private var counts: [String: PredicateExpression?] = [:]

    private struct Key: Hashable {
        let field: ID
        let value: ID
    }

    private struct Value: Hashable {
        let expression: ObjectIdentifier
        let group: Key
    }

    package init(_ table: Table) { (self.table, revision) = (table, table.revision) }

    /// The groups of the rows that a table has now, which stay so while it changes. Their kinds are those of `frame`, a
    /// table without rows.
    init(of table: Table, framedBy frame: Table) {
        (self.table, revision) = (frame, frame.revision)
        known = sorted(rowsOf: table)
    }

    private func forgetOthers() {
        if revision != table.revision { (revision, known, values) = (table.revision, nil, [:]) }
    }

    private func key(of row: Row) -> Key? {
        guard let field = table.kinds[row.content.kind]?.show.group,
            let value = row.content.value(of: field), !value.isEmpty
        else { return nil }
        return Key(field: field, value: ID(value))
    }

    /// The rows of a row's group, itself too; it alone, if it has no value of that field.
    func rows(with placed: PlacedRow) -> [PlacedRow] {
        forgetOthers()
        guard let key = key(of: placed.row) else { return [placed] }
        let all = known ?? sorted(rowsOf: table)
        known = all
        return all[key] ?? [placed]
    }

    private func sorted(rowsOf table: Table) -> [Key: [PlacedRow]] {
        var all: [Key: [PlacedRow]] = [:]
        _ = table.firstRow { placed in
            if let key = key(of: placed.row) { all[key, default: []].append(placed) }
            return false
        }
        return all
    }

    /// The value of an expression over a row's group, found once for all rows of the group at that moment.
    func value(
        _ whole: OfGroup, of placed: PlacedRow, atMs nowMs: UInt64, _ find: () -> PredicateValue
    ) -> PredicateValue {
        forgetOthers()
        guard let key = key(of: placed.row) else { return find() }
        if nowMs != valuesAtMs { (values, valuesAtMs) = ([:], nowMs) }
        let place = Value(expression: ObjectIdentifier(whole), group: key)
        if let known = values[place] { return known.value }
        let found = find()
        values[place] = (whole, found)
        looked += rows(with: placed).count
        return found
    }

    /// The number that stands for a name in braces such as `count(group where section == "pass")`; nil: it is no such
    /// name, or the row stands alone.
    package func count(_ name: String, of id: RowID) -> String? {
        let count = counts[name] ?? (try? PredicateParser.count(ofGroup: name))
        counts[name] = count
        guard let count, let placed = PlacedRow(id, in: table), rows(with: placed).count > 1
        else { return nil }
        let evaluation = Evaluation(
            table: table, own: placed, clock: PredicateClock(nowMs: valuesAtMs), groups: self)
        guard case .number(let number) = evaluation.looking(up: count) else { return nil }
        return "\(Int(number))"
    }
}

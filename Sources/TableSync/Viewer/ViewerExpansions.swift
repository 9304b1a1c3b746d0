public import TableModel

/// The rows that are open on one viewer's screen, in a table whose rows each viewer opens for itself
/// (`expandScope: viewer`). A row begins as the table has it, and a change of that counts on all screens.
public struct ViewerExpansions: Equatable, Sendable {
    private struct Own: Equatable, Sendable {
        var state: Expansion
        /// The state in the table when the person opened or closed the row.
        var before: Expansion
    }

    private var own: [RowID: Own] = [:]

    /// All rows are as the table has them.
    public init() {}

    /// A row as this screen shows it.
    public func shown(_ row: Row) -> Row {
        guard let state = own[row.id]?.state, state != row.expansion else { return row }
        var shown = row
        return shown.expand(to: state) ?? shown
    }

    /// Puts a row into the next of its states. Gives the rows that are other now: an accordion closes some.
    public mutating func expand(_ id: RowID, in table: Table) -> [RowID] {
        guard let row = table.row(id), let kind = Self.kind(of: row, in: table) else { return [] }
        let state = kind.state(after: shown(row).expansion)
        let others = state == .collapsed ? [] : companions(of: id, in: table)
        for other in others { put(other, .collapsed) }
        put(row, state)
        return [id] + others.map(\.id)
    }

    /// Opens, or closes, all rows that can be. Gives those that are other now.
    public mutating func expandAll(_ isOpen: Bool, in table: Table) -> [RowID] {
        var states = AllExpansions(isOpen, of: table)
        var changed: [RowID] = []
        for row in table.sections.lazy.flatMap({ $0.runs() }).joined() {
            guard let state = states.next(of: shown(row)) else { continue }
            put(row, state)
            changed.append(row.id)
        }
        return changed
    }

    /// Call it after each change of the table. Gives the rows that are again as the table has them.
    public mutating func follow(_ table: Table) -> [RowID] {
        if own.isEmpty { return [] }
        let isOwn = table.settings.expandScope == .viewer
        let kept = own.filter { id, own in
            guard isOwn, let row = table.row(id), row.expansion == own.before else { return false }
            return Self.kind(of: row, in: table)?.has(own.state) ?? false
        }
        defer { own = kept }
        return own.keys.filter { kept[$0] == nil && table.row($0) != nil }
    }

    private mutating func put(_ row: Row, _ state: Expansion) {
        own[row.id] = Own(state: state, before: row.expansion)
    }

    /// The open rows that an accordion closes when this one opens.
    private func companions(of id: RowID, in table: Table) -> [Row] {
        let policy = table.settings.expandPolicy
        if policy == .independent { return [] }
        let home = table.section(of: id)?.id
        let rows = Set(table.sections.flatMap { $0.openRows.map(\.id) }).union(own.keys)
        return rows.subtracting([id]).compactMap { table.row($0) }.filter { row in
            shown(row).expansion != .collapsed
                && (policy == .accordionTable || table.section(of: row.id)?.id == home)
                && Self.kind(of: row, in: table)?.has(.collapsed) == true
        }
    }

    private static func kind(of row: Row, in table: Table) -> Kind? {
        table.kind(of: row)?.fitted(to: row.content)
    }
}

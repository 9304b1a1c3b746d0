public import TableModel

/// The rows that are swiped open on one viewer's screen, in a table whose swipes are each viewer's
/// own (`swipeScope: viewer`). Keyed by row, so other people's changes leave them alone (A9).
public struct ViewerSwipes: Equatable, Sendable {
    /// The open edge, by row.
    public private(set) var open: [RowID: Edge] = [:]

    /// No row is open.
    public init() {}

    /// Opens a row at an edge; under the policy `exclusive` all others close. The refusals are the
    /// daemon's for shared swipes.
    public mutating func open(_ row: RowID, at edge: Edge, in table: Table) throws(Rejection) {
        guard let present = table.row(row) else {
            throw Rejection(.noSuchRow, "There is no row \"\(row.text)\".", field: "row")
        }
        if table.isEditing {
            throw Rejection(.editing, "The table is in edit mode.", field: "edge")
        }
        try table.checkActions(of: present, at: edge)
        if table.settings.swipePolicy == .exclusive { open = [:] }
        open[row] = edge
    }

    /// Closes a row, because a person or an action did (A7).
    public mutating func close(_ row: RowID) { open[row] = nil }

    /// Call it after each change of the table. It closes rows that were removed or have no actions
    /// at the open edge any more. It closes all rows in edit mode, and when swipes become shared.
    public mutating func follow(_ table: Table) {
        if open.isEmpty { return }
        if table.isEditing || table.settings.swipeScope == .shared {
            open = [:]
        } else {
            open = open.filter { id, edge in
                table.row(id).map { table.hasActions($0, at: edge) } ?? false
            }
        }
    }
}

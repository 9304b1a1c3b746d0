public import TableModel

/// The rows that are swiped open on one viewer's screen, in a table whose swipes are each viewer's
/// own (`swipeScope: viewer`). Keyed by row, so that other people's edits leave them alone (A9).
public struct ViewerSwipes: Equatable, Sendable {
    /// Which side is open, by row.
    public private(set) var open: [RowID: Edge] = [:]

    /// None is open.
    public init() {}

    /// Opens one side of a row, and closes the others where the table's policy is exclusive.
    /// Refused as the daemon would refuse it in a table of shared swipes.
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

    /// Closes a row: because a person did, or because its action hides it (A7).
    public mutating func close(_ row: RowID) {
        open[row] = nil
    }

    /// To be called after each change of the table: rows that have gone are closed, and those that
    /// have no actions there any more; all are in edit mode, or when the table's swipes have become
    /// everybody's.
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

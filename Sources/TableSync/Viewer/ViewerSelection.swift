public import TableModel

/// The selection of one viewer, in a table where each viewer keeps that for itself
/// (`selection: viewer`).
public struct ViewerSelection: Equatable, Sendable {
    /// The row; nil: nothing is selected.
    public private(set) var row: RowID?
    /// The selected part of it.
    public private(set) var selection: Row.Selection?

    /// Nothing is selected.
    public init() {}

    /// Keeps what the viewer has selected, if the table leaves that to it.
    public mutating func select(_ row: RowID, item: ID?, in table: Table) {
        guard table.settings.selection == .viewer else { return }
        (self.row, selection) = (row, Row.Selection(item: item))
        follow(table)
    }

    /// Nothing is selected any more.
    public mutating func clear() { (row, selection) = (nil, nil) }

    /// Call it after each change of the table: what is gone is not selected.
    public mutating func follow(_ table: Table) {
        guard let row else { return }
        guard table.settings.selection == .viewer, let present = table.row(row) else {
            return clear()
        }
        if let selection, !table.canKeep(selection, of: present) { clear() }
    }

    /// The selection of a row as a viewer shows it: by the table, or by this viewer.
    public func shown(of row: Row, in table: Table) -> Row.Selection? {
        switch table.settings.selection {
        case .none: return nil
        case .viewer: return self.row == row.id ? selection : nil
        case .shared: return row.selection
        }
    }
}

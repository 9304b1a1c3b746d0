// Viewers offer these controls in edit mode (design rule F10): the verbs `remove` and
// `add` do not look at them.

extension Kind {
    /// The control that rows have in edit mode.
    public enum EditingStyle: String, Sendable, CaseIterable {
        /// A minus, which removes the row.
        case delete
        /// A plus, which inserts a row below this one.
        case insert
        case none
    }

    /// The control that a viewer shows: `canDelete: false` leaves nothing to delete.
    public var editControl: EditingStyle {
        editingStyle == .delete && !canDelete ? .none : editingStyle
    }

    /// Whether a viewer shows a grip in edit mode: a pinned row does not move.
    public var hasGrip: Bool { canMove && !isPinned }
}

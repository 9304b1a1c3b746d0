import TableModel

// Edit mode: each row has a control at its left and a grip at its right (F10).
extension Board {
    /// Columns of a control, and of a grip.
    static let controlColumns = 3, gripColumns = 3

    /// This screen's own edit mode, or that of the table, in which nobody can swipe.
    var isEditing: Bool { isEditingHere || table?.isEditing == true }

    /// Edit mode is this screen's own: no other one hears of it. That of the table, which `trestle edit` turns on, ends
    /// for everybody.
    func setEditing(_ isOn: Bool) {
        if !isOn, table?.isEditing == true {
            guard isReachable else { return }
            wish(.command(.edit(false)), word("what.editMode"))
        }
        isEditingHere = isOn
        focus = 0
        if isOn { for row in swipes.open.keys { swipes.close(row) } }
        isDirty = true
    }

    var editingText: String {
        word(isEditingHere ? "edit.here" : "edit.table", ["key": keyName(.edit)])
    }

    /// The control that the row has now; `none` outside edit mode.
    func control(of row: Row) -> Kind.EditingStyle {
        guard let table, isEditing else { return .none }
        return table.kind(of: row)?.editControl ?? .none
    }

    /// Whether the row can be moved by a grip now.
    func hasGrip(_ row: Row) -> Bool {
        guard let table, isEditing else { return false }
        return table.kind(of: row)?.hasGrip ?? false
    }

    /// Columns by which a control moves the row's text to the right.
    func indent(of row: Row) -> Int { control(of: row) == .none ? 0 : Self.controlColumns }

    /// Columns without text at the row's right.
    func rightMargin(of row: Row) -> Int {
        max(1, margin(of: row), hasGrip(row) ? Self.gripColumns + 1 : 0)
    }

    /// Whether the mouse is on the row's control, or on the selection mark beside it.
    func isOnControl(_ mouse: Mouse, of row: Row) -> Bool {
        control(of: row) != .none && mouse.x <= Self.controlColumns
    }

    func isOnGrip(_ mouse: Mouse, of row: Row) -> Bool {
        hasGrip(row) && mouse.x >= width - Self.gripColumns && mouse.x < width
    }

    func useControl(of row: Row) {
        switch control(of: row) {
        case .delete: askToDelete(row)
        case .insert: askForRow(below: row.id, in: table?.position(of: row.id)?.section)
        case .none: break
        }
    }

    /// The keys for the controls do only what the row's control shows.
    func useKey(of style: Kind.EditingStyle, on row: Row) {
        guard isEditing else { return refuse(word("edit.first", ["key": keyName(.edit)])) }
        guard control(of: row) == style else {
            return refuse(
                word(
                    style == .delete ? "edit.noControl.delete" : "edit.noControl.insert",
                    ["kind": row.content.kind.text]))
        }
        useControl(of: row)
    }

    private func askToDelete(_ row: Row) {
        guard isReachable else { return }
        let rows = rows(with: row)
        mode = .confirm(
            Pressed(
                title: word("delete"),
                commands: rows.map { Command(.remove([$0.id]), ifVersion: $0.version) },
                rows: rows.map(\.id)))
    }

}

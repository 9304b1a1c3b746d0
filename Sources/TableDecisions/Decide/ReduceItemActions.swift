public import TableModel

// Actions of items: those of their kinds' menus, and what effects do to an item (design rule F13).

extension Decision {
    /// The action of an item's menu that a press names.
    func findInMenu(_ act: Command.Act, of item: ID, in row: Row) throws(Rejection) -> Action {
        guard let kind = table.kinds[row.content.kind], kind.isStrip else {
            throw Rejection(
                .notStrip, "Row \"\(row.id.text)\" is no strip, and has no items.", field: "item")
        }
        guard let index = row.content.index(of: item) else {
            // An action that removed its item is done, for whoever presses it a second time.
            let deed = Deed(act.action, on: item)
            if row.performance(of: deed)?.state == .done {
                throw .alreadyDone(act.action, "removed the item", when(deed, row))
            }
            throw .noItem(item, in: row.id, field: "item")
        }
        let menu = kind.itemKind(of: row.content.items[index])
        guard let action = menu?.action(act.action) else {
            throw Rejection(
                .noSuchAction,
                "Item \"\(item.text)\" of row \"\(row.id.text)\" has no action "
                    + "\"\(act.action.text)\".", field: "action")
        }
        if act.edge != nil {
            throw Rejection(.wrongEdge, "An item's menu is at no edge.", field: "edge")
        }
        if act.isFull {
            throw Rejection(
                .noFullSwipe, "An item's menu needs no swipe, full or not.", field: "full")
        }
        return action
    }

    /// A row keeps a bounded number of performances, of its own actions and on its items. Some make room for
    /// others (`Row.trim`).
    func checkRoom(for deed: Deed, on row: Row) throws(Rejection) {
        let performed = row.performed
        // As nearly always.
        if performed.count < Row.mostPerformed || row.performance(of: deed) != nil { return }
        if deed.item == nil {
            let kept = performed.count { $0.item == nil && $0.state.isPending }
            return try bound(
                "actions under way on a row", kept + 1, by: Row.mostPerformed, field: "action")
        }
        let kept = performed.count { $0.item != nil && !$0.state.isFailed }
        try bound(
            "actions performed on items", kept + 1, by: Row.mostPerformedOnItems, field: "item")
    }

    /// The plan of an effect on an item; nil: it is about the row.
    func plan(for effect: Effect, on id: RowID, item: ID?) throws(Rejection) -> Plan? {
        let change: (ID) -> Command.ItemChange
        switch effect {
        case .removeItem: change = { .remove([$0]) }
        case .setItem(let fields): change = { .set($0, Item.Changes(fields: fields)) }
        case .remove, .move, .set, .fill, .increment, .toggle, .expand, .snooze, .invoke, .unset,
            .kind,
            .moveBack, .group:
            return nil
        }
        guard let item else { throw Rejection(.badValue, "No item was pressed.", field: "item") }
        return try self.item(id, change(item))
    }
}

extension Effect {
    /// Whether it changes the item that was pressed.
    public var isOfItem: Bool {
        switch self {
        case .removeItem, .setItem: return true
        case .invoke(_, let then, let retries):
            return (then + retries.otherwise).contains(where: \.isOfItem)
        case .remove, .move, .set, .fill, .increment, .toggle, .expand, .unset, .kind, .moveBack,
            .group, .snooze:
            return false
        }
    }
}

extension [Effect] {
    /// These effects, with fewer that set fields of the item: each writes the whole strip anew.
    ///
    /// A later one joins an earlier one unless an effect between them reads the item or removes it.
    var joined: [Effect] {
        // Most actions have one effect, or none on an item.
        guard dropFirst().contains(where: \.isOfItem) else { return self }
        var joined: [Effect] = []
        var place: Int?
        for effect in self {
            switch effect {
            case .setItem(let fields):
                if let place, case .setItem(let before) = joined[place] {
                    joined[place] = .setItem(Row.Field.sorted(before + fields))
                    continue
                }
                place = joined.count
            case .fill, .removeItem: place = nil
            case .remove, .move, .set, .increment, .toggle, .expand, .snooze, .invoke, .unset,
                .kind,
                .moveBack, .group:
                break
            }
            joined.append(effect)
        }
        return joined
    }
}

extension Rejection {
    static func noItem(_ item: ID, in row: RowID, field: String) -> Rejection {
        Rejection(.noSuchItem, "Row \"\(row.text)\" has no item \"\(item.text)\".", field: field)
    }
}

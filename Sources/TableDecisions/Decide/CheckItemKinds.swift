import TableModel

// Checks of item kinds, by name and field, and of what names them (design rule F13).

extension Decision {
    /// The item kinds, the spacing and the paging of a kind.
    func checkItemKinds(of kind: Kind) throws(Rejection) {
        let spacing = kind.spacingPoints
        try require(
            spacing.isFinite && spacing >= 0 && spacing <= limits.heightPoints, or: .badNumber,
            "A spacing is at least 0 and at most 1,000,000 points.", field: "spacing")
        try bound("item kinds", kind.itemKinds.count, by: limits.itemKinds, field: "items")
        if !kind.isStrip {
            for (isSaid, field) in [
                (!kind.itemKinds.isEmpty, "items"), (kind.page != .none, "page"),
                (spacing != Kind.defaultSpacingPoints, "spacing"),
            ] where isSaid {
                throw Rejection(
                    .notStrip, "Kind \"\(kind.id.text)\" is no strip: its rows have no items.",
                    field: field)
            }
        }
        for (name, itemKind) in kind.itemKinds.sorted(by: { $0.key < $1.key }) {
            try checkID(name, field: "items.\(name.text)")
            do throws(Rejection) {
                try check(itemKind, of: kind)
            } catch {
                var rejection = error
                rejection.field = "items.\(name.text).\(error.field ?? "")"
                throw rejection
            }
        }
    }

    private func check(_ itemKind: ItemKind, of kind: Kind) throws(Rejection) {
        if case .points(let width) = itemKind.width {
            try require(
                width.isFinite && width > 0 && width <= limits.heightPoints, or: .badNumber,
                "A width is above 0 and at most 1,000,000 points.", field: "width")
        }
        if let height = itemKind.heightPoints { try checkHeight(height, field: "height") }
        let fields = itemKind.fields ?? []
        try bound("fields", fields.count, by: limits.fields, field: "fields")
        try checkDistinct(fields, field: "fields")
        for key in fields { try checkID(key, field: "fields") }
        if let badge = itemKind.badge { try checkID(badge, field: "badge") }
        try checkEffects(itemKind.tap, of: kind, hasItem: true, field: "tap")
        try checkMenu(itemKind.menu, of: kind)
    }

    /// A menu is a list of actions that a viewer shows in its own way.
    private func checkMenu(_ menu: [Action], of kind: Kind) throws(Rejection) {
        try checkGroup(ActionGroup(actions: menu), of: kind, hasItem: true, field: "menu")
        for action in menu {
            for (isSaid, name) in [
                (action.look.style != nil, "style"), (action.look.width != nil, "width"),
                (action.look.spacingPoints != nil, "spacing"),
                (action.look.insets != nil, "insets"), (action.face != nil, "face"),
                (!action.hidesWhenSelected, "hidesWhenSelected"),
            ] where isSaid {
                throw Rejection(
                    .badValue, "An action of a menu is no button: it has no \(name).",
                    field: "menu.\(action.id.text).\(name)")
            }
        }
    }

    /// An item's kind is one of its row's kind.
    func checkKind(of item: Item, in kind: Kind?, field: String) throws(Rejection) {
        guard let name = item.kind, kind?.itemKinds[name] == nil else { return }
        throw Rejection(
            .noSuchKind, "Kind \"\(kind?.id.text ?? "")\" has no item kind \"\(name.text)\".",
            field: field == "kind" ? field : "\(field).kind")
    }

    /// Item kinds that a definition takes away must not be in use.
    func checkItemKindsUnused(_ kinds: [Kind]) throws(Rejection) {
        var gone: [KindID: Set<ID>] = [:]
        for kind in kinds {
            let old = table.kinds[kind.id]?.itemKinds ?? [:]
            let names = Set(old.keys).subtracting(kind.itemKinds.keys)
            if !names.isEmpty { gone[kind.id] = names }
        }
        if gone.isEmpty { return }
        for row in table.rows where !row.content.items.isEmpty {
            guard let names = gone[row.content.kind] else { continue }
            for case let name? in row.content.items.map(\.kind) where names.contains(name) {
                throw Rejection(
                    .kindInUse, "Row \"\(row.id.text)\" has items of kind \"\(name.text)\".",
                    field: "kinds.\(row.content.kind.text).items.\(name.text)")
            }
        }
    }
}

import TableModel

// Strips and selection (design rules D1, D2, D4).

extension Decision {
    func item(_ id: RowID, _ change: Command.ItemChange) throws(Rejection) -> Plan {
        let row = try strip(id)
        let steps: [Item.Step]
        // The one whose content is new; the others are in the table already.
        var new: ID?
        switch change {
        case .add(let item, let anchor):
            steps = [try add(item, anchor, in: row)]
            new = item.id
        case .set(let item, let changes):
            steps = try set(item, changes, in: row)
            new = item
        case .remove(let items):
            try checkDistinct(items, field: "remove.items")
            for item in items { _ = try self.item(item, in: row, field: "remove.items") }
            steps = items.map { .remove($0) }
        case .move(let items, let anchor): steps = try move(items, anchor, in: row)
        }
        if steps.isEmpty { return Plan([], rows: .one(id)) }
        var content = row.content
        var all = content.items
        for step in steps {
            do throws(Mismatch) {
                try all.apply(step)
            } catch { preconditionFailure("an op on a strip does not fit: \(error)") }
        }
        content.items = all
        if let new {
            let isAdded = change.name == "add"
            try checkItem(new, of: content, field: isAdded ? "add.item" : change.name)
        } else if content == row.content {
            return Plan([], rows: .one(id))
        }
        var ops = steps.map { Op.item(id, $0) }
        if let scroll = row.scroll, content.index(of: scroll.item) == nil {
            ops.append(.scroll(id, Self.next(after: scroll.item, of: row.content, in: content)))
        }
        if let item = row.selection?.item, content.index(of: item) == nil {
            ops.append(.mark(id, nil))
        }
        return Plan(ops, rows: .one(id))
    }

    /// The scroll position if the first visible item is removed: the next remaining item, else the
    /// one before.
    static func next(after item: ID, of old: Row.Content, in content: Row.Content) -> Scroll? {
        guard let index = old.index(of: item) else { return nil }
        let candidates = old.items[index...].map(\.id) + old.items[..<index].reversed().map(\.id)
        return candidates.first { content.index(of: $0) != nil }.map { Scroll($0) }
    }

    private func strip(_ id: RowID) throws(Rejection) -> Row {
        let row = try row(id, field: "row")
        try require(
            table.kinds[row.content.kind]?.isStrip == true, or: .notStrip,
            "Row \"\(id.text)\" is no strip, and has no items.", field: "row")
        return row
    }

    private func item(_ id: ID, in row: Row, field: String) throws(Rejection) -> Int {
        guard let index = row.content.index(of: id) else {
            throw .noItem(id, in: row.id, field: field)
        }
        return index
    }

    private func add(_ item: Item, _ anchor: Anchor, in row: Row) throws(Rejection) -> Item.Step {
        if row.content.index(of: item.id) != nil {
            throw Rejection(
                .exists, "Row \"\(row.id.text)\" has an item \"\(item.id.text)\" already.",
                field: "add.item.id")
        }
        try checkItemCount(row.content.items.count + 1, field: "add")
        return .insert(item, after: try after(anchor, in: row, moving: [], field: "add.anchor"))
    }

    private func set(
        _ id: ID, _ changes: Item.Changes, in row: Row
    ) throws(Rejection) -> [Item.Step] {
        let index = try item(id, in: row, field: "set.item")
        for (count, field) in [(changes.fields.count, "fields"), (changes.unset.count, "unset")]
        where count > limits.fields {
            throw .tooLarge("fields", count, limit: limits.fields, field: "set.\(field)")
        }
        let old = row.content.items[index]
        return old.applying(changes) == old ? [] : [.set(id, changes)]
    }

    private func move(_ ids: [ID], _ anchor: Anchor, in row: Row) throws(Rejection) -> [Item.Step] {
        try checkDistinct(ids, field: "move.items")
        for id in ids { _ = try item(id, in: row, field: "move.items") }
        return ids.isEmpty
            ? []
            : [.move(ids, after: try after(anchor, in: row, moving: ids, field: "move.anchor"))]
    }

    /// The item behind which an anchor is, among those that do not move; nil: first.
    private func after(
        _ anchor: Anchor, in row: Row, moving: [ID], field: String
    ) throws(Rejection) -> ID? {
        let items = row.content.items.map(\.id)
        let end: Int
        switch anchor {
        case .top: return nil
        case .bottom: end = items.count
        case .before(let id): end = try item(id, in: row, field: "\(field).before")
        case .after(let id): end = try item(id, in: row, field: "\(field).after") + 1
        }
        if let id = anchor.row, moving.contains(id) {
            throw Rejection(
                .badAnchor, "Item \"\(id.text)\" cannot be moved next to itself.",
                field: "\(field).\(anchor.name)")
        }
        return items[..<end].last { !moving.contains($0) }
    }

    /// Checks a row's items together.
    func checkItems(_ content: Row.Content, field: String) throws(Rejection) {
        if content.items.isEmpty { return }
        try require(
            table.kinds[content.kind]?.isStrip ?? false, or: .notStrip,
            "Kind \"\(content.kind.text)\" is no strip: its rows have no items.", field: field)
        try checkItemCount(content.items.count, field: field)
        try checkDistinct(content.items.map(\.id), field: field)
        for item in content.items { try check(item, of: content.kind, field: field) }
        try checkStripBytes(content, field: field)
    }

    /// Checks one item of a strip, where the others are as they were.
    private func checkItem(_ id: ID, of content: Row.Content, field: String) throws(Rejection) {
        guard let index = content.index(of: id) else { return }
        try check(content.items[index], of: content.kind, field: field)
        try checkStripBytes(content, field: field)
    }

    private func check(_ item: Item, of kind: ID, field: String) throws(Rejection) {
        try checkID(item.id, field: field)
        try checkKind(of: item, in: table.kinds[kind], field: field)
        do throws(Rejection) {
            try checkContent(item.content)
            for one in item.fields { try checkID(one.key, field: "fields") }
            // A definition may have taken a state away since that an old item's tap names.
            let owner = keepsOld ? nil : table.kinds[kind]
            try checkEffects(item.tap, of: owner, hasItem: true, field: "tap")
        } catch { throw error.below(field) }
    }

    func checkItemCount(_ count: Int, field: String) throws(Rejection) {
        try bound("items", count, by: limits.items, field: field)
    }

    func checkStripBytes(_ content: Row.Content, field: String) throws(Rejection) {
        let bytes = content.bytesOfItems
        try bound("bytes of a strip", bytes, by: limits.stripBytes, field: field)
    }

    // MARK: Scrolling

    func scroll(_ id: RowID, _ scroll: Scroll) throws(Rejection) -> Plan {
        let row = try strip(id)
        if table.settings.scrollScope == .viewer {
            throw Rejection(
                .viewerScope, "In this table each viewer scrolls by itself.", field: "row")
        }
        _ = try item(scroll.item, in: row, field: "item")
        guard scroll.fraction >= 0, scroll.fraction <= 1 else {
            throw Rejection(.badNumber, "A fraction is from 0 to 1.", field: "fraction")
        }
        return Plan(row.scroll == scroll ? [] : [.scroll(id, scroll)], rows: .one(id))
    }

    // MARK: Selecting

    func select(_ id: RowID, item: ID?) throws(Rejection) -> Plan {
        let row = try row(id, field: "row")
        let kind = try kind(row.content.kind)
        try checkSelectable(row, item: item)
        var (effects, repeats) = (kind.tap, kind.tapRepeats)
        var deed = Deed(.tap)
        if let item {
            let selected = row.content.items[try self.item(item, in: row, field: "item")]
            effects = kind.tap(of: selected)
            repeats = kind.tapRepeats(of: selected)
            // An invocation that a plain item starts names no item.
            if selected.kind != nil || effects.contains(where: \.isOfItem) { deed.item = item }
        }
        // To open a row and to close it again is a way of looking.
        if effects.allSatisfy(\.isExpansion) { repeats = true }
        if effects.contains(where: \.isMove) { try checkNotLifted([id], field: "rows") }
        // To select a row is a way of looking, unless that begins something.
        if effects.contains(where: \.isInvoke) { try checkNotPaused(deed.action, effects, on: id) }
        var first: [Op] = [.select(id, item: item)] + keeping(Row.Selection(item: item), of: row)
        let selecting = first.count
        var begun: [InvocationID] = []
        if let invocation = try invocation(of: effects, deed, on: row, item) {
            first.append(.invoke(invocation))
            begun.append(invocation.id)
        }
        let (ops, note) = try apply(effects, to: id, item, after: first) { _, _ in }
        // A tap that does nothing more selects once more.
        if ops.count > selecting, !repeats {
            try checkNotJustPerformed(Deed(.tap, on: item), on: id, field: "row")
        }
        return Plan(ops, rows: .one(id), note: note, invocations: begun)
    }
}

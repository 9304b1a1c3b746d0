internal import TableModel

// Items of strips, scroll positions, and selection.

extension WireStripItem {
    init(_ item: Item, _ form: Form) {
        id = item.id.text
        if form == .json || !item.title.isEmpty { title = item.title }
        fields = item.fields.map
        if let name = item.kind { kind = name.text }
        if !item.tap.isEmpty { tap = Tap(item.tap, digest: item.tapDigest) }
    }

    func read() throws(Rejection) -> Item {
        let item = Item(
            try ID(read: id, "id"), title: title, kind: hasKind ? try ID(read: kind, "kind") : nil,
            fields: Row.Field.read(fields),
            tap: try within("tap") { () throws(Rejection) in try tap.read() })
        if tap.hasDigest {
            try within("tap") { () throws(Rejection) in
                try check(tap.digest, is: item.tapDigest)
            }
        }
        return item
    }
}

extension WireStripItem.Tap {
    init(_ effects: [Effect], digest: UInt64?) {
        self.effects = effects.map { WireEffect($0) }
        if let digest { self.digest = digest.lowerHex }
    }

    func read() throws(Rejection) -> [Effect] {
        try effects.readAll("effects") { effect throws(Rejection) in try effect.read() }
    }
}

extension WireRow.Scroll {
    init(_ scroll: Scroll, _ form: Form) {
        item = scroll.item.text
        if form == .json || scroll.fraction != 0 { fraction = scroll.fraction }
    }

    func read() throws(Rejection) -> Scroll {
        Scroll(
            try ID(read: item, "item"), fraction: try Double(read: fraction, "fraction"))
    }
}

// MARK: Ops

extension WireOp {
    mutating func write(_ id: RowID, _ step: Item.Step, _ form: Form) {
        switch step {
        case .insert(let item, let after):
            insertItem.row = id.text
            insertItem.item = WireStripItem(item, form)
            if let after { insertItem.after = after.text }
        case .remove(let item):
            removeItem.row = id.text
            removeItem.item = item.text
        case .move(let items, let after):
            moveItems.row = id.text
            moveItems.items = items.map(\.text)
            if let after { moveItems.after = after.text }
        case .set(let item, let changes):
            setItem.row = id.text
            setItem.item = item.text
            if let text = changes.title { setItem.title = text }
            setItem.fields = changes.fields.map
            setItem.unset = changes.unset.map(\.text)
            if let name = changes.wireKind { setItem.kind = name }
            if let tap = changes.tap {
                let digest = tap.isEmpty ? nil : Item(item, tap: tap).tapDigest
                setItem.tap = WireStripItem.Tap(tap, digest: digest)
            }
        }
    }
}

extension WireOp.InsertItem {
    func read() throws(Rejection) -> Op {
        .item(
            try ID(read: row, "row"),
            .insert(
                try within("item") { () throws(Rejection) in try item.read() },
                after: hasAfter ? try ID(read: after, "after") : nil))
    }
}

extension WireOp.MoveItems {
    func read() throws(Rejection) -> Op {
        let ids = try items.readAll("items") { item throws(Rejection) in
            guard !item.isEmpty else { throw Rejection(.malformed, "An id cannot be empty.") }
            return ID(item)
        }
        return .item(
            try ID(read: row, "row"),
            .move(ids, after: hasAfter ? try ID(read: after, "after") : nil))
    }
}

extension WireOp.SetItem {
    func read() throws(Rejection) -> Op {
        let tap: [Effect]? =
            hasTap ? try within("tap") { () throws(Rejection) in try self.tap.read() } : nil
        return .item(
            try ID(read: row, "row"),
            .set(
                try ID(read: item, "item"),
                Item.Changes(
                    title: hasTitle ? title : nil, kind: Item.Changes.kind(hasKind, kind),
                    fields: Row.Field.read(fields), unset: unset.map { ID($0) }, tap: tap)))
    }
}

extension WireOp.Scroll {
    init(_ id: RowID, _ scroll: Scroll?, _ form: Form) {
        row = id.text
        guard let scroll else { return }
        item = scroll.item.text
        if form == .json || scroll.fraction != 0 { fraction = scroll.fraction }
    }

    func read() throws(Rejection) -> Op {
        let place =
            hasItem
            ? Scroll(
                try ID(read: item, "item"), fraction: try Double(read: fraction, "fraction"))
            : nil
        return .scroll(try ID(read: row, "row"), place)
    }
}

// MARK: Commands

extension WireCommand.Item {
    init(_ id: RowID, _ command: Command.ItemChange) {
        row = id.text
        switch command {
        case .add(let item, let anchor):
            add.item = WireStripItem(item, .binary)
            add.anchor = WireCommand.ItemAnchor(anchor)
        case .set(let item, let changes):
            set.item = item.text
            if let text = changes.title { set.title = text }
            set.fields = changes.fields.map
            set.unset = changes.unset.map(\.text)
            if let name = changes.wireKind { set.kind = name }
            if let tap = changes.tap { set.tap = WireStripItem.Tap(tap, digest: nil) }
        case .remove(let items): remove.items = items.map(\.text)
        case .move(let items, let anchor):
            move.items = items.map(\.text)
            move.anchor = WireCommand.ItemAnchor(anchor)
        }
    }
}

extension WireCommand.ItemAnchor {
    init(_ anchor: Anchor) {
        switch anchor {
        case .top: first = true
        case .bottom: last = true
        case .before(let item): before = item.text
        case .after(let item): after = item.text
        }
    }
}

extension RequestReader {
    func item(_ wire: WireCommand.Item) throws(Rejection) -> Command.Verb {
        let row = try id(wire.row, "row")
        switch wire.change {
        case .add(let wire):
            return try within("add") { () throws(Rejection) in
                let new = try within("item") { () throws(Rejection) in try item(wire.item) }
                return .item(row, .add(new, try anchor(wire.anchor) ?? .bottom))
            }
        case .set(let wire):
            return try within("set") { () throws(Rejection) in .item(row, try set(wire)) }
        case .remove(let wire): return .item(row, .remove(try ids(wire.items, "remove.items")))
        case .move(let wire):
            return try within("move") { () throws(Rejection) in
                guard let anchor = try anchor(wire.anchor) else {
                    throw Rejection(.malformed, "One of: first, last, before, after.")
                }
                return .item(row, .move(try ids(wire.items, "items"), anchor))
            }
        case nil: throw Rejection(.malformed, "One of: add, set, remove, move.")
        }
    }

    /// Measured before it is built, like everything with effects.
    func item(_ wire: WireStripItem) throws(Rejection) -> Item {
        let size = wire.tap.bytes(.json).count
        guard size <= limits.kindBytes else {
            throw .tooMuch("bytes", size, limit: limits.kindBytes, "tap")
        }
        _ = try fields(wire.fields, "fields")
        let item = try wire.read()
        try item.id.check(limits: limits, field: "id")
        try item.kind?.check(limits: limits, field: "kind")
        return item
    }

    /// Counted before they are built.
    func items(_ wire: [WireStripItem]) throws(Rejection) -> [Item] {
        guard wire.count <= limits.items else {
            throw .tooMuch("items", wire.count, limit: limits.items, "items")
        }
        return try wire.readAll("items") { one throws(Rejection) in try item(one) }
    }

    private func set(_ wire: WireCommand.SetItem) throws(Rejection) -> Command.ItemChange {
        let size = wire.tap.bytes(.json).count
        guard size <= limits.kindBytes else {
            throw .tooMuch("bytes", size, limit: limits.kindBytes, "tap")
        }
        let tap: [Effect]? =
            wire.hasTap
            ? try within("tap") { () throws(Rejection) in try wire.tap.read() } : nil
        return .set(
            try id(wire.item, "item"),
            Item.Changes(
                title: wire.hasTitle ? wire.title : nil,
                kind: Item.Changes.kind(wire.hasKind, wire.kind),
                fields: try fields(wire.fields, "fields"),
                unset: try anyIDs(wire.unset, "unset"), tap: tap))
    }

    private func anchor(_ wire: WireCommand.ItemAnchor) throws(Rejection) -> Anchor? {
        switch wire.anchor {
        case .first(let chosen):
            try chosen.chosen("anchor.first")
            return .top
        case .last(let chosen):
            try chosen.chosen("anchor.last")
            return .bottom
        case .before(let item): return .before(try id(item, "anchor.before"))
        case .after(let item): return .after(try id(item, "anchor.after"))
        case nil: return nil
        }
    }

    func scroll(_ wire: WireCommand.Scroll) throws(Rejection) -> Command.Verb {
        .scroll(
            try id(wire.row, "row"),
            Scroll(
                try id(wire.item, "item"), fraction: try Double(read: wire.fraction, "fraction")))
    }

    func select(_ wire: WireCommand.Select) throws(Rejection) -> Command.Verb {
        .select(
            try id(wire.row, "row"), item: wire.hasItem ? try id(wire.item, "item") : nil)
    }
}

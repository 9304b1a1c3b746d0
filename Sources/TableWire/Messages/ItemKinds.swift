internal import TableModel

// Kinds of items of strips.

extension WireItemKind {
    fileprivate init(_ name: ID, _ kind: ItemKind) {
        self.name = name.text
        if case .points(let points) = kind.width { width = points }
        if let points = kind.heightPoints { height = points }
        layout = kind.layout.rawValue
        if let keys = kind.fields {
            fields = Shown()
            fields.keys = keys.map(\.text)
        }
        if let key = kind.badge { badge = key.text }
        tap = kind.tap.map { WireEffect($0) }
        menu = kind.menu.map { WireAction($0) }
        if kind.tapRepeats { tapRepeat = true }
    }

    fileprivate func read() throws(Rejection) -> ItemKind {
        var kind = ItemKind()
        if hasWidth { kind.width = .points(try Double(read: width, "width")) }
        if hasHeight { kind.heightPoints = try Double(read: height, "height") }
        if hasLayout { kind.layout = try Kind.Layout(read: layout, "layout") }
        if hasFields { kind.fields = fields.keys.map { ID($0) } }
        if hasBadge { kind.badge = ID(badge) }
        kind.tap = try tap.readAll("tap") { effect throws(Rejection) in try effect.read() }
        kind.tapRepeats = tapRepeat
        kind.menu = try menu.readAll("menu") { action throws(Rejection) in try action.read() }
        return kind
    }
}

extension [WireItemKind] {
    /// In the order of the names, so that one kind has one form.
    init(_ kinds: [ID: ItemKind]) {
        self = kinds.sorted { $0.key < $1.key }.map { WireItemKind($0.key, $0.value) }
    }

    func readItemKinds() throws(Rejection) -> [ID: ItemKind] {
        var all: [ID: ItemKind] = [:]
        let pairs = try readAll("items") { one throws(Rejection) in
            (try ID(read: one.name, "name"), try one.read())
        }
        for (name, kind) in pairs where all.updateValue(kind, forKey: name) != nil {
            throw Rejection(
                .duplicate, "Item kind \"\(name.text)\" stands twice.", field: "items")
        }
        return all
    }
}

extension WireKind {
    /// Writes the item kinds of a strip kind, where they are not the default.
    mutating func writeItems(of kind: Kind) {
        items = [WireItemKind](kind.itemKinds)
        if kind.spacingPoints != Kind.defaultSpacingPoints { spacing = kind.spacingPoints }
        if kind.page != .none { page = kind.page.rawValue }
    }

    func readItems(into kind: inout Kind) throws(Rejection) {
        kind.itemKinds = try items.readItemKinds()
        if hasSpacing { kind.spacingPoints = try Double(read: spacing, "spacing") }
        if hasPage { kind.page = try Kind.Page(read: page, "page") }
    }

    /// Writes them in part: also defaults, if they are named.
    mutating func nameItems(of kind: Kind, _ named: Kind.Named) {
        if named.own.contains(.spacing) { spacing = kind.spacingPoints } else { clearSpacing() }
        if named.own.contains(.page) { page = kind.page.rawValue } else { clearPage() }
        dropItems = named.droppedItems.map(\.text)
    }

    /// The item kinds that a definition in part takes away.
    func readDroppedItems() throws(Rejection) -> [ID] {
        let defined = Set(items.map { ID($0.name) })
        return try dropItems.readAll("dropItems") { name throws(Rejection) in
            let name = try ID(read: name, "name")
            guard !defined.contains(name) else {
                throw Rejection(
                    .duplicate, "Item kind \"\(name.text)\" is dropped and defined.")
            }
            return name
        }
    }
}

extension Item.Changes {
    /// As it travels: an empty name takes the kind away.
    var wireKind: String? { kind.map { $0?.text ?? "" } }

    static func kind(_ isSaid: Bool, _ name: String) -> ID?? {
        guard isSaid else { return nil }
        return .some(name.isEmpty ? nil : ID(name))
    }
}

// Items of strips as whole cells (design rule F13): a strip kind has kinds of items.

/// How a sort of items of a strip looks, and what they do.
public struct ItemKind: Equatable, Sendable {
    /// The width of its items.
    public var width: Width = .intrinsic
    /// The height of its items, in points; nil: as high as there is room in the row.
    public var heightPoints: Double?
    /// `manual`: the height is `heightPoints`. `auto`: it is that of the title and the shown
    /// fields, and at least `heightPoints`.
    public var layout: Kind.Layout = .manual
    /// The fields below the title, in order; nil: all of them, in one line.
    public var fields: [ID]?
    /// The field whose value is shown in a badge at the corner; nil: no badge.
    public var badge: ID?
    /// The effects of selecting an item; empty: the strip kind's `tap`.
    public var tap: [Effect] = []
    /// The effects of selecting may come again at once (A18).
    public var tapRepeats = false
    /// Actions of an item that need no swipe. They have no look and no face.
    public var menu: [Action] = []

    /// By default, an item as one without a kind.
    public init() {}

    /// Where the width comes from.
    public enum Width: Equatable, Sendable {
        case points(Double)
        /// The item's widest line of text.
        case intrinsic
    }

    /// The action with this id in the menu.
    public func action(_ id: ID) -> Action? { menu.first { $0.id == id } }
}

extension Kind {
    /// Where viewers let a strip come to rest after a scroll.
    public enum Page: String, Sendable, CaseIterable {
        /// Wherever it is.
        case none
        /// With an item at the left edge.
        case item
        /// A whole number of screens from the beginning.
        case width
    }

    /// Gap between two items unless the kind says another.
    public static let defaultSpacingPoints = 8.0

    /// The kind of an item of this kind's rows; nil: the item has none.
    public func itemKind(of item: Item) -> ItemKind? { item.kind.flatMap { itemKinds[$0] } }

    /// The effects of selecting an item: its own tap, or else that of its kind, or else the strip's.
    public func tap(of item: Item) -> [Effect] {
        if !item.tap.isEmpty { return item.tap }
        let ofKind = itemKind(of: item)?.tap ?? []
        return ofKind.isEmpty ? tap : ofKind
    }

    /// Whether what selecting an item does may be done again at once: as its kind says, or else the strip's.
    public func tapRepeats(of item: Item) -> Bool {
        guard let kind = itemKind(of: item), !kind.tap.isEmpty else { return tapRepeats }
        return kind.tapRepeats
    }
}

extension Action {
    /// Its title, or its id if it has none.
    public var shownTitle: String { title.isEmpty ? id.text : title }
}

// MARK: The canonical form

extension ItemKind {
    /// This kind in the form that is kept and hashed.
    var normalized: ItemKind {
        var kind = self
        kind.tap = tap.map(\.normalized)
        kind.menu = menu.normalized
        return kind
    }

    fileprivate func write(to writer: inout CanonicalWriter) {
        switch width {
        case .intrinsic: writer.write(nil)
        case .points(let points): writer.write(points)
        }
        writer.write(heightPoints)
        writer.write(layout.rawValue)
        writer.write(fields != nil)
        if let fields { writer.write(fields) }
        writer.write(optional: badge?.text)
        writer.write(tap)
        writer.write(menu)
    }
}

extension Kind {
    /// Which taps repeat: this came later, and is written only if one does.
    func writeRepeatingTaps(to writer: inout CanonicalWriter) {
        if tapRepeats { writer.write("tap repeats") }
        let names = itemKinds.filter(\.value.tapRepeats).keys.sorted()
        if names.isEmpty { return }
        writer.write("taps of items repeat")
        writer.write(names)
    }

    /// Written only where it is not the default, so that other kinds have the digests they had.
    func writeItemKinds(to writer: inout CanonicalWriter) {
        if spacingPoints != Self.defaultSpacingPoints {
            writer.write("spacing")
            writer.write(spacingPoints)
        }
        if page != .none {
            writer.write("page")
            writer.write(page.rawValue)
        }
        if itemKinds.isEmpty { return }
        writer.write("items")
        writer.write(UInt64(itemKinds.count))
        for (name, kind) in itemKinds.sorted(by: { $0.key < $1.key }) {
            writer.write(name)
            kind.write(to: &writer)
        }
    }
}

extension Kind {
    /// An item kind that an item of a row names and this kind does not have.
    package func missingItemKind(of content: Row.Content) -> ID? {
        content.items.lazy.compactMap(\.kind).first { itemKinds[$0] == nil }
    }
}

import StrictYAML
import TableModel

// The part of a kinds file below `items`: kinds of items with their menus (F13).

extension KindsFile {
    enum ItemKindKey: String, CaseIterable {
        case width, height, layout, fields, badge, tap, menu
    }

    /// The item kinds, and those without a value, which are taken away.
    static func itemKinds(_ value: Value) throws(Fault) -> (kinds: [ID: ItemKind], dropped: [ID]) {
        var kinds: [ID: ItemKind] = [:]
        var dropped: [ID] = []
        for (name, value) in try value.entries() {
            if value.isNull {
                dropped.append(ID(name))
            } else {
                kinds[ID(name)] = try itemKind(value)
            }
        }
        return (kinds, dropped)
    }

    private static func itemKind(_ value: Value) throws(Fault) -> ItemKind {
        let fields = try value.fields(ItemKindKey.self)
        var kind = ItemKind()
        kind.width = try fields[.width].map(itemWidth) ?? kind.width
        kind.heightPoints = try fields[.height]?.double()
        kind.layout = try fields[.layout]?.word() ?? kind.layout
        kind.fields = try fields[.fields]?.list { key throws(Fault) in try key.string().id }
        kind.badge = try fields[.badge]?.string().id
        (kind.tap, kind.tapRepeats) = try kindTap(fields[.tap])
        kind.menu = try fields[.menu]?.list(menuAction) ?? []
        return kind
    }

    private static func itemWidth(_ value: Value) throws(Fault) -> ItemKind.Width {
        if let word = try? value.string(), word == "intrinsic" { return .intrinsic }
        guard let points = try? value.double() else {
            throw value.expected("a number of points, or intrinsic")
        }
        return .points(points)
    }

    enum MenuKey: String, CaseIterable {
        case id, title, role, icon, background, foreground, confirm, `repeat`, when, unless, effect
    }

    private static func menuAction(_ value: Value) throws(Fault) -> Action {
        try action(try value.fields(MenuKey.self).among(ActionKey.self))
    }

    // MARK: Writing

    static func draft(_ kinds: [ID: ItemKind]) -> Draft {
        .mapping(kinds.sorted { $0.key < $1.key }.map { ($0.key.text, draft($0.value)) })
    }

    private static func draft(_ kind: ItemKind) -> Draft {
        var out = Keys<ItemKindKey>()
        switch kind.width {
        case .points(let points): out[.width] = .number(points)
        case .intrinsic: out[.width] = .text("intrinsic")
        }
        out[.height] = kind.heightPoints.map(Draft.number)
        out[.layout] = .text(kind.layout.rawValue)
        out[.fields] = kind.fields.map { .list($0.map { .text($0.text) }) }
        out[.badge] = kind.badge.map { .text($0.text) }
        if !kind.tap.isEmpty || kind.tapRepeats {
            out[.tap] = draft(tap: kind.tap, repeats: kind.tapRepeats)
        }
        if !kind.menu.isEmpty { out[.menu] = .list(kind.menu.map { draft($0, isOfMenu: true) }) }
        return out.draft
    }
}

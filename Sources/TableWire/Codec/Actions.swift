internal import TableModel

// Swipe actions, and their looks.

typealias NamedGroup = (group: ActionGroup, named: ActionGroup.Named)
/// `bits`: the named properties, as the first four of `ActionGroup.Named` and of `Settings.Named`.
typealias NamedLook = (look: Look, bits: UInt8)

extension RowActions {
    func write<S: Sink>(to s: inout S) {
        if let leading { s.message(1, "leading") { leading.write(to: &$0) } }
        if let trailing { s.message(2, "trailing") { trailing.write(to: &$0) } }
        s.hex(3, "digest", hash)
    }

    /// Measured, like a kind.
    static func read<S: Source>(from s: inout S) throws(Refusal) -> RowActions {
        var (leading, trailing): (NamedGroup?, NamedGroup?) = (nil, nil)
        var digest: UInt64?
        while try s.more() {
            try s.one(1, "leading", &leading, ActionGroup.read(from:))
            try s.one(2, "trailing", &trailing, ActionGroup.read(from:))
            try s.hex(3, "digest", &digest)
        }
        let actions = RowActions(leading: leading?.group, trailing: trailing?.group)
        if let digest { try s.check(digest, is: actions.hash) }
        try s.bounds.check("bytes", nil) { actions.write(to: &$0) }
        return actions
    }
}

extension ActionGroup {
    func write<S: Sink>(to s: inout S, naming named: Named? = nil) {
        func names(_ part: Named) -> Bool { named?.contains(part) ?? true }
        look.write(1, to: &s, naming: named.map { UInt8(truncatingIfNeeded: $0.rawValue) })
        if names(.compatible) { s.flag(2, "compatible", isCompatible) }
        if names(.fullSwipe) { s.flag(3, "fullSwipe", hasFullSwipe) }
        if names(.actions) { s.messages(4, "actions", actions) { $0.write(to: &$1) } }
        if let named {
            let clearable: [(name: String, part: Named, isThere: Bool)] = [
                ("actions", .actions, !actions.isEmpty),
                ("background", .background, background != nil), ("gap", .gap, gapPoints != nil),
            ]
            let cleared = clearable.filter { named.contains($0.part) && !$0.isThere }
            s.texts(5, "clear", cleared.map(\.name))
        }
        if names(.background) { s.text(6, "background", background) }
        if names(.gap) { s.double(7, "gap", gapPoints) }
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> NamedGroup {
        var (group, look): (ActionGroup, NamedLook?) = (ActionGroup(), nil)
        var (compatible, fullSwipe): (Bool?, Bool?) = (nil, nil)
        var clear: [String] = []
        while try s.more() {
            try s.one(1, "look", &look, Look.read(from:))
            try s.flag(2, "compatible", &compatible)
            try s.flag(3, "fullSwipe", &fullSwipe)
            try s.actions(4, "actions", &group.actions)
            try s.texts(5, "clear", &clear)
            try s.text(6, "background", &group.background)
            try s.double(7, "gap", &group.gapPoints)
        }
        if let look { group.look = look.look }
        (group.isCompatible, group.hasFullSwipe) = (compatible ?? false, fullSwipe ?? false)
        var named = Named(rawValue: UInt16(look?.bits ?? 0))
        if compatible != nil { named.insert(.compatible) }
        if fullSwipe != nil { named.insert(.fullSwipe) }
        let clearable: [(name: String, part: Named, isThere: Bool)] = [
            ("actions", .actions, !group.actions.isEmpty),
            ("background", .background, group.background != nil),
            ("gap", .gap, group.gapPoints != nil),
        ]
        for one in clearable where one.isThere { named.insert(one.part) }
        for name in clear {
            guard let one = clearable.first(where: { $0.name == name }), !one.isThere else {
                throw .notCleared(name)
            }
            named.insert(one.part)
        }
        return (group, named)
    }
}

extension Look {
    /// Left out if it leaves everything open. `bits`: the properties to write, as the first four of
    /// `ActionGroup.Named` and of `Settings.Named`.
    func write<S: Sink>(_ number: UInt64, to s: inout S, naming bits: UInt8? = nil) {
        if bits.map({ $0 & 15 == 0 }) ?? (self == Look()) { return }
        func names(_ bit: UInt8) -> Bool { (bits ?? 15) & bit != 0 }
        s.message(number, "look") { s in
            if names(1) { s.text(1, "style", style?.rawValue) }
            if names(2), case .points(let points) = width { s.double(2, "width", points) }
            if names(2) { s.flag(3, "intrinsic", ifSet: width == .intrinsic) }
            if names(4) { s.double(4, "spacing", spacingPoints) }
            if names(8) { s.doubles(5, "insets", insets.sides) }
            if bits != nil {
                let parts: [(bit: UInt8, name: String, isThere: Bool)] = [
                    (1, "style", style != nil), (2, "width", width != nil),
                    (4, "spacing", spacingPoints != nil), (8, "insets", insets != nil),
                ]
                s.texts(6, "clear", parts.filter { names($0.bit) && !$0.isThere }.map(\.name))
            }
            if names(2) { s.flag(7, "faceWidth", ifSet: width == .face) }
        }
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> NamedLook {
        var look = Look()
        var (width, intrinsic, faceWidth): (Double?, Bool, Bool) = (nil, false, false)
        var (insets, clear): ([Double], [String]) = ([], [])
        while try s.more() {
            try s.word(1, "style", &look.style)
            try s.double(2, "width", &width)
            try s.flag(3, "intrinsic", &intrinsic)
            try s.double(4, "spacing", &look.spacingPoints)
            try s.doubles(5, "insets", &insets)
            try s.texts(6, "clear", &clear)
            try s.flag(7, "faceWidth", &faceWidth)
        }
        if intrinsic, width != nil {
            throw Refusal(.badValue, "A width is in points or intrinsic, not both.", "intrinsic")
        }
        if faceWidth, intrinsic || width != nil {
            throw Refusal(.badValue, "A width is in points, intrinsic or the face's.", "faceWidth")
        }
        look.width = width.map { .points($0) } ?? (intrinsic ? .intrinsic : faceWidth ? .face : nil)
        look.insets = try Insets.read(insets)
        let parts: [(bit: UInt8, name: String, isThere: Bool)] = [
            (1, "style", look.style != nil), (2, "width", look.width != nil),
            (4, "spacing", look.spacingPoints != nil), (8, "insets", look.insets != nil),
        ]
        var bits: UInt8 = 0
        for part in parts where part.isThere { bits |= part.bit }
        for name in clear {
            guard let part = parts.first(where: { $0.name == name }), !part.isThere else {
                throw .notCleared(name)
            }
            bits |= part.bit
        }
        return (look, bits)
    }
}

extension Look.Insets? {
    /// In the order of the schema.
    var sides: [Double] { map { [$0.top, $0.left, $0.bottom, $0.right] } ?? [] }
}

extension Look.Insets {
    /// Four numbers, or none.
    static func read(_ sides: [Double]) throws(Refusal) -> Look.Insets? {
        if sides.isEmpty { return nil }
        guard sides.count == 4 else {
            throw Refusal(.badValue, "Four numbers: top, left, bottom, right.", "insets")
        }
        return Look.Insets(top: sides[0], left: sides[1], bottom: sides[2], right: sides[3])
    }
}

extension Action {
    func write<S: Sink>(to s: inout S) {
        s.id(1, "id", unlessEmpty: id)
        s.text(2, "title", title)
        s.text(3, "role", role.rawValue)
        s.text(4, "icon", icon)
        s.text(5, "background", background)
        s.text(6, "foreground", foreground)
        look.write(7, to: &s)
        if let face { s.message(8, "face") { face.write(to: &$0) } }
        s.flag(9, "hidesWhenSelected", hidesWhenSelected)
        s.flag(10, "confirm", asksToConfirm)
        s.effects(11, "effect", effects)
        // This came later: an action without it has the bytes that it always had.
        s.flag(12, "repeat", ifSet: repeats)
        s.text(18, "when", guarded?.when)
        s.text(19, "unless", guarded?.unless)
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Action {
        var (action, id) = (Action(""), ID?.none)
        var (role, look): (Role?, NamedLook?) = (nil, nil)
        var (when, unless): (String?, String?) = (nil, nil)
        while try s.more() {
            try s.id(1, "id", &id)
            try s.text(2, "title", &action.title)
            try s.word(3, "role", &role)
            try s.text(4, "icon", &action.icon)
            try s.text(5, "background", &action.background)
            try s.text(6, "foreground", &action.foreground)
            try s.one(7, "look", &look, Look.read(from:))
            try s.one(8, "face", &action.face, Face.read(from:))
            try s.flag(9, "hidesWhenSelected", &action.hidesWhenSelected)
            try s.flag(10, "confirm", &action.asksToConfirm)
            try s.effects(11, "effect", &action.effects)
            try s.flag(12, "repeat", &action.repeats)
            try s.text(18, "when", &when)
            try s.text(19, "unless", &unless)
        }
        if let when {
            action.guarded = Guard(when: when, unless: unless)
        } else if unless != nil {
            throw Refusal(
                .malformed, "It says why a press is refused: `when` is missing.", "unless")
        }
        action.id = try s.needed(id, "id")
        if let role { action.role = role }
        if let look { action.look = look.look }
        return action
    }
}

extension Source {
    mutating func actions(
        _ number: UInt32, _ name: StaticString, _ actions: inout [Action]
    ) throws(Refusal) {
        let most = bounds.actions
        try messages(number, name, &actions, most: most, as: "actions", Action.read(from:))
    }

    mutating func effects(
        _ number: UInt32, _ name: StaticString, _ effects: inout [Effect]
    ) throws(Refusal) {
        let most = bounds.actions
        try messages(number, name, &effects, most: most, as: "effects", Effect.read(from:))
    }
}

internal import TableModel

// Swipe actions, their looks, faces and effects.

typealias NamedGroup = (group: ActionGroup, named: ActionGroup.Named)
/// `bits`: the named properties, as the first four of `ActionGroup.Named` and of `Settings.Named`.
typealias NamedLook = (look: Look, bits: UInt8)

extension RowActions {
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

extension Look.Insets {
    /// Four numbers, or none.
    fileprivate static func read(_ sides: [Double]) throws(Refusal) -> Look.Insets? {
        if sides.isEmpty { return nil }
        guard sides.count == 4 else {
            throw Refusal(.badValue, "Four numbers: top, left, bottom, right.", "insets")
        }
        return Look.Insets(top: sides[0], left: sides[1], bottom: sides[2], right: sides[3])
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

extension Action {
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

extension Face {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> Face {
        var (face, content, insets) = (Face(.text("")), FaceContent?.none, [Double]())
        while try s.more() {
            try s.choice(1, "vertical", &content, parts(from:)) { .vertical($0) }
            try s.choice(2, "horizontal", &content, parts(from:)) { .horizontal($0) }
            try s.choice(3, "icon", &content, text: { .icon($0) })
            try s.choice(4, "text", &content, text: { .text($0) })
            try s.choice(5, "spacer", &content, double: { .spacer($0) })
            try s.double(6, "size", &face.sizePoints)
            try s.text(7, "weight", &face.weight)
            try s.text(8, "color", &face.color)
            try s.text(9, "align", &face.align)
            try s.double(10, "spacing", &face.spacingPoints)
            try s.doubles(11, "insets", &insets)
            try s.choice(12, "image", &content, FaceImage.read(from:)) { .image($0) }
            try s.choice(13, "face", &content, id: { .shared($0) })
            try s.texts(14, "family", &face.families)
            try s.flag(15, "italic", &face.isItalic)
        }
        guard let content else {
            throw Refusal(
                .malformed, "One of: vertical, horizontal, icon, text, spacer, image, face.")
        }
        face.content = content
        face.insets = try Look.Insets.read(insets)
        return face
    }

    private static func parts<S: Source>(from s: inout S) throws(Refusal) -> [Face] {
        try s.only(1, "parts", Face.read(from:))
    }
}

extension FaceImage {
    fileprivate static func read<S: Source>(from s: inout S) throws(Refusal) -> FaceImage {
        var (path, png): (String?, [UInt8]?) = (nil, nil)
        var (grid, isTemplate): ([Double], Bool) = ([], false)
        while try s.more() {
            try s.text(1, "path", &path)
            try s.bytes(2, "png", &png)
            try s.doubles(3, "grid", &grid)
            try s.flag(4, "template", &isTemplate)
        }
        if S.isJSON, path != nil, png != nil { throw .twice("png") }
        guard let data: Data = png.map({ .png($0) }) ?? path.map({ .path($0) }) else {
            throw Refusal(.malformed, "One of: path, png.")
        }
        var image = FaceImage(data)
        image.isTemplate = isTemplate
        if grid.isEmpty { return image }
        guard case .path = data, grid.count == 2 else {
            throw Refusal(.badValue, "A path has a grid, of two numbers: width, height.", "grid")
        }
        image.grid = Grid(width: grid[0], height: grid[1])
        return image
    }
}

extension Effect {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> Effect {
        var effect: Effect?
        while try s.more() {
            try s.choice(1, "remove", &effect, chosen: .remove)
            try s.choice(2, "move", &effect, move(from:))
            try s.choice(3, "set", &effect) { (s) throws(Refusal) in .set(try fields(from: &s)) }
            if s.takes(4, .length, "expand") {
                if S.isJSON, effect != nil { throw .twice("expand") }
                let state = try s.takeState("expand")
                effect = state.text == "toggle" ? .toggle : .expand(state)
            }
            try s.choice(5, "invoke", &effect, invoke(from:))
            try s.choice(40, "fill", &effect, fields(from:)) { .fill($0) }
            try s.choice(41, "increment", &effect, increment(from:))
            try s.choice(70, "removeItem", &effect, chosen: .removeItem)
            try s.choice(71, "setItem", &effect, fields(from:)) { .setItem($0) }
            try s.choice(77, "unset", &effect, unset(from:))
            try s.choice(78, "kind", &effect, id: { .kind($0) })
            try s.choice(79, "moveBack", &effect, chosen: .moveBack)
            try s.choice(80, "group", &effect) { (s) throws(Refusal) in
                var effects: [Effect] = []
                while try s.more() { try s.effects(1, "effects", &effects) }
                return .group(effects)
            }
            try s.choice(74, "snooze", &effect) { (s) throws(Refusal) in
                var (forMs, isToTop) = (UInt64(0), false)
                while try s.more() {
                    try s.number(1, "forMs", &forMs)
                    try s.flag(2, "top", &isToTop)
                }
                return .snooze(milliseconds: forMs, isToTop: isToTop)
            }
        }
        return try effect.or(Refusal(.malformed, "The effect is missing or unknown."))
    }

    private static func move<S: Source>(from s: inout S) throws(Refusal) -> Effect {
        var (section, anchor): (ID?, Anchor?) = (nil, nil)
        while try s.more() {
            try s.id(1, "section", &section)
            try s.anchor(from: 2, &anchor)
        }
        return .move(section: section, anchor ?? .bottom)
    }

    private static func unset<S: Source>(from s: inout S) throws(Refusal) -> Effect {
        var keys: [ID] = []
        let most = s.bounds.fields
        while try s.more() { try s.ids(1, "keys", &keys, most: most) }
        return .unset(keys)
    }

    private static func fields<S: Source>(from s: inout S) throws(Refusal) -> [Row.Field] {
        var fields: [Row.Field] = []
        while try s.more() { try s.map(1, "fields", &fields) }
        return fields
    }

    private static func invoke<S: Source>(from s: inout S) throws(Refusal) -> Effect {
        var (deadline, then, retries): (Double?, [Effect], Retries?) = (nil, [], nil)
        while try s.more() {
            try s.double(1, "deadline", &deadline)
            try s.effects(2, "then", &then)
            try s.one(3, "retries", &retries, Retries.read(from:))
        }
        return .invoke(
            deadlineSeconds: try deadline.or(.missing("deadline")), then: then,
            retries: retries ?? Retries())
    }

    private static func increment<S: Source>(from s: inout S) throws(Refusal) -> Effect {
        var by: [ID: Int64] = [:]
        while try s.more() {
            try s.map(1, .number, "by") { (key, hasValue, s) throws(Refusal) in
                by[try s.key(key, "")] = hasValue ? try s.signed() : 0
            }
        }
        let sorted = by.sorted { $0.key < $1.key }
        return .increment(sorted.map { Increment($0.key, by: $0.value) })
    }
}

extension Retries {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> Retries {
        var retries = Retries()
        while try s.more() {
            try s.count(1, "attempts", &retries.attempts)
            try s.double(2, "backoff", &retries.backoffSeconds)
            try s.effects(3, "else", &retries.otherwise)
        }
        return retries
    }
}

extension Source {
    @inline(__always)
    mutating func anchor(from number: UInt32, _ anchor: inout Anchor?) throws(Refusal) {
        try choice(number, "top", &anchor, chosen: .top)
        try choice(number + 1, "bottom", &anchor, chosen: .bottom)
        try choice(number + 2, "before", &anchor, id: { .before($0) })
        try choice(number + 3, "after", &anchor, id: { .after($0) })
    }
}

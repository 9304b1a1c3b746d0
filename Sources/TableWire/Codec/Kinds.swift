internal import TableModel

// Both forms write a definition in full. Definitions are rare, and a default that changes one day must not change the
// meaning of a journal. A definition in part has no digest: what is absent stays as it is, so `clear` names what is to
// be removed. A definition with a digest is complete. Of one without, the caller learns what it names.

extension Kind {
    /// With `named`, only these properties.
    func write<S: Sink>(to s: inout S, naming named: Named? = nil) {
        func names(_ part: Own) -> Bool { named?.own.contains(part) ?? true }
        s.id(1, "id", unlessEmpty: id)
        if names(.height) { s.double(2, "height", heightPoints) }
        if names(.layout) { s.text(3, "layout", layout.rawValue) }
        if names(.textMargin) || names(.bottomMargin) {
            s.message(4, "margins") { s in
                if names(.textMargin) { s.double(1, "text", margins.text) }
                if names(.bottomMargin) { s.double(2, "bottom", margins.bottom) }
            }
        }
        if names(.states) { s.states(5, states) }
        if names(.initial) { s.text(6, "initial", initial.text) }
        if names(.strip) { s.flag(7, "strip", isStrip) }
        if names(.canMove) { s.flag(8, "canMove", canMove) }
        if names(.canDelete) { s.flag(9, "canDelete", canDelete) }
        if names(.pinned) { s.flag(10, "pinned", isPinned) }
        if let ages {
            s.message(11, "ages") { s in
                if names(.warn) { s.number(1, "warn", ages.warnSeconds) }
                if names(.late) { s.number(2, "late", ages.lateSeconds) }
                if names(.agesSections) { s.ids(3, "in", ages.sections) }
                if named?.own.contains(.agesSince) ?? (ages.since != .made) {
                    s.text(4, "since", ages.since.rawValue)
                }
            }
        }
        if names(.tap) { s.effects(12, "tap", tap) }
        if let leading {
            s.message(13, "leading") { leading.write(to: &$0, naming: named?.leading) }
        }
        if let trailing {
            s.message(14, "trailing") { trailing.write(to: &$0, naming: named?.trailing) }
        }
        if let named {
            s.texts(16, "clear", cleared(of: named.own))
        } else {
            s.hex(15, "digest", hash)
        }
        writeLaterParts(to: &s, naming: named)
    }

    /// These came later: a whole kind without them has the bytes that it always had.
    private func writeLaterParts<S: Sink>(to s: inout S, naming named: Named?) {
        func names(_ part: Own, unless isDefault: Bool) -> Bool {
            named?.own.contains(part) ?? !isDefault
        }
        if names(.appearance, unless: false) {
            let sorted = appearances.sorted { ID($0.key.text) < ID($1.key.text) }
            s.messages(40, "appearance", sorted) { one, s in
                s.text(1, "state", unlessEmpty: one.key.text)
                s.text(2, "background", one.value.background)
                s.double(3, "alpha", one.value.alpha)
                s.text(4, "tint", one.value.tint)
            }
        }
        s.messages(70, "items", itemKinds.sorted { $0.key < $1.key }) { one, s in
            one.value.write(named: one.key, to: &s)
        }
        if names(.spacing, unless: spacingPoints == Kind.defaultSpacingPoints) {
            s.double(71, "spacing", spacingPoints)
        }
        if names(.page, unless: page == .none) { s.text(72, "page", page.rawValue) }
        s.ids(73, "dropItems", named?.droppedItems ?? [])
        if names(.editingStyle, unless: editingStyle == .delete) {
            s.text(80, "editingStyle", editingStyle.rawValue)
        }
        if names(.tap, unless: false) { s.flag(81, "tapRepeat", ifSet: tapRepeats) }
        if names(.show, unless: false), show != Show() {
            s.message(90, "show") { show.write(to: &$0) }
        }
        if names(.emphasis, unless: false) {
            s.messages(91, "emphasis", emphasis) { $0.write(to: &$1) }
        }
        if names(.form, unless: false) { s.ids(98, "form", form) }
    }

    /// The names of what a definition in part removes.
    private func cleared(of own: Own) -> [String] {
        let clearable: [(name: String, part: Own, isThere: Bool)] = [
            ("tap", .tap, !tap.isEmpty), ("ages", .ages, ages != nil),
            ("warn", .warn, ages?.warnSeconds != nil), ("late", .late, ages?.lateSeconds != nil),
            ("in", .agesSections, ages?.sections.isEmpty == false),
            ("since", .agesSince, ages != nil),
            ("show", .show, show != Show()), ("emphasis", .emphasis, !emphasis.isEmpty),
            ("form", .form, !form.isEmpty),
            ("leading", .leading, leading != nil), ("trailing", .trailing, trailing != nil),
            ("appearance", .appearance, !appearances.isEmpty),
            // Item kinds can be cleared and others given at once.
            ("items", .items, false),
        ]
        return clearable.filter { own.contains($0.part) && !$0.isThere }.map(\.name)
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Kind {
        let kind = try definition(from: &s).kind
        try s.bounds.check("bytes", nil) { kind.write(to: &$0) }
        return kind
    }

    /// `named`: what the definition names; nil: it is complete.
    static func definition<S: Source>(
        from s: inout S
    ) throws(Refusal) -> (kind: Kind, named: Named?) {
        var parts = KindParts()
        while try s.more() { try parts.take(from: &s) }
        let (kind, own) = try parts.kind(named: try s.needed(parts.id, "id"))
        guard let digest = parts.digest else { return (kind, try parts.named(own, of: kind)) }
        if let name = parts.clear.first { throw .notCleared(name) }
        if !parts.dropped.isEmpty { throw .notCleared("dropItems") }
        try s.check(digest, is: kind.hash)
        return (kind, nil)
    }
}

/// The fields of a definition, as far as they are there.
private struct KindParts {
    var id: ID?
    var digest: UInt64?
    var (height, text): (Double?, Double?) = (nil, nil)
    var (bottom, spacing): (Double?, Double?) = (nil, nil)
    var layout: Kind.Layout?
    var (strip, canMove): (Bool?, Bool?) = (nil, nil)
    var (canDelete, pinned): (Bool?, Bool?) = (nil, nil)
    var states: [Kind.State] = []
    var initial: Expansion?
    var ages: (ages: Kind.Ages, named: Kind.Own)?
    var tap: [Effect] = []
    var tapRepeats = false
    var (leading, trailing): (NamedGroup?, NamedGroup?) = (nil, nil)
    var appearances: [(Expansion, Kind.Appearance)] = []
    var items: [(ID, ItemKind)] = []
    var page: Kind.Page?
    var editingStyle: Kind.EditingStyle?
    var show: Kind.Show?
    var emphasis: [Kind.Emphasis] = []
    var form: [ID] = []
    var clear: [String] = []
    var dropped: [ID] = []

    mutating func take<S: Source>(from s: inout S) throws(Refusal) {
        try s.id(1, "id", &id)
        try s.double(2, "height", &height)
        try s.word(3, "layout", &layout)
        try s.message(4, "margins") { (s) throws(Refusal) in
            while try s.more() {
                try s.double(1, "text", &text)
                try s.double(2, "bottom", &bottom)
            }
        }
        try s.states(5, &states, most: .max)
        try s.state(6, "initial", &initial)
        try s.flag(7, "strip", &strip)
        try s.flag(8, "canMove", &canMove)
        try s.flag(9, "canDelete", &canDelete)
        try s.flag(10, "pinned", &pinned)
        try s.one(11, "ages", &ages, Kind.Ages.read(from:))
        try s.effects(12, "tap", &tap)
        try s.one(13, "leading", &leading, ActionGroup.read(from:))
        try s.one(14, "trailing", &trailing, ActionGroup.read(from:))
        try s.hex(15, "digest", &digest)
        try s.texts(16, "clear", &clear)
        try s.messages(40, "appearance", &appearances, most: .max, Kind.Appearance.read(from:))
        let most = s.bounds.itemKinds
        try s.messages(70, "items", &items, most: most, as: "item kinds", ItemKind.read(from:))
        try s.double(71, "spacing", &spacing)
        try s.word(72, "page", &page)
        try s.ids(73, "dropItems", &dropped, most: .max)
        try s.word(80, "editingStyle", &editingStyle)
        try s.flag(81, "tapRepeat", &tapRepeats)
        try s.one(90, "show", &show, Kind.Show.read(from:))
        try s.messages(91, "emphasis", &emphasis, most: .max, Kind.Emphasis.read(from:))
        try s.ids(98, "form", &form, most: s.bounds.fields)
    }

    /// The kind, and which of its properties are named.
    func kind(named id: ID) throws(Refusal) -> (Kind, Kind.Own) {
        var (kind, own) = (Kind(id), Kind.Own())
        func put<T>(_ value: T?, _ path: WritableKeyPath<Kind, T>, _ part: Kind.Own) {
            guard let value else { return }
            kind[keyPath: path] = value
            own.insert(part)
        }
        put(height, \.heightPoints, .height)
        put(layout, \.layout, .layout)
        put(text, \.margins.text, .textMargin)
        put(bottom, \.margins.bottom, .bottomMargin)
        // A complete definition includes its states.
        put(states.isEmpty && digest == nil ? nil : states, \.states, .states)
        put(initial, \.initial, .initial)
        put(strip, \.isStrip, .strip)
        put(canMove, \.canMove, .canMove)
        put(canDelete, \.canDelete, .canDelete)
        put(pinned, \.isPinned, .pinned)
        put(tap.isEmpty ? nil : tap, \.tap, .tap)
        put(spacing, \.spacingPoints, .spacing)
        put(page, \.page, .page)
        put(editingStyle, \.editingStyle, .editingStyle)
        put(show, \.show, .show)
        put(emphasis.isEmpty ? nil : emphasis, \.emphasis, .emphasis)
        put(form.isEmpty ? nil : form, \.form, .form)
        kind.tapRepeats = tapRepeats
        kind.ages = ages?.ages
        if let ages { own.formUnion(ages.named) }
        (kind.leading, kind.trailing) = (leading?.group, trailing?.group)
        if !appearances.isEmpty { own.insert(.appearance) }
        for (state, one) in appearances
        where kind.appearances.updateValue(one, forKey: state) != nil {
            throw Refusal(.duplicate, "State \"\(state.text)\" stands twice.", "appearance")
        }
        for (name, one) in items where kind.itemKinds.updateValue(one, forKey: name) != nil {
            throw Refusal(.duplicate, "Item kind \"\(name.text)\" stands twice.", "items")
        }
        return (kind, own)
    }

    /// The parts that a definition in part names: `own`, and those that it clears.
    func named(_ own: Kind.Own, of kind: Kind) throws(Refusal) -> Kind.Named {
        var own = own
        // These parts can be removed. Item kinds can be removed and others given at once.
        let clearable: [String: (part: Kind.Own, isThere: Bool)] = [
            "tap": (.tap, !tap.isEmpty), "ages": (.ages, ages != nil),
            "warn": (.warn, own.contains(.warn)), "late": (.late, own.contains(.late)),
            "in": (.agesSections, own.contains(.agesSections)),
            "since": (.agesSince, own.contains(.agesSince)), "show": (.show, show != nil),
            "emphasis": (.emphasis, !emphasis.isEmpty), "form": (.form, !form.isEmpty),
            "leading": (.leading, leading != nil), "trailing": (.trailing, trailing != nil),
            "appearance": (.appearance, !appearances.isEmpty), "items": (.items, false),
        ]
        for name in clear {
            guard let one = clearable[name], !one.isThere else { throw .notCleared(name) }
            own.insert(one.part)
        }
        for (index, name) in dropped.enumerated() where kind.itemKinds[name] != nil {
            throw Refusal(.duplicate, "Item kind \"\(name.text)\" is dropped and defined.")
                .within("dropItems", at: index)
        }
        return Kind.Named(
            own, leading: leading?.named ?? [], trailing: trailing?.named ?? [],
            droppedItems: dropped)
    }
}

extension Refusal {
    static func notCleared(_ name: String) -> Refusal {
        Refusal(
            .badValue, "\"\(name)\" cannot be cleared: it is unknown, or it is set too.", "clear")
    }
}

extension Source {
    /// Refuses a definition whose digest is not that of the result: a part of it is unknown here.
    func check(_ digest: UInt64, is hash: UInt64) throws(Refusal) {
        if digest == hash { return }
        throw Refusal(
            .badValue, "The definition has another digest: a part of it is unknown.", "digest")
    }
}

extension Kind.Ages {
    /// The ages, and which of their parts are named.
    static func read<S: Source>(
        from s: inout S
    ) throws(Refusal) -> (ages: Self, named: Kind.Own) {
        var (ages, since, named) = (Self(), Since?.none, Kind.Own())
        while try s.more() {
            try s.number(1, "warn", &ages.warnSeconds)
            try s.number(2, "late", &ages.lateSeconds)
            try s.ids(3, "in", &ages.sections, most: .max)
            try s.word(4, "since", &since)
        }
        ages.since = since ?? .made
        if ages.warnSeconds != nil { named.insert(.warn) }
        if ages.lateSeconds != nil { named.insert(.late) }
        if !ages.sections.isEmpty { named.insert(.agesSections) }
        if since != nil { named.insert(.agesSince) }
        return (ages, named)
    }
}

extension Kind.Appearance {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> (Expansion, Self) {
        var (state, background, tint): (Expansion?, String?, String?) = (nil, nil, nil)
        var alpha: Double?
        while try s.more() {
            try s.state(1, "state", &state)
            try s.text(2, "background", &background)
            try s.double(3, "alpha", &alpha)
            try s.text(4, "tint", &tint)
        }
        guard let state else { throw .missing("state") }
        return (state, Self(background: background, alpha: alpha, tint: tint))
    }
}

extension Kind.State {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var (name, height): (ID?, Double?) = (nil, nil)
        while try s.more() {
            try s.id(1, "name", &name)
            try s.double(2, "height", &height)
        }
        let id = try s.needed(name, "name")
        guard id == "collapsed" || id == "expanded" else {
            return .named(id, heightPoints: try height.or(.missing("height")))
        }
        guard height == nil else {
            throw Refusal(.badValue, "Only a named state has a height.", "height")
        }
        return id == "collapsed" ? .collapsed : .expanded
    }
}

extension ItemKind {
    func write<S: Sink>(named name: ID, to s: inout S) {
        s.id(1, "name", unlessEmpty: name)
        if case .points(let points) = width { s.double(2, "width", points) }
        s.double(3, "height", heightPoints)
        s.text(4, "layout", layout.rawValue)
        if let fields { s.message(5, "fields") { $0.ids(1, "keys", fields) } }
        s.id(6, "badge", badge)
        s.effects(7, "tap", tap)
        s.messages(8, "menu", menu) { $0.write(to: &$1) }
        s.flag(9, "tapRepeat", ifSet: tapRepeats)
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> (ID, Self) {
        var (name, kind) = (ID?.none, ItemKind())
        var (width, layout): (Double?, Kind.Layout?) = (nil, nil)
        while try s.more() {
            try s.id(1, "name", &name)
            try s.double(2, "width", &width)
            try s.double(3, "height", &kind.heightPoints)
            try s.word(4, "layout", &layout)
            try s.one(5, "fields", &kind.fields) { (s) throws(Refusal) in
                var (keys, most) = ([ID](), s.bounds.fields)
                while try s.more() { try s.ids(1, "keys", &keys, most: most) }
                return keys
            }
            try s.id(6, "badge", &kind.badge)
            try s.effects(7, "tap", &kind.tap)
            try s.actions(8, "menu", &kind.menu)
            try s.flag(9, "tapRepeat", &kind.tapRepeats)
        }
        if let width { kind.width = .points(width) }
        if let layout { kind.layout = layout }
        return (try s.needed(name, "name"), kind)
    }
}

internal import TableModel

// Kinds and settings. A definition with a digest is complete. Of one without, the caller learns what it names.

extension Kind {
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
    fileprivate static func read<S: Source>(
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
    fileprivate static func read<S: Source>(from s: inout S) throws(Refusal) -> (Expansion, Self) {
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

extension ItemKind {
    fileprivate static func read<S: Source>(from s: inout S) throws(Refusal) -> (ID, Self) {
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

extension Pause {
    fileprivate static func read<S: Source>(from s: inout S) throws(Refusal) -> Pause {
        var (scope, actor) = (Scope(), ID?.none)
        var (note, sinceMs) = ("", UInt64(0))
        while try s.more() {
            try s.id(1, "section", &scope.section)
            try s.id(2, "action", &scope.action)
            try s.id(3, "actor", &actor)
            try s.text(4, "note", &note)
            try s.number(5, "sinceMs", &sinceMs)
        }
        return Pause(scope, by: try s.needed(actor, "actor"), note: note, sinceMs: sinceMs)
    }
}

extension Settings {
    static func read<S: Source>(from s: inout S) throws(Refusal) -> Settings {
        try definition(from: &s).settings
    }

    private static func sharedFace<S: Source>(from s: inout S) throws(Refusal) -> (ID, Face) {
        var (name, face) = (ID?.none, Face?.none)
        while try s.more() {
            try s.id(1, "name", &name)
            try s.one(2, "face", &face, Face.read(from:))
        }
        guard let face else { throw .missing("face") }
        return (try s.needed(name, "name"), face)
    }

    /// `named`: the settings that it names; nil: all. Those that are not named have their defaults.
    static func definition<S: Source>(
        from s: inout S
    ) throws(Refusal) -> (settings: Settings, named: Named?, clearedFaces: [ID]) {
        var (settings, named, digest) = (Settings(), Named(), UInt64?.none)
        var (swipePolicy, swipeScope): (SwipePolicy?, SwipeScope?) = (nil, nil)
        var (expandPolicy, scrollScope): (ExpandPolicy?, ScrollScope?) = (nil, nil)
        var (look, selection): (NamedLook?, SelectionScope?) = (nil, nil)
        var (faces, dropped): ([(ID, Face)], [ID]) = ([], [])
        var motion: [(Motion.Key, Double)] = []
        var (alerts, expandScope): ([Alert]?, ExpandScope?) = (nil, nil)
        while try s.more() {
            try s.word(1, "swipePolicy", &swipePolicy)
            try s.word(2, "swipeScope", &swipeScope)
            try s.word(3, "expandPolicy", &expandPolicy)
            try s.one(4, "look", &look, Look.read(from:))
            try s.hex(5, "digest", &digest)
            try s.word(6, "scrollScope", &scrollScope)
            try s.word(7, "expandScope", &expandScope)
            let most = s.bounds.faces
            try s.messages(30, "faces", &faces, most: most, sharedFace(from:))
            try s.ids(31, "dropFaces", &dropped, most: .max)
            try s.map(32, .fixed, "motion") { (name, hasValue, s) throws(Refusal) in
                guard let key = name.text.flatMap({ Motion.Key(rawValue: $0) }) else {
                    throw Refusal.word(Motion.Key.allCases.map(\.rawValue), "motion").at(nil)
                }
                motion.append((key, hasValue ? try s.finite("") : 0))
            }
            try s.word(40, "selection", &selection)
            try s.alerts(&alerts)
            try s.messages(43, "pauses", &settings.pauses, most: Pause.most, Pause.read(from:))
        }
        func put<T>(_ value: T?, _ path: WritableKeyPath<Settings, T>, _ part: Named) {
            guard let value else { return }
            settings[keyPath: path] = value
            named.insert(part)
        }
        put(swipePolicy, \.swipePolicy, .swipePolicy)
        put(swipeScope, \.swipeScope, .swipeScope)
        put(expandPolicy, \.expandPolicy, .expandPolicy)
        put(scrollScope, \.scrollScope, .scrollScope)
        put(expandScope, \.expandScope, .expandScope)
        put(selection, \.selection, .selection)
        put(alerts, \.alerts, .alerts)
        if let look {
            settings.look = look.look
            named.formUnion(Named(rawValue: UInt64(look.bits)))
        }
        for (key, value) in motion { put(value, \.motion[key], .motion(key)) }
        if !faces.isEmpty || !dropped.isEmpty { named.insert(.faces) }
        for (name, face) in faces where settings.faces.updateValue(face, forKey: name) != nil {
            throw Refusal(.duplicate, "The face \"\(name.text)\" stands twice.", "faces")
        }
        if let digest {
            guard dropped.isEmpty else {
                throw Refusal(.badValue, "A complete definition clears nothing.", "dropFaces")
            }
            try s.check(digest, is: settings.hash)
            return (settings, nil, [])
        }
        for (index, name) in dropped.enumerated() where settings.faces[name] != nil {
            throw Refusal(.badValue, "The face is defined as well.").within("dropFaces", at: index)
        }
        return (settings, named, dropped)
    }
}

extension Source {
    /// All kinds, and the settings.
    static func definitions(from s: inout Self) throws(Refusal) -> ([Kind], Settings) {
        var (kinds, settings): ([Kind], Settings?) = ([], nil)
        while try s.more() {
            try s.all(1, "kinds", &kinds, Kind.read(from:))
            try s.one(2, "table", &settings, Settings.read(from:))
        }
        return (kinds, settings ?? Settings())
    }

    mutating func states(
        _ number: UInt32, _ states: inout [Kind.State], most: Int
    ) throws(Refusal) {
        try messages(number, "states", &states, most: most, Kind.State.read(from:))
    }

    /// A state, or a height as text.
    @inline(__always)
    mutating func state(
        _ number: UInt32, _ name: StaticString, _ value: inout Expansion?
    ) throws(Refusal) {
        if takes(number, .length, name) { value = try takeState(name) }
    }

    @inline(never)
    mutating func takeState(_ name: StaticString) throws(Refusal) -> Expansion {
        let letters = try taken(name) { (s) throws(Refusal) in try s.letters() }
        let state: Expansion
        if letters.holds("collapsed") {
            state = .collapsed
        } else if letters.holds("expanded") {
            state = .expanded
        } else {
            guard let text = letters.text else { throw .notUTF8(name) }
            if text.isEmpty { throw .missing(name) }
            state = Expansion(text)
            if case .named = state { _ = try id(letters, name) }
            if case .height(let points) = state, !points.isFinite { throw .notFinite(name) }
        }
        try next()
        return state
    }
}

extension Kind.State {
    fileprivate static func read<S: Source>(from s: inout S) throws(Refusal) -> Self {
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

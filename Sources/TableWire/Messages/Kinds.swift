internal import TableModel

// Kinds and settings. Both forms write a definition in full. Definitions are rare, and a default
// that changes one day must not change the meaning of a journal.

extension WireKind {
    init(_ kind: Kind) {
        id = kind.id.text
        height = kind.heightPoints
        layout = kind.layout.rawValue
        margins.text = kind.margins.text
        margins.bottom = kind.margins.bottom
        states = kind.states.map { WireKind.State($0) }
        initial = kind.initial.text
        strip = kind.isStrip
        canMove = kind.canMove
        canDelete = kind.canDelete
        pinned = kind.isPinned
        if let ages = kind.ages {
            self.ages = Ages()
            if let warn = ages.warnSeconds { self.ages.warn = warn }
            if let late = ages.lateSeconds { self.ages.late = late }
        }
        tap = kind.tap.map { WireEffect($0) }
        if let group = kind.leading { leading = WireActionGroup(group) }
        if let group = kind.trailing { trailing = WireActionGroup(group) }
        appearance = [WireKind.Appearance](kind.appearances)
        writeItems(of: kind)
        // These came later: a kind without them has the bytes that it always had.
        if kind.editingStyle != .delete { editingStyle = kind.editingStyle.rawValue }
        if kind.tapRepeats { tapRepeat = true }
        digest = kind.hash.lowerHex
    }

    /// The kind. Refused if it has a digest that is not that of the result.
    func read() throws(Rejection) -> Kind {
        var kind = Kind(try ID(read: id, "id"))
        if hasHeight { kind.heightPoints = try Double(read: height, "height") }
        if hasLayout { kind.layout = try Kind.Layout(read: layout, "layout") }
        if margins.hasText { kind.margins.text = try Double(read: margins.text, "margins.text") }
        if margins.hasBottom {
            kind.margins.bottom = try Double(read: margins.bottom, "margins.bottom")
        }
        // A complete definition includes its states.
        if !states.isEmpty || hasDigest {
            kind.states = try states.readAll("states") { state throws(Rejection) in
                try state.read()
            }
        }
        if hasInitial { kind.initial = try Expansion(read: initial, "initial") }
        kind.isStrip = strip
        if hasCanMove { kind.canMove = canMove }
        if hasCanDelete { kind.canDelete = canDelete }
        kind.isPinned = pinned
        if hasAges {
            kind.ages = Kind.Ages(
                warnSeconds: ages.hasWarn ? ages.warn : nil,
                lateSeconds: ages.hasLate ? ages.late : nil)
        }
        kind.tap = try tap.readAll("tap") { effect throws(Rejection) in try effect.read() }
        kind.tapRepeats = tapRepeat
        if hasLeading {
            kind.leading = try within("leading") { () throws(Rejection) in try leading.read() }
        }
        if hasTrailing {
            kind.trailing = try within("trailing") { () throws(Rejection) in try trailing.read() }
        }
        kind.appearances = try appearance.readAppearances()
        try readItems(into: &kind)
        if hasEditingStyle { kind.editingStyle = try .init(read: editingStyle, "editingStyle") }
        if hasDigest { try check(digest, is: kind.hash) }
        return kind
    }
}

/// Refuses a definition whose digest is not that of the result: a part of it is unknown here.
func check(_ digest: String, is hash: UInt64) throws(Rejection) {
    guard try UInt64(read: digest, "digest") == hash else {
        throw Rejection(
            .badValue, "The definition has another digest: a part of it is unknown.",
            field: "digest")
    }
}

extension WireKind.State {
    init(_ state: Kind.State) {
        name = state.expansion.text
        if case .named(_, let points) = state { height = points }
    }

    func read() throws(Rejection) -> Kind.State {
        if name == "collapsed" || name == "expanded" {
            guard !hasHeight else {
                throw Rejection(.badValue, "Only a named state has a height.", field: "height")
            }
            return name == "collapsed" ? .collapsed : .expanded
        }
        let name = try ID(read: name, "name")
        guard hasHeight else { throw .missing("height") }
        return .named(name, heightPoints: try Double(read: height, "height"))
    }
}

extension WireSettings {
    init(_ settings: Settings) {
        swipePolicy = settings.swipePolicy.rawValue
        swipeScope = settings.swipeScope.rawValue
        expandPolicy = settings.expandPolicy.rawValue
        if let look = WireLook(settings.look) { self.look = look }
        if settings.scrollScope != .viewer { scrollScope = settings.scrollScope.rawValue }
        for key in Motion.Key.allCases { motion[key.rawValue] = settings.motion[key] }
        faces = settings.faces.sorted { $0.key < $1.key }.map { SharedFace($0.key, $0.value) }
        if settings.selection != .none { selection = settings.selection.rawValue }
        digest = settings.hash.lowerHex
    }

    /// The settings. Those that are not named have their defaults.
    func read() throws(Rejection) -> Settings {
        var settings = Settings()
        if !swipePolicy.isEmpty {
            settings.swipePolicy = try .init(read: swipePolicy, "swipePolicy")
        }
        if !swipeScope.isEmpty {
            settings.swipeScope = try .init(read: swipeScope, "swipeScope")
        }
        if !expandPolicy.isEmpty {
            settings.expandPolicy = try .init(read: expandPolicy, "expandPolicy")
        }
        settings.look = try within("look") { () throws(Rejection) in try look.read() }
        if hasScrollScope { settings.scrollScope = try .init(read: scrollScope, "scrollScope") }
        settings.faces = try readFaces()
        for (name, value) in motion.sorted(by: { $0.key < $1.key }) {
            let key = try Motion.Key(read: name, "motion")
            settings.motion[key] = try Double(read: value, "motion.\(name)")
        }
        if hasSelection { settings.selection = try .init(read: selection, "selection") }
        if hasDigest { try check(digest, is: settings.hash) }
        return settings
    }
}

extension WireEffect {
    init(_ effect: Effect) {
        switch effect {
        case .remove: remove = true
        case .move(let section, let anchor):
            move = Move()
            if let section { move.section = section.text }
            move.anchor = anchor.inEffect
        case .set(let fields): set.fields = fields.map
        case .fill(let fields): fill.fields = fields.map
        case .increment(let increments):
            increment.by = Dictionary(
                increments.map { ($0.key.text, $0.by) }, uniquingKeysWith: { $1 })
        case .toggle: expand = "toggle"
        case .expand(let state): expand = state.text
        case .removeItem: removeItem = true
        case .setItem(let fields): setItem.fields = fields.map
        case .invoke(let deadline, let then):
            invoke.deadline = deadline
            invoke.then = then.map { WireEffect($0) }
        }
    }

    func read() throws(Rejection) -> Effect {
        switch effect {
        case .remove(let chosen):
            try chosen.chosen("remove")
            return .remove
        case .move(let move):
            return try within("move") { () throws(Rejection) in
                .move(
                    section: move.hasSection ? try ID(read: move.section, "section") : nil,
                    try Anchor(move.anchor))
            }
        case .set(let set): return .set(Row.Field.read(set.fields))
        case .fill(let fill): return .fill(Row.Field.read(fill.fields))
        case .increment(let increment):
            return .increment(
                increment.by.map { Effect.Increment(ID($0.key), by: $0.value) }
                    .sorted { $0.key < $1.key })
        case .removeItem(let chosen):
            try chosen.chosen("removeItem")
            return .removeItem
        case .setItem(let set): return .setItem(Row.Field.read(set.fields))
        case .expand("toggle"): return .toggle
        case .expand(let state): return .expand(try Expansion(read: state, "expand"))
        case .invoke(let invoke):
            guard invoke.hasDeadline else { throw .missing("invoke.deadline") }
            return .invoke(
                deadlineSeconds: try Double(read: invoke.deadline, "invoke.deadline"),
                then: try invoke.then.readAll("invoke.then") { effect throws(Rejection) in
                    try effect.read()
                })
        case nil:
            throw Rejection(.malformed, "The effect is missing or unknown.")
        }
    }
}

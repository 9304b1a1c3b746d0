internal import TableModel

extension Settings {
    /// With `named`, only these settings, and without the shared faces of `clearedFaces`.
    func write<S: Sink>(to s: inout S, naming named: Named? = nil, clearedFaces: [ID] = []) {
        func names(_ part: Named, unless isDefault: Bool = false) -> Bool {
            named?.contains(part) ?? !isDefault
        }
        if names(.swipePolicy) { s.text(1, "swipePolicy", swipePolicy.rawValue) }
        if names(.swipeScope) { s.text(2, "swipeScope", swipeScope.rawValue) }
        if names(.expandPolicy) { s.text(3, "expandPolicy", expandPolicy.rawValue) }
        look.write(4, to: &s, naming: named.map { UInt8(truncatingIfNeeded: $0.rawValue) })
        if named == nil { s.hex(5, "digest", hash) }
        if names(.scrollScope, unless: scrollScope == .viewer) {
            s.text(6, "scrollScope", scrollScope.rawValue)
        }
        if names(.expandScope, unless: expandScope == .shared) {
            s.text(7, "expandScope", expandScope.rawValue)
        }
        if names(.faces) {
            s.messages(30, "faces", faces.sorted { $0.key < $1.key }) { one, s in
                s.id(1, "name", unlessEmpty: one.key)
                s.message(2, "face") { one.value.write(to: &$0) }
            }
        }
        s.ids(31, "dropFaces", clearedFaces)
        let keys = Motion.Key.allCases.filter { names(.motion($0)) }
        let values = keys.map { ($0.rawValue, motion[$0]) }
        s.map(32, "motion", Dictionary(values, uniquingKeysWith: { $1 })) { $1.double(2, "", $0) }
        if names(.selection, unless: selection == .none) {
            s.text(40, "selection", selection.rawValue)
        }
        if named == nil { s.messages(43, "pauses", pauses) { $0.write(to: &$1) } }
        if names(.alerts, unless: alerts.isEmpty) {
            s.messages(44, "alerts", alerts) { $0.write(to: &$1) }
            // A definition that takes all of them away says so.
            if alerts.isEmpty, named != nil { s.flag(45, "noAlerts", true) }
        }
    }

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

extension Alert {
    func write<S: Sink>(to s: inout S) {
        s.text(1, "on", event.rawValue)
        s.ids(2, "in", sections)
        s.ids(3, "kinds", kinds)
        if sound != .chime { s.text(4, "sound", sound.rawValue) }
        s.number(5, "repeat", unlessZero: repeatSeconds)
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Alert {
        var (event, sound, alert) = (Event?.none, Sound?.none, Alert(.new))
        while try s.more() {
            try s.word(1, "on", &event)
            try s.ids(2, "in", &alert.sections, most: mostNames)
            try s.ids(3, "kinds", &alert.kinds, most: mostNames)
            try s.word(4, "sound", &sound)
            try s.number(5, "repeat", &alert.repeatSeconds)
        }
        (alert.event, alert.sound) = (try event.or(.missing("on")), sound ?? .chime)
        return alert
    }
}

extension Pause {
    func write<S: Sink>(to s: inout S) {
        s.id(1, "section", scope.section)
        s.id(2, "action", scope.action)
        s.id(3, "actor", unlessEmpty: actor)
        s.text(4, "note", unlessEmpty: note)
        s.number(5, "sinceMs", unlessZero: sinceMs)
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Pause {
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

    /// The alerts of settings, if they are named; a definition in part may say that there are none.
    mutating func alerts(_ alerts: inout [Alert]?) throws(Refusal) {
        var (list, none) = (alerts ?? [], false)
        try messages(44, "alerts", &list, most: Alert.most, Alert.read(from:))
        if !list.isEmpty { alerts = list }
        try flag(45, "noAlerts", &none)
        guard none else { return }
        guard (alerts ?? []).isEmpty else {
            throw Refusal(.badValue, "There are alerts beside it.", "noAlerts")
        }
        alerts = []
    }
}

internal import TableModel

// Kinds and settings. Both forms write a definition in full. Definitions are rare, and a default
// that changes one day must not change the meaning of a journal. A definition in part has no digest: what is
// absent stays as it is, so `clear` names what is to be removed.

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
}

extension ItemKind {
    fileprivate func write<S: Sink>(named name: ID, to s: inout S) {
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
}

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
}

extension Alert {
    fileprivate func write<S: Sink>(to s: inout S) {
        s.text(1, "on", event.rawValue)
        s.ids(2, "in", sections)
        s.ids(3, "kinds", kinds)
        if sound != .chime { s.text(4, "sound", sound.rawValue) }
        s.number(5, "repeat", unlessZero: repeatSeconds)
    }
}

extension Pause {
    fileprivate func write<S: Sink>(to s: inout S) {
        s.id(1, "section", scope.section)
        s.id(2, "action", scope.action)
        s.id(3, "actor", unlessEmpty: actor)
        s.text(4, "note", unlessEmpty: note)
        s.number(5, "sinceMs", unlessZero: sinceMs)
    }
}

// MARK: Swipe actions

extension RowActions {
    func write<S: Sink>(to s: inout S) {
        if let leading { s.message(1, "leading") { leading.write(to: &$0) } }
        if let trailing { s.message(2, "trailing") { trailing.write(to: &$0) } }
        s.hex(3, "digest", hash)
    }
}

extension ActionGroup {
    fileprivate func write<S: Sink>(to s: inout S, naming named: Named? = nil) {
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
}

extension Look {
    /// Left out if it leaves everything open. `bits`: the properties to write, as the first four of
    /// `ActionGroup.Named` and of `Settings.Named`.
    fileprivate func write<S: Sink>(_ number: UInt64, to s: inout S, naming bits: UInt8? = nil) {
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
}

extension Look.Insets? {
    /// In the order of the schema.
    fileprivate var sides: [Double] { map { [$0.top, $0.left, $0.bottom, $0.right] } ?? [] }
}

extension Action {
    fileprivate func write<S: Sink>(to s: inout S) {
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
}

extension Face {
    fileprivate func write<S: Sink>(to s: inout S) {
        switch content {
        case .vertical(let parts): s.message(1, "vertical") { Self.write(parts, to: &$0) }
        case .horizontal(let parts): s.message(2, "horizontal") { Self.write(parts, to: &$0) }
        case .icon(let name): s.text(3, "icon", name)
        case .text(let text): s.text(4, "text", text)
        case .spacer(let points): s.double(5, "spacer", points)
        case .image, .shared: break
        }
        s.double(6, "size", sizePoints)
        s.text(7, "weight", weight)
        s.text(8, "color", color)
        s.text(9, "align", align)
        s.double(10, "spacing", spacingPoints)
        s.doubles(11, "insets", insets.sides)
        if case .image(let image) = content { s.message(12, "image") { image.write(to: &$0) } }
        if case .shared(let name) = content { s.id(13, "face", name) }
        s.texts(14, "family", families)
        s.flag(15, "italic", isItalic)
    }

    private static func write<S: Sink>(_ parts: [Face], to s: inout S) {
        s.messages(1, "parts", parts) { $0.write(to: &$1) }
    }
}

extension FaceImage {
    fileprivate func write<S: Sink>(to s: inout S) {
        switch data {
        case .path(let path):
            s.text(1, "path", path)
            if grid != Grid() { s.doubles(3, "grid", [grid.width, grid.height]) }
        case .png(let bytes): s.bytes(2, "png", bytes[...])
        }
        s.flag(4, "template", ifSet: isTemplate)
    }
}

// MARK: Effects and states

extension Effect {
    func write<S: Sink>(to s: inout S) {
        switch self {
        case .remove: s.flag(1, "remove", true)
        case .move(let section, let anchor):
            s.message(2, "move") { s in
                s.id(1, "section", section)
                s.anchor(from: 2, anchor)
            }
        case .set(let fields): s.message(3, "set") { $0.map(1, "fields", fields) }
        case .toggle: s.text(4, "expand", "toggle")
        case .expand(let state): s.text(4, "expand", state.text)
        case .invoke(let deadline, let then, let retries):
            s.message(5, "invoke") { s in
                s.double(1, "deadline", deadline)
                s.effects(2, "then", then)
                s.retries(3, retries)
            }
        case .fill(let fields): s.message(40, "fill") { $0.map(1, "fields", fields) }
        case .increment(let increments):
            let by = increments.map { ($0.key.text, $0.by) }
            s.message(41, "increment") { s in
                s.map(1, "by", Dictionary(by, uniquingKeysWith: { $1 })) { $1.signed(2, "", $0) }
            }
        case .removeItem: s.flag(70, "removeItem", true)
        case .unset(let keys): s.message(77, "unset") { $0.ids(1, "keys", keys) }
        case .kind(let kind): s.id(78, "kind", kind)
        case .moveBack: s.flag(79, "moveBack", true)
        case .group(let effects): s.message(80, "group") { $0.effects(1, "effects", effects) }
        case .setItem(let fields): s.message(71, "setItem") { $0.map(1, "fields", fields) }
        case .snooze(let milliseconds, let isToTop):
            s.message(74, "snooze") { s in
                s.number(1, "forMs", shown: milliseconds)
                s.flag(2, "top", ifSet: isToTop)
            }
        }
    }
}

extension Sink {
    mutating func effects(_ number: UInt64, _ name: StaticString, _ effects: [Effect]) {
        messages(number, name, effects) { $0.write(to: &$1) }
    }

    /// Nothing, if one failure is the end and nothing follows.
    mutating func retries(_ number: UInt64, _ retries: Retries) {
        if retries == Retries() { return }
        message(number, "retries") { s in
            s.count(1, "attempts", retries.attempts)
            s.double(2, "backoff", retries.backoffSeconds)
            s.effects(3, "else", retries.otherwise)
        }
    }

    mutating func states(_ number: UInt64, _ states: [Kind.State]) {
        messages(number, "states", states) { state, s in
            s.text(1, "name", unlessEmpty: state.expansion.text)
            if case .named(_, let points) = state { s.double(2, "height", points) }
        }
    }

    @inline(__always)
    mutating func anchor(from number: UInt64, _ anchor: Anchor) {
        switch anchor {
        case .top: flag(number, "top", true)
        case .bottom: flag(number + 1, "bottom", true)
        case .before(let row): id(number + 2, "before", row)
        case .after(let row): id(number + 3, "after", row)
        }
    }
}

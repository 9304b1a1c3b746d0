import TableModel
import TableSync

/// Random values of the model, the same for the same seed.
struct Generator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
    mutating func flag() -> Bool { below(2) == 0 }
    mutating func maybe<T>(_ make: (inout Generator) -> T) -> T? { flag() ? make(&self) : nil }

    mutating func list<T>(
        _ range: ClosedRange<Int> = 0...3, _ make: (inout Generator) -> T
    ) -> [T] {
        (0..<Int.random(in: range, using: &self)).map { _ in make(&self) }
    }

    mutating func one<T: CaseIterable>(_ type: T.Type) -> T where T.AllCases == [T] {
        T.allCases[below(T.allCases.count)]
    }

    /// Often one of the values where encodings change.
    mutating func number() -> UInt64 {
        let edges: [UInt64] = [0, 1, 127, 128, 100_000, 1 << 32, 1 << 53, .max - 1, .max]
        return flag() ? edges[below(edges.count)] : next()
    }

    mutating func count() -> Int { flag() ? 0 : below(1 << 31) }
    mutating func smallCount() -> Int { flag() ? 0 : below(1_000) }

    mutating func points() -> Double {
        let edges: [Double] = [
            0, 1, 60, 0.1, -0.5, 1e6, 1.0 / 3, .leastNonzeroMagnitude, -.greatestFiniteMagnitude,
        ]
        return flag() ? edges[below(edges.count)] : Double.random(in: 0...1_000, using: &self)
    }

    mutating func id() -> ID {
        let pool = ["a", "r1", "row-42", "é", "e\u{301}", "日本", "🧵", "x y", "\"q\"", "\\", "</"]
        return flag() ? ID(pool[below(pool.count)]) : ID("id\(below(1_000))")
    }

    mutating func id128() -> ID128 { ID128(high: next(), low: flag() ? 0 : next()) }

    mutating func text() -> String {
        let pool = ["", "T", "Milk & bread", "é", "a\nb\tc", "\u{1}\u{7F}", "🧵\u{202E}", "\"\\/"]
        return pool[below(pool.count)]
    }

    /// In order, each key once, as the model keeps them.
    mutating func fields() -> [Row.Field] {
        let fields = list { Row.Field(ID("k\($0.below(9))"), $0.text()) }
        return Row.Content(fields: fields).fields
    }

    mutating func content() -> Row.Content {
        Row.Content(
            kind: flag() ? .plainKind : id(), title: text(), fields: fields(),
            actions: below(4) == 0 ? actions() : nil,
            items: below(4) == 0 ? list { $0.item() } : [],
            states: below(4) == 0 ? list { $0.kindState() } : [])
    }

    mutating func item() -> Item {
        Item(
            id(), title: text(), kind: maybe { $0.id() }, fields: fields(),
            tap: below(3) == 0 ? [effect()] : [])
    }

    mutating func itemChanges() -> Item.Changes {
        Item.Changes(
            title: maybe { $0.text() }, kind: [nil, .some(nil), .some(id())][below(3)],
            fields: fields(), unset: list { $0.id() }, tap: maybe { $0.list { $0.effect() } })
    }

    mutating func itemStep() -> Item.Step {
        switch below(4) {
        case 0: return .insert(item(), after: maybe { $0.id() })
        case 1: return .remove(id())
        case 2: return .move(list(1...3) { $0.id() }, after: maybe { $0.id() })
        default: return .set(id(), itemChanges())
        }
    }

    mutating func itemChange() -> Command.ItemChange {
        switch below(4) {
        case 0: return .add(item(), anchor())
        case 1: return .remove(list(1...3) { $0.id() })
        case 2: return .move(list(1...3) { $0.id() }, anchor())
        default: return .set(id(), itemChanges())
        }
    }

    mutating func scroll() -> Scroll { Scroll(id(), fraction: points()) }

    mutating func edge() -> Edge? { maybe { $0.one(Edge.self) } }

    mutating func expansion() -> Expansion {
        switch below(4) {
        case 0: return .collapsed
        case 1: return .expanded
        case 2: return .named(ID("state\(below(9))"))
        default: return .height(points())
        }
    }

    mutating func row(version: Bool = true) -> Row {
        Row(
            id: id(), content: content(), version: version ? number() : 0, createdMs: number(),
            expansion: expansion(), swipe: edge(),
            performed: below(4) == 0 ? list { $0.performance() } : [],
            scroll: below(4) == 0 ? scroll() : nil, changedMs: time(), movedMs: time(),
            claim: below(4) == 0 ? claim() : nil, selection: below(4) == 0 ? selection() : nil,
            cameFrom: below(4) == 0 ? id() : nil, sleep: below(4) == 0 ? sleep() : nil)
    }

    /// Often nothing is said.
    mutating func hint() -> AnimationHint { flag() ? .automatic : one(AnimationHint.self) }

    mutating func selection() -> Row.Selection { Row.Selection(item: maybe { $0.id() }) }

    /// Often none.
    mutating func time() -> UInt64 { flag() ? 0 : number() }

    mutating func traces() -> Traces {
        Traces(
            version: time(), performed: list { $0.performance() }, changedMs: time(),
            movedMs: time())
    }

    mutating func actions() -> RowActions {
        RowActions(leading: maybe { $0.group() }, trailing: group())
    }

    mutating func performance() -> Performance {
        Performance(
            id(), on: maybe { $0.id() },
            [.pending(invocationID()), .done, .failed(text())][below(3)])
    }

    /// Those of the row before those of items, as they travel.
    mutating func deeds() -> [Deed] {
        list { Deed($0.id()) } + list { Deed($0.id(), on: $0.id()) }
    }

    mutating func outcome() -> Invocation.Outcome { flag() ? .done : .failed(text()) }

    mutating func anchor() -> Anchor {
        switch below(4) {
        case 0: return .top
        case 1: return .bottom
        case 2: return .before(id())
        default: return .after(id())
        }
    }

    mutating func place() -> Place { flag() ? .after(id()) : .top(id()) }

    mutating func changes() -> Command.Changes {
        Command.Changes(
            title: maybe { $0.text() }, kind: maybe { $0.id() }, fields: fields(),
            unset: list { $0.id() }, actions: below(4) == 0 ? actions() : nil,
            states: below(4) == 0 ? list { $0.kindState() } : nil)
    }

    mutating func kindState() -> Kind.State {
        switch below(3) {
        case 0: return .collapsed
        case 1: return .expanded
        default: return .named(ID("state\(below(9))"), heightPoints: points())
        }
    }
}

// MARK: Kinds

extension Generator {
    mutating func effect() -> Effect {
        switch below(15) {
        case 10: return .unset(Set(list { $0.id() }).sorted())
        case 11: return .kind(id())
        case 12: return .moveBack
        case 13: return .group(flag() ? [] : [.moveBack, .toggle])
        case 14: return .snooze(milliseconds: number(), isToTop: flag())
        case 5: return .fill(fields())
        case 6:
            return .increment(
                fields().map { Effect.Increment($0.key, by: Int64(bitPattern: number())) })
        case 7: return .removeItem
        case 8: return .setItem(fields())
        case 0: return .remove
        case 1: return .move(section: maybe { $0.id() }, anchor())
        case 2: return .set(fields())
        case 3: return .toggle
        case 4: return .expand(expansion())
        default:
            return .invoke(
                deadlineSeconds: points(), then: flag() ? [] : [.toggle, .remove],
                retries: retries())
        }
    }

    mutating func insets() -> Look.Insets {
        Look.Insets(top: points(), left: points(), bottom: points(), right: points())
    }

    mutating func look() -> Look {
        var look = Look()
        look.style = maybe { $0.one(Look.Style.self) }
        look.width = maybe { $0.flag() ? .points($0.points()) : $0.flag() ? .face : .intrinsic }
        look.spacingPoints = maybe { $0.points() }
        look.insets = maybe { $0.insets() }
        return look
    }

    mutating func image() -> FaceImage {
        if flag() {
            return FaceImage(
                .png(list { UInt8($0.below(256)) }), isTemplate: flag())
        }
        return FaceImage(
            .path(text()), grid: FaceImage.Grid(width: points(), height: points()),
            isTemplate: flag())
    }

    mutating func face(_ depth: Int = 3) -> Face {
        var face: Face
        switch below(depth > 0 ? 7 : 5) {
        case 5: face = Face(.shared(id()))
        case 3: face = Face(.image(image()))
        case 0: face = Face(.icon(text()))
        case 1: face = Face(.text(text()))
        case 2: face = Face(.spacer(points()))
        case 4: face = Face(.vertical(list { $0.face(depth - 1) }))
        default: face = Face(.horizontal(list { $0.face(depth - 1) }))
        }
        face.sizePoints = maybe { $0.points() }
        face.weight = maybe { $0.text() }
        face.color = maybe { $0.text() }
        face.align = maybe { $0.text() }
        face.spacingPoints = maybe { $0.points() }
        face.insets = maybe { $0.insets() }
        face.families = list { $0.text() }
        face.isItalic = maybe { $0.flag() }
        return face
    }

    mutating func action() -> Action {
        var action = Action(id())
        action.title = text()
        action.role = one(Action.Role.self)
        action.icon = maybe { $0.text() }
        action.background = maybe { $0.text() }
        action.foreground = maybe { $0.text() }
        action.look = look()
        action.face = maybe { $0.face() }
        action.hidesWhenSelected = flag()
        action.asksToConfirm = flag()
        action.repeats = flag()
        action.guarded = maybe { .init(when: $0.text(), unless: $0.flag() ? nil : $0.text()) }
        action.effects = list { $0.effect() }
        return action
    }

    mutating func group() -> ActionGroup {
        var group = ActionGroup(look: look(), actions: list { $0.action() })
        group.isCompatible = flag()
        group.hasFullSwipe = flag()
        group.background = maybe { $0.text() }
        group.gapPoints = maybe { $0.points() }
        return group
    }

    mutating func kind() -> Kind {
        var kind = Kind(id())
        if flag() { return kind }
        kind.heightPoints = points()
        kind.layout = one(Kind.Layout.self)
        kind.margins = Kind.Margins(text: points(), bottom: points())
        kind.states = list(1...3) { $0.kindState() }
        kind.initial = expansion()
        (kind.isStrip, kind.canMove, kind.canDelete) = (flag(), flag(), flag())
        kind.isPinned = flag()
        kind.ages = maybe {
            Kind.Ages(warnSeconds: $0.maybe { $0.number() }, lateSeconds: $0.maybe { $0.number() })
        }
        if flag() {
            kind.ages?.sections = list { $0.id() }
            kind.ages?.since = one(Kind.Ages.Since.self)
        }
        if flag() { kind.show = show() }
        kind.emphasis = list(0...2) { $0.emphasis() }
        kind.form = list { $0.id() }
        kind.tap = list { $0.effect() }
        kind.tapRepeats = flag()
        kind.leading = maybe { $0.group() }
        kind.trailing = maybe { $0.group() }
        if below(3) == 0 {
            for state in list(1...3, { $0.expansion() }) {
                kind.appearances[state] = Kind.Appearance(
                    background: maybe { $0.text() }, alpha: maybe { $0.points() },
                    tint: maybe { $0.text() })
            }
        }
        if below(3) == 0 { kind.editingStyle = one(Kind.EditingStyle.self) }
        if below(3) == 0 {
            (kind.spacingPoints, kind.page) = (points(), one(Kind.Page.self))
            for name in list(1...3, { $0.id() }) { kind.itemKinds[name] = itemKind() }
        }
        return kind
    }

    mutating func itemKind() -> ItemKind {
        var kind = ItemKind()
        if flag() { return kind }
        if flag() { kind.width = .points(points()) }
        kind.heightPoints = maybe { $0.points() }
        kind.layout = one(Kind.Layout.self)
        kind.fields = maybe { $0.list { $0.id() } }
        kind.badge = maybe { $0.id() }
        kind.tap = list { $0.effect() }
        kind.tapRepeats = flag()
        kind.menu = list { $0.action() }
        return kind
    }

    mutating func settings() -> Settings {
        var settings = Settings()
        settings.swipePolicy = one(Settings.SwipePolicy.self)
        settings.swipeScope = one(Settings.SwipeScope.self)
        settings.expandPolicy = one(Settings.ExpandPolicy.self)
        settings.look = look()
        settings.scrollScope = one(Settings.ScrollScope.self)
        settings.expandScope = one(Settings.ExpandScope.self)
        for key in Motion.Key.allCases where flag() { settings.motion[key] = points() }
        for index in 0..<below(3) { settings.faces[ID("face\(index)")] = face() }
        settings.selection = one(Settings.SelectionScope.self)
        settings.pauses = list { $0.pause() }
        settings.alerts = list {
            Alert(
                $0.one(Alert.Event.self), in: $0.list { $0.id() }, of: $0.list { $0.id() },
                sound: $0.one(Alert.Sound.self), repeatSeconds: $0.number())
        }
        return settings
    }

    mutating func definitions() -> Command.Definitions {
        Command.Definitions(
            kinds: list(0...2) { $0.kind() }, dropped: list { $0.id() },
            settings: maybe { $0.settings() })
    }

    /// In the form in which they come from the wire: what they do not name is at its default.
    mutating func partialDefinitions() -> Command.Definitions {
        var all = Command.Definitions()
        for kind in list(0...2, { $0.kind() }) where all.partial[kind.id] == nil {
            var named = Kind.Named(
                Kind.Own(rawValue: UInt32(truncatingIfNeeded: number()) & 0x4F00_FFFF),
                leading: ActionGroup.Named(rawValue: UInt16(below(512))),
                trailing: ActionGroup.Named(rawValue: UInt16(below(512))),
                droppedItems: flag() ? ["dropped"] : [])
            if kind.ages != nil { named.own.remove(.ages) }
            if kind.leading != nil { named.own.remove(.leading) } else { named.leading = [] }
            if kind.trailing != nil { named.own.remove(.trailing) } else { named.trailing = [] }
            all.kinds.append(Kind(kind.id).taking(named, of: kind))
            all.partial[kind.id] = named
        }
        if flag() {
            var named = Settings.Named(rawValue: UInt64(below(256)))
            for key in Motion.Key.allCases where flag() { named.insert(.motion(key)) }
            if flag() { named.insert(.selection) }
            if flag() { named.insert(.alerts) }
            let settings = settings()
            if !settings.faces.isEmpty { named.insert(.faces) }
            all.settings = Settings().taking(named, of: settings)
            all.clearedFaces = named.contains(.faces) && flag() ? ["gone"] : []
            all.partialSettings = named
        }
        return all
    }
}

import SeededNumbers
import StrictYAML
import TableFiles
import TableModel
import Testing

/// Random parts of kinds files, the same for the same seed.
struct Seeded: RandomNumberGenerator {
    private var numbers: SplitMix64
    init(_ seed: UInt64) { numbers = SplitMix64(seed: seed) }
    mutating func next() -> UInt64 { numbers.next() }
    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
    mutating func pick<T>(_ all: [T]) -> T { all[Int.random(in: 0..<all.count, using: &self)] }
    mutating func some<T>(_ percent: Int, _ make: (inout Seeded) -> T) -> T? {
        chance(percent) ? make(&self) : nil
    }
    mutating func many<T>(_ most: Int, _ make: (inout Seeded) -> T) -> [T] {
        (0..<Int.random(in: 0...most, using: &self)).map { _ in make(&self) }
    }

    /// Whatever has ever been misread in YAML, JSON or CSV. (U+FEFF not first: libyaml drops it.)
    mutating func text() -> String {
        let parts = [
            "a", "Z", "9", " ", "yes", "null", "~", "true", "0x1F", "1e3", "-", "- ", ": ", " #",
            "#", "\"", "'", "\\", "\n", "\r", "\r\n", "\t", ",", "[", "]", "{", "}", "&a", "*a",
            "!", "|", ">", "%", "@", "`", "é", "e\u{301}", "😀", "\u{85}", "\u{2028}", "x\u{FEFF}",
            "\u{202E}", "\u{7F}", "\u{9B}", "\u{1}", "<<", "=", "...", "---", "\u{FFFE}",
            "\u{10FFFF}", "field:", "id", "title", ";", "Title", "ID", "Field:", "+", "\u{A0}",
        ]
        return many(4) { $0.pick(parts) }.joined()
    }

    mutating func id() -> ID {
        let id = ID(text().filter { ($0.unicodeScalars.first?.value ?? 0) >= 32 } + "x")
        return id
    }

    mutating func number() -> Double {
        pick([
            0, -0.5, 1, 60, 0.1, 1e-7, 12.25, 1e300, .leastNonzeroMagnitude, Double(next() >> 12),
        ])
    }

    mutating func expansion() -> Expansion {
        pick([.collapsed, .expanded, .named("one line"), .named(id()), .height(80.5)])
    }

    mutating func fields() -> [Row.Field] {
        // As texts: two that differ in their normalisation only are refused.
        var seen: Set<String> = []
        let all = many(4) { Row.Field($0.id(), $0.text()) }
        return all.filter { seen.insert($0.key.text).inserted }.sorted { $0.key < $1.key }
    }

    mutating func effect() -> Effect {
        let anchors: [Anchor] = [.top, .bottom, .before(id()), .after(id())]
        return pick([
            .remove, .move(section: some(50) { $0.id() }, pick(anchors)), .set(fields()), .toggle,
            .removeItem, .setItem(fields()), .unset(fields().map(\.key)), .kind(id()), .moveBack,
            .group([.remove]), .expand(expansion()),
            .snooze(milliseconds: 600_000, isToTop: true), .snooze(milliseconds: 1, isToTop: false),
            .invoke(deadlineSeconds: number(), then: [.toggle, .remove]),
            .invoke(
                deadlineSeconds: number(), then: [],
                retries: Retries(attempts: 3, backoffSeconds: number(), otherwise: [.toggle])),
        ])
    }

    mutating func insets() -> Look.Insets {
        Look.Insets(top: number(), left: number(), bottom: number(), right: number())
    }

    mutating func look() -> Look {
        var look = Look()
        look.style = some(50) { $0.pick(Look.Style.allCases) }
        look.width = some(50) { $0.pick([.intrinsic, .face, .points($0.number())]) }
        look.spacingPoints = some(50) { $0.number() }
        look.insets = some(50) { $0.insets() }
        return look
    }

    mutating func image() -> FaceImage {
        if chance(50) {
            return FaceImage(.png(many(5) { UInt8(truncatingIfNeeded: $0.text().utf8.count) }))
        }
        return FaceImage(
            .path(text()), grid: FaceImage.Grid(width: number(), height: 24),
            isTemplate: chance(50))
    }

    mutating func face(depth: Int) -> Face {
        var contents: [FaceContent] = [
            .icon(text()), .text(text()), .spacer(number()), .image(image()), .shared(id()),
        ]
        if depth > 1 {
            let parts = many(2) { $0.face(depth: depth - 1) }
            contents += [.vertical(parts), .horizontal(parts), .vertical(parts)]
        }
        var face = Face(pick(contents))
        face.sizePoints = some(30) { $0.number() }
        face.weight = some(30) { $0.text() }
        face.color = some(30) { $0.text() }
        face.align = some(30) { $0.text() }
        face.spacingPoints = some(30) { $0.number() }
        face.insets = some(30) { $0.insets() }
        face.families = chance(30) ? many(3) { $0.text() } : []
        face.isItalic = some(30) { $0.chance(50) }
        return face
    }

    mutating func action() -> Action {
        var action = Action(id())
        action.title = text()
        action.role = pick(Action.Role.allCases)
        action.icon = some(50) { $0.text() }
        action.background = some(50) { $0.text() }
        action.foreground = some(50) { $0.text() }
        action.look = look()
        action.face = some(50) { $0.face(depth: 4) }
        action.hidesWhenSelected = chance(50)
        action.asksToConfirm = chance(50)
        action.repeats = chance(50)
        action.guarded = some(30) { one in
            Action.Guard(when: "age > 5m", unless: one.some(50) { $0.text() })
        }
        action.effects = many(3) { $0.effect() }
        return action
    }

    mutating func group() -> ActionGroup {
        var group = ActionGroup(look: look(), actions: many(3) { $0.action() })
        group.isCompatible = chance(50)
        group.hasFullSwipe = chance(50)
        group.background = some(30) { $0.text() }
        group.gapPoints = some(30) { $0.number() }
        return group
    }

    mutating func kind() -> Kind {
        var kind = Kind(id())
        kind.heightPoints = number()
        kind.layout = pick(Kind.Layout.allCases)
        kind.margins = Kind.Margins(text: number(), bottom: number())
        kind.states = many(4) {
            $0.pick([.collapsed, .expanded, .named($0.id(), heightPoints: $0.number())])
        }
        if kind.states.isEmpty { kind.states = [.expanded] }
        kind.initial = expansion()
        kind.isStrip = chance(50)
        kind.canMove = chance(50)
        kind.canDelete = chance(50)
        kind.isPinned = chance(50)
        kind.ages = some(50) {
            Kind.Ages(warnSeconds: $0.some(50) { $0.next() }, lateSeconds: $0.some(50) { _ in 0 })
        }
        if chance(50) {
            kind.ages?.sections = many(3) { $0.id() }
            kind.ages?.since = pick(Kind.Ages.Since.allCases)
        }
        if chance(40) { kind.show = show() }
        kind.emphasis = many(2) { $0.emphasis() }
        kind.form = many(3) { $0.id() }
        kind.tap = many(3) { $0.effect() }
        kind.tapRepeats = chance(30)
        kind.leading = some(50) { $0.group() }
        kind.trailing = some(50) { $0.group() }
        kind.editingStyle = pick(Kind.EditingStyle.allCases)
        if chance(40) {
            (kind.spacingPoints, kind.page) = (number(), pick(Kind.Page.allCases))
            // As texts: two that differ in their normalisation only are one key of a mapping.
            var seen: Set<String> = []
            for name in many(3, { $0.id() }) where seen.insert(name.text).inserted {
                kind.itemKinds[name] = itemKind()
            }
        }
        return kind
    }

    mutating func show() -> Kind.Show {
        var show = Kind.Show()
        show.title = some(50) { $0.text() }
        show.line = some(50) { $0.many(3) { $0.text() } }
        show.badge = some(50) { $0.text() }
        show.detail = many(3) { $0.id() }
        show.hide = many(3) { $0.id() }
        // As texts: two that differ in their normalisation only are one key of a mapping.
        var seen: Set<String> = []
        for key in many(3, { $0.id() }) where seen.insert(key.text).inserted {
            show.forms[key] = pick([.clock, .date, .age, .duration, .decimals(0), .decimals(9)])
        }
        show.wrap = UInt64.random(in: 1...Kind.Show.mostLines, using: &self)
        show.group = some(50) { $0.id() }
        show.color = some(50) { $0.id() }
        return show
    }

    mutating func emphasis() -> Kind.Emphasis {
        let conditions = ["field.a ~ \"x: y\"", "state == 'expanded' and not items > 0", "true"]
        return Kind.Emphasis(
            when: RowCondition(pick(conditions)), field: some(50) { $0.id() },
            background: some(50) { $0.text() }, color: some(50) { $0.text() },
            icon: some(50) { $0.text() })
    }

    mutating func itemKind() -> ItemKind {
        var kind = ItemKind()
        kind.width = chance(50) ? .intrinsic : .points(number())
        kind.heightPoints = some(50) { $0.number() }
        kind.layout = pick(Kind.Layout.allCases)
        kind.fields = some(50) { $0.many(3) { $0.id() } }
        kind.badge = some(50) { $0.id() }
        kind.tap = many(2) { $0.effect() }
        kind.tapRepeats = chance(30)
        kind.menu = many(3) {
            var action = $0.action()
            (action.look, action.face, action.hidesWhenSelected) = (Look(), nil, true)
            return action
        }
        return kind
    }

    mutating func definitions() -> Command.Definitions {
        var seen: Set<ID> = []
        let kinds = many(3) { $0.kind() }.filter { seen.insert($0.id).inserted }
        let settings: Settings? = some(70) {
            var settings = Settings()
            settings.swipePolicy = $0.pick(Settings.SwipePolicy.allCases)
            settings.swipeScope = $0.pick(Settings.SwipeScope.allCases)
            settings.expandPolicy = $0.pick(Settings.ExpandPolicy.allCases)
            settings.expandScope = $0.pick(Settings.ExpandScope.allCases)
            return settings
        }
        return Command.Definitions(kinds: kinds, settings: settings)
    }
}

@Suite struct RandomKindTests {
    @Test func roundTrips() throws {
        for seed in 0..<300 as Range<UInt64> {
            var random = Seeded(seed)
            let all = random.definitions()
            let yaml = KindsFile.write(kinds: all.kinds, settings: all.settings)
            let json = KindsFile.json(kinds: all.kinds, settings: all.settings)
            #expect(try KindsFile.parse(json, name: "seed \(seed)").whole == all, "\(json)")
            let found = try KindsFile.parse(yaml, name: "seed \(seed)")
            let again = KindsFile.json(kinds: found.kinds, settings: found.settings)
            #expect(again == json, "\(yaml)")
            #expect(found.whole == all, "\(yaml)")
        }
    }

    /// As deep as `Limits.faceDepth` allows, which the reader's bound on levels must admit.
    @Test func theDeepestFace() throws {
        var face = Face(.text("x"))
        while face.depth < Limits().faceDepth { face = Face(.vertical([face])) }
        var action = Action("a")
        action.face = face
        var kind = Kind("k")
        kind.trailing = ActionGroup(actions: [action])
        let yaml = KindsFile.write(kinds: [kind], settings: nil)
        #expect(try KindsFile.parse(yaml, name: "k").kinds == [kind])
    }
}

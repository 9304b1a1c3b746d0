import TableDecisions
import TableModel

/// Random commands of the verbs that `NaiveTable` carries out too, some valid and some not.
struct RandomCommands {
    var random: SplitMix64
    /// Ids come from a small world, so that commands meet.
    private let rows: [RowID]
    private let sections: [SectionID] = ["main", "s", "t", "u"]
    private var kinds: [KindID] = ["row"]
    private var present: [RowID] = []
    private var invocations: [InvocationID] = []
    /// The client that sends them.
    private(set) var client: ID? = "h1"
    private var counter = 0

    /// A quarter of the seeds has kinds whose rows cannot be collapsed. These seeds have no
    /// accordions, from which such rows are exempt.
    private let hasAccordions: Bool

    /// Whether rows are claimed, put off, paused and asked for. Other seeds play what they played before.
    private let queues: Bool

    init(seed: UInt64, rows: Int = 24, queues: Bool = false) {
        self.queues = queues
        hasAccordions = seed % 4 != 3
        random = SplitMix64(seed: seed)
        self.rows = (0..<rows).map { ID("r\($0)") } + ["é", "e\u{301}", "🐘"]
    }

    /// Mostly about existing rows, so that most commands are valid.
    mutating func look(at table: Table) {
        present = table.rows.map(\.id)
        invocations = table.invocations.all.map(\.id)
        client = random.pick([nil, "h1", "h1", "h2"])
        kinds = table.kinds.keys.sorted()
    }

    private mutating func row() -> RowID {
        present.isEmpty || random.once(in: 12) ? random.pick(rows) : random.pick(present)
    }

    private mutating func kind() -> KindID {
        random.once(in: 20) ? "unregistered" : random.pick(kinds)
    }

    private mutating func newRow() -> RowID {
        let absent = rows.filter { !present.contains($0) }
        return absent.isEmpty ? random.pick(rows) : random.pick(absent)
    }

    private mutating func anchor() -> Anchor {
        switch random.below(4) {
        case 0: return .top
        case 1: return .bottom
        case 2: return .before(row())
        default: return .after(row())
        }
    }

    private mutating func section() -> SectionID? {
        random.once(in: 3) ? random.pick(sections) : nil
    }

    private mutating func content() -> Row.Content {
        counter += 1
        var content = Row.Content(kind: kind(), title: "title \(counter)")
        if random.once(in: 2) { content.set(.init("f", "\(counter)")) }
        if random.once(in: 8) { content.states = ownStates() }
        return content
    }

    /// States of a row's own, good and bad. As with kinds, some seeds have rows that cannot collapse.
    private mutating func ownStates() -> [Kind.State] {
        random.pick([
            [], [.collapsed, .named("mine", heightPoints: 70)],
            [.named("mine", heightPoints: 70), .collapsed, .named("big", heightPoints: 90)],
            [.collapsed, .collapsed], [.named("80", heightPoints: 1)],
            hasAccordions ? [.collapsed] : [.named("mine", heightPoints: 30), .expanded],
        ])
    }

    private mutating func rowList() -> Few<RowID> {
        var list = Few<RowID>.none
        for _ in 0..<(1 + random.below(3)) {
            let id = row()
            if !list.contains(id) { list.append(id) }
        }
        return list
    }

    private mutating func hint() -> AnimationHint {
        random.once(in: 3) ? random.pick(AnimationHint.allCases) : .automatic
    }

    private mutating func state() -> Expansion? {
        if random.once(in: 2) { return nil }
        return random.pick([
            .collapsed, .expanded, .named("big"), .named("small"), .height(80), .height(.nan),
            .height(0), .height(-.infinity),
        ])
    }

    private mutating func definitions() -> Command.Definitions {
        var definitions = Command.Definitions()
        if random.once(in: 2) {
            var settings = Settings()
            settings.swipePolicy = random.pick(Settings.SwipePolicy.allCases)
            settings.swipeScope = random.once(in: 16) ? .viewer : .shared
            let policies = Settings.ExpandPolicy.allCases
            settings.expandPolicy = random.pick(hasAccordions ? policies : [.independent])
            settings.selection = random.pick([.shared, .shared, .none, .viewer])
            definitions.settings = settings
            // A part of them, as often as not.
            if random.once(in: 2) {
                definitions.partialSettings = random.pick([
                    [], .swipePolicy, .expandPolicy, [.swipeScope, .expandPolicy], .selection,
                ])
            }
        } else {
            var kind = Kind(random.pick(["card", "slip", "kept"]))
            kind.canDelete = kind.id != "kept"
            kind.states = random.pick([
                [.collapsed, .expanded], [.collapsed, .named("big", heightPoints: 100)],
                [.named("small", heightPoints: 30), .collapsed, .expanded],
                hasAccordions
                    ? [.collapsed] : [.named("small", heightPoints: 30), .expanded],
            ])
            kind.initial = kind.states[random.below(kind.states.count)].expansion
            kind.trailing = Self.actions
            if random.once(in: 5) { kind.trailing = random.pick([nil, ActionGroup()]) }
            kind.heightPoints = Double(40 + random.below(3))
            // No number of its own: the seeds play what they played before.
            kind.editingStyle = kind.heightPoints == 41 ? .insert : .delete
            kind.show.group = kind.heightPoints == 42 ? nil : "f"
            definitions.kinds = [kind]
            if random.once(in: 2) {
                definitions.partial[kind.id] = named(of: &definitions.kinds[0])
            }
        }
        return definitions
    }

    private mutating func named(of kind: inout Kind) -> Kind.Named {
        var named = Kind.Named(random.pick([[], .height, .states, .initial, [.states, .initial]]))
        if named.own.contains(.height) { named.own.formUnion([.editingStyle, .show]) }
        if kind.trailing == nil {
            if random.once(in: 2) { named.own.insert(.trailing) }
        } else {
            kind.trailing?.look.width = .points(Double(60 + random.below(3)))
            named.trailing = random.pick([[], .width, .actions, [.width, .actions]])
        }
        return named
    }

    /// Actions with every effect, alone and together.
    private static let actions: ActionGroup = {
        let effects: [ID: [Effect]] = [
            "bump": [.remove], "rush": [.move(section: "s", .top)],
            "mark": [.set([.init("m", "1")])],
            "open": [.toggle], "big": [.expand(.height(80))],
            "page": [
                .set([.init("p", "1")]),
                .invoke(
                    deadlineSeconds: 9, then: [.set([.init("p", "2")])],
                    retries: Retries(attempts: 2, backoffSeconds: 3)),
            ],
            "print": [
                .invoke(
                    deadlineSeconds: 1.5, then: [],
                    retries: Retries(
                        attempts: 3, backoffSeconds: 0, otherwise: [.set([.init("p", "3")])]))
            ],
            "send": [.move(section: nil, .after("r1")), .invoke(deadlineSeconds: 5, then: [])],
            "out": [.invoke(deadlineSeconds: 5, then: []), .remove],
            "fill": [
                .fill([.init("by", "{actor} {now}"), .init("f", "{row}{item}: {title} {f}")])
            ],
            "tidy": [.unset(["m", "n"]), .kind(.plainKind)],
            "union": [.group([.increment([.init("n", by: 1)]), .set([.init("m", "2")])])],
            "up": [.moveBack, .fill([.init("was", "{from}")])],
            "count": [.increment([.init("f", by: 2), .init("n", by: -1)])],
            "later": [
                .invoke(
                    deadlineSeconds: 7,
                    then: [
                        .fill([.init("was", "{f} at {now}")]), .increment([.init("n", by: 3)]),
                    ],
                    retries: Retries(attempts: 2, otherwise: [.fill([.init("was", "{f}")])]))
            ],
        ]
        var actions = effects.keys.sorted().map { id in
            var action = Action(id)
            action.effects = effects[id] ?? []
            action.repeats = id == "count"
            if id == "mark" { action.guarded = .init(when: "field.m == none") }
            return action
        }
        actions[0].hidesWhenSelected = false
        actions[1].asksToConfirm = true
        return ActionGroup(actions: actions)
    }()

    private mutating func handling() -> Command.Verb {
        if random.once(in: 3) {
            return .take(action: random.pick([nil, "page", "print"]), atMost: random.below(4))
        }
        guard !invocations.isEmpty else { return .release(.init(revision: 1, index: 0)) }
        let id = random.pick(invocations)
        switch random.below(5) {
        case 0: return .release(id)
        case 1: return .finish(id, .failed("no paper"))
        case 4: return .retry(row(), action: random.pick([nil, nil, "later"]), item: nil)
        default: return .finish(id, .done)
        }
    }

    private mutating func act() -> Command.Verb {
        let ids = Self.actions.actions.map(\.id) + ["nothing"]
        return .act(
            .init(
                random.pick(ids), on: row(), edge: random.pick([nil, nil, .trailing, .leading]),
                isFull: random.once(in: 16), isConfirmed: random.once(in: 2)))
    }

    /// Claims, sleep, pauses, and workers that ask for the next row.
    private mutating func queueing() -> Command.Verb {
        let scopes: [Pause.Scope] = [
            .init(section: random.pick(sections)), .init(action: random.pick(["page", "mark"])),
            .init(section: "s", action: "page"), .init(),
        ]
        switch random.below(10) {
        case 0, 1:
            return .claim(rowList(), note: "n", ttlSeconds: random.pick([nil, 60]))
        case 2: return .unclaim(random.once(in: 3) ? .none : rowList(), holder: nil)
        case 3: return .snooze(rowList(), nil)
        case 4:
            return .snooze(
                rowList(),
                .init(
                    random.pick([.after(UInt64(random.below(90))), .at(UInt64(random.below(500)))]),
                    isToTop: random.once(in: 2)))
        case 5: return .pause(random.pick(scopes), note: random.pick(["", "no gas"]))
        case 6: return .pause(random.once(in: 2) ? .init() : random.pick(scopes), note: nil)
        default:
            let section = random.once(in: 3) ? random.pick(sections) : nil
            let most = random.below(4)
            if random.once(in: 2) {
                return .next(
                    .init(
                        action: random.pick(["page", "print", "mark"]), section: section,
                        atMost: most))
            }
            let condition = random.once(in: 2) ? RowCondition("field.m != none") : nil
            return .next(.init(section: section, where: condition, atMost: most))
        }
    }

    mutating func verb() -> Command.Verb {
        switch random.below(queues ? 33 : 28) {
        case 28...32: return queueing()
        case 27:
            return .mark(random.once(in: 4) ? nil : row(), item: random.once(in: 8) ? "i" : nil)
        case 20...23: return act()
        case 24...25: return handling()
        case 26: return .edit(random.once(in: 4))
        case 0...4:
            var add = Command.Add(id: newRow(), content(), section: section(), at: anchor())
            if random.once(in: 6) { add.expansion = state() }
            add.hint = hint()
            return .add(add)
        case 5...6:
            let unset: [ID] = random.once(in: 3) ? ["f"] : []
            let kind = random.once(in: 3) ? kind() : nil
            let title = random.once(in: 2) ? "new \(random.below(3))" : nil
            let states = random.once(in: 6) ? ownStates() : nil
            return .set(row(), .init(title: title, kind: kind, unset: unset, states: states))
        case 7...8: return .remove(random.once(in: 2) ? .one(row()) : rowList(), hint: hint())
        case 9...12:
            return .move(
                rowList(), section: section(), anchor(), random.once(in: 2) ? .rebase : .strict)
        case 13: return .swap(row(), row())
        case 14...15: return .swipe(row(), random.pick([.leading, .trailing, nil]))
        case 16...17: return .expand(row(), state())
        case 18: return .define(definitions())
        default:
            let id = random.pick(sections)
            if random.once(in: 2) { return .removeSection(id) }
            return .section(id, title: random.once(in: 2) ? "S\(random.below(3))" : nil)
        }
    }

    mutating func batch() -> [Command] {
        (0..<(1 + random.below(5))).map { _ in
            var verb = verb()
            // It stands alone.
            while verb.name == .next { verb = self.verb() }
            return Command(verb)
        }
    }
}

extension Kind {
    /// The plain kind with an action at each edge, so that its rows can be swiped open.
    static let swipeable: Kind = {
        var kind = Kind(.plainKind)
        kind.leading = ActionGroup(actions: [Action("x")])
        kind.trailing = ActionGroup(actions: [Action("y")])
        return kind
    }()
}

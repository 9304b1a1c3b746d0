import TableDecisions
import TableModel

// The rows of the table test: commands, and how they are refused.

extension RejectionTests {
    static let cases: [Case] =
        sizes + shapes + states + definitions + faces + effects + performing + strips + claims
        + ownStates + templates + itemKinds
        + passing

    private static func long(_ count: Int) -> String { String(repeating: "x", count: count) }

    private static func fields(_ count: Int) -> [Row.Field] {
        (0..<count).map { .init(ID("f\($0)"), "") }
    }

    private static let sizes: [Case] = [
        .init(.tooLarge, "id", .add(.init(id: ID(long(129)), .init()))),
        .init(.tooLarge, "title", .add(.init(id: "n", .init(title: long(4_097))))),
        .init(.tooLarge, "title", .set("a", .init(title: long(4_097)))),
        .init(
            .tooLarge, "fields", .add(.init(id: "n", .init(fields: [.init("f", long(16_384))])))),
        .init(.tooLarge, "fields", .set("a", .init(fields: [.init("f", long(16_384))]))),
        .init(.tooLarge, "fields", .add(.init(id: "n", .init(fields: fields(4))))),
        .init(.tooLarge, "fields", .set("a", .init(fields: fields(4)))),
        .init(.tooLarge, "unset", .set("a", .init(unset: ["1", "2", "3", "4"]))),
        .init(.tooLarge, "rows", .remove(["1", "2", "3", "4", "5", "6"])),
        .init(
            .tooLarge, "rows", .move(["1", "2", "3", "4", "5", "6"], section: nil, .top, .strict)),
        .init(.tooLarge, "title", .section("main", title: long(4_097))),
        .init(.tooLarge, "section", .add(.init(id: "n", .init(), section: ID(long(129))))),
        .init(.tooLarge, "kinds", .define(.init(kinds: [Kind("x"), Kind("y")]))),
        .init(.tooLarge, "kinds", .define(.init(dropped: ["1", "2", "3", "4", "5", "6"]))),
    ]

    private static let shapes: [Case] = [
        .init(.exists, "id", .add(.init(id: "a", .init()))),
        .init(.badID, "id", .add(.init(id: "", .init()))),
        .init(.badID, "id", .add(.init(id: "a\0", .init()))),
        .init(.badID, "id", .add(.init(id: "a\u{1F}", .init()))),
        .init(.badID, "id", .add(.init(id: "a\u{7F}", .init()))),
        .init(.badID, "id", .add(.init(id: "a\u{9B}2J", .init()))),
        .init(.badID, "fields", .add(.init(id: "n", .init(fields: [.init("", "x")])))),
        .init(.badID, "fields", .set("a", .init(fields: [.init("\n", "x")]))),
        .init(.badID, "unset", .set("a", .init(title: "B", unset: ["\n"]))),
        .init(.badID, "section", .add(.init(id: "n", .init(), section: "\t"))),
        .init(.badID, "section", .move(["a"], section: "", .top, .strict)),
        .init(.badID, "id", .section("", title: nil)),
        .init(.badValue, "title", .add(.init(id: "n", .init(title: "a\0b")))),
        .init(.badValue, "title", .set("a", .init(title: "\0"))),
        .init(.badValue, "fields", .set("a", .init(fields: [.init("f", "\0")]))),
        .init(.badValue, "title", .section("main", title: "\0")),
        .init(.badValue, "ifVersion", .remove(["a", "b"]), ifVersion: 1),
        .init(.badValue, "ifVersion", .swap("a", "b"), ifVersion: 1),
        .init(.badValue, "ifVersion", .section("s", title: nil), ifVersion: 1),
        .init(.badValue, "ifVersion", .claim(["a"], note: "", ttlSeconds: nil), ifVersion: 1),
        .init(.badValue, "ifVersion", .unclaim(["a"], holder: nil), ifVersion: 1),
        .init(.badValue, "ifVersion", .recall(["a"]), ifVersion: 1),
        .init(.duplicate, "rows", .remove(["a", "a"])),
        .init(.duplicate, "rows", .move(["a", "b", "a"], section: nil, .top, .strict)),
        .init(.duplicate, "kinds", .define(.init(kinds: [Kind("x"), Kind("x")]))),
        .init(.badAnchor, "after", .move(["a", "b"], section: nil, .after("b"), .rebase)),
        .init(.badAnchor, "section", .move(["a"], section: "main", .after("c"), .strict)),
        .init(.badAnchor, "section", .add(.init(id: "n", .init(), section: "x", at: .after("c")))),
        .init(.badNumber, "to", .expand("a", .height(.nan))),
        .init(.badNumber, "to", .expand("a", .height(.infinity))),
        .init(.badNumber, "to", .expand("a", .height(0))),
        .init(.badNumber, "to", .expand("a", .height(-0.0))),
        .init(.badNumber, "to", .expand("a", .height(-1))),
        .init(.badNumber, "to", .expand("a", .height(1_000_000.1))),
    ]

    private static let states: [Case] = [
        .init(.stale, "ifRevision", .remove(["a"]), ifRevision: 5),
        .init(.stale, "ifRevision", .section("main", title: nil), ifRevision: .max),
        .init(.stale, "ifVersion", .set("a", .init(title: "B")), ifVersion: 1),
        .init(.stale, "ifVersion", .move(["a"], section: nil, .top, .strict), ifVersion: 0),
        .init(.stale, "ifVersion", .swipe("a", .leading), ifVersion: 3),
        .init(.stale, "ifVersion", .expand("a", nil), ifVersion: 3),
        .init(.noSuchSection, "id", .removeSection("nowhere")),
        .init(.noSuchKind, "kind", .add(.init(id: "n", .init(kind: "nope")))),
        .init(.noSuchKind, "kind", .set("a", .init(kind: "nope"))),
        .init(.noSuchKind, "drop", .define(.init(dropped: ["nope"]))),
        .init(.noSuchRow, "row", .set("nobody", .init())),
        .init(.noSuchRow, "ifVersion", .set("nobody", .init()), ifVersion: 1),
        .init(.noSuchRow, "rows", .remove(["a", "nobody"])),
        .init(.noSuchRow, "rows", .move(["nobody"], section: nil, .top, .strict)),
        .init(.noSuchRow, "after", .move(["a"], section: nil, .after("nobody"), .rebase)),
        .init(.noSuchRow, "before", .add(.init(id: "n", .init(), at: .before("nobody")))),
        .init(.noSuchRow, "a", .swap("nobody", "a")),
        .init(.noSuchRow, "b", .swap("a", "nobody")),
        .init(.noSuchRow, "row", .swipe("nobody", nil)),
        .init(.noSuchAction, "edge", .swipe("a", .leading)),
        .init(.noSuchRow, "row", .expand("nobody", nil)),
        .init(.noSuchRow, "rows", .remove(["A"])),
        .init(.noSuchState, "to", .expand("a", .named("big"))),
        .init(.noSuchState, "to", .expand("a", .named("80"))),
        .init(.notAllowed, "rows", .remove(["a", "k"])),
        .init(.notAllowed, "rows", .move(["k"], section: nil, .top, .strict)),
        .init(.notAllowed, "rows", .move(["p"], section: nil, .top, .strict)),
        .init(.notAllowed, "b", .swap("a", "p")),
        .init(.kindInUse, "drop", .define(.init(dropped: ["kept"]))),
        .init(.kindInUse, "drop", .define(.init(dropped: [.plainKind]))),
        .init(.sectionNotEmpty, "id", .removeSection("other")),
    ]

    private static func claim(
        _ ids: [RowID], _ note: String = "", _ ttlSeconds: Double? = nil
    ) -> Command.Verb { .claim(Few(ids), note: note, ttlSeconds: ttlSeconds) }

    private static func own(_ states: [Kind.State], in state: Expansion? = nil) -> Command.Verb {
        .add(.init(id: "n", .init(states: states), startingIn: state))
    }

    private static let ownStates: [Case] = [
        .init(.duplicate, "states", own([.collapsed, .collapsed])),
        .init(.badNumber, "states", own([.named("b", heightPoints: .nan)])),
        .init(.badID, "states", own([.named("\n", heightPoints: 1)])),
        .init(.badValue, "states", own([.named("toggle", heightPoints: 1)])),
        .init(
            .tooLarge, "states", own((0..<65).map { .named(ID("s\($0)"), heightPoints: 1) })),
        .init(.noSuchState, "expand", own([.collapsed], in: .expanded)),
        .init(.noSuchState, "expand", own([], in: .named("b"))),
        .init(.badNumber, "expand", own([], in: .height(-.infinity))),
        .init(.duplicate, "states", .set("a", .init(states: [.expanded, .expanded]))),
        .init(.badNumber, "states", .set("a", .init(states: [.named("b", heightPoints: 0)]))),
    ]

    private static func tap(_ effect: Effect) -> Command.Verb { kind { $0.tap = [effect] } }

    private static let templates: [Case] = [
        .init(.badValue, "kinds.n.tap.fill.f", tap(.fill([.init("f", "{")]))),
        .init(.badValue, "kinds.n.tap.fill.f", tap(.fill([.init("f", "}")]))),
        .init(.badValue, "kinds.n.tap.fill.f", tap(.fill([.init("f", "{}")]))),
        .init(.badValue, "kinds.n.tap.fill.f", tap(.fill([.init("f", "{now")]))),
        .init(.badValue, "kinds.n.tap.fill.f", tap(.fill([.init("f", "{a{b}")]))),
        .init(.badValue, "kinds.n.tap.fill.f", tap(.fill([.init("f", "{{now}")]))),
        .init(.badID, "kinds.n.tap", tap(.fill([.init("", "x")]))),
        .init(
            .tooLarge, "kinds.n.tap.fill",
            tap(.fill([.init("f", String(repeating: "{a}", count: 65))]))),
        .init(.badID, "kinds.n.tap", tap(.increment([.init("\n", by: 1)]))),
        .init(
            .badNumber, "kinds.n.tap.increment.f",
            tap(.increment([.init("f", by: 1_000_000_000_000_001)]))),
        .init(.badNumber, "kinds.n.tap.increment.f", tap(.increment([.init("f", by: .min)]))),
    ]

    private static let claims: [Case] = [
        .init(.claimed, "rows", claim(["a", "b"]), client: "bob"),
        .init(.claimed, "rows", .unclaim(["b"], holder: nil), client: "bob"),
        .init(.claimed, "rows", .unclaim(["b"], holder: "eve"), client: "ada"),
        .init(.malformed, "client", claim(["a"])),
        .init(.malformed, "client", .unclaim([], holder: nil)),
        .init(.duplicate, "rows", claim(["a", "a"]), client: "ada"),
        .init(.duplicate, "rows", .unclaim(["b", "b"], holder: nil), client: "ada"),
        .init(.noSuchRow, "rows", claim(["nobody"]), client: "ada"),
        .init(.noSuchRow, "rows", .unclaim(["nobody"], holder: nil), client: "ada"),
        .init(.badNumber, "ttl", claim(["a"], "", 0.9), client: "ada"),
        .init(.badNumber, "ttl", claim(["a"], "", 86_400.1), client: "ada"),
        .init(.badNumber, "ttl", claim(["a"], "", .nan), client: "ada"),
        .init(.badNumber, "ttl", claim(["a"], "", -.infinity), client: "ada"),
        .init(.badValue, "note", claim(["a"], "\0"), client: "ada"),
        .init(.tooLarge, "note", claim(["a"], long(1_025)), client: "ada"),
        .init(.tooLarge, "rows", claim(["1", "2", "3", "4", "5", "6"]), client: "ada"),
        .init(
            .notClaimed, "ifClaimed", .set("b", .init(title: "x")), client: "bob", ifClaimed: true),
        .init(.notClaimed, "ifClaimed", .set("b", .init(title: "x")), ifClaimed: true),
        .init(.notClaimed, "ifClaimed", .remove(["b", "a"]), client: "ada", ifClaimed: true),
        .init(.noSuchRow, "ifClaimed", .remove(["nobody"]), client: "ada", ifClaimed: true),
        .init(.badValue, "ifClaimed", .edit(true), client: "ada", ifClaimed: true),
        .init(.stale, "if", .remove(["a", "b"]), if: "id == \"a\""),
        .init(.stale, "if", .edit(true), if: "count(rows) > 1000"),
        .init(.noSuchRow, "if", .remove(["nobody"]), if: "true"),
        .init(.badValue, "if", .unclaim([], holder: "ada"), if: "claimed"),
        .init(
            .tooLarge, "if", .edit(true),
            if: "any(rows where "
                + String(repeating: "any(rows where ", count: 12) + "true"
                + String(repeating: ")", count: 12) + ")"),
        .init(.badValue, nil, .undo(revision: nil, mine: false)),
        .init(.badValue, nil, .redo(mine: true)),
        .init(.badValue, nil, .recall(["x"])),
    ]

    /// The order of main is a b k w s p: a row added at the bottom lands above a pinned one there.
    private static let passing: [Case] = [
        .init(.pinned, "after", .move(["a"], section: nil, .after("p"), .rebase)),
        .init(.pinned, "after", .move(["c"], section: nil, .after("p"), .rebase)),
        .init(.pinned, "after", .add(.init(id: "n", .init(), at: .after("p")))),
    ]

    // MARK: Definitions

    private static func kind(_ change: (inout Kind) -> Void) -> Command.Verb {
        var kind = Kind("n")
        change(&kind)
        return .define(.init(kinds: [kind]))
    }

    private static func action(_ change: (inout Action) -> Void) -> Command.Verb {
        kind {
            var action = Action("go")
            change(&action)
            $0.trailing = ActionGroup(actions: [action])
        }
    }

    private static func insets(_ top: Double) -> Look.Insets {
        .init(top: top, left: 0, bottom: 0, right: 0)
    }

    private static func face(_ content: FaceContent, _ change: (inout Face) -> Void = { _ in })
        -> Face
    {
        var face = Face(content)
        change(&face)
        return face
    }

    private static func nested(_ levels: Int) -> Face {
        (1..<levels).reduce(Face(.text("x"))) { face, _ in Face(.vertical([face])) }
    }

    private static let definitions: [Case] = [
        .init(.badID, "kinds..id", .define(.init(kinds: [Kind("")]))),
        .init(.badNumber, "kinds.n.height", kind { $0.heightPoints = 0 }),
        .init(.badNumber, "kinds.n.height", kind { $0.heightPoints = .nan }),
        .init(.badNumber, "kinds.n.margins", kind { $0.margins.text = -1 }),
        .init(.badNumber, "kinds.n.margins", kind { $0.margins.bottom = .infinity }),
        .init(.badValue, "kinds.n.states", kind { $0.states = [] }),
        .init(.duplicate, "kinds.n.states", kind { $0.states = [.expanded, .expanded] }),
        .init(.badValue, "kinds.n.states", kind { $0.states = [.named("80", heightPoints: 1)] }),
        .init(.badValue, "kinds.n.states", kind { $0.states = [.named("nan", heightPoints: 1)] }),
        .init(
            .badValue, "kinds.n.states", kind { $0.states = [.named("toggle", heightPoints: 1)] }),
        .init(
            .badValue, "kinds.n.states", kind { $0.states = [.named("expanded", heightPoints: 1)] }),
        .init(.badID, "kinds.n.states", kind { $0.states = [.named("", heightPoints: 1)] }),
        .init(.badNumber, "kinds.n.states", kind { $0.states = [.named("b", heightPoints: 0)] }),
        .init(.noSuchState, "kinds.n.initial", kind { $0.initial = .named("b") }),
        .init(
            .noSuchState, "kinds.n.appearance.b",
            kind { $0.appearances[.named("b")] = .init(tint: "red") }),
        .init(
            .noSuchState, "kinds.n.appearance.80",
            kind { $0.appearances[.height(80)] = .init(tint: "red") }),
        .init(
            .badValue, "kinds.n.appearance.expanded.background",
            kind { $0.appearances[.expanded] = .init(background: "nocolour") }),
        .init(
            .badValue, "kinds.n.appearance.expanded.tint",
            kind { $0.appearances[.expanded] = .init(tint: "#12") }),
        .init(
            .badNumber, "kinds.n.appearance.expanded.alpha",
            kind { $0.appearances[.expanded] = .init(alpha: 1.01) }),
        .init(
            .badNumber, "kinds.n.appearance.expanded.alpha",
            kind { $0.appearances[.expanded] = .init(alpha: -0.5) }),
        .init(
            .badNumber, "kinds.n.appearance.expanded.alpha",
            kind { $0.appearances[.expanded] = .init(alpha: .nan) }),
        .init(.badNumber, "kinds.n.initial", kind { $0.initial = .height(.nan) }),
        .init(
            .tooLarge, "kinds.n.leading",
            kind { $0.leading = ActionGroup(actions: [Action("1"), Action("2"), Action("3")]) }),
        .init(
            .duplicate, "kinds.n.leading",
            kind { $0.leading = ActionGroup(actions: [Action("1"), Action("1")]) }),
        .init(.badID, "kinds.n.trailing.", kind { $0.trailing = .init(actions: [Action("")]) }),
        .init(.badValue, "kinds.n.trailing.go.title", action { $0.title = "\0" }),
        .init(.badNumber, "kinds.n.trailing.go.spacing", action { $0.look.spacingPoints = .nan }),
        .init(
            .badNumber, "kinds.n.trailing.go.width", action { $0.look.width = .points(-.infinity) }),
        .init(.badNumber, "kinds.n.trailing.go.insets", action { $0.look.insets = insets(.nan) }),
        .init(.tooLarge, "kinds.n.trailing.go.face", action { $0.face = nested(4) }),
        .init(
            .badNumber, "kinds.n.trailing.go.face.spacer", action { $0.face = face(.spacer(.nan)) }),
        .init(
            .badNumber, "kinds.n.trailing.go.face.vertical[0].size",
            action { $0.face = face(.vertical([face(.text("x")) { $0.sizePoints = .infinity }])) }),
        .init(
            .badNumber, "kinds.n.trailing.go.face.insets",
            action { $0.face = face(.icon("x")) { $0.insets = insets(2e6) } }),
        .init(.badNumber, "kinds.n.tap", kind { $0.tap = [.expand(.height(0))] }),
        .init(.noSuchState, "kinds.n.tap", kind { $0.tap = [.expand(.named("b"))] }),
        .init(
            .badNumber, "kinds.n.tap.invoke.deadline",
            kind { $0.tap = [.invoke(deadlineSeconds: 86_401, then: [])] }),
        .init(.badID, "kinds.n.tap", kind { $0.tap = [.move(section: "", .top)] }),
        // Nothing fills it in: the row would go to a section of that name.
        .init(
            .badValue, "kinds.n.tap.move.section",
            kind { $0.tap = [.move(section: "{from}", .top)] }),
        .init(
            .badNumber, "kinds.n.tap.increment.a",
            kind { $0.tap = [.increment([.init("a", by: -1_000_000_000_000_000)])] }),
        .init(
            .badValue, "kinds.n.ages.warn",
            kind { $0.ages = .init(warnSeconds: 601, lateSeconds: 600) }),
        .init(.badID, "kinds.n.tap", kind { $0.tap = [.move(section: nil, .after("\n"))] }),
        .init(.badID, "kinds.n.tap", kind { $0.tap = [.set([.init("", "x")])] }),
        .init(.badValue, "kinds.n.tap", kind { $0.tap = [.set([.init("f", "\0")])] }),
        .init(
            .badNumber, "kinds.n.trailing.go.effect.invoke.deadline",
            action { $0.effects = [.invoke(deadlineSeconds: 0, then: [])] }),
    ]
}

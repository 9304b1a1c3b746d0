import TableDecisions
import TableModel

// Refusals about swipe actions: when they are defined, and when they are performed.

extension RejectionTests {
    private static func action(_ change: (inout Action) -> Void) -> Command.Verb {
        var action = Action("go")
        change(&action)
        var kind = Kind("n")
        kind.trailing = ActionGroup(actions: [action])
        return .define(.init(kinds: [kind]))
    }

    private static func face(_ content: FaceContent, _ change: (inout Face) -> Void = { _ in })
        -> Command.Verb
    {
        var face = Face(content)
        change(&face)
        return action { $0.face = face }
    }

    private static func pullView(_ change: (inout ActionGroup) -> Void) -> Command.Verb {
        var kind = Kind("n")
        var group = ActionGroup(actions: [Action("go")])
        change(&group)
        kind.trailing = group
        return .define(.init(kinds: [kind]))
    }

    private static func image(_ data: FaceImage.Data, grid: Double = 24) -> Command.Verb {
        face(.image(FaceImage(data, grid: .init(width: 24, height: grid))))
    }

    private static let at = "kinds.n.trailing.go"

    static let faces: [Case] = [
        .init(.badValue, "\(at).icon", action { $0.icon = "" }),
        .init(.badValue, "\(at).icon", action { $0.icon = "a b" }),
        .init(.badValue, "\(at).icon", action { $0.icon = "<svg>" }),
        .init(.badValue, "\(at).icon", action { $0.icon = "frying-pan" }),
        .init(.badValue, "\(at).icon", action { $0.icon = "fill" }),
        .init(.badValue, "\(at).icon", action { $0.icon = "cloc\u{212A}" }),
        .init(.badValue, "\(at).background", action { $0.background = "#12" }),
        .init(.badValue, "\(at).background", action { $0.background = "#ggg" }),
        .init(.badValue, "\(at).background", action { $0.background = "reddish" }),
        .init(.badValue, "\(at).foreground", action { $0.foreground = "" }),
        .init(
            .badNumber, "\(at).insets",
            action { $0.look.insets = .init(top: -1, left: 0, bottom: 0, right: 0) }),
        .init(.badNumber, "\(at).face.size", face(.text("x")) { $0.sizePoints = 0 }),
        .init(.badNumber, "\(at).face.size", face(.text("x")) { $0.sizePoints = -3 }),
        .init(.badNumber, "\(at).face.size", face(.text("x")) { $0.sizePoints = .nan }),
        .init(.badValue, "\(at).face.vertical", face(.vertical([]))),
        .init(
            .badValue, "\(at).face.vertical[0].horizontal",
            face(.vertical([Face(.horizontal([]))]))),
        .init(.badNumber, "\(at).face.spacing", face(.vertical([])) { $0.spacingPoints = -1 }),
        .init(.badValue, "\(at).face.color", face(.text("x")) { $0.color = "#12345" }),
        .init(.badValue, "\(at).face.weight", face(.text("x")) { $0.weight = "fat" }),
        .init(.badValue, "\(at).face.align", face(.vertical([])) { $0.align = "askew" }),
        .init(.badValue, "\(at).face.icon", face(.icon("no icon"))),
        .init(.badValue, "\(at).face.text", face(.text("a\0"))),
        .init(.badValue, "\(at).face.text", face(.text("{title"))),
        .init(.badValue, "\(at).face.text", face(.text("title}"))),
        .init(.badValue, "\(at).face.text", face(.text("{}"))),
        .init(.badValue, "\(at).face.text", face(.text("{a{b}}"))),
        .init(.badValue, "\(at).face.face", face(.shared("nobody"))),
        .init(.badValue, "\(at).face.family[1]", face(.text("x")) { $0.families = ["A", "a'b"] }),
        .init(.badValue, "\(at).face.family[0]", face(.text("x")) { $0.families = [""] }),
        .init(
            .tooLarge, "\(at).face.family",
            face(.text("x")) { $0.families = Array(repeating: "A", count: 9) }),
        .init(
            .badValue, "faces.a",
            settings { $0.faces = ["a": Face(.shared("b")), "b": Face(.text("x"))] }),
        .init(.badValue, "faces.a.text", settings { $0.faces = ["a": Face(.text("{"))] }),
        .init(.badID, "faces.", settings { $0.faces = ["": Face(.text("x"))] }),
        .init(
            .tooLarge, "faces",
            settings { settings in
                for index in 0..<257 { settings.faces[ID("f\(index)")] = Face(.spacer(1)) }
            }),
        .init(
            .tooLarge, "faces",
            settings { settings in
                let text = Face(.text(String(repeating: "x", count: 4_000)))
                for index in 0..<70 { settings.faces[ID("f\(index)")] = text }
            }),
        .init(.badValue, "kinds.n.trailing.background", pullView { $0.background = "#12" }),
        .init(.badNumber, "kinds.n.trailing.gap", pullView { $0.gapPoints = -1 }),
        .init(.badNumber, "kinds.n.trailing.gap", pullView { $0.gapPoints = .nan }),
        .init(.badNumber, "\(at).face.spacer", face(.spacer(-1))),
        .init(
            .badValue, "\(at).face.horizontal[1].icon",
            face(.horizontal([Face(.icon("star")), Face(.icon(""))]))),
        .init(.badValue, "\(at).face.vertical[0].icon", face(.vertical([Face(.icon("wok"))]))),
        .init(.badValue, "\(at).face.image.path", image(.path(""))),
        .init(.badValue, "\(at).face.image.path", image(.path("L1 1"))),
        .init(.badValue, "\(at).face.image.path", image(.path("M1 1\"/><script>"))),
        .init(.badValue, "\(at).face.image.path", image(.path("M1 1L2"))),
        .init(.badNumber, "\(at).face.image.grid", image(.path("M1 1"), grid: 0)),
        .init(.badNumber, "\(at).face.image.grid", image(.path("M1 1"), grid: .nan)),
        .init(.badNumber, "\(at).face.image.grid", image(.path("M1 1"), grid: 10_001)),
        .init(
            .tooLarge, "\(at).face.image",
            image(.path("M1 1" + String(repeating: " ", count: 16 << 10)))),
        .init(.badValue, "\(at).face.image.png", image(.png([]))),
        .init(.badValue, "\(at).face.image.png", image(.png(Array("GIF89a".utf8)))),
        .init(.badValue, "\(at).face.image.png", image(.png(Array(FaceImageTests.png.dropLast())))),
        .init(.tooLarge, "\(at).face.image", image(.png(Array(repeating: 0, count: 16_385)))),
        .init(.tooLarge, "\(at).face.image.png", image(.png(FaceImageTests.widePNG))),
        .init(
            .tooLarge, "\(at).face",
            face(.vertical((0..<5).map { _ in Face(.text(String(repeating: "x", count: 4_000))) }))),
        .init(.badNumber, "table.width", settings { $0.look.width = .points(.nan) }),
        .init(
            .badNumber, "table.insets",
            settings { $0.look.insets = .init(top: 0, left: -1, bottom: 0, right: 0) }),
    ]

    private static func settings(_ change: (inout Settings) -> Void) -> Command.Verb {
        var settings = Settings()
        change(&settings)
        return .define(.init(settings: settings))
    }

    private static func again(_ retries: Retries) -> Command.Verb {
        action { $0.effects = [.invoke(deadlineSeconds: 1, then: [], retries: retries)] }
    }

    static let effects: [Case] = [
        .init(.badValue, "\(at).effect[0]", action { $0.effects = [.remove, .toggle] }),
        .init(.badValue, "\(at).effect[0]", action { $0.effects = [.group([.remove]), .toggle] }),
        .init(.badValue, "\(at).effect.group", action { $0.effects = [.group([.removeItem])] }),
        .init(.badID, "\(at).effect.unset", action { $0.effects = [.unset([""])] }),
        .init(.badID, "\(at).effect.kind", action { $0.effects = [.kind("")] }),
        .init(.noSuchKind, "\(at).effect.kind", action { $0.effects = [.kind("nope")] }),
        .init(
            .noSuchKind, "\(at).effect.group.kind",
            action { $0.effects = [.group([.kind("nope")])] }),
        .init(.badValue, "\(at).when", action { $0.guarded = .init(when: "now > '25:00'") }),
        .init(
            .badValue, "\(at).when",
            action { $0.guarded = .init(when: "not ('noon' < wakes and late)") }),
        .init(.badValue, "\(at).when", action { $0.guarded = .init(when: "age >") }),
        .init(.badValue, "\(at).when", action { $0.guarded = .init(when: "count(rows) > 1") }),
        .init(
            .badValue, "\(at).unless", action { $0.guarded = .init(when: "late", unless: "a\0") }),
        .init(
            .duplicate, "\(at).effect",
            action {
                $0.effects = [
                    .invoke(deadlineSeconds: 1, then: []), .invoke(deadlineSeconds: 2, then: []),
                ]
            }),
        .init(
            .badValue, "\(at).effect.invoke.then",
            action {
                $0.effects = [
                    .invoke(deadlineSeconds: 1, then: [.invoke(deadlineSeconds: 1, then: [])])
                ]
            }),
        .init(
            .badID, "\(at).effect.invoke.then",
            action { $0.effects = [.invoke(deadlineSeconds: 1, then: [.set([.init("", "")])])] }),
        .init(
            .badNumber, "\(at).effect.invoke.deadline",
            action { $0.effects = [.invoke(deadlineSeconds: .nan, then: [])] }),
        .init(
            .badNumber, "\(at).effect.invoke.attempts",
            again(Retries(attempts: Retries.mostAttempts + 1))),
        .init(
            .badNumber, "\(at).effect.invoke.backoff",
            again(Retries(attempts: 2, backoffSeconds: -1))),
        .init(.badValue, "\(at).effect.invoke.backoff", again(Retries(backoffSeconds: 2))),
        .init(
            .badValue, "\(at).effect.invoke.else",
            again(Retries(otherwise: [.invoke(deadlineSeconds: 1, then: [])]))),
        .init(
            .tooLarge, "\(at).effect", action { $0.effects = [.toggle, .toggle, .toggle] }),
        .init(
            .noSuchState, "\(at).effect", action { $0.effects = [.expand(.named("nowhere"))] }),
        .init(
            .tooLarge, "actions.leading",
            .set(
                "a",
                .init(
                    actions: RowActions(
                        leading: .init(actions: [Action("1"), Action("2"), Action("3")]))))),
        .init(
            .badID, "actions.trailing.",
            .add(
                .init(
                    id: "n",
                    .init(actions: RowActions(trailing: .init(actions: [Action("")])))))),
    ]

    static let performing: [Case] = [
        .init(.noSuchRow, "row", .act(.init("done", on: "nobody"))),
        .init(.noSuchAction, "action", .act(.init("done", on: "a"))),
        .init(.noSuchAction, "action", .act(.init("fly", on: "w"))),
        .init(.wrongEdge, "edge", .act(.init("done", on: "w", edge: .leading))),
        .init(.wrongEdge, "edge", .act(.init("nope", on: "w", edge: .trailing))),
        .init(.noFullSwipe, "full", .act(.init("done", on: "w", isFull: true))),
        .init(.guarded, "action", .act(.init("shut", on: "w"))),
        .init(.needsConfirmation, "confirmed", .act(.init("nope", on: "w"))),
        .init(.stale, "ifVersion", .act(.init("done", on: "w")), ifVersion: 4),
        .init(.stale, "ifVersion", .act(.init("done", on: "w")), ifVersion: .max),
        .init(.alreadyDone, "action", .act(.init("page", on: "w"))),
        .init(.alreadyDone, "action", .act(.init("page", on: "w")), ifVersion: 9),
        .init(.alreadyDone, "action", .act(.init("page", on: "w")), ifVersion: 1),
        .init(.malformed, "client", .take(action: nil, atMost: 1)),
        .init(.badNumber, "most", .take(action: nil, atMost: 0), client: "h"),
        .init(.badNumber, "most", .take(action: nil, atMost: 65), client: "h"),
        .init(.badID, "action", .take(action: "\n", atMost: 1), client: "h"),
        .init(.noSuchInvocation, "invocation", .finish(.init(revision: 1, index: 0), .done)),
        .init(.noSuchInvocation, "invocation", .release(.init(revision: 9, index: 1))),
        .init(.notHeld, "invocation", .finish(.init(revision: 9, index: 0), .done)),
        .init(.notFailed, "row", .retry("w", action: nil, item: nil)),
        .init(.notFailed, "action", .retry("w", action: "page", item: nil)),
        .init(.noSuchRow, "row", .retry("nobody", action: nil, item: nil)),
        .init(.notHeld, "invocation", .release(.init(revision: 9, index: 0)), client: "h"),
        .init(.notHeld, "invocation", .finish(.init(revision: 9, index: 0), .done), client: "h"),
    ]

    static let strips: [Case] = [
        .init(.notStrip, "row", .item("a", .remove(["x"]))),
        .init(.noSuchRow, "row", .item("nobody", .remove(["x"]))),
        .init(.noSuchItem, "remove.items", .item("s", .remove(["x"]))),
        .init(.noSuchItem, "set.item", .item("s", .set("x", .init(title: "t")))),
        .init(.noSuchItem, "move.items", .item("s", .move(["x"], .top))),
        .init(.noSuchItem, "move.anchor.after", .item("s", .move(["i"], .after("x")))),
        .init(.noSuchItem, "add.anchor.before", .item("s", .add(Item("k"), .before("x")))),
        .init(.badAnchor, "move.anchor.after", .item("s", .move(["i"], .after("i")))),
        .init(.duplicate, "move.items", .item("s", .move(["i", "i"], .top))),
        .init(.duplicate, "remove.items", .item("s", .remove(["i", "i"]))),
        .init(.exists, "add.item.id", .item("s", .add(Item("i"), .bottom))),
        .init(.badID, "add.item", .item("s", .add(Item(""), .bottom))),
        .init(
            .badID, "add.item.fields", .item("s", .add(Item("k", fields: [.init("", "")]), .top))),
        .init(
            .tooLarge, "add.item.title",
            .item("s", .add(Item("k", title: String(repeating: "x", count: 4_097)), .top))),
        .init(
            .tooLarge, "set.fields",
            .item("s", .set("i", .init(fields: (0..<4).map { .init(ID("\($0)"), "") })))),
        .init(
            .tooLarge, "add.item",
            .item(
                "s",
                .add(Item("k", fields: [.init("f", String(repeating: "x", count: 5_000))]), .top))),
        .init(
            .badNumber, "add.item.tap",
            .item("s", .add(Item("k", tap: [.expand(.height(0))]), .top))),
        .init(
            .tooLarge, "items",
            .add(.init(id: "n", .init(kind: "strip", items: (0..<4).map { Item(ID("\($0)")) })))),
        .init(
            .duplicate, "items",
            .add(.init(id: "n", .init(kind: "strip", items: [Item("1"), Item("1")])))),
        .init(.notStrip, "items", .add(.init(id: "n", .init(items: [Item("1")])))),
        .init(.notStrip, "kind", .set("s", .init(kind: "row"))),
        .init(.kindInUse, "kinds.strip.strip", .define(.init(kinds: [Kind("strip")]))),
        .init(.stripBlank, "item", .select("s", item: nil)),
        .init(.noSuchItem, "item", .select("s", item: "x")),
        .init(.notStrip, "item", .select("a", item: "i")),
        .init(.noSuchRow, "row", .select("nobody", item: nil)),
        .init(.notStrip, "row", .scroll("a", Scroll("i"))),
        .init(.noSuchItem, "item", .scroll("s", Scroll("x"))),
        .init(.badNumber, "fraction", .scroll("s", Scroll("i", fraction: 1.01))),
        .init(.badNumber, "fraction", .scroll("s", Scroll("i", fraction: -0.01))),
        .init(.badNumber, "fraction", .scroll("s", Scroll("i", fraction: .nan))),
        .init(.stale, "ifVersion", .select("s", item: "i"), ifVersion: 1),
    ]

    static var strip: Kind {
        var kind = Kind("strip")
        kind.isStrip = true
        kind.itemKinds["dish"] = dishKind
        return kind
    }

    /// A strip without item kinds.
    static var plainStrip: Kind {
        var kind = Kind("plain strip")
        kind.isStrip = true
        return kind
    }

    static var shared: Settings {
        var settings = Settings()
        settings.scrollScope = .shared
        return settings
    }

    /// A kind with an action that is done, one that asks at the leading edge, and a pending one.
    static var worker: Kind {
        var kind = Kind("worker")
        var page = Action("page")
        page.effects = [.invoke(deadlineSeconds: 5, then: [])]
        var nope = Action("nope")
        nope.asksToConfirm = true
        var shut = Action("shut")
        shut.guarded = Action.Guard(when: "title == 'open'", unless: "It is shut.")
        kind.leading = ActionGroup(actions: [nope, shut])
        kind.trailing = ActionGroup(actions: [Action("done"), page])
        return kind
    }
}

import TableDecisions
import TableModel

// Refusals about item kinds: when they are defined, named, and when their actions are performed.

extension RejectionTests {
    private static func strip(_ change: (inout Kind) -> Void) -> Command.Verb {
        var kind = Kind("n")
        kind.isStrip = true
        change(&kind)
        return .define(.init(kinds: [kind]))
    }

    private static func dish(_ change: (inout ItemKind) -> Void) -> Command.Verb {
        strip { kind in
            var dish = ItemKind()
            change(&dish)
            kind.itemKinds["dish"] = dish
        }
    }

    private static func menu(_ change: (inout Action) -> Void) -> Command.Verb {
        dish {
            var action = Action("go")
            change(&action)
            $0.menu = [action]
        }
    }

    private static let at = "kinds.n.items.dish"

    static let itemKinds: [Case] = [
        .init(.badNumber, "kinds.n.spacing", strip { $0.spacingPoints = -1 }),
        .init(.badNumber, "kinds.n.spacing", strip { $0.spacingPoints = .nan }),
        .init(.badNumber, "kinds.n.spacing", strip { $0.spacingPoints = 1e7 }),
        .init(.notStrip, "kinds.n.spacing", strip { ($0.isStrip, $0.spacingPoints) = (false, 4) }),
        .init(.notStrip, "kinds.n.page", strip { ($0.isStrip, $0.page) = (false, .item) }),
        .init(
            .notStrip, "kinds.n.items",
            strip { ($0.isStrip, $0.itemKinds) = (false, ["dish": ItemKind()]) }),
        .init(.badID, "kinds.n.items.", strip { $0.itemKinds[""] = ItemKind() }),
        .init(
            .tooLarge, "kinds.n.items",
            strip { for index in 0..<65 { $0.itemKinds[ID("k\(index)")] = ItemKind() } }),
        .init(.badNumber, "\(at).width", dish { $0.width = .points(0) }),
        .init(.badNumber, "\(at).width", dish { $0.width = .points(.infinity) }),
        .init(.badNumber, "\(at).width", dish { $0.width = .points(1e7) }),
        .init(.badNumber, "\(at).height", dish { $0.heightPoints = 0 }),
        .init(.badNumber, "\(at).height", dish { $0.heightPoints = .nan }),
        .init(.badID, "\(at).fields", dish { $0.fields = ["a", ""] }),
        .init(.duplicate, "\(at).fields", dish { $0.fields = ["a", "a"] }),
        .init(.tooLarge, "\(at).fields", dish { $0.fields = ["a", "b", "c", "d"] }),
        .init(.badID, "\(at).badge", dish { $0.badge = "" }),
        .init(.noSuchState, "\(at).tap", dish { $0.tap = [.expand(.named("nowhere"))] }),
        .init(.badID, "\(at).tap", dish { $0.tap = [.setItem([.init("", "x")])] }),
        .init(.badValue, "\(at).tap[0]", dish { $0.tap = [.removeItem, .setItem([])] }),
        .init(
            .tooLarge, "\(at).menu", dish { $0.menu = [Action("1"), Action("2"), Action("3")] }),
        .init(.duplicate, "\(at).menu", dish { $0.menu = [Action("1"), Action("1")] }),
        .init(.badID, "\(at).menu.", dish { $0.menu = [Action("")] }),
        .init(.badValue, "\(at).menu.go.icon", menu { $0.icon = "frying-pan" }),
        .init(.badValue, "\(at).menu.go.background", menu { $0.background = "#12" }),
        .init(.badValue, "\(at).menu.go.style", menu { $0.look.style = .circular }),
        .init(.badValue, "\(at).menu.go.width", menu { $0.look.width = .points(9) }),
        .init(.badValue, "\(at).menu.go.face", menu { $0.face = Face(.text("x")) }),
        .init(
            .badValue, "\(at).menu.go.hidesWhenSelected", menu { $0.hidesWhenSelected = false }),
        .init(
            .badNumber, "\(at).menu.go.effect.invoke.deadline",
            menu { $0.effects = [.invoke(deadlineSeconds: -1, then: [])] }),
        // There is no item where a row is swiped, and where a row is tapped.
        .init(
            .badValue, "kinds.n.trailing.go.effect",
            strip {
                var action = Action("go")
                action.effects = [.removeItem]
                $0.trailing = ActionGroup(actions: [action])
            }),
        .init(
            .badValue, "kinds.n.tap",
            strip { ($0.isStrip, $0.tap) = (false, [.setItem([.init("a", "b")])]) }),
        .init(.noSuchKind, "add.item.kind", .item("s", .add(Item("k", kind: "gone"), .bottom))),
        .init(.noSuchKind, "set.kind", .item("s", .set("j", .init(kind: "gone")))),
        .init(
            .noSuchKind, "items.kind",
            .add(.init(id: "n", .init(kind: "strip", items: [Item("1", kind: "gone")])))),
        .init(.noSuchKind, "kind", .set("s", .init(kind: "plain strip"))),
        .init(.kindInUse, "kinds.strip.items.dish", strip { $0.id = "strip" }),
        .init(.notStrip, "item", .act(.init("done", on: "w", item: "i"))),
        .init(.noSuchItem, "item", .act(.init("serve", on: "s", item: "gone"))),
        .init(.noSuchAction, "action", .act(.init("serve", on: "s", item: "j"))),
        .init(.noSuchAction, "action", .act(.init("fly", on: "s", item: "i"))),
        .init(.noSuchAction, "action", .act(.init("serve", on: "s"))),
        .init(.wrongEdge, "edge", .act(.init("serve", on: "s", item: "i", edge: .leading))),
        .init(.noFullSwipe, "full", .act(.init("serve", on: "s", item: "i", isFull: true))),
        .init(.needsConfirmation, "confirmed", .act(.init("cut", on: "s", item: "i"))),
        .init(.stale, "ifVersion", .act(.init("serve", on: "s", item: "i")), ifVersion: 1),
    ]

    /// The kind of items `dish`.
    static var dishKind: ItemKind {
        var dish = ItemKind()
        var cut = Action("cut")
        cut.asksToConfirm = true
        dish.menu = [Action("serve"), cut]
        return dish
    }
}

import Simulation
import TableDecisions
import TableModel
import TableSync
import Testing

/// A viewer's own swipes.
struct ViewerSwipesTests {
    private static func table(_ policy: Settings.SwipePolicy = .exclusive) throws -> Table {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        var settings = Settings()
        (settings.swipePolicy, settings.swipeScope) = (policy, .viewer)
        try apply(.define(.init(kinds: [kind(swipeable: true)], settings: settings)), on: table)
        for id in ["a", "b", "c"] { try apply(.add(.init(id: ID(id), .init())), on: table) }
        return table
    }

    private static func kind(swipeable: Bool) -> Kind {
        var kind = Kind(.plainKind)
        kind.leading = ActionGroup(actions: [Action("x")])
        kind.trailing = swipeable ? ActionGroup(actions: [Action("y")]) : nil
        return kind
    }

    private static func apply(_ verb: Command.Verb, on table: Table) throws {
        _ = try reduce(Command(verb), on: table, limits: Limits(), nowMs: 0)
            .map { table.apply($0, cause: Cause(verb: "test")) }.get()
    }

    @Test func oneIsOpen() throws {
        let table = try Self.table()
        var swipes = ViewerSwipes()
        try swipes.open("a", at: .leading, in: table)
        try swipes.open("b", at: .trailing, in: table)
        #expect(swipes.open == ["b": .trailing])
        swipes.close("b")
        #expect(swipes.open.isEmpty)
        var many = ViewerSwipes()
        let other = try Self.table(.multiple)
        try many.open("a", at: .leading, in: other)
        try many.open("b", at: .trailing, in: other)
        #expect(many.open.count == 2)
    }

    /// No row opens at an edge without actions, and a row that loses its actions closes.
    @Test func itOpensActionsOnly() throws {
        let table = try Self.table(.multiple)
        var swipes = ViewerSwipes()
        try swipes.open("a", at: .leading, in: table)
        try swipes.open("b", at: .trailing, in: table)
        try Self.apply(.define(.init(kinds: [Self.kind(swipeable: false)])), on: table)
        swipes.follow(table)
        #expect(swipes.open == ["a": .leading])
        #expect(throws: Rejection.self) { try swipes.open("b", at: .trailing, in: table) }
        #expect(swipes.open == ["a": .leading])
    }

    @Test func itSurvivesEditsAndEndsWithItsRow() throws {
        let table = try Self.table()
        var swipes = ViewerSwipes()
        try swipes.open("b", at: .leading, in: table)
        for verb in [
            Command.Verb.add(.init(id: "d", .init(), at: .top)), .set("b", .init(title: "B")),
            .move(["b"], section: nil, .top, .strict), .remove(["a"]), .swap("b", "c"),
        ] {
            try Self.apply(verb, on: table)
            swipes.follow(table)
            #expect(swipes.open == ["b": .leading])
        }
        try Self.apply(.remove(["b"]), on: table)
        swipes.follow(table)
        #expect(swipes.open.isEmpty)
    }

    @Test func editModeAndSharedSwipesCloseIt() throws {
        let table = try Self.table()
        var swipes = ViewerSwipes()
        try swipes.open("a", at: .leading, in: table)
        try Self.apply(.edit(true), on: table)
        swipes.follow(table)
        #expect(swipes.open.isEmpty)
        func code(_ body: () throws(Rejection) -> Void) -> Rejection.Code? {
            do throws(Rejection) {
                try body()
                return nil
            } catch { return error.code }
        }
        var refused = ViewerSwipes()
        #expect(
            code { () throws(Rejection) in
                try refused.open("a", at: .leading, in: table)
            } == .editing)
        #expect(
            code { () throws(Rejection) in
                try refused.open("nobody", at: .leading, in: table)
            } == .noSuchRow)
        try Self.apply(.edit(false), on: table)
        try swipes.open("a", at: .leading, in: table)
        try Self.apply(.define(.init(settings: Settings())), on: table)
        swipes.follow(table)
        #expect(swipes.open.isEmpty)
    }
}

/// The daemon's own decisions about invocations, by its monotonic clock.
struct HandlersTests {
    private let exchange = Handled()

    @Test func deadlineGoesByTheMonotonicClock() {
        exchange.press()
        // The date jumps ahead ten years, and back: nothing is late.
        exchange.watch(nowMs: 400_000_000_000, monotonicMs: 2_000)
        #expect(exchange.state == .pending(.init(revision: 3, index: 0)))
        exchange.watch(nowMs: 0, monotonicMs: 4_999)
        #expect(exchange.state?.isPending == true)
        exchange.watch(nowMs: 1_000, monotonicMs: 6_001)
        #expect(exchange.state == .failed("deadline: not finished within 5 s"))
    }

    @Test func anotherTableOfTheNameHasItsOwnTime() {
        exchange.press()
        exchange.send(.drop)
        exchange.makeTable(deadlineSeconds: 60)
        exchange.press()
        exchange.watch(nowMs: 1_000, monotonicMs: 7_000)
        #expect(exchange.state == .pending(.init(revision: 3, index: 0)))
        exchange.watch(nowMs: 1_000, monotonicMs: 61_001)
        #expect(exchange.state == .failed("deadline: not finished within 60 s"))
    }

    @Test func whoIsSilentLosesWhatItHolds() {
        exchange.press()
        exchange.send(.command(Command(.take(action: nil, atMost: 1))), as: "h")
        #expect(exchange.holder == "h")
        exchange.watch(nowMs: 1_000, monotonicMs: 1_100)
        exchange.watch(nowMs: 1_000, monotonicMs: 1_100 + 900)
        exchange.send(.renew, as: "h")
        exchange.watch(nowMs: 1_000, monotonicMs: 1_100 + 1_100)
        #expect(exchange.holder == "h")
        exchange.watch(nowMs: 1_000, monotonicMs: 1_100 + 2_200)
        #expect(exchange.holder == nil)
        exchange.send(.command(Command(.take(action: nil, atMost: 1))), as: "other")
        #expect(exchange.holder == "other")
        #expect(exchange.invocation?.attempts == 2)
    }
}

/// A server with one row that has an action for a handler.
private final class Handled {
    private let server: Server

    init() {
        var limits = Limits()
        limits.holderTimeoutMs = 1_000
        let dice = Dice(2)
        server = Server(
            epoch: ID128(high: 1, low: 1), limits: limits, codec: RegistryCodec(),
            makeID: { dice.id128() })
        makeTable(deadlineSeconds: 5)
    }

    func makeTable(deadlineSeconds: Double) {
        var kind = Kind("k")
        var action = Action("page")
        action.effects = [.invoke(deadlineSeconds: deadlineSeconds, then: [])]
        kind.trailing = ActionGroup(actions: [action])
        send(.create)
        send(.command(Command(.define(.init(kinds: [kind])))))
        send(.command(Command(.add(.init(id: "r", .init(kind: "k"))))))
    }

    func send(_ verb: Request.Verb, as client: ID? = nil) {
        server.begin(nowMs: 1_000)
        let number: UInt64? = client == nil ? nil : UInt64.random(in: 1...UInt64.max)
        server.receive(
            Request(client: client, number: number, table: "t", verb), requestHash: 0, from: 0)
        _ = server.finish()
    }

    func press() {
        send(.command(Command(.act(.init("page", on: "r")))))
        watch(nowMs: 1_000, monotonicMs: 1_000)
    }

    func watch(nowMs: UInt64, monotonicMs: UInt64) {
        server.begin(nowMs: nowMs)
        server.watchHandlers(monotonicMs: monotonicMs)
        _ = server.finish()
    }

    var table: Table? { server.tables["t"]?.table }
    var state: Performance.State? { table?.row("r")?.performance(of: "page")?.state }
    var invocation: Invocation? { table?.invocations.all.first }
    var holder: ID? { invocation?.holder }
}

/// A viewer's own scrolling survives other people's edits of the strip (D4).
struct ViewerScrollsTests {
    @Test func byItem() throws {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        func apply(_ verb: Command.Verb) throws {
            _ = try reduce(Command(verb), on: table, limits: Limits(), nowMs: 0)
                .map { table.apply($0, cause: Cause(verb: "test")) }.get()
        }
        var kind = Kind("s")
        kind.isStrip = true
        try apply(.define(.init(kinds: [kind])))
        let items = ["a", "b", "c"].map { Item(ID($0)) }
        try apply(.add(.init(id: "r", .init(kind: "s", items: items))))
        var scrolls = ViewerScrolls()
        try scrolls.scroll("r", to: Scroll("b", fraction: 0.5), in: table)
        for change in [
            Command.ItemChange.add(Item("x"), .top), .remove(["a"]), .move(["b"], .bottom),
            .set("b", .init(title: "B")),
        ] {
            try apply(.item("r", change))
            scrolls.follow(table)
            #expect(scrolls["r"] == Scroll("b", fraction: 0.5))
        }
        // x c b: what follows goes first, then what stood before.
        try scrolls.scroll("r", to: Scroll("c", fraction: 0.25), in: table)
        try apply(.item("r", .remove(["c"])))
        scrolls.follow(table)
        #expect(scrolls["r"] == Scroll("b"))
        try apply(.item("r", .remove(["b"])))
        scrolls.follow(table)
        #expect(scrolls["r"] == Scroll("x"))
        try apply(.remove(["r"]))
        scrolls.follow(table)
        #expect(scrolls["r"] == nil)
        for (row, place, code) in [
            (RowID("r"), Scroll("x"), Rejection.Code.noSuchRow),
            ("q", Scroll("gone"), .noSuchItem), ("q", Scroll("a", fraction: 2), .badNumber),
        ] {
            if table.row("q") == nil {
                try apply(.add(.init(id: "q", .init(kind: "s", items: items))))
            }
            do throws(Rejection) {
                try scrolls.scroll(row, to: place, in: table)
                Issue.record("not refused")
            } catch { #expect(error.code == code) }
        }
    }
}

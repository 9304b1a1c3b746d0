import TableDecisions
import TableModel
import TableSync
import Testing

/// What a viewer has selected for itself (F15).
struct ViewerSelectionTests {
    private static func table(_ scope: Settings.SelectionScope) throws -> Table {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        var settings = Settings()
        settings.selection = scope
        var strip = Kind("reel")
        strip.isStrip = true
        for verb in [
            Command.Verb.define(.init(kinds: [strip], settings: settings)),
            .add(.init(id: "a", .init())),
            .add(.init(id: "s", .init(kind: "reel", items: [Item("i"), Item("j")]))),
        ] { try apply(verb, on: table) }
        return table
    }

    private static func apply(_ verb: Command.Verb, on table: Table) throws {
        let plan = try reduce(Command(verb), on: table, limits: Limits(), nowMs: 0).get()
        _ = table.apply(plan, cause: Cause(verb: "test"))
    }

    @Test func oneIsKeptByEachViewer() throws {
        let table = try Self.table(.viewer)
        var mine = ViewerSelection()
        mine.select("a", item: nil, in: table)
        #expect(mine.row == "a" && mine.selection == .row)
        mine.select("s", item: "i", in: table)
        #expect(mine.row == "s" && mine.selection == .item("i"))
        let row = try #require(table.row("s"))
        #expect(mine.shown(of: row, in: table) == .item("i"))
        // The table knows nothing of it, and another viewer neither.
        #expect(row.selection == nil && ViewerSelection().shown(of: row, in: table) == nil)
        try Self.apply(.move(["s"], section: nil, .top, .strict), on: table)
        mine.follow(table)
        #expect(mine.row == "s")
        try Self.apply(.item("s", .remove(["i"])), on: table)
        mine.follow(table)
        #expect(mine.row == nil && mine.selection == nil)
        mine.select("a", item: nil, in: table)
        try Self.apply(.remove(["a"]), on: table)
        mine.follow(table)
        #expect(mine.row == nil)
    }

    @Test func otherTablesLeaveNothingToIt() throws {
        for scope in [Settings.SelectionScope.none, .shared] {
            let table = try Self.table(scope)
            var mine = ViewerSelection()
            mine.select("a", item: nil, in: table)
            #expect(mine.row == nil)
            try Self.apply(.select("a", item: nil), on: table)
            let row = try #require(table.row("a"))
            #expect(mine.shown(of: row, in: table) == (scope == .shared ? .row : nil))
        }
        // It ends where the table takes it over.
        let table = try Self.table(.viewer)
        var mine = ViewerSelection()
        mine.select("a", item: nil, in: table)
        var settings = Settings()
        settings.selection = .shared
        try Self.apply(.define(.init(settings: settings)), on: table)
        mine.follow(table)
        #expect(mine.row == nil)
    }
}

import TableDecisions
import TableModel
import TablePictures
import Testing

/// The table's selection in pictures (F15).
struct SelectionPictureTests {
    private static func table(_ scope: Settings.SelectionScope) throws -> Table {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        var settings = Settings()
        settings.selection = scope
        var strip = Kind("reel")
        strip.isStrip = true
        let items = [Item("i", title: "Soup"), Item("j", title: "Fish")]
        for verb in [
            Command.Verb.define(.init(kinds: [strip], settings: settings)),
            .add(.init(id: "a", .init(title: "First"))),
            .add(.init(id: "s", .init(kind: "reel", title: "Courses", items: items))),
        ] { try perform(verb, on: table) }
        return table
    }

    private static func perform(_ verb: Command.Verb, on table: Table) throws {
        let plan = try reduce(Command(verb), on: table, limits: Limits(), nowMs: 1).get()
        _ = table.apply(plan, cause: Cause(verb: "test"))
    }

    private static func rings(_ table: Table) -> Int {
        TablePicture().svg(of: table).split(separator: "\n").count {
            $0.contains(#"x="1" y="1" width="388" height="58" fill="none""#)
        }
    }

    private static func borders(_ table: Table) -> Int {
        TablePicture().svg(of: table).ranges(of: #"fill="none""#).count - rings(table)
    }

    @Test func aRingInTheRowAndABorderOfTheItem() throws {
        let table = try Self.table(.shared)
        let before = (rings: Self.rings(table), borders: Self.borders(table))
        try Self.perform(.select("a", item: nil), on: table)
        #expect(Self.rings(table) == before.rings + 1 && Self.borders(table) == before.borders)
        try Self.perform(.select("s", item: "j"), on: table)
        #expect(Self.rings(table) == before.rings + 1)
        #expect(Self.borders(table) == before.borders + 1)
        try Self.perform(.mark(nil, item: nil), on: table)
        #expect(Self.rings(table) == before.rings && Self.borders(table) == before.borders)
    }

    /// A viewer's own selection is in no other viewer's picture.
    @Test(arguments: [Settings.SelectionScope.none, .viewer])
    func elsewhereThereIsNone(_ scope: Settings.SelectionScope) throws {
        let table = try Self.table(scope)
        let before = (rings: Self.rings(table), borders: Self.borders(table))
        try Self.perform(.select("a", item: nil), on: table)
        #expect(Self.rings(table) == before.rings && Self.borders(table) == before.borders)
    }

    /// A late row has a bar at its left, and its ring is seen all the same.
    @Test func aSelectedLateRow() throws {
        let table = try Self.table(.shared)
        var kind = Kind("late")
        kind.ages = .init(warnSeconds: 1, lateSeconds: 60)
        try Self.perform(.define(.init(kinds: [kind])), on: table)
        try Self.perform(.add(.init(id: "l", .init(kind: "late", title: "Late"))), on: table)
        try Self.perform(.select("l", item: nil), on: table)
        let svg = TablePicture(nowMs: 1_000_000).svg(of: table)
        #expect(svg.contains(#"x="0" y="0" width="4" height="60" class="f-danger""#))
        #expect(svg.contains(#"height="58" fill="none" class="s-accent""#))
    }
}

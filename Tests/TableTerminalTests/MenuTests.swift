import TableFiles
import TableModel
import TableTerminal
import Testing

/// Cells of a strip on a terminal: badges and fields, the menu of an item, and pages (F13).
struct MenuTests {
    private static func stage(page: String = "none", height: Int = 60) throws -> Stage {
        let table = Table(name: "board", history: ID128(high: 1, low: 2))
        try table.appendSection("main", title: "")
        let stage = Stage(table)
        let kinds = try KindsFile.parse(
            """
            kinds:
              courses:
                height: \(height)
                states: [collapsed]
                strip: true
                page: \(page)
                items:
                  dish:
                    width: 180
                    fields: [note]
                    badge: qty
                    menu:
                      - {id: serve, title: Served, effect: {setItem: {state: served}}}
                      - {id: void, title: Void, role: destructive, confirm: true, effect: {removeItem: true}}
            """, name: "kinds.yaml")
        try stage.perform(.define(kinds))
        let items = (1...9).map { number in
            Item(
                ID("i\(number)"), title: "Dish \(number)", kind: number == 9 ? nil : "dish",
                fields: [.init("qty", "\(number)"), .init("note", "note \(number)")])
        }
        try stage.perform(
            .add(.init(id: "t", .init(kind: "courses", title: "Table 7", items: items))))
        stage.type("g")
        return stage
    }

    /// The badge at the cell's end, the fields below where there are lines for them.
    @Test func cells() throws {
        let low = try Self.stage(height: 40).screen
        #expect(low.contains("Dish 1         1"), "\(low)")
        #expect(!low.contains("note 1"))
        for height in [60, 120] {
            let high = try Self.stage(height: height).screen
            #expect(high.contains("Dish 2         2") && high.contains("note 2"), "\(high)")
        }
    }

    @Test func theMenuOfAnItem() throws {
        let stage = try Self.stage()
        // Without an item there is none.
        stage.type(".")
        #expect(stage.wishes.isEmpty && stage.screen.contains("Mark an item of the strip first"))
        stage.type("l.")
        #expect(stage.screen.contains("1 Served") && stage.screen.contains("2 Void"))
        #expect(stage.screen.contains("Dish 1"))
        stage.type("\r")
        let first = Command.Act("serve", on: "t", item: "i1")
        #expect(stage.wishes.contains(.command(.act(first), ifVersion: 2)))
        let soup = try #require(stage.table.row("t")?.content.items[0])
        #expect(soup.fields.contains { $0.value == "served" })
        // Its digit does the same; what asks for a confirmation asks.
        stage.type("l.2")
        #expect(stage.screen.contains("Void"))
        stage.type("n")
        #expect(stage.table.row("t")?.content.items.count == 9)
        stage.type(".2y")
        #expect(stage.table.row("t")?.content.items.map(\.id).contains("i2") == false)
    }

    /// While the menu is open, somebody removes its item, or the row: nothing breaks.
    @Test func theItemGoes() throws {
        let stage = try Self.stage()
        stage.type("l.")
        try stage.perform(.item("t", .remove(["i1"])))
        #expect(stage.screen.contains("It has no actions any more."))
        stage.type("\r")
        #expect(stage.screen.contains("There are 0 actions here."))
        stage.type("l.")
        try stage.perform(.remove(["t"]))
        stage.type("j")
        #expect(stage.screen.contains("Somebody removed the row."))
        // An item without a kind has no menu.
        let other = try Self.stage()
        other.type(String(repeating: "l", count: 9) + ".")
        #expect(other.screen.contains("This item has no menu."))
    }

    /// 60 columns, of which 56 show items: cells of 18 columns, 0.8 apart.
    @Test func pages() throws {
        let stage = try Self.stage(page: "item")
        stage.type("l")
        for title in ["Dish 2", "Dish 3", "Dish 4"] {
            stage.type("\u{1B}[6~")
            let line = stage.screen.split(separator: "\n").first { $0.contains(title) } ?? ""
            #expect(line.drop { " ▌‹".contains($0) }.hasPrefix(title), "\(stage.screen)")
        }
        stage.type("\u{1B}[5~")
        #expect(!stage.screen.contains("Dish 1") && stage.screen.contains("Dish 3"))
        // By screens, and to the end.
        let wide = try Self.stage(page: "width")
        wide.type("l\u{1B}[6~")
        #expect(!wide.screen.contains("Dish 2 ") && wide.screen.contains("Dish 4"))
        wide.type("\u{1B}[6~\u{1B}[6~\u{1B}[6~")
        #expect(wide.screen.contains("Dish 9"))
        wide.type("\u{1B}[5~\u{1B}[5~\u{1B}[5~\u{1B}[5~")
        #expect(wide.screen.contains("Dish 1 "))
        // Without pages the keys are the list's.
        let none = try Self.stage()
        let before = none.screen
        none.type("l\u{1B}[6~")
        #expect(none.screen.contains("Dish 1 ") && before.contains("Dish 1 "))
    }
}

import TableModel
import TablePredicate
import TableTerminal
import Testing

/// Screens that show some sections, some rows or another order, as `trestle view --section … --filter … --sort … --kiosk`.
struct StationScreenTests {
    private func station(
        _ sections: [SectionID] = [], filter: String? = nil, sort: String? = nil,
        isKiosk: Bool = false
    ) throws -> Station {
        Station(
            sections: sections, condition: try filter.map { ($0, try RowPredicate($0)) },
            order: try sort.map { ($0, try RowKey.list($0)) }, isKiosk: isKiosk)
    }

    /// The lines of the screen on which these titles stand, from the top; −1: nowhere.
    private func isInOrder(_ stage: Stage, _ titles: [String]) -> Bool {
        let lines = titles.map { stage.line($0) }
        return lines.allSatisfy { $0 > 0 } && lines == lines.sorted()
    }

    @Test func aStationShowsItsSectionsAlone() throws {
        let stage = Stage(try Tables.kitchen(), width: 80, station: try station(["fry", "pass"]))
        #expect(stage.screen.contains("fries") && stage.screen.contains("The pass"))
        #expect(!stage.screen.contains("ribeye") && !stage.screen.contains(" Grill "))
        #expect(stage.line("fry, pass") == 0)
        // Its last ticket goes, and its heading stays; no key reaches another station's row.
        try stage.perform(.remove(["t4"]), by: "Ana")
        #expect(stage.line(" fry ") > 0 && stage.screen.contains("─ empty"))
        stage.type(":goto t1\r")
        #expect(stage.screen.contains("is not shown on this station's screen"))
        try stage.perform(.move(["t1"], section: "fry", .top, .rebase), by: "Ana")
        #expect(stage.screen.contains("ribeye"))
    }

    @Test func aSectionThatIsNotThereIsNamed() throws {
        let stage = Stage(try Tables.kitchen(), station: try station(["bar"]))
        #expect(stage.screen.contains("There is no section bar."))
        try stage.perform(.section("bar", title: "Bar"))
        #expect(stage.screen.contains(" Bar "))
    }

    @Test func theStationsFilterOutlivesEscapeAndFollowsTheRows() throws {
        let stage = Stage(
            try Tables.kitchen(), width: 40,
            station: try station(filter: "field.state != \"done\" and title ~ \"fries\""))
        #expect(stage.screen.contains("fries") && !stage.screen.contains("ribeye"))
        #expect(stage.line("1 of 4") == 0)
        stage.type("/onion\r\u{1B}\u{1B}")
        #expect(stage.screen.contains("fries") && !stage.screen.contains("ribeye"))
        try stage.perform(.set("t1", .init(title: "More fries")), by: "Ana")
        #expect(stage.screen.contains("More fries"))
        try stage.perform(
            .set("t4", .init(fields: [.init("state", "done")])), by: "Ana")
        #expect(!stage.screen.contains("onion"))
    }

    @Test func aSortedScreenHasItsOwnOrderAndMovesNothing() throws {
        let table = try Tables.kitchen()
        let stage = Stage(table, height: 24, station: try station(["grill"], sort: "-age"))
        #expect(isInOrder(stage, ["skewers", "salmon", "ribeye"]))
        #expect(stage.line("↓ -age") == 0)
        try stage.perform(.move(["t4"], section: "grill", .top, .rebase), by: "Ana")
        #expect(isInOrder(stage, ["skewers", "salmon", "ribeye", "fries"]))
        stage.type("m")
        #expect(stage.screen.contains("sorted by -age"))
        #expect(!stage.wishes.contains { if case .lift = $0 { true } else { false } })
        #expect(table.row(at: 0, in: "grill")?.id == "t4")
    }

    @Test func aGroupStandsWhereItsFirstRowDoesAndIsJoined() throws {
        let table = try Tables.kitchen(
            more: "  order: {height: 60, show: {group: order}, states: [collapsed, expanded]}")
        try table.appendSection("orders", title: "Orders")
        for (at, order) in ["7", "8", "7", "9", "7"].enumerated() {
            try table.appendRow(
                Tables.row(
                    ID("o\(at)"), "Dish \(at)", kind: "order", age: UInt64(at) * 60,
                    fields: [.init("order", order)]), to: "orders")
        }
        let sorted = Stage(table, height: 24, station: try station(["orders"], sort: "age"))
        #expect(isInOrder(sorted, [0, 2, 4, 1, 3].map { "Dish \($0)" }))
        let lines = sorted.screen.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[sorted.line("Dish 0") + 1].dropFirst().hasPrefix("│"))
        #expect(!lines[sorted.line("Dish 1") + 1].contains("│"))
        // The table's own order stays, and there the first two belong to different orders.
        let plain = Stage(table, height: 24, station: try station(["orders"]))
        #expect(isInOrder(plain, (0..<5).map { "Dish \($0)" }))
        #expect(!plain.screen.contains("│"))
    }

    @Test func aKioskIsLeftByControlCAlone() throws {
        func quits(_ keys: String, isKiosk: Bool) throws -> Bool {
            let stage = Stage(try Tables.kitchen(), station: try station(isKiosk: isKiosk))
            stage.type(keys)
            return stage.wishes.contains(.quit) || stage.wishes.contains(.suspend)
        }
        for keys in ["q", ":quit\r", "\u{1A}"] {
            #expect(try quits(keys, isKiosk: false))
            #expect(try !quits(keys, isKiosk: true), "\(keys)")
        }
        #expect(try !quits("\u{1B}\u{1B}\u{1B}", isKiosk: true))
        #expect(try quits("\u{3}", isKiosk: true))
        let stage = Stage(try Tables.kitchen(), station: try station(isKiosk: true))
        stage.type("q")
        #expect(stage.screen.contains("Ctrl-C ends it"))
    }

    @Test func aHeadingStaysOverTheRowsThatScroll() throws {
        let table = try Tables.kitchen()
        for at in 0..<40 {
            try table.appendRow(Tables.row(ID("f\(at)"), "Fish \(at)"), to: "grill")
        }
        let stage = Stage(table)
        for _ in 0..<20 { stage.type("j") }
        #expect(stage.line(" Grill ") == 1)
        // The selected row is never behind it, whichever way one goes.
        for _ in 0..<15 {
            stage.type("k")
            #expect(stage.line("▌") > 1)
        }
        // Where the next section's heading comes to the top, it takes the place.
        stage.type("g")
        #expect(stage.line(" Grill ") == 1)
    }

    @Test func aLongNameLeavesRoomForTheFilter() throws {
        let table = try Tables.kitchen()
        var setup = Board.Setup(name: "the-kitchen-of-the-grand-hotel")
        setup.station = try station(filter: "title ~ \"fries\"")
        let board = Board(setup)
        _ = board.handle(.resize(width: 40, height: 18))
        _ = board.handle(.installed(table))
        _ = board.handle(.connection(.live))
        let first = board.draw().text.split(separator: "\n").first ?? ""
        #expect(first.contains("live") && first.contains("1 of 4"), "\(first)")
    }

    @Test func agesCountSeconds() throws {
        let stage = Stage(try Tables.kitchen(), height: 30)
        #expect(stage.screen.contains("6:40") && stage.screen.contains("1 h 06"))
        stage.send(.tick(nowMs: stage.nowMs + 900))
        #expect(!stage.board.isDirty)
        stage.send(.tick(nowMs: stage.nowMs + 1_000))
        #expect(stage.board.isDirty && stage.screen.contains("6:41"))
    }
}

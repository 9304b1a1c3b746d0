import TableModel
import TableTerminal
import Testing

/// Edit mode on the screen (F10): controls at the left, grips at the right.
struct EditingTests {
    /// Rows of every editing style, one that is kept and one that is pinned.
    private func stage(width: Int = 60, height: Int = 26, isOn: Bool = true) throws -> Stage {
        let table = try Tables.kitchen(
            more: """
                  slot: {height: 60, editingStyle: insert}
                  bare: {height: 60, editingStyle: none, states: [collapsed]}
                """)
        try table.appendRow(Tables.row("new-one", "Another order", kind: "slot"), to: "fry")
        try table.appendRow(Tables.row("rest", "Nothing to press", kind: "bare"), to: "pass")
        try table.appendRow(
            Tables.row("86", "86 the ribeye", kind: "notice", fields: []), to: "pass")
        table.restoreEditing(isOn)
        return Stage(table, width: width, height: height)
    }

    private func click(_ stage: Stage, _ x: Int, _ y: Int) {
        stage.mouse(.press, x, y)
        stage.mouse(.release, x, y)
    }

    /// The column of a text in a line of the screen.
    private func column(_ text: String, _ y: Int, _ stage: Stage) throws -> Int {
        let line = stage.screen.split(separator: "\n", omittingEmptySubsequences: false)[y]
        let found = try #require(line.range(of: text), "\(line)")
        return line.distance(from: line.startIndex, to: found.lowerBound)
    }

    @Test func shown() throws {
        try expectScreen(try stage(), "editing")
        try expectScreen(try stage(width: 16, height: 12), "editing-narrow")
        #expect(!(try stage(isOn: false)).screen.contains("≡"))
    }

    /// An open row keeps all its words, although the marks take columns from it.
    @Test func anOpenRow() throws {
        let words = "A rather long order, of which every word has to be read by the cook. Again"
        let stage = try stage(height: 40)
        try stage.perform(.set("new-one", .init(title: words)))
        try stage.perform(.expand("new-one", .expanded))
        let shown = stage.screen.filter { $0.isLetter }
        #expect(shown.contains(words.filter { $0.isLetter }))
        try expectScreen(stage, "editing-open")
    }

    @Test func theMinusAsks() throws {
        let stage = try stage()
        let y = stage.line("salmon")
        click(stage, 2, y)
        #expect(stage.wishes.isEmpty)
        #expect(stage.screen.contains("Delete 1 × salmon, no butter?  y yes"))
        stage.type("n")
        #expect(stage.table.row("t2") != nil && stage.wishes.isEmpty)
        click(stage, 2, y)
        stage.type("y")
        #expect(stage.wishes == [.command(.remove(["t2"]), ifVersion: 0)])
        #expect(stage.table.row("t2") == nil)
        // The selection goes on to the next row.
        stage.type("x")
        #expect(stage.screen.contains("Delete 3 × lamb"))
    }

    @Test func answersAreClicked() throws {
        let stage = try stage()
        let last = 25
        click(stage, 2, stage.line("salmon"))
        click(stage, 0, last)
        click(stage, try column("y yes", last, stage), last - 1)
        #expect(stage.screen.contains("y yes"), "only the answers are pressed")
        click(stage, try column("n no", last, stage), last)
        #expect(stage.screen.contains("Not done.") && stage.wishes.isEmpty)
        click(stage, 2, stage.line("salmon"))
        click(stage, try column("y yes", last, stage), last)
        #expect(stage.table.row("t2") == nil)
    }

    /// A long name never hides the answers.
    @Test func aLongName() throws {
        let stage = try stage(width: 30)
        stage.type("j")
        try stage.perform(.set("t2", .init(title: String(repeating: "羊", count: 60))))
        stage.type("x")
        #expect(stage.screen.contains("y yes") && stage.screen.contains("n no"))
    }

    @Test func thePlusAsksForATitle() throws {
        let stage = try stage()
        click(stage, 3, stage.line("Another order"))
        #expect(stage.screen.contains("new row in fry:"))
        stage.type("2 × fries\r")
        #expect(
            stage.wishes == [
                .command(
                    .add(
                        .init(
                            .init(kind: "slot", title: "2 × fries"), section: "fry",
                            at: .after("new-one"))))
            ])
        #expect(stage.table.position(of: "new")?.after == "new-one")
        // Nothing typed: nothing made.
        stage.type("i\r")
        stage.type("i2\u{1B}")
        #expect(stage.wishes.count == 1)
    }

    @Test func keysDoWhatTheControlShows() throws {
        let stage = try stage()
        stage.type("i")
        #expect(stage.screen.contains("Rows of kind ticket have no control to insert."))
        for row in ["new-one", "rest", "86"] {
            stage.type(":goto \(row)\rx")
            #expect(stage.screen.contains("have no control to delete."), "\(row)")
        }
        stage.type("E")
        stage.type("x")
        #expect(stage.screen.contains("Turn edit mode on first: E."))
        #expect(stage.wishes == [.command(.edit(false))])
    }

    /// What somebody changed meanwhile is not deleted by a yes to what it was.
    @Test func theVersionIsTheOneSeen() throws {
        let stage = try stage()
        stage.type("x")
        try stage.perform(.set("t1", .init(title: "3 × ribeye")))
        stage.type("y")
        #expect(stage.wishes == [.command(.remove(["t1"]), ifVersion: 0)])
        #expect(stage.table.row("t1") != nil)
        #expect(stage.screen.contains("✗"))
    }

    @Test func theGripMoves() throws {
        let stage = try stage()
        let y = stage.line("salmon")
        let x = try column("≡", y, stage)
        #expect(x >= 57)
        // A click and a way to the side do nothing.
        click(stage, x, y)
        stage.drag((x, y), (x - 20, y))
        #expect(stage.wishes.isEmpty)
        // One line is enough.
        stage.drag((x, y), (x, y + 1), release: false)
        #expect(stage.wishes == [.lift(["t2"])])
        stage.drag((x, y + 1), (x, stage.line("fries") + 1), release: false)
        #expect(stage.screen.contains("──▶ 1 × salmon"))
        stage.mouse(.release, x, stage.line("fries") + 1)
        #expect(stage.table.position(of: "t2")?.section == "fry")
        // Over nothing it goes back (B6).
        let after = stage.table.digest
        stage.drag((x, stage.line("lamb")), (x, 0))
        #expect(stage.wishes.last == .cancel(lease: "l1"))
        #expect(stage.table.digest == after)
    }

    @Test func pinnedRowsHaveNoGrip() throws {
        let stage = try stage()
        let lines = stage.screen.split(separator: "\n", omittingEmptySubsequences: false)
        let pinned = lines[stage.line("86 the ribeye")]
        #expect(!pinned.contains("≡") && !pinned.contains("−") && pinned.contains("•"))
        let y = stage.line("86 the ribeye")
        stage.drag((58, y), (58, y - 3))
        #expect(stage.table.position(of: "86")?.index == 1)
        #expect(!stage.wishes.contains { if case .drop = $0 { true } else { false } })
    }

    @Test func offline() throws {
        let stage = try stage()
        stage.send(.connection(.disconnected))
        stage.type("x")
        click(stage, 2, stage.line("Another order"))
        #expect(stage.wishes.isEmpty && stage.screen.contains("Not connected"))
        #expect(!stage.screen.contains("y yes") && !stage.screen.contains("new row"))
    }
}

import TableModel
import TableTerminal
import Testing

/// Mouse events go in, intents and screens come out.
struct MouseTests {
    @Test func dragRevealsStepByStep() throws {
        let stage = Stage(try Tables.kitchen())
        let y = stage.line("salmon")
        stage.drag((40, y), (36, y), release: false)
        try expectScreen(stage, "drag-little")
        stage.drag((40, y), (24, y), release: false)
        try expectScreen(stage, "drag-more")
        stage.mouse(.release, 24, y)
        #expect(stage.table.row("t2")?.swipe == .trailing)
        #expect(stage.wishes == [.command(.swipe("t2", .trailing))])
        // Dragged back, it closes.
        stage.drag((10, y), (34, y))
        #expect(stage.table.row("t2")?.swipe == nil)
    }

    @Test func aShortDragSpringsBack() throws {
        let stage = Stage(try Tables.kitchen())
        let y = stage.line("salmon")
        stage.drag((40, y), (37, y))
        #expect(stage.wishes.isEmpty)
    }

    @Test func fullSwipeOnlyWhereItIsAllowed() throws {
        let stage = Stage(try Tables.kitchen())
        let y = stage.line("salmon")
        stage.drag((58, y), (10, y), release: false)
        try expectScreen(stage, "full")
        stage.mouse(.release, 10, y)
        #expect(stage.table.position(of: "t2")?.section == "pass")
        #expect(stage.table.row("t2")?.content.fields.contains { $0.value == "done" } == true)
        // At the leading edge a full swipe only opens.
        let lamb = stage.line("lamb")
        stage.drag((2, lamb), (55, lamb))
        #expect(stage.table.row("t3")?.swipe == .leading)
    }

    @Test func clickOnAButton() throws {
        let stage = Stage(try Tables.kitchen())
        stage.type("j\u{1B}[D")
        let y = stage.line("2 Page")
        let line = stage.screen.split(separator: "\n", omittingEmptySubsequences: false)[y]
        let x = line.distance(
            from: line.startIndex, to: line.range(of: "2 Page")?.lowerBound ?? line.startIndex)
        stage.mouse(.press, x, y)
        stage.mouse(.release, x, y)
        #expect(stage.table.row("t2")?.performed.first?.state.isPending == true)
        #expect(stage.screen.contains("◌ Page"))
    }

    @Test func dragAcrossSections() throws {
        let stage = Stage(try Tables.kitchen(), height: 24)
        let (from, to) = (stage.line("salmon"), stage.line("fries") + 1)
        stage.drag((20, from), (20, to), release: false)
        #expect(stage.screen.contains("──▶ 1 × salmon"))
        #expect(stage.screen.contains("⇅ lifted"))
        try expectScreen(stage, "drag-down")
        stage.mouse(.release, 20, to)
        #expect(stage.table.position(of: "t2")?.section == "fry")
        #expect(stage.table.position(of: "t2")?.index == 1)
    }

    @Test func escapeAndNowhereCancel() throws {
        let stage = Stage(try Tables.kitchen(), height: 24)
        let before = stage.table.digest
        stage.drag((20, stage.line("salmon")), (20, stage.line("fries")), release: false)
        stage.type("\u{1B}")
        stage.mouse(.drag, 20, 3)
        stage.mouse(.release, 20, 3)
        #expect(stage.wishes.last == .cancel(lease: "l1"))
        stage.drag((20, stage.line("salmon")), (20, 0))
        #expect(stage.wishes.last == .cancel(lease: "l1"))
        stage.drag((30, stage.line("salmon")), (5, stage.line("salmon")), release: false)
        stage.type("\u{1B}")
        stage.mouse(.release, 5, stage.line("salmon"))
        #expect(stage.table.digest == before)
    }

    @Test func theAxisIsLocked() throws {
        let stage = Stage(try Tables.kitchen(), height: 24)
        let y = stage.line("salmon")
        stage.drag((40, y), (36, y), release: false)
        // Once along the row, up and down mean nothing.
        stage.drag((40, y), (36, y), release: false)
        for line in (y - 6)...(y + 6) { stage.mouse(.drag, 30, line) }
        #expect(!stage.wishes.contains { if case .lift = $0 { true } else { false } })
        stage.mouse(.release, 38, y)
    }

    @Test func aStripScrollsAndItsEdgesSwipe() throws {
        let table = try Tables.kitchen()
        let items = (1...12).map { Item(ID("c\($0)"), title: "Course \($0)") }
        try table.appendRow(Tables.row("s1", "Table 7", kind: "courses", items: items), to: "pass")
        let stage = Stage(table, height: 26)
        let y = stage.line("Course 1")
        #expect(y > 0)
        stage.drag((40, y), (10, y))
        #expect(!stage.screen.contains("Course 1 "))
        #expect(stage.wishes.isEmpty, "each viewer scrolls by itself here")
    }

    /// Others see where a row hovers, although it was moved before the daemon granted the lift.
    @Test func whatWasMovedBeforeTheLeaseCameHoversThere() throws {
        let stage = Stage(try Tables.kitchen(), height: 24)
        stage.answers = false
        stage.type("mj")
        stage.send(.answered(1, .lifted(lease: "l9")))
        #expect(stage.wishes.last == .hover(lease: "l9", .after("t2"), section: "grill"))
        // In somebody else's hands now, or lost: it is back in its place.
        stage.send(.leaseEnded(lease: "l9", reason: "it was not renewed in time"))
        #expect(stage.screen.contains("Put back: it was not renewed in time."))
    }

    // MARK: What others do meanwhile

    /// A place is the row's own by where it stands now, and not by where it stood when it was lifted.
    @Test func aRowThatOthersMovedIsDroppedWhereItIsShown() throws {
        let stage = Stage(try Tables.kitchen(), height: 24)
        stage.type("jm")
        try stage.perform(.move(["t1"], section: "grill", .bottom, .rebase), by: "Ana")
        // It has not moved: neither has the place for it.
        #expect(stage.wishes.last == .hover(lease: "l1", .top, section: "grill"))
        stage.type("jj")
        #expect(stage.wishes.last == .hover(lease: "l1", .after("t1"), section: "grill"))
        stage.type("\r")
        #expect(
            stage.wishes.last
                == .drop(lease: "l1", rows: ["t2"], .after("t1"), section: "grill"))
        #expect(stage.table.position(of: "t2")?.after == "t1")
    }

    @Test func overItsOwnRowThePointerIsWhereThatStands() throws {
        let stage = Stage(try Tables.kitchen(), height: 24)
        let y = stage.line("salmon")
        stage.drag((20, y), (20, y + 3), release: false)
        try stage.perform(.move(["t1"], section: "grill", .bottom, .rebase), by: "Ana")
        let now = stage.line("salmon")
        stage.mouse(.drag, 20, now)
        #expect(stage.wishes.last == .hover(lease: "l1", .top, section: "grill"))
        stage.mouse(.release, 20, now)
        #expect(stage.screen.contains("It stays where it was."))
        #expect(stage.wishes.last == .cancel(lease: "l1"))
    }

    /// It lands where the daemon would let it land, and others see that too.
    @Test func aPlaceIsLeftWhenItsRowIsRemoved() throws {
        let stage = Stage(try Tables.kitchen(), height: 24)
        stage.type("mjj")
        #expect(stage.wishes.last == .hover(lease: "l1", .after("t3"), section: "grill"))
        try stage.perform(.remove(["t3"]), by: "Ana")
        #expect(stage.wishes.last == .hover(lease: "l1", .after("t2"), section: "grill"))
        // A row takes the place behind it along.
        try stage.perform(.move(["t2"], section: "fry", .bottom, .rebase), by: "Ana")
        #expect(stage.wishes.last == .hover(lease: "l1", .after("t2"), section: "fry"))
        try stage.perform(.remove(["t2"]), by: "Ana")
        #expect(stage.wishes.last == .hover(lease: "l1", .after("t4"), section: "fry"))
        stage.type("\r")
        #expect(
            stage.wishes.last == .drop(lease: "l1", rows: ["t1"], .after("t4"), section: "fry"))
        #expect(stage.table.position(of: "t1")?.after == "t4")
    }

    @Test func aPlaceInASectionThatIsGoneIsWhereTheRowStands() throws {
        let stage = Stage(try Tables.kitchen(), height: 24)
        stage.type("m]]")
        #expect(stage.wishes.last == .hover(lease: "l1", .top, section: "pass"))
        try stage.perform(.removeSection("pass"), by: "Ana")
        #expect(stage.wishes.last == .hover(lease: "l1", .top, section: "grill"))
        stage.type("\r")
        #expect(stage.screen.contains("It stays where it was."))
    }

    @Test func refusedDropsSnapBack() throws {
        let stage = Stage(try Tables.kitchen(), height: 24)
        stage.answers = false
        stage.type("mj\r")
        stage.send(.answered(1, .lifted(lease: "l9")))
        #expect(
            stage.wishes.last
                == .drop(lease: "l9", rows: ["t1"], .after("t2"), section: "grill"))
        stage.send(.answered(2, .refused("The row is pinned.")))
        #expect(stage.screen.contains("✗ The row is pinned."))
        #expect(stage.line("ribeye") < stage.line("salmon"))
    }

    @Test func off() throws {
        let stage = Stage(try Tables.kitchen())
        stage.type("M")
        #expect(stage.wishes.last == .mouse(false))
        stage.drag((40, 5), (20, 5))
        #expect(stage.wishes.count == 1)
    }
}

/// The screen holds still, and the selection follows its row.
struct AnchorTests {
    @Test func rowsAboveComeAndGo() throws {
        let stage = Stage(try Tables.many(200), height: 20)
        for _ in 0..<40 { stage.type("j") }
        let y = stage.line("Row 40")
        #expect(y > 0)
        try stage.perform(.add(.init(id: "x", .init(title: "New"), at: .top)))
        try stage.perform(.expand("r10", .expanded))
        #expect(stage.line("Row 40") == y)
        try stage.perform(.remove(["r1", "r2", "r3"]))
        #expect(stage.line("Row 40") == y)
        // Somebody moves the selected row away: the others stay where they are.
        let above = stage.line("Row 38")
        try stage.perform(.move(["r40"], section: nil, .top, .strict))
        #expect(stage.line("Row 38") == above)
        stage.type("j")
        #expect(stage.screen.contains("▌▸Row 40"), "first to the selected row")
    }

    @Test func aRemovedSelectionGoesOnBelow() throws {
        let stage = Stage(try Tables.many(50), height: 20)
        for _ in 0..<10 { stage.type("j") }
        try stage.perform(.remove(["r10"]))
        #expect(stage.screen.contains("▌▸Row 11"))
        try stage.perform(.remove(Few((11..<50).map { ID("r\($0)") })))
        #expect(stage.screen.contains("▌▸Row 9"))
        try stage.perform(.remove(Few((0..<10).map { ID("r\($0)") })))
        #expect(stage.screen.contains("board has no rows."))
        try stage.perform(.add(.init(id: "x", .init(title: "New"))))
        #expect(stage.screen.contains("▌▸New"))
    }

    @Test func endsAndPages() throws {
        let stage = Stage(try Tables.many(100_000), height: 20)
        stage.type("G")
        #expect(stage.screen.contains("▌▸Row 99999"))
        #expect(stage.screen.contains("100000/100000"))
        stage.type("g")
        #expect(stage.screen.contains("▌▸Row 0"))
        stage.type("\u{1B}[6~\u{1B}[6~")
        stage.type("\u{1B}[5~\u{1B}[5~")
        #expect(stage.screen.contains("▌▸Row 0"))
        stage.type(":goto r54321\r")
        #expect(stage.screen.contains("▌▸Row 54321"))
    }

    @Test func aFilterFollowsWhatChanges() throws {
        let stage = Stage(try Tables.kitchen())
        stage.type("/section=grill\r")
        #expect(!stage.screen.contains("fries"))
        try stage.perform(.move(["t4"], section: "grill", .top, .strict))
        #expect(stage.screen.contains("fries"))
        try stage.perform(.move(["t1"], section: "fry", .top, .strict))
        #expect(!stage.screen.contains("ribeye"))
        stage.type("\u{1B}/lamb\r")
        try stage.perform(.set("t2", .init(title: "Two lamb chops")))
        #expect(stage.screen.contains("chops"))
        try stage.perform(.remove(["t3"]))
        #expect(!stage.screen.contains("skewers"))
    }

    @Test func olderThanNowIsNeverNegative() throws {
        let table = try Tables.kitchen()
        try table.appendRow(
            Row(
                id: "f", content: .init(kind: "ticket", title: "From the future"),
                createdMs: Tables.nowMs + 1_000_000), to: "fry")
        let stage = Stage(table, height: 30)
        #expect(stage.screen.contains("0:00"))
        #expect(!stage.screen.contains("-"))
    }
}

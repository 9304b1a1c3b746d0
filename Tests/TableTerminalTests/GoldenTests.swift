import TableModel
import TableSync
import TableTerminal
import Testing

/// Keys go in, screens come out.
struct GoldenTests {
    @Test func rowsAndAges() throws {
        try expectScreen(Stage(try Tables.kitchen()), "rows")
    }

    @Test func oneLineForARow() throws {
        try expectScreen(Stage(try Tables.kitchen(), isDense: true), "dense")
    }

    @Test func unfolds() throws {
        let stage = Stage(try Tables.kitchen())
        stage.type("  ")
        #expect(stage.table.row("t1")?.expansion == .expanded)
        try expectScreen(stage, "expanded")
        stage.type("\r")
        #expect(stage.table.row("t1")?.expansion == .collapsed)
    }

    @Test func swipeByKeysAndAct() throws {
        let stage = Stage(try Tables.kitchen())
        stage.type("j\u{1B}[D")
        #expect(stage.table.row("t2")?.swipe == .trailing)
        try expectScreen(stage, "trailing")
        stage.type("\u{1B}[D")
        stage.type("\u{1B}[D\r")
        // The third wants to be confirmed.
        try expectScreen(stage, "confirm")
        stage.type("n")
        #expect(stage.table.row("t2") != nil)
        stage.type("1")
        #expect(stage.table.position(of: "t2")?.section == "pass")
        #expect(stage.screen.contains(" t3 "), "the next row is selected, not the one that left")
        stage.type("\u{1B}[C")
        #expect(stage.table.row("t3")?.swipe == .leading)
        try expectScreen(stage, "leading")
        stage.type("\u{1B}")
        #expect(stage.table.row("t3")?.swipe == nil)
    }

    /// Where swipes are this screen's own, an action closes its row only if it says so: also a confirmed one.
    @Test(arguments: [true, false]) func aConfirmedActionMayLeaveItsRowOpen(hides: Bool) throws {
        let action =
            "{id: ask, title: Asking, confirm: true, hidesWhenSelected: \(hides), effect: {set: {a: b}}}"
        let stage = Stage(
            try Tables.kitchen(
                more: "  asks: {height: 60, trailing: {actions: [\(action)]}}",
                table: "{swipeScope: viewer}"))
        try stage.perform(
            .add(.init(id: "new", .init(kind: "asks", title: "New"), section: "grill", at: .top)))
        stage.type("g\u{1B}[D")
        #expect(stage.screen.contains("Asking"))
        stage.type("1")
        stage.type("y")
        #expect(stage.table.row("new")?.content.fields.map(\.value) == ["b"])
        #expect(stage.screen.contains("Asking") == !hides, "\(stage.screen)")
    }

    /// A recall of a row that was bumped by mistake undoes that revision.
    @Test func recallOfWhatWasActedUpon() throws {
        let stage = Stage(try Tables.kitchen())
        stage.type("j\u{1B}[D")
        stage.type("1")
        #expect(stage.table.position(of: "t2")?.section == "pass")
        let revision = stage.table.revision
        stage.type("kr\r")
        #expect(stage.wishes.last == .command(.undo(revision: revision, mine: false)))
        try stage.perform(.remove(["t2"]))
        stage.type("r\r")
        #expect(stage.wishes.last == .command(.recall(["t2"])))
    }

    /// The message about one change does not stay beside the next.
    @Test func whatWasSaidEnds() throws {
        let stage = Stage(try Tables.kitchen())
        stage.type("j\u{1B}[D3")
        stage.type("n")
        #expect(stage.screen.contains("Not done."))
        stage.type("1")
        #expect(!stage.screen.contains("Not done."))
    }

    @Test func liftMoveDrop() throws {
        let stage = Stage(try Tables.kitchen(), height: 22)
        stage.type("mjjj")
        try expectScreen(stage, "lifted")
        stage.type("\r")
        #expect(stage.table.position(of: "t1")?.section == "fry")
        #expect(stage.table.position(of: "t1")?.index == 0)
        stage.type("mG\r")
        #expect(stage.table.position(of: "t1")?.index == 1)
        let revision = stage.table.revision
        stage.type("mkk\u{1B}")
        #expect(stage.table.revision == revision)
        #expect(stage.wishes.last == .cancel(lease: "l1"))
    }

    @Test func intoAnEmptySection() throws {
        let stage = Stage(try Tables.kitchen(), height: 22)
        stage.type("m\t\t\r")
        #expect(stage.table.position(of: "t1")?.section == "pass")
    }

    /// A lifted row goes from where it is shown, also where a filter hides the row above it.
    @Test func liftedAmongHiddenRows() throws {
        for (keys, anchor) in [
            ("j", Anchor.after("d")), ("k", .top), ("jk", nil), ("jkk", .top), ("kj", nil),
        ] as [(String, Anchor?)] {
            let table = Table(name: "board", history: ID128(high: 1, low: 2))
            try table.appendSection("main", title: "Main")
            for (id, title) in [("a", "vis"), ("b", "hid"), ("c", "vis"), ("d", "vis")] {
                try table.appendRow(Tables.row(ID(id), title, kind: .plainKind), to: "main")
            }
            let stage = Stage(table)
            stage.type("/vis\r:goto c\rm" + keys + "\r")
            // Back where it was, it is put down.
            let wish = anchor.map {
                Intent.Wish.drop(lease: "l1", rows: ["c"], $0, section: "main")
            }
            #expect(stage.wishes.last == wish ?? .cancel(lease: "l1"), "\(keys)")
        }
    }

    @Test func filterAndHelp() throws {
        let stage = Stage(try Tables.kitchen())
        stage.type("/LAMB")
        try expectScreen(stage, "filter")
        stage.type("\r\u{1B}")
        #expect(stage.screen.contains("salmon"))
        stage.type("/nobody has this\r")
        try expectScreen(stage, "filter-none")
        stage.type("\u{1B}?")
        stage.type("lift")
        try expectScreen(stage, "help")
    }

    @Test func strips() throws {
        let table = try Tables.kitchen()
        let items = (1...9).map { Item(ID("c\($0)"), title: "Course \($0)") }
        try table.appendRow(Tables.row("s1", "Table 7", kind: "courses", items: items), to: "pass")
        let stage = Stage(table)
        stage.type("G")
        for _ in 0..<6 { stage.type("l") }
        try expectScreen(stage, "strip")
        stage.type("\r")
        #expect(stage.wishes.last == .command(.select("s1", item: "c6")))
    }

    @Test func company() throws {
        let stage = Stage(try Tables.kitchen(), width: 80, height: 22)
        let viewers = ["Ana", "João"].map { Attendant(client: "c", name: ID($0), revision: 7) }
        var ghost = Lease(id: "x", holder: "Ana", rows: ["t2"], ttlSeconds: 10)
        ghost.hover = .init(section: "fry", .top)
        stage.send(.company(Company(ghosts: [ghost], viewers: viewers)))
        try expectScreen(stage, "company")
        // Beside a row no section is named: the row may go to another one meanwhile.
        ghost.hover = .init(.after("t3"))
        stage.send(.company(Company(ghosts: [ghost], viewers: viewers)))
        try expectScreen(stage, "company-beside")
        stage.type("jm")
        #expect(stage.screen.contains("Ana has t2 in hand."))
    }

    @Test func othersOpenSwipes() throws {
        let stage = Stage(try Tables.kitchen(), width: 80, height: 22)
        try stage.perform(.swipe("t2", .trailing), by: "Ana")
        try expectScreen(stage, "swiped-by-another")
        // Whoever opens it last is named, and nobody for one's own.
        try stage.perform(.swipe("t2", .leading), by: Stage.client)
        #expect(!stage.screen.contains("↔"))
        try stage.perform(.swipe("t3", .trailing), by: "João")
        #expect(stage.screen.contains("↔ João"))
        try stage.perform(.swipe("t3", nil), by: "Ana")
        #expect(!stage.screen.contains("↔"))
        // What was open before this viewer came.
        try stage.perform(.swipe("t1", .trailing))
        stage.send(.swipedBefore(["t1": "Ben"]))
        #expect(stage.screen.contains("↔ Ben"))
    }

    @Test func howThingsStand() throws {
        let stage = Stage(try Tables.kitchen())
        for (connection, word) in [
            (Replica.Freshness.live, "● live"), (.stale(forMs: 3_000), "stale 3 s"),
            (.stale(forMs: 0), "catching up"), (.disconnected, "disconnected"),
        ] {
            stage.send(.connection(connection))
            #expect(stage.screen.contains(word))
            #expect(stage.screen.contains("salmon"), "what was known is still shown")
        }
        let count = stage.wishes.count
        stage.type(" m")
        #expect(stage.wishes.count == count, "nothing is asked of a daemon that is not there")
        #expect(stage.screen.contains("Not connected: nothing was changed."))
    }

    @Test func emptyIsNotDisconnected() throws {
        func screen(_ connection: Replica.Freshness?, hasTable: Bool) -> String {
            let board = Board(.init(name: "board"))
            _ = board.handle(.resize(width: 60, height: 10))
            if hasTable {
                let table = Table(name: "board", history: ID128(high: 1, low: 1))
                _ = board.handle(.installed(table))
            }
            _ = board.handle(.connection(connection))
            return board.draw().text
        }
        #expect(screen(.live, hasTable: true).contains("board has no rows."))
        #expect(screen(.connecting, hasTable: false).contains("Waiting for board"))
        #expect(screen(.disconnected, hasTable: false).contains("is not known"))
        #expect(screen(.disconnected, hasTable: true).contains("when it was last heard of"))
        #expect(screen(.absent, hasTable: false).contains("There is no table board."))
    }

    @Test(arguments: [(20, 5), (16, 4), (15, 4), (1, 1), (30, 6), (200, 3)])
    func smallTerminals(_ width: Int, _ height: Int) throws {
        let stage = Stage(try Tables.kitchen(), width: width, height: height)
        for keys in [
            "j", " ", "\u{1B}[D", "1", "m", "j", "\r", "?", "\u{1B}", "/x", "\r", "r", ":",
        ] {
            stage.type(keys)
            let lines = stage.screen.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count == height + 1)
        }
        if width == 20 {
            try expectScreen(Stage(try Tables.kitchen(), width: 20, height: 5), "20x5")
        }
    }
}

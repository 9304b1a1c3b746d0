import TableModel
import TableSync
import TableTerminal
import Testing

/// The list of rows to recall, and messages about other people's changes.
struct RecallTests {
    /// A stage that has drawn its rows: a removed row has no title to ask for.
    private func stage() throws -> Stage {
        let stage = Stage(try Tables.kitchen(), height: 24)
        _ = stage.screen
        return stage
    }

    private func list(_ stage: Stage) -> String {
        stage.type("r")
        defer { stage.type("\u{1B}") }
        return stage.screen
    }

    @Test func rowsThatAreBackLeaveTheList() throws {
        let stage = try stage()
        try stage.perform(.remove(["t1", "t2", "t3"]), by: "Ana")
        for title in ["ribeye", "salmon", "lamb"] { #expect(list(stage).contains(title)) }
        // By an undo or a recall of somebody's, or because somebody adds one with that id.
        try stage.perform(.add(.init(id: "t1", .init(title: "A new row"))), by: "Ana")
        #expect(!list(stage).contains("ribeye"))
        try stage.perform(
            .add(.init(id: "t2", .init(kind: "ticket", title: "1 × salmon"))), by: "Ben",
            as: "recall")
        let last = list(stage)
        #expect(!last.contains("removed       0 s  1 × salmon") && last.contains("lamb"))
        // Removed once more, it is there once more.
        try stage.perform(.remove(["t1"]), by: "Ben")
        #expect(list(stage).contains("A new row"))
    }

    /// An undo is told by the title of the action and the row's place; the list says order, table and who.
    @Test func pressesAreNamedAsPeopleNameThem() throws {
        let table = try Tables.kitchen(
            more: """
                  plate:
                    height: 60
                    form: [order, table]
                    trailing: {actions: [{id: bump, title: Bump, effect: {remove: true}}]}
                """)
        try table.appendRow(Tables.row("p1", "2 × fries", kind: "plate"), to: "fry")
        let stage = Stage(table, width: 80, height: 24)
        _ = stage.screen
        try stage.perform(.act(.init("bump", on: "p1")), by: "Ana")
        #expect(list(stage).contains("2 × fries · order 1041, table 12 · Ana"))
        let revision = stage.table.revision
        try stage.perform(
            .add(.init(id: "p1", Tables.row("p1", "2 × fries", kind: "plate").content)), by: "me",
            undoes: revision, as: "undo")
        stage.send(
            .answered(9, .told(word: "Undone", revision: revision, text: "ada …", note: "")))
        #expect(
            stage.screen.contains("Undone: Bump of 2 × fries (order 1041, table 12), by Ana."))
        stage.send(.answered(9, .told(word: "Undone", revision: 1, text: "ada did", note: " (x)")))
        #expect(stage.screen.contains("Undone: ada did. (x)"))
    }

    @Test func theFingerStaysOnItsEntry() throws {
        let stage = try stage()
        for row in ["t1", "t2", "t3"] as [RowID] { try stage.perform(.remove([row]), by: "Ana") }
        stage.type("rj")
        #expect(stage.screen.contains("▸ removed"))
        // The newest one leaves from above, the oldest from below.
        try stage.perform(.add(.init(id: "t3", .init(title: "Back"))), by: "Ana")
        stage.type("\r")
        #expect(stage.wishes.last == .command(.recall(["t2"])))
        stage.type("rG")
        try stage.perform(.add(.init(id: "t1", .init(title: "Back"))), by: "Ana")
        stage.type("\r")
        #expect(stage.wishes.last == .command(.recall(["t2"])))
        try stage.perform(.add(.init(id: "t2", .init(title: "Back"))), by: "Ana")
        #expect(list(stage).contains("Nothing was removed or done lately."))
        stage.type("r\r")
        #expect(stage.wishes.last == .command(.recall(["t2"])), "there is nothing to be recalled")
    }

    @Test func whatWasUndoneLeavesTheListAndComesWithARedo() throws {
        let stage = try stage()
        stage.type("j\u{1B}[D1")
        let bump = stage.table.revision
        #expect(list(stage).contains("bump"))
        let undo: Command.Verb = .move(["t2"], section: "grill", .top, .rebase)
        try stage.perform(undo, by: "Ana", undoes: bump, as: "undo")
        #expect(!list(stage).contains("bump"))
        try stage.perform(
            .move(["t2"], section: "pass", .top, .rebase), by: "Ana", undoes: bump + 1, as: "redo")
        #expect(list(stage).contains("bump"))
        try stage.perform(undo, by: "Ana", undoes: bump + 2, as: "undo")
        #expect(!list(stage).contains("bump"))
    }

    @Test func whatCameBackUnseenLeavesTheList() throws {
        let stage = try stage()
        stage.send(.removedBefore([Removed(row: "t9", what: "removed", atMs: 5)]))
        try stage.perform(.remove(["t1", "t2"]), by: "Ana")
        stage.type("\u{1B}[D1")
        #expect(list(stage).contains("bump") && list(stage).contains("t9"))
        // A snapshot, after a gap: two of them are in it again.
        let again = try Tables.kitchen()
        try again.appendRow(Tables.row("t9", "The ninth"), to: "pass")
        stage.send(.installed(again))
        let empty = list(stage)
        #expect(empty.contains("Nothing was removed or done lately."), "\(empty)")
        // Another table of that name has nothing of the first.
        try stage.perform(.remove(["t3"]), by: "Ana")
        stage.send(.installed(Table(name: "board", history: ID128(high: 9, low: 9))))
        #expect(list(stage).contains("Nothing was removed"))
    }

    @Test func olderNewsAreSortedIn() throws {
        let stage = try stage()
        try stage.perform(.remove(["t1"]), by: "Ana")
        let older = Removed(row: "a1", what: "ada removed it", atMs: 5)
        let newer = Removed(row: "a2", what: "ada removed it", atMs: stage.nowMs + 5)
        stage.send(.removedBefore([older, newer]))
        let lines = list(stage).split(separator: "\n")
        let found = ["a2", "ribeye", "a1"].map { text in
            lines.firstIndex { $0.contains("remove") && $0.contains(text) } ?? -1
        }
        #expect(found == found.sorted() && found[0] > 0, "\(found)")
    }

    /// Edit mode changes what every screen does, so each says why.
    @Test func whoTurnsEditModeOnIsNamed() throws {
        let stage = Stage(try Tables.kitchen(), width: 80, height: 24)
        try stage.perform(.edit(true), by: "Ana")
        #expect(
            stage.screen.contains("Ana turned edit mode on, for everybody: nothing can be swiped."))
        try stage.perform(.edit(false), by: "Ana")
        #expect(stage.screen.contains("Ana turned edit mode off."))
        try stage.perform(.edit(true), by: "Ana", undoes: stage.table.revision, as: "undo")
        #expect(
            stage.screen.contains("Ana turned edit mode on by an undo, for everybody: nothing can"))
        stage.type("E")
        #expect(!stage.screen.contains("me turned"))
    }

    /// A message is shown to its end, as long as some rows stay visible.
    @Test func longSentencesTakeMoreLines() throws {
        let text =
            "ada set state of it to ready, which was cooking, and moved it to the pass at once"
        let stage = Stage(try Tables.kitchen(), width: 40, height: 12)
        stage.send(.note(text))
        let lines = stage.screen.split(separator: "\n")
        #expect(lines[8...10].map { $0.dropFirst(3) }.joined(separator: " ") == text)
        #expect(lines[8].hasPrefix(" · ada"))
        // There is little room, or a word without an end: it is cut, and the keys are seen.
        for (width, height) in [(16, 4), (20, 5), (40, 6)] {
            stage.send(.resize(width: width, height: height))
            stage.send(.note(String(repeating: "word ", count: 200)))
            #expect(stage.screen.contains("…"))
            stage.send(.note(String(repeating: "长", count: 2_000)))
            #expect(stage.screen.contains("quit") == (width >= 40))
        }
    }
}

/// Before there is a table.
struct WaitingTests {
    private func board(_ connection: Replica.Freshness?) -> Board {
        let board = Board(.init(name: "board"))
        _ = board.handle(.resize(width: 60, height: 10))
        _ = board.handle(.connection(connection))
        return board
    }

    private func wishes(_ board: Board, _ key: Key) -> [Intent.Wish] {
        board.handle(.input(.key(key))).map(\.wish)
    }

    @Test(arguments: [Replica.Freshness?.none, .connecting, .disconnected, .absent, .live])
    func keysAreHeard(_ connection: Replica.Freshness?) {
        for key in [Key.character("q"), .control("c"), .escape] {
            #expect(wishes(board(connection), key) == [.quit], "\(key)")
        }
        // Out of a list first.
        let board = board(connection)
        for list in ["?", "r", ":", "/"] as [Character] {
            #expect(wishes(board, .character(list)).isEmpty)
            #expect(wishes(board, .escape).isEmpty, "\(list)")
        }
        for key in "jkgGtmcuUaE+-n hl" { #expect(wishes(board, .character(key)).isEmpty) }
        #expect(wishes(board, .escape) == [.quit])
    }

    @Test func itSaysWhatItWaitsFor() throws {
        let board = board(nil)
        #expect(board.draw().text.contains("Waiting for the daemon …"))
        _ = board.handle(.connection(.connecting))
        #expect(board.draw().text.contains("Waiting for board …"))
        _ = board.handle(.connection(.absent))
        #expect(board.draw().text.contains("It appears here when it is made."))
        _ = board.handle(.installed(try Tables.kitchen()))
        _ = board.handle(.connection(.live))
        #expect(board.draw().text.contains("salmon"))
        // From then on Esc cancels, and no more.
        #expect(wishes(board, .escape).isEmpty)
        _ = board.handle(.connection(.absent))
        #expect(wishes(board, .escape).isEmpty)
    }
}

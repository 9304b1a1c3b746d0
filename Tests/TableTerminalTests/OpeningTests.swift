import TableModel
import Testing

@testable import TableTerminal

/// Rows that a terminal opens for itself (`expandScope: viewer`).
struct OpeningTests {
    private func stage() throws -> Stage {
        let table = "{expandScope: viewer, expandPolicy: accordionTable}"
        return Stage(try Tables.kitchen(table: table), height: 30)
    }

    @Test func nobodyElseKnowsOfIt() throws {
        let stage = try stage()
        let (before, digest) = (stage.screen, stage.table.digest)
        stage.type("g  ")
        #expect(stage.wishes.isEmpty && stage.table.digest == digest)
        #expect(stage.screen.contains("▾") && !before.contains("▾"))
        // An accordion closes it for another row.
        stage.type("j  ")
        #expect(stage.screen.filter { $0 == "▾" }.count == 1)
        stage.type("+")
        #expect(stage.screen.contains("Only one row can be open on this board."))
        stage.type("-")
        #expect(!stage.screen.contains("▾") && stage.wishes.isEmpty)
    }

    /// A person who reads needs no daemon for it.
    @Test func alsoWithoutADaemon() throws {
        let stage = try stage()
        stage.send(.connection(.disconnected))
        stage.type("g  ")
        #expect(stage.screen.contains("▾") && stage.wishes.isEmpty)
    }

    @Test func whatTheTableSaysAfterwardsCounts() throws {
        let stage = try stage()
        stage.type("g  ")
        let id = try #require(stage.board.selected)
        let open = stage.screen
        try stage.perform(.set(id, .init(title: "Another title")))
        #expect(stage.screen.contains("▾"))
        try stage.perform(.expand(id, .named("summary")))
        try stage.perform(.expand(id, .collapsed))
        #expect(stage.screen != open && !stage.screen.contains("▾"))
        // Its height goes along: the rows below it are where they were before.
        let fresh = Stage(stage.table, height: 30)
        fresh.type("g")
        #expect(stage.line("▸") == fresh.line("▸"))
    }
}

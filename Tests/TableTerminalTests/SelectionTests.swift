import TableModel
import TableTerminal
import Testing

/// What is selected, on a terminal (F15).
struct SelectionTests {
    private func stage(_ scope: Settings.SelectionScope) throws -> Stage {
        let table = Table(name: "board", history: ID128(high: 1, low: 2))
        try table.appendSection("main", title: "")
        let stage = Stage(table)
        var settings = Settings()
        settings.selection = scope
        try stage.perform(.define(.init(settings: settings)))
        try stage.perform(.add(.init(id: "a", .init(title: "First"))))
        try stage.perform(.add(.init(id: "b", .init(title: "Second"))))
        return stage
    }

    private func marked(_ stage: Stage) -> [String] {
        stage.screen.split(separator: "\n").filter { $0.contains("✓") }
            .compactMap { line in ["First", "Second"].first { line.contains($0) } }
    }

    @Test func sharedIsEverybodys() throws {
        let stage = try stage(.shared)
        stage.type("gt")
        #expect(marked(stage) == ["First"])
        try stage.perform(.select("b", item: nil), by: "ana")
        #expect(marked(stage) == ["Second"])
        // Who comes late sees it too.
        #expect(marked(Stage(stage.table)) == ["Second"])
    }

    @Test func aViewersOwnIsItsOwn() throws {
        let stage = try stage(.viewer)
        stage.type("gt")
        #expect(marked(stage) == ["First"])
        try stage.perform(.select("b", item: nil), by: "ana")
        #expect(marked(stage) == ["First"] && marked(Stage(stage.table)).isEmpty)
    }

    @Test func withoutTheSettingNothingIsKept() throws {
        let stage = try stage(.none)
        stage.type("gt")
        #expect(marked(stage).isEmpty)
    }
}

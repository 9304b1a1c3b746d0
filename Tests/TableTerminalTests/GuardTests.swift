import TableFiles
import TableModel
import TableTerminal
import Testing

/// An action whose guard refuses a row keeps its place, is marked, and is not asked for (A19).
struct GuardTests {
    @Test func aGuardedButtonIsMarkedAndSaysWhy() throws {
        let table = Table(name: "board", history: ID128(high: 1, low: 2))
        try table.appendSection("main", title: "")
        let stage = Stage(table)
        let kinds = try KindsFile.parse(
            """
            kinds:
              ticket:
                trailing:
                  actions:
                    - id: send
                      title: Send
                      when: field.state == "ready"
                      unless: It is not ready.
                      effect: {set: {sent: "yes"}}
                    - {id: page, title: Page, effect: {set: {paged: "yes"}}}
            """, name: "kinds.yaml")
        try stage.perform(.define(kinds))
        try stage.perform(.add(.init(id: "t", .init(kind: "ticket", title: "Fries"))))
        stage.type("gh")
        #expect(
            stage.screen.contains("▸× Send") && stage.screen.contains(" 2 Page"), "\(stage.screen)")
        stage.type("1")
        #expect(stage.screen.contains("It is not ready."))
        #expect(stage.table.row("t")?.content.value(of: "sent") == nil)
        try stage.perform(.set("t", .init(fields: [.init("state", "ready")])))
        #expect(stage.screen.contains("▸1 Send"), "\(stage.screen)")
        stage.type("1")
        #expect(stage.table.row("t")?.content.value(of: "sent") == "yes")
    }
}

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

    /// A change of another row of an order is seen at this one: its line, its guard, and whether it is found.
    @Test func anOrderIsReadyWhenAllOfItIs() throws {
        let table = Table(name: "board", history: ID128(high: 1, low: 2))
        for section in ["main", "pass"] { try table.appendSection(ID(section), title: "") }
        let stage = Stage(table)
        let kinds = try KindsFile.parse(
            """
            kinds:
              ticket:
                show: {group: order, line: ['{count(group where section == "pass")} of {count(group)} ready']}
                trailing:
                  actions:
                    - {id: serve, title: Serve, when: all(group where section == "pass"), effect: {group: {remove: true}}}
            """, name: "kinds.yaml")
        try stage.perform(.define(kinds))
        for (row, section) in [("Fries", "pass"), ("Ribeye", "main")] {
            let content = Row.Content(
                kind: "ticket", title: row, fields: [.init("order", "7")])
            try stage.perform(.add(.init(id: ID(row), content, section: ID(section))))
        }
        stage.type("Gh")
        #expect(stage.screen.contains("× Serve"), "\(stage.screen)")
        stage.type("\u{1B}/all(group where section == \"pass\")\r")
        #expect(!stage.screen.contains("Fries"), "\(stage.screen)")
        try stage.perform(.move(["Ribeye"], section: "pass", .bottom, .rebase))
        #expect(stage.screen.contains("Fries") && stage.screen.contains("Ribeye"))
        #expect(stage.screen.contains("2 of 2 ready"), "\(stage.screen)")
        #expect(!stage.screen.contains("1 of 2 ready") && !stage.screen.contains("× Serve"))
    }
}

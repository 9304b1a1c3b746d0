import TableFiles
import TableDecisions
import TableModel
import Testing

/// The examples are what a table takes, not only what a reader does.
@Suite struct ExampleTests {
    /// A strip of cells with menus (F13).
    @Test func theMenu() throws {
        let definitions = try KindsFile.parse(file("examples/menu.yaml"), name: "menu.yaml")
        let rows = try ImportFile.parse(
            Array(file("examples/menu.ndjson").utf8), format: .ndjson, name: "menu.ndjson")
        let table = Table(name: "menu", history: ID128(high: 0, low: 1))
        func perform(_ commands: [Command]) throws {
            let plan = try reduce(batch: commands, on: table, limits: Limits(), nowMs: 1).get()
            _ = table.apply(plan, cause: Cause(verb: "batch"))
        }
        try perform([Command(.define(definitions))])
        try perform(ImportPlan(rows, sections: [], for: table).all.map(\.command))
        try perform([Command(.act(.init("fire", on: "table-12", item: "sole")))])
        let items = try #require(table.row("table-12")?.content.items)
        #expect(items.map(\.kind) == ["drink", "dish", "dish", "dish", "drink"])
        #expect(items[2].fields.contains(Row.Field("state", "on the fire")))
    }

    @Test func theKitchen() throws {
        let definitions = try KindsFile.parse(
            file("examples/kitchen.yaml"), name: "kitchen.yaml")
        let rows = try ImportFile.parse(
            Array(file("examples/kitchen.ndjson").utf8), format: .ndjson, name: "kitchen.ndjson")
        #expect(rows.count == 12)
        #expect(Set(rows.compactMap(\.section)) == ["grill", "fry", "cold", "pass"])
        let kinds = Set(definitions.kinds.map(\.id))
        #expect(rows.allSatisfy { $0.kind.map(kinds.contains) == true })
        #expect(definitions.kinds.first?.trailing?.actions.map(\.id) == ["bump", "page", "void"])
        let adds = rows.map { row in
            Command(
                .add(
                    .init(
                        id: row.id,
                        Row.Content(
                            kind: row.kind ?? .plainKind, title: row.title, fields: row.fields),
                        section: row.section)))
        }
        let table = Table(name: "kitchen", history: ID128(high: 0, low: 1))
        let result = reduce(
            batch: [Command(.define(definitions))] + adds, on: table, limits: Limits(), nowMs: 0)
        let plan = try result.get()
        #expect(plan.rows == Few(rows.compactMap(\.id)))
        // A ticket that is called back goes to no other station than its own, and only from the pass.
        _ = table.apply(plan, cause: Cause(verb: "batch"))
        for action in ["bump", "recall"] {
            let press = Command(.act(.init(ID(action), on: "1041-f")))
            let plan = try reduce(press, on: table, limits: Limits(), nowMs: 1).get()
            _ = table.apply(plan, cause: Cause(verb: "act"))
        }
        #expect(table.position(of: "1041-f")?.section == "fry")
        let again = Command(
            .act(.init("recall", on: "1041-f")), ifVersion: table.row("1041-f")?.version)
        let refused = #expect(throws: Rejection.self) {
            try reduce(again, on: table, limits: Limits(), nowMs: 2_000).get()
        }
        #expect(refused?.code == .guarded)
    }
}

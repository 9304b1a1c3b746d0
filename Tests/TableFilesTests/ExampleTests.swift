import TableFiles
import TableModel
import Testing

/// The examples are what a table takes, not only what a reader does.
@Suite struct ExampleTests {
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
        #expect(try result.get().rows == rows.compactMap(\.id))
    }
}

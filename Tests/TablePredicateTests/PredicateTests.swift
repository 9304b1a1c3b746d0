import TableModel
import TablePredicate
import Testing

struct PredicateTests {
    /// Sections `grill` (rows 1, 2, 3) and `done` (7); row 2 is expanded, 7 has been paged.
    static func table() throws -> Table {
        let table = Table(name: "t", history: ID128(high: 0, low: 0))
        let rows: [(RowID, String, SectionID, [Row.Field])] = [
            ("1", "Table 12", "grill", [Row.Field("qty", "2")]),
            ("2", "Ribeye", "grill", [Row.Field("qty", "10"), Row.Field("a b", "x")]),
            ("3", "", "grill", []),
            ("7", "Sole \"fresh\"", "done", [Row.Field("station", "grill")]),
        ]
        for (id, title, section, fields) in rows {
            try apply(
                .add(Command.Add(id: id, .init(title: title, fields: fields), section: section)),
                table)
        }
        try apply(.expand("2", .expanded), table)
        return table
    }

    private static func apply(_ verb: Command.Verb, _ table: Table) throws {
        let plan = try reduce(Command(verb), on: table, limits: Limits(), nowMs: 0).get()
        _ = table.apply(plan, cause: Cause(verb: "test"))
    }

    static let truths = [
        "count(rows) == 4", "count(rows) != 5", "not count(rows) == 0",
        "count(rows where section == \"grill\") >= 3",
        "count(rows where section == 'done' and field.station == \"grill\") == 1",
        "row(\"2\").state == \"expanded\"", "row(\"1\").state == \"collapsed\"",
        "exists row(\"7\")", "not exists row(\"8\")", "exists section(\"done\")",
        "revision >= 5", "revision == 5", "any(rows where title ~ \"Table\")",
        "not any(rows where title ~ \"table\")", "all(rows where id != \"x\")", "any(rows)",
        "row(\"2\").field.qty > 9", "row(\"2\").field.\"a b\" == \"x\"",
        "row(\"1\").field.none == none", "row(\"8\").title == none", "row(\"8\").title != \"x\"",
        "not row(\"8\").index < 3", "row(\"3\").index == 2", "row(\"3\").title == \"\"",
        "row(\"7\").title == \"Sole \\\"fresh\\\"\"", "not editing", "editing == false",
        "(count(rows) == 1 or count(rows) == 4) and true", "false or true and true",
        "count(rows where field.qty >= 2) == 2", "row(\"1\").swipe == \"closed\"",
        "row(\"1\").title !~ \"Sole\"", "sections == 2", "invocations == 0",
        "row(\"1\").action.page == none", "count(rows where exists row(\"1\")) == 4",
        "any(rows where row(\"2\").state == state and id == \"2\")", "row(\"1\").items == 0",
        "row(\"1\").kind == \"row\" and row(\"1\").version == 1", "-1 < 0", "1.5 > 1",
    ]

    @Test(arguments: truths) func isTrue(_ text: String) throws {
        #expect(try Predicate(text).holds(for: Self.table()))
    }

    /// The text, where the caret stands, and a part of the message.
    static let faults: [(String, Int, String)] = [
        ("", 0, "expected a value, found the end"),
        ("count(rows) = 0", 12, "written `==`"),
        ("count(rows)", 11, "expected a comparison"),
        ("count(row) == 1", 6, "expected `rows`"),
        ("count(rows where) == 1", 16, "expected a value"),
        ("title == \"x\"", 0, "is of a row"),
        ("nothing == 1", 0, "`nothing` is not known here"),
        ("row(7).state == \"x\"", 4, "expected an id in quotes"),
        ("row(\"7\").colour == \"x\"", 9, "is none of"),
        ("row(\"7\").field == \"x\"", 15, "expected `.`"),
        ("\"x", 0, "no end"), ("revision >= ", 12, "expected a value, found the end"),
        ("revision > 1 revision", 13, "expected `and`, `or` or the end"),
        ("exists \"7\"", 7, "expected row("), ("(revision > 1", 13, "expected `)`"),
        ("revision > 1 && true", 13, "written `and`"), ("§", 0, "nothing that begins with"),
        ("not 3", 5, "expected a comparison"), ("1 and true", 2, "expected a comparison"),
        ("any(rows where title)", 20, "expected a comparison"), ("\"\\q\"", 1, "expected one of"),
        ("true and 1", 10, "expected a comparison"), ("1.2.3 == 1", 0, "is no number"),
    ]

    @Test(arguments: faults) func saysWhere(_ text: String, _ offset: Int, _ part: String) {
        let fault = #expect(throws: PredicateFault.self) { try Predicate(text) }
        #expect(fault?.offset == offset)
        #expect(fault?.message.contains(part) == true, "\(fault?.message ?? "")")
    }

    @Test func depthAndLengthAreBounded() {
        let deep = String(repeating: "(", count: 5_000)
        #expect(throws: PredicateFault.self) { try Predicate(deep) }
        let nots = String(repeating: "not ", count: 1_000) + "true"
        #expect(throws: PredicateFault.self) { try Predicate(nots) }
        let long = Array(repeating: "true", count: 1_500).joined(separator: " and ")
        #expect(throws: PredicateFault.self) { try Predicate(long) }
    }

    @Test func longChainsAreEvaluated() throws {
        let text = Array(repeating: "revision >= 0", count: 450).joined(separator: " and ")
        #expect(try Predicate(text).holds(for: Self.table()))
    }

    /// Whatever the bytes are: a predicate, or a fault within the text.
    @Test func noTextTraps() {
        let parts = [
            "count", "(", "rows", ")", "where", "row", "\"7\"", ".", "field", "x", "==", "1", "and",
            "or", "not", "exists", "any", "all", "~", "none", "true", "revision", "'", "\\", "-",
        ]
        let empty = Table(name: "t", history: ID128(high: 0, low: 0))
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let count = Int.random(in: 0..<12, using: &generator)
            let words = (0..<count).map { _ in parts.randomElement(using: &generator) ?? "" }
            let text = words.joined(separator: Bool.random(using: &generator) ? " " : "")
            do throws(PredicateFault) {
                _ = try Predicate(text).holds(for: empty)
            } catch {
                #expect((0...text.count).contains(error.offset), "\(text)")
            }
        }
    }

    @Test func conditionsOnOneRow() throws {
        let table = try Self.table()
        let predicate = try RowPredicate("section == \"grill\" and field.qty > 5")
        #expect(predicate.holds(for: "2", in: table))
        #expect(!predicate.holds(for: "1", in: table))
        #expect(!predicate.holds(for: "7", in: table))
        #expect(!predicate.holds(for: "8", in: table), "there is no such row")
    }

    @Test func knowsWhetherItLooksAtAllRows() throws {
        #expect(try Predicate("count(rows) == 0").goesOverRows)
        #expect(try !Predicate("revision > 4 and exists row(\"1\")").goesOverRows)
    }
}

import TableDecisions
import TableModel
import Testing

@testable import TablePredicate

/// Conditions on the rows that belong together with a row, and their numbers.
struct GroupTests {
    struct Vectors: Decodable, Sendable {
        struct Given: Decodable, Sendable {
            var id, kind, section: String
            var fields: [String: String]
        }
        struct KindGiven: Decodable, Sendable {
            struct Show: Decodable, Sendable {
                var group: String
            }
            var id: String
            var show: Show?
        }
        struct Count: Decodable, Sendable {
            var name: String
            var of: [String: Int?]
        }
        var kinds: [KindGiven]
        var rows: [Given]
        var `where`: [PredicateTests.Vectors.Where]
        var counts: [Count]
    }

    private static let vectors = PredicateTests.vectors.groups

    private static func table() throws -> Table {
        let table = Table(name: "t", history: ID128(high: 0, low: 0))
        let kinds = vectors.kinds.map { given in
            var kind = Kind(ID(given.id))
            kind.show.group = given.show.map { ID($0.group) }
            return kind
        }
        try apply(.define(Command.Definitions(kinds: kinds)), table)
        for row in vectors.rows {
            let content = Row.Content(
                kind: ID(row.kind), title: row.id,
                fields: row.fields.map { Row.Field(ID($0.key), $0.value) })
            let add = Command.Add(id: ID(row.id), content, section: ID(row.section))
            try apply(.add(add), table)
        }
        return table
    }

    private static func apply(_ verb: Command.Verb, _ table: Table) throws {
        let plan = try reduce(Command(verb), on: table, limits: Limits(), nowMs: 0).get()
        _ = table.apply(plan, cause: Cause(verb: "test"))
    }

    @Test(arguments: vectors.where) func isTrueOfRows(_ one: PredicateTests.Vectors.Where) throws {
        let (table, predicate) = (try Self.table(), try RowPredicate(one.where))
        let clock = PredicateTests.clock
        var query = RowQuery()
        query.condition = predicate
        #expect(query.rows(of: table, at: clock).map(\.row.id.text) == one.rows)
        #expect(predicate.outlook(in: table, at: clock).rows == Set(one.rows.map { ID($0) }))
        #expect(predicate.goesOverRows)
        // A guard has no look at all rows.
        guard !one.where.contains("(rows") else { return }
        var action = Action("a")
        action.guarded = Action.Guard(when: one.where)
        let groups = Groups(table)
        for row in Self.vectors.rows {
            #expect(
                table.allows(action, on: ID(row.id), nowMs: 0, groups) == one.rows.contains(row.id))
        }
    }

    @Test func countsForNamesInBraces() throws {
        let groups = Groups(try Self.table())
        for one in Self.vectors.counts {
            for (row, count) in one.of {
                #expect(groups.count(one.name, of: ID(row)) == count.map { "\($0)" }, "\(one.name)")
            }
        }
        for name in [
            "count(group where since > 1m)", "all(group where late)", "count(rows)", "title",
        ] {
            #expect(groups.count(name, of: "a") == nil, "\(name)")
        }
    }

    /// The value of a group is not kept over a change of one of its rows.
    @Test func looksAgainAtAnotherRevision() throws {
        let table = try Self.table()
        let groups = Groups(table)
        let name = "count(group where section == \"pass\")"
        #expect(groups.count(name, of: "a") == "1")
        try Self.apply(.move(["b"], section: "pass", .bottom, .rebase), table)
        #expect(groups.count(name, of: "a") == "2")
    }

    /// Each row of one large group is looked at once, however many rows ask.
    @Test func looksOnceAtEachRowOfAGroup() throws {
        let table = try Self.table()
        var action = Action("a")
        action.guarded = Action.Guard(when: "all(group where section != \"x\")")
        let groups = Groups(table)
        for _ in 0..<50 { #expect(table.allows(action, on: "a", nowMs: 0, groups)) }
        #expect(groups.looked == 3)
    }
}

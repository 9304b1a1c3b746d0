import Foundation
import TableDecisions
import TableModel
import TablePredicate
import Testing

struct PredicateTests {
    /// Valid predicates, and faulty ones with their places. The client in Python is held against the same file.
    struct Vectors: Decodable, Sendable {
        struct Given: Decodable, Sendable {
            var id, title, section: String
            var fields: [String: String]
        }
        struct Where: Decodable, Sendable, CustomTestStringConvertible {
            var `where`: String
            var rows: [String]
            var testDescription: String { `where` }
        }
        struct Fault: Decodable, Sendable, CustomTestStringConvertible {
            var text, message: String
            var offset: Int
            var testDescription: String { text }
        }
        var rows: [Given]
        var expanded: String
        var `true`, `false`: [String]
        var `where`: [Where]
        var faults: [Fault]
        var timed: TimedPredicateTests.Vectors
        var guards: GuardTests.Vectors
        var groups: GroupTests.Vectors
    }

    /// The clock at which the untimed vectors are evaluated.
    static let clock = PredicateClock(nowMs: 0)

    static let vectors: Vectors = {
        let url = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Vectors/predicates.json")
        do {
            return try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: url))
        } catch { fatalError("\(url.path()): \(error)") }
    }()

    /// The table of the vectors.
    static func table() throws -> Table {
        let table = Table(name: "t", history: ID128(high: 0, low: 0))
        for row in vectors.rows {
            let fields = row.fields.map { Row.Field(ID($0.key), $0.value) }
            try apply(
                .add(
                    Command.Add(
                        id: ID(row.id), .init(title: row.title, fields: fields),
                        section: ID(row.section))),
                table)
        }
        try apply(.expand(ID(vectors.expanded), .expanded), table)
        return table
    }

    private static func apply(_ verb: Command.Verb, _ table: Table) throws {
        let plan = try reduce(Command(verb), on: table, limits: Limits(), nowMs: 0).get()
        _ = table.apply(plan, cause: Cause(verb: "test"))
    }

    @Test(arguments: vectors.true) func isTrue(_ text: String) throws {
        #expect(try Predicate(text).holds(for: Self.table(), at: Self.clock))
        #expect(try !Predicate("not (\(text))").holds(for: Self.table(), at: Self.clock))
    }

    @Test(arguments: vectors.false) func isFalse(_ text: String) throws {
        #expect(try !Predicate(text).holds(for: Self.table(), at: Self.clock))
    }

    @Test(arguments: vectors.where) func isTrueOfRows(_ one: Vectors.Where) throws {
        let (table, predicate) = (try Self.table(), try RowPredicate(one.where))
        let rows = Self.vectors.rows.map(\.id).filter {
            predicate.holds(for: ID($0), in: table, at: Self.clock)
        }
        #expect(rows == one.rows)
    }

    @Test(arguments: vectors.faults) func saysWhere(_ one: Vectors.Fault) {
        let fault = #expect(throws: PredicateFault.self) { try Predicate(one.text) }
        #expect(fault?.offset == one.offset)
        #expect(fault?.message == one.message)
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
        #expect(try Predicate(text).holds(for: Self.table(), at: Self.clock))
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
                _ = try Predicate(text).holds(for: empty, at: Self.clock)
            } catch {
                #expect((0...text.count).contains(error.offset), "\(text)")
            }
        }
    }

    @Test func conditionsOnOneRow() throws {
        let table = try Self.table()
        let predicate = try RowPredicate("section == \"grill\" and field.qty > 5")
        #expect(predicate.holds(for: "2", in: table, at: Self.clock))
        #expect(!predicate.holds(for: "1", in: table, at: Self.clock))
        #expect(!predicate.holds(for: "7", in: table, at: Self.clock))
        #expect(!predicate.holds(for: "8", in: table, at: Self.clock), "there is no such row")
    }

    @Test func knowsWhetherItLooksAtAllRows() throws {
        #expect(try Predicate("count(rows) == 0").goesOverRows)
        #expect(try !Predicate("revision > 4 and exists row(\"1\")").goesOverRows)
    }
}

import TableModel
import TablePredicate
import Testing

/// Parts that only constants make are evaluated once, and each text is searched once.
@Suite struct FoldedPredicateTests {
    @Test func whatConstantsComeToIsNotFoundAgain() throws {
        for text in [
            "1 < 2", "not 2 < 1", "1 < 2 or field.x == \"a\"", "field.x == \"a\" or 1 < 2",
            "\"abc\" ~ \"bc\" and 3 > 2",
        ] {
            #expect(try Self.lookups(text) == 0, "\(text)")
        }
        #expect(try Self.lookups("1 < 2 and field.x == \"a\"") == 1)
        #expect(try Self.lookups("1 > 2 and field.x == \"a\"") == 0)
        #expect(try Self.lookups("title ~ \"a\" or field.x == \"a\"") == 2)
    }

    /// Any row may be one of the group: the daemon bounds what it looks at by this.
    @Test func aGroupCountsAsAllRows() throws {
        #expect(try Self.lookups("all(group where late)", rows: 100) == 201)
        #expect(try Self.lookups("late and count(group) > 2", rows: 100) == 102)
        let many = Array(repeating: "any(group where late)", count: 150).joined(separator: " or ")
        #expect(try Self.lookups(many, rows: 1 << 20) > 150 << 21)
        #expect(
            try Self.lookups("any(group where any(rows where late))", rows: .max >> 2) <= 1 << 40)
    }

    /// For many rows it is found once for each group: as many values as all rows have, however many groups they make.
    @Test func theRowsOfAGroupAreLookedAtTogether() throws {
        func cost(_ text: String) throws -> (ofEach: Int, ofAll: Int) {
            var parser = try PredicateParser(text, rowsAreInScope: true)
            return try parser.wholeCondition().lookups(rows: nil)
        }
        #expect(try cost("late") == (1, 0))
        #expect(try cost("count(group) > 2") == (8, 8))
        #expect(try cost("late and all(group where late or claimed)") == (9, 10))
        #expect(try cost("any(group where count(rows where late) > 2)") == (8, 9))
    }

    private static func lookups(_ text: String, rows: Int = 0) throws -> Int {
        var parser = try PredicateParser(text, rowsAreInScope: true)
        return try parser.wholeCondition().lookups(rows: rows).ofEach
    }

    /// Against a search that begins anew at each place.
    @Test func aTextIsFoundWhereItIs() {
        var generator = SystemRandomNumberGenerator()
        func text(_ most: Int) -> String {
            String(
                (0..<Int.random(in: 0...most, using: &generator)).map { _ in
                    Bool.random(using: &generator) ? "a" : "b"
                })
        }
        for _ in 0..<5_000 {
            let (whole, part) = (text(24), text(6))
            let places = 0...max(0, whole.utf8.count - part.utf8.count)
            let isIn = places.contains { whole.dropFirst($0).hasPrefix(part) }
            #expect(
                PredicateComparison.contains.holds(.text(whole), .text(part)) == isIn,
                "\(part) in \(whole)")
        }
    }
}

import TableDecisions
import TableModel
import Testing

@testable import TableLayout

/// The height cache of a `LayoutIndex`.
struct LayoutCacheTests {
    @Test func theCacheIsBounded() {
        var cache = HeightCache(capacity: 100)
        func key(_ number: Int) -> HeightCache.Key {
            HeightCache.Key(row: ID("r\(number)"), version: 1, state: .expanded, widthPoints: 320)
        }
        cache.put(7, for: key(-1))
        for number in 0..<1_000 {
            cache.put(Int32(number), for: key(number))
            #expect(cache.count <= 100)
            // What is asked for again stays.
            #expect(cache.height(of: key(-1)) == 7)
        }
        #expect(cache.height(of: key(0)) == nil && cache.height(of: key(999)) == 999)
        let others = [
            HeightCache.Key(row: "r999", version: 2, state: .expanded, widthPoints: 320),
            HeightCache.Key(row: "r999", version: 1, state: .collapsed, widthPoints: 320),
        ]
        for other in others { #expect(cache.height(of: other) == nil) }
        cache.removeAll()
        #expect(cache.count == 0)
        var none = HeightCache(capacity: 0)
        none.put(1, for: key(1))
        #expect(none.count == 0 && none.height(of: key(1)) == nil)
    }

    /// With more kinds than bits, kinds that share a bit are still told apart.
    @Test func manyKindsFindTheirRows() throws {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        let kinds = (0..<150).map { Kind(ID("k\($0)")) }
        func define(_ kinds: [Kind]) throws -> Diff {
            let command = Command(.define(.init(kinds: kinds)))
            let plan = try reduce(command, on: table, limits: Limits(), nowMs: 0).get()
            return try #require(table.apply(plan, cause: Cause(verb: "test")))
        }
        _ = try define(kinds)
        try table.appendSection("main", title: "")
        for number in 0..<600 {
            let content = Row.Content(kind: kinds[number % 150].id, title: "two words")
            let state = number % 300 < 150 ? Expansion.expanded : .collapsed
            let row = Row(id: ID("r\(number)"), content: content, expansion: state)
            try table.appendRow(row, to: "main")
        }
        let index = LayoutIndex(table, widthPoints: 100)
        _ = index.contentHeightPoints
        for number in [3, 64, 67, 149] {
            let measured = index.measurements
            var kind = kinds[number]
            kind.heightPoints = 100.7 + Double(number)
            index.apply(try define([kind]), table)
            #expect(index.unmeasuredCount == 2)
            let frames = TableFrames(table, widthPoints: 100)
            #expect(index.contentHeightPoints == frames.contentHeightPoints)
            #expect(frames.rows.allSatisfy { index.offset(of: $0.id) == $0.y })
            #expect(index.measurements == measured + 2)
        }
    }
}

import TableModel
import Testing

@testable import TablePredicate

/// Guards of actions, held against the vectors that the page is held against, too.
struct GuardTests {
    struct Vectors: Decodable {
        struct One: Decodable {
            var when: String
            var rows: [String]
        }

        var nowMs: UInt64
        var hold: [One]
        var faults: [PredicateTests.Vectors.Fault]
    }

    private static let vectors = PredicateTests.vectors.guards

    @Test func everyGuardVector() throws {
        let table = try PredicateTests.table()
        for one in Self.vectors.hold {
            var action = Action("a")
            action.guarded = Action.Guard(when: one.when)
            let rows = table.rows.map(\.id).filter {
                table.allows(action, on: $0, nowMs: Self.vectors.nowMs)
            }
            #expect(rows.map(\.text) == one.rows, "\(one.when)")
            #expect(!table.allows(action, on: "nobody", nowMs: Self.vectors.nowMs))
        }
    }

    @Test func saysWhereTheFaultIs() {
        for one in Self.vectors.faults {
            let fault = Action.Guard(when: one.text).fault
            #expect(fault?.offset == one.offset, "\(one.text)")
            #expect(fault?.message == one.message)
        }
    }
}

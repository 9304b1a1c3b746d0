import TableModel
import TablePredicate
import Testing

struct RowQueryTests {
    /// The ids of the vectors' rows that fit, in order.
    private func ids(
        _ order: String = "", where condition: String? = nil, sections: Set<SectionID> = []
    ) throws -> [String] {
        let table = try PredicateTests.table()
        var query = RowQuery()
        query.condition = try condition.map { try RowPredicate($0) }
        query.sections = sections
        if !order.isEmpty { query.order = try RowKey.list(order) }
        return query.rows(of: table, at: PredicateTests.clock).map(\.row.id.text)
    }

    @Test func withoutAnOrderItIsTheTables() throws {
        let table = try PredicateTests.table()
        #expect(try ids() == table.rows.map(\.id.text))
    }

    /// A condition fits the same rows as one by one.
    @Test(arguments: PredicateTests.vectors.where)
    func aConditionChooses(_ vector: PredicateTests.Vectors.Where) throws {
        #expect(Set(try ids(where: vector.where)) == Set(vector.rows))
    }

    @Test func aSectionChooses() throws {
        let table = try PredicateTests.table()
        for section in table.sections {
            let rows = section.runs().joined().map(\.id.text)
            #expect(try ids(sections: [section.id]) == rows)
        }
    }

    /// Each order is compared with one that is made by single comparisons: by a key, then in the table's order.
    @Test(arguments: ["id", "title", "section", "index", "field.qty", "state", "age", "field.none"])
    func anOrderIsThatOfItsKey(_ name: String) throws {
        let up = try ids(name)
        let down = try ids("-" + name)
        #expect(Set(up) == Set(try ids()))
        #expect(try ids(name + "," + name) == up)
        #expect(try ids(name + ",id") == ids(name + ",id,-title"))
        let table = try PredicateTests.table()
        let column = try RowColumn(name)
        func isMissing(_ id: String) -> Bool {
            guard let placed = PlacedRow(ID(id), in: table) else { return true }
            return column.value(of: placed, in: table, at: PredicateTests.clock).text == nil
        }
        // A missing value comes last both ways, and the others come the other way round.
        let there = up.filter { !isMissing($0) }
        #expect(Array(up.prefix(there.count)) == there)
        #expect(Array(down.prefix(there.count)).map(isMissing).contains(true) == false)
        let round = try ids("-\(name),-id").prefix(there.count)
        #expect(try ids(name + ",id").prefix(there.count).reversed() == Array(round))
    }

    @Test func anAgeIsSinceTheRowWasMade() throws {
        let table = try PredicateTests.table()
        guard let id = table.rows.first?.id, let placed = PlacedRow(id, in: table) else {
            Issue.record("the vectors have rows")
            return
        }
        let age = try RowColumn("age").value(
            of: placed, in: table, at: .init(nowMs: placed.row.createdMs + 65_999))
        #expect(age.number == 65)
        #expect(try RowColumn("age").value(of: placed, in: table, at: .init(nowMs: 0)).number == 0)
    }

    @Test(arguments: [
        ("", 0), ("id,", 3), ("id,,title", 3), ("id,titel", 3), ("id,-titel", 4),
        ("field", 5), ("field.\"a,b\",x", 12), ("id title", 3), ("--id", 1),
    ])
    func aFaultHasItsPlace(_ text: String, _ offset: Int) {
        #expect {
            _ = try RowKey.list(text)
        } throws: { error in
            (error as? PredicateFault)?.offset == offset
        }
    }

    @Test func aCommaInQuotesIsOfTheName() throws {
        #expect(try RowColumn.list("id,field.\"a,b\",title").map(\.name).count == 3)
    }
}

import SeededNumbers
import TableModel
import TablePredicate
import Testing

/// A scan of a few rows at a time finds the same as one look at all.
struct RowScanTests {
    private static func table(_ dice: inout SplitMix64) throws -> Table {
        var kind = Kind("row")
        kind.show.group = "n"
        let table = Table(
            restoring: "t", history: ID128(high: 1, low: 2), revision: 7, kinds: [kind],
            settings: Settings())
        for section in ["a", "b", "c"] as [SectionID] {
            try table.appendSection(section, title: "")
            for row in 0..<Int.random(in: 0..<200, using: &dice) {
                let number = Int.random(in: 0..<9, using: &dice)
                let fields = number == 8 ? [] : [Row.Field("n", number == 7 ? "x" : "\(number)")]
                let content = Row.Content(kind: "row", title: "\(number)", fields: fields)
                try table.appendRow(
                    Row(id: ID("\(section.text)\(row)"), content: content), to: section)
            }
        }
        return table
    }

    private static let orders = ["", "field.n", "-field.n,title", "section,-index", "-title"]
    private static let conditions = [
        nil, "field.n > 3", "title ~ \"1\"", "count(rows where field.n == 2) > 3 and index < 50",
        "count(group) > 40", "all(group where index < 150) and count(rows) > 9",
        "title == 3 or any(group where section == \"b\" and count(rows where section == \"b\") > 60)",
    ]

    @Test func itFindsTheSame() throws {
        var dice = SplitMix64(seed: 52)
        let clock = PredicateClock(nowMs: 9)
        for _ in 0..<60 {
            let table = try Self.table(&dice)
            var query = RowQuery()
            query.condition = try Self.conditions.randomElement(using: &dice)!
                .map { try RowPredicate($0) }
            let order = Self.orders.randomElement(using: &dice)!
            if !order.isEmpty { query.order = try RowKey.list(order) }
            if Bool.random(using: &dice) { query.sections = ["a", "c"] }
            let most = [0, 1, 10, 10_000].randomElement(using: &dice)!
            let all = query.rows(of: table, at: clock)
            var scan = RowScan(
                query, by: try RowColumn("title"), sum: try RowColumn("field.n"), most: most,
                of: table, at: clock)
            while scan.work() {}
            #expect(scan.found == all.count)
            #expect(scan.rows.map(\.row.id) == all.prefix(most).map(\.row.id))
            #expect(scan.rows.map(\.index) == all.prefix(most).map(\.index))
            let byTitle = Dictionary(grouping: all) { $0.row.content.title }
            #expect(scan.groups.count == byTitle.count)
            for (title, rows) in byTitle {
                let sum = rows.reduce(0.0) {
                    $0 + ($1.row.content.value(of: "n").flatMap { Double($0) } ?? 0)
                }
                #expect(scan.groups[ID(title)]?.rows == rows.count)
                #expect(scan.groups[ID(title)]?.sum.value == sum)
            }
            // Without anything to look at, rows are counted by what the table knows.
            var count = RowScan(RowQuery(), most: most, of: table, at: clock)
            while count.work() {}
            #expect(count.found == table.count)
            #expect(count.rows.map(\.row.id) == table.rows.prefix(most).map(\.id))
        }
    }

    /// It is of the moment at which it began, whatever happens to the table meanwhile.
    @Test(arguments: ["field.n < 4", "count(group where index < 30) > 9 and count(rows) > 9"])
    func theTableGoesOnMeanwhile(_ condition: String) throws {
        var dice = SplitMix64(seed: 53)
        let clock = PredicateClock(nowMs: 9)
        let table = try Self.table(&dice)
        var query = RowQuery()
        query.condition = try RowPredicate(condition)
        query.order = try RowKey.list("-title")
        let before = query.rows(of: table, at: clock).map(\.row.id)
        #expect(!before.isEmpty && before.count < table.count)
        var scan = RowScan(query, most: 1_000, of: table, at: clock)
        var rows = table.rows.map(\.id)
        while scan.work() {
            let id = rows.remove(at: Int.random(in: rows.indices, using: &dice))
            let op =
                Bool.random(using: &dice)
                ? Op.remove(id) : .set(id, Command.Changes(fields: [Row.Field("n", "1")]))
            _ = table.apply(Plan(steps: [op]), cause: Cause(verb: "test"))
        }
        #expect(scan.rows.map(\.row.id) == before)
    }

    @Test func digitsMayComeToMoreThanANumber() throws {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        let many = "1" + String(repeating: "0", count: 308)
        try table.appendSection("s", title: "")
        for row in 0..<2 {
            let content = Row.Content(kind: "row", title: "", fields: [Row.Field("n", many)])
            try table.appendRow(Row(id: ID("\(row)"), content: content), to: "s")
        }
        var scan = RowScan(
            RowQuery(), sum: try RowColumn("field.n"), most: 0, of: table,
            at: PredicateClock(nowMs: 9))
        while scan.work() {}
        #expect(scan.sum.value == .greatestFiniteMagnitude)
    }
}

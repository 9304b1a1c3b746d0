import Testing

@testable import TableModel

/// What a batch may take together, however few its commands are.
@Suite struct BatchWorkTests {
    private func table(_ rows: Int) throws -> Table {
        let table = Table(name: "t", history: ID128(high: 1, low: 1))
        for row in 0..<rows {
            let add = Command(.add(.init(id: ID("r\(row)"), Row.Content(title: "T"))))
            let plan = try reduce(add, on: table, limits: Limits(), nowMs: 1).get()
            _ = table.apply(plan, cause: Cause(verb: "add", timeMs: 1))
        }
        return table
    }

    private func code(
        _ commands: [Command], on table: Table, atMost work: BatchWork
    ) -> Rejection.Code? {
        let context = DecisionContext(nowMs: 1)
        let result = reduce(
            batch: commands, on: table, limits: Limits(), context, atMost: work)
        guard case .failure(let rejection) = result else { return nil }
        #expect(rejection.field == "commands")
        return rejection.code
    }

    @Test func rowsAreCountedTogether() throws {
        let table = try table(10)
        let ids = (0..<10).map { RowID("r\($0)") }
        let moves = { (count: Int) in
            (0..<count).map {
                Command(.move(ids, section: nil, $0 % 2 == 0 ? .top : .bottom, .strict))
            }
        }
        let work = BatchWork(rows: 40, walked: 0, free: 1)
        #expect(code(moves(4), on: table, atMost: work) == nil)
        #expect(code(moves(5), on: table, atMost: work) == .tooLarge)
        #expect(code(moves(1_000), on: table, atMost: .changing) == nil)
        #expect(code(moves(1_000), on: table, atMost: .explaining) == .tooLarge)
        let unclaim = Command(.unclaim(ids, holder: nil))
        #expect(unclaim.verb.namedRows == 10 && Command(.edit(true)).verb.namedRows == 1)
    }

    @Test func commandsAboutAllRowsAreCountedByRows() throws {
        let table = try table(10)
        let all = { (count: Int) in (0..<count).map { Command(.expandAll($0 % 2 == 0)) } }
        let work = BatchWork(rows: 100, walked: 30, free: 1)
        #expect(code(all(4), on: table, atMost: work) == nil)
        #expect(code(all(5), on: table, atMost: work) == .tooLarge)
        // Alone it is a command as any other.
        let none = BatchWork(rows: 0, walked: 0, free: 0)
        #expect(code(all(1), on: table, atMost: none) == nil)
        #expect(code(all(2), on: table, atMost: none) == .tooLarge)
    }
}

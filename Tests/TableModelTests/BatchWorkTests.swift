import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// The work of a batch is bounded, however few its commands are.
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
                Command(.move(Few(ids), section: nil, $0 % 2 == 0 ? .top : .bottom, .strict))
            }
        }
        let work = BatchWork(rows: 40, walked: 0, free: 1)
        #expect(code(moves(4), on: table, atMost: work) == nil)
        #expect(code(moves(5), on: table, atMost: work) == .tooLarge)
        #expect(code(moves(200), on: table, atMost: .changing) == nil)
        #expect(code(moves(1_000), on: table, atMost: .changing) == .tooLarge)
        #expect(code(moves(1_000), on: table, atMost: .explaining) == .tooLarge)
        let unclaim = Command(.unclaim(Few(ids), holder: nil))
        #expect(unclaim.verb.namedRows?.count == 10 && Command(.edit(true)).verb.namedRows == nil)
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

    @Test func whatCommandsLookAtIsCounted() throws {
        let ledger = Ledger()
        for row in 0..<10 { ledger.perform(.add(.init(id: ID("r\(row)"), .init()))) }
        let ids = (0..<10).map { RowID("r\($0)") }
        ledger.perform(.claim(Few(ids), note: "", ttlSeconds: nil))
        let table = ledger.table
        let unclaims = { Array(repeating: Command(.unclaim([], holder: "bob")), count: $0) }
        let work = BatchWork(rows: 100, walked: 3, free: 1)
        #expect(code(unclaims(3), on: table, atMost: work) == nil)
        #expect(code(unclaims(4), on: table, atMost: work) == .tooLarge)
        // Open rows count under an accordion, even if a command of the batch makes it one.
        var tall = Kind("open")
        tall.initial = .expanded
        ledger.perform(.define(.init(kinds: [tall])))
        for row in 0..<10 { ledger.perform(.add(.init(id: ID("o\(row)"), .init(kind: "open")))) }
        let toggles = (0..<4).map { Command(.expand(ID("o\($0)"), .height(9))) }
        #expect(code(toggles, on: table, atMost: work) == nil)
        var settings = Settings()
        settings.expandPolicy = .accordionTable
        let accordion = Command(.define(.init(settings: settings)))
        #expect(code([accordion] + toggles, on: table, atMost: work) == .tooLarge)
    }

    @Test func whatTheyLeadToIsWeighed() throws {
        let table = try table(2)
        let set = { (bytes: Int) in
            let text = String(repeating: "x", count: bytes)
            return Command(.set("r0", .init(fields: [Row.Field("k", text)])))
        }
        let work = BatchWork(rows: 10, walked: 10, free: 0, bytes: 4_000)
        #expect(code([set(1_000), set(2_000)], on: table, atMost: work) == nil)
        #expect(code([set(1_001), set(3_001)], on: table, atMost: work) == .tooLarge)
    }
}

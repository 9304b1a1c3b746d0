import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// Presses on groups, and searches, count what they look at: nobody waits while a large table is gone through again and
/// again.
@Suite struct GroupWorkTests {
    private static let rows = 4_000

    private let ledger: Ledger = {
        let ledger = Ledger()
        var all = Action("all")
        all.repeats = true
        all.effects = [.group([.set([.init("seen", "1")])])]
        var kind = Kind("job")
        kind.show.group = "order"
        kind.trailing = ActionGroup(actions: [all])
        ledger.perform(.define(.init(kinds: [kind])))
        for number in 0..<rows {
            let order = Row.Field("order", "o\(number / 2)")
            let content = Row.Content(kind: "job", fields: [order])
            ledger.perform(.add(.init(id: ID("r\(number)"), content, section: "queued")))
        }
        return ledger
    }()

    private func press(_ number: Int) -> Command {
        Command(.act(.init("all", on: ID("r\(number)"))))
    }

    private func code(_ result: Result<Plan, Rejection>) -> Rejection.Code? {
        guard case .failure(let rejection) = result else { return nil }
        return rejection.code
    }

    /// So many presses go through 250,000 rows, the last of them beyond.
    private static let most = 250_000 / rows + 1

    @Test func aBatchAndAnEachHaveABound() throws {
        #expect(code(ledger.perform((0..<Self.most).map { press(2 * $0) })) == nil)
        #expect(
            code(ledger.perform((0..<Self.most + 1).map { press(1_000 + 2 * $0) })) == .tooLarge)
        for (limit, expected) in [(Self.most, nil), (Self.most + 1, .tooLarge)]
            as [(Int, Rejection.Code?)]
        {
            let each = Command.Each(
                .act(.init("all", on: Command.Each.noRow)), where: "index >= 3000", limit: limit)
            #expect(code(ledger.perform(.each(each))) == expected)
        }
    }

    /// A guard may ask each row of the table, which is counted as all of the group.
    @Test func aGuardThatLooksAtItsGroupHasABound() throws {
        var kind = try #require(ledger.table.kinds["job"])
        kind.trailing?.actions[0].effects = [.set([.init("seen", "1")])]
        kind.trailing?.actions[0].guarded = Action.Guard(when: "all(group where title == \"\")")
        ledger.perform(.define(.init(kinds: [kind])))
        // Each finds the group among all rows, and compares two values of each: so the 84th goes beyond 1,000,000.
        #expect(code(ledger.perform((0..<84).map(press))) == nil)
        #expect(code(ledger.perform((1_000..<1_085).map(press))) == .tooLarge)
        let parts = Array(repeating: "any(group where late)", count: 126)
        kind.trailing?.actions[0].guarded = Action.Guard(when: parts.joined(separator: " or "))
        ledger.perform(.define(.init(kinds: [kind])))
        #expect(code(ledger.perform(.act(.init("all", on: "r3000")))) == .tooLarge)
    }

    @Test func nextGivesFewerRows() throws {
        var kind = try #require(ledger.table.kinds["job"])
        kind.trailing?.actions[0].effects.append(.invoke(deadlineSeconds: 60, then: []))
        ledger.perform(.define(.init(kinds: [kind])))
        let plan = try ledger.perform(.next(.init(action: "all", atMost: 64)), by: "ada").get()
        #expect(plan.rows.count == Self.most - 1)
    }

    @Test func aSearchCountsTheRowsLength() {
        let row = Row(
            id: "a", content: .init(fields: [.init("note", String(repeating: "b", count: 2_560))]))
        let plain = RowCondition("field.note == \"x\"")
        let search = RowCondition("field.note ~ \"x\"")
        #expect(plain.cost(of: row) == plain.lookups)
        #expect(search.cost(of: row) >= 10 * search.lookups)
    }
}

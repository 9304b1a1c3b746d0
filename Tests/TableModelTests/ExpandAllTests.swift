import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// Expand-all looks at each row where it lies. It does what opening each row by itself does.
struct ExpandAllTests {
    /// Rows of kinds that open and of one that does not, some with states of their own, in three sections.
    private static func ledger(_ dice: inout SplitMix64) -> Ledger {
        let ledger = Ledger()
        var (tall, flat) = (Kind("tall"), Kind("flat"))
        tall.states = [.collapsed, .expanded, .named("big", heightPoints: 90)]
        flat.states = [.collapsed]
        ledger.perform(.define(.init(kinds: [tall, flat])))
        for section: SectionID in ["a", "b", "c"] { ledger.perform(.section(section, title: "")) }
        let own: [[Kind.State]] = [[], [], [.collapsed], [.expanded, .collapsed]]
        for number in 0..<400 {
            let content = Row.Content(
                kind: dice.pick(["tall", "tall", "flat"]), title: "\(number)",
                states: dice.pick(own))
            ledger.perform(
                .add(.init(id: ID("r\(number)"), content, section: dice.pick(["a", "b", "c"]))))
            if dice.once(in: 3) { ledger.perform(.expand(ID("r\(number)"), nil)) }
        }
        return ledger
    }

    @Test(arguments: [true, false], [false, true]) func itIsEachRowByItself(
        isOpen: Bool, isCaptured: Bool
    ) throws {
        var dice = SplitMix64(seed: 9)
        let ledger = Self.ledger(&dice)
        let table = ledger.table
        // Held by somebody, as a snapshot does. What is held stays as it was.
        let held = isCaptured ? table.rows : []
        let heldStates = held.map(\.expansion)
        if isCaptured { table.noteCaptured() }
        let before = table.rows.map(\.expansion)
        let expected = table.rows.map { row in
            table.kind(of: row)?.state(forAll: isOpen) ?? row.expansion
        }
        #expect(expected != before)
        #expect(expected.contains(isOpen ? .expanded : .collapsed))

        #expect(try ledger.perform(.expandAll(isOpen)).get().ops == [.expandAll(isOpen)])
        #expect(table.rows.map(\.expansion) == expected)
        #expect(table.fault() == nil)
        #expect(held.map(\.expansion) == heldStates)
        // Nothing is left to do.
        #expect(try ledger.perform(.expandAll(isOpen)).get().ops.isEmpty)

        _ = try ledger.perform(.undo(revision: nil, mine: false)).get()
        #expect(table.rows.map(\.expansion) == before)
        #expect(table.fault() == nil)
    }
}

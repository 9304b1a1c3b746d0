import TableModel
import TableSync
import Testing

@testable import TableTurn

/// What `history` finds of a row.
@Suite struct RowHistoryTests {
    private func rig() throws -> Rig {
        let rig = try Rig(isPrompt: true)
        try rig.makeTable()
        var (kind, action) = (Kind("k"), Action("go"))
        action.effects = [.invoke(deadlineSeconds: 1, then: [])]
        kind.trailing = ActionGroup(actions: [action])
        kind.tap = action.effects
        rig.send(.command(Command(.define(.init(kinds: [kind])))))
        for id: RowID in ["x", "y"] {
            rig.send(.command(Command(.add(.init(id: id, .init(kind: "k"))))))
        }
        try rig.run()
        return rig
    }

    private func history(of row: RowID, _ rig: Rig) throws -> [HistoryPage.Change] {
        rig.network.forgetSaid()
        var filter = HistoryFilter()
        filter.row = row
        rig.send(.history(filter), isNumbered: false)
        try rig.run()
        guard case .history(let page) = rig.network.replies.last?.answer else { return [] }
        return page.changes
    }

    /// Though no op names the row.
    @Test func itHasHowActionsEndedAndWhatWasExpandedWithAll() throws {
        let rig = try rig()
        func perform(_ verbs: Command.Verb...) throws {
            for verb in verbs { rig.send(.command(Command(verb))) }
            try rig.run()
        }
        let press = Command.Verb.act(.init("go", on: "x"))
        try perform(press)
        try rig.run(afterMs: 2_000)
        try perform(press, .take(action: nil, atMost: 1))
        try perform(.finish(InvocationID(revision: 6, index: 0), .done))
        try perform(.expandAll(true), .set("y", .init(title: "Y")))
        let changes = try history(of: "x", rig)
        #expect(changes.map(\.revision) == [9, 8, 6, 5, 4, 2])
        #expect(
            changes.map(\.cause.verb) == ["expandAll", "finish", "act", "expire", "act", "add"])
        #expect(changes.map(\.rows) == [["x", "y"], ["x"], ["x"], ["x"], ["x"], ["x"]])
        #expect(try history(of: "y", rig).map(\.revision) == [10, 9, 3])
    }

    /// A tap that begins an action leaves no trace on its row.
    @Test func itHasTheTapAndItsUndoAndHowItEnded() throws {
        let rig = try rig()
        let select = Command.Verb.select("x", item: nil)
        for verb in [select, .undo(revision: nil, mine: false), select] {
            rig.send(.command(Command(verb)))
        }
        try rig.run()
        try rig.run(afterMs: 2_000)
        let changes = try history(of: "x", rig)
        #expect(changes.map(\.cause.verb) == ["expire", "select", "undo", "select", "add"])
        #expect(changes.allSatisfy { $0.rows == ["x"] })
    }
}

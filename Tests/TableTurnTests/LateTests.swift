import TableModel
import Testing

@testable import TableTurn

/// What time ends: by the turn and the look at it together.
@Suite struct LateTests {
    private func table(_ rig: Rig) throws -> Table {
        try #require(rig.turn.server.tables["t"]).table
    }

    /// From the turn of the press on the date does not count, also where nothing was there before that time could end.
    @Test func aDateThatIsSetEndsNoInvocation() throws {
        let rig = try Rig(isPrompt: true)
        try rig.makeTable()
        var (kind, action) = (Kind("k"), Action("page"))
        action.effects = [.invoke(deadlineSeconds: 30, then: [])]
        kind.trailing = ActionGroup(actions: [action])
        rig.send(.command(Command(.define(.init(kinds: [kind])))))
        rig.send(.command(Command(.add(.init(id: "a", .init(kind: "k"))))))
        try rig.run()
        rig.send(.command(Command(.act(.init("page", on: "a")))))
        try rig.run()
        rig.clock.dateMs += 3_600_000
        for _ in 0..<250 { try rig.run(afterMs: 100) }
        #expect(try table(rig).invocations.count == 1)
        for _ in 0..<70 { try rig.run(afterMs: 100) }
        #expect(try table(rig).invocations.count == 0)
    }
}

import TableModel
import Testing

@testable import TableTurn

/// What time ends: by the turn and the look at it together.
@Suite struct LateTests {
    private func table(_ rig: Rig) throws -> Table {
        try #require(rig.turn.server.tables["t"]).table
    }

    /// From the turn of the press on the date does not count, whether something was there before that time could end, or
    /// nothing, or something that has ended since the last look.
    @Test(arguments: ["nothing", "a claim", "one that ended"])
    func aDateThatIsSetEndsNoInvocation(before: String) throws {
        let rig = try Rig(isPrompt: true)
        try rig.makeTable()
        var (kind, page, short) = (Kind("k"), Action("page"), Action("short"))
        page.effects = [.invoke(deadlineSeconds: 30, then: [])]
        short.effects = [.invoke(deadlineSeconds: 1, then: [])]
        kind.trailing = ActionGroup(actions: [page, short])
        rig.send(.command(Command(.define(.init(kinds: [kind])))))
        for row in ["a", "b"] {
            rig.send(.command(Command(.add(.init(id: ID(row), .init(kind: "k"))))))
        }
        try rig.run()
        if before == "a claim" {
            rig.send(.command(Command(.claim(["b"], note: "", ttlSeconds: 600))))
        }
        if before == "one that ended" { rig.send(.command(Command(.act(.init("short", on: "b"))))) }
        try rig.run()
        try rig.run(afterMs: 2_000)
        rig.send(.command(Command(.act(.init("page", on: "a")))))
        try rig.run(afterMs: 20)
        rig.clock.dateMs += 3_600_000
        for _ in 0..<250 { try rig.run(afterMs: 100) }
        #expect(try table(rig).invocations.all.map(\.row) == ["a"])
        for _ in 0..<70 { try rig.run(afterMs: 100) }
        #expect(try table(rig).invocations.count == 0)
    }
}

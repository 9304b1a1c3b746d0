import TableModel
import Testing

@testable import TableTurn

/// Time ends invocations by the turn and by its look at them together.
@Suite struct LateTests {
    /// Makes a table of two rows with actions, in one turn.
    private func make(_ name: String, _ rig: Rig) throws {
        var (kind, page, short) = (Kind("k"), Action("page"), Action("short"))
        page.effects = [.invoke(deadlineSeconds: 30, then: [])]
        short.effects = [.invoke(deadlineSeconds: 1, then: [])]
        kind.trailing = ActionGroup(actions: [page, short])
        rig.send(.create, table: name)
        rig.send(.command(Command(.define(.init(kinds: [kind])))), table: name)
        for row in ["a", "b"] {
            rig.send(
                .command(Command(.add(.init(id: ID(row), .init(kind: "k"))))), table: name)
        }
        try rig.run()
    }

    /// From the turn of the press on the date does not count, whether something was there before that time could end, or
    /// nothing, or something that has ended since the last look.
    @Test(arguments: ["nothing", "a claim", "one that ended", "one of another table"])
    func aDateThatIsSetEndsNoInvocation(before: String) throws {
        let rig = try Rig(isPrompt: true)
        try make("t", rig)
        if before == "a claim" {
            rig.send(.command(Command(.claim(["b"], note: "", ttlSeconds: 600))))
        }
        if before.hasPrefix("one") { rig.send(.command(Command(.act(.init("short", on: "b"))))) }
        try rig.run()
        try rig.run(afterMs: 2_000)
        let name = before == "one of another table" ? "u" : "t"
        if name == "u" { try make(name, rig) }
        rig.send(.command(Command(.act(.init("page", on: "a")))), table: name)
        try rig.run(afterMs: 20)
        let table = try #require(rig.turn.server.tables[ID(name)]).table
        rig.clock.dateMs += 3_600_000
        for _ in 0..<250 { try rig.run(afterMs: 100) }
        #expect(table.invocations.all.map(\.row) == ["a"])
        for _ in 0..<70 { try rig.run(afterMs: 100) }
        #expect(table.invocations.count == 0)
    }
}

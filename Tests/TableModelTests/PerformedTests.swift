import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// How many performances a row keeps. A backup of a row with more would not be taken.
@Suite struct PerformedTests {
    /// A kind with 32 actions of these names, which a handler completes or which do nothing.
    private func kind(_ prefix: String, invoking: Bool) -> Kind {
        func group(_ edge: String) -> ActionGroup {
            ActionGroup(
                actions: (0..<16).map { index in
                    var action = Action(ID("\(prefix)\(edge)\(index)"))
                    if invoking { action.effects = [.invoke(deadlineSeconds: 60, then: [])] }
                    return action
                })
        }
        var kind = Kind("k")
        (kind.leading, kind.trailing) = (group("l"), group("t"))
        return kind
    }

    private func names(_ prefix: String) -> [ID] {
        ["l", "t"].flatMap { edge in (0..<16).map { ID("\(prefix)\(edge)\($0)") } }
    }

    private func press(_ action: ID, _ ledger: Ledger) -> Result<Plan, Rejection> {
        ledger.perform(.act(.init(action, on: "x")))
    }

    @Test func noMoreArePendingThanARowKeeps() throws {
        let ledger = Ledger()
        _ = try ledger.perform(.define(.init(kinds: [kind("a", invoking: true)]))).get()
        _ = try ledger.perform(.add(.init(id: "x", .init(kind: "k")))).get()
        for name in names("a") { _ = try press(name, ledger).get() }
        _ = try ledger.perform(.define(.init(kinds: [kind("b", invoking: true)]))).get()
        guard case .failure(let rejection) = press("bl0", ledger) else {
            Issue.record("pressed")
            return
        }
        #expect(rejection.code == .tooLarge && rejection.field == "act.action")
        #expect(ledger.table.row("x")?.performed.count == 32)
        // What has ended makes room.
        let taken = try ledger.perform(.take(action: nil, atMost: 1)).get().invocations
        _ = try ledger.perform(.finish(try #require(taken.first), .done)).get()
        _ = try press("bl0", ledger).get()
        let performed = try #require(ledger.table.row("x")?.performed)
        #expect(performed.count == 32 && performed.allSatisfy(\.state.isPending))
        #expect(!performed.contains { $0.action == "al0" })
    }

    @Test func theOldestThatIsDoneMakesRoom() throws {
        let ledger = Ledger()
        _ = try ledger.perform(.define(.init(kinds: [kind("a", invoking: false)]))).get()
        _ = try ledger.perform(.add(.init(id: "x", .init(kind: "k")))).get()
        for name in names("a") { _ = try press(name, ledger).get() }
        _ = try ledger.perform(.define(.init(kinds: [kind("b", invoking: false)]))).get()
        _ = try press("bl0", ledger).get()
        let kept = names("a").dropFirst() + ["bl0"]
        #expect(ledger.table.row("x")?.performed.map(\.action) == Array(kept))
    }
}

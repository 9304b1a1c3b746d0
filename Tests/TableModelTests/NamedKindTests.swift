import TableModel
import Testing

@testable import TableDecisions
@testable import TableValues

/// A kind that an effect gives rows stays, so that a table can be made again from its own definitions.
struct NamedKindTests {
    private static func kind(_ effects: [Effect]) -> Kind {
        var action = Action("turn")
        action.effects = effects
        var kind = Kind("from")
        kind.trailing = ActionGroup(actions: [action])
        return kind
    }

    private func code(_ ledger: Ledger, _ verb: Command.Verb) -> Rejection.Code? {
        guard case .failure(let rejection) = ledger.perform(verb) else { return nil }
        return rejection.code
    }

    @Test(arguments: [
        [Effect.kind("to")], [.group([.kind("to")])],
        [
            .invoke(
                deadlineSeconds: 9, then: [],
                retries: Retries(attempts: 2, otherwise: [.kind("to")]))
        ],
    ])
    func isNotDropped(effects: [Effect]) throws {
        let ledger = HistoryTests.board()
        #expect(code(ledger, .define(.init(kinds: [Self.kind(effects)]))) == .noSuchKind)
        #expect(code(ledger, .define(.init(kinds: [Kind("to")]))) == nil)
        let named = ledger.table.revision
        #expect(code(ledger, .define(.init(kinds: [Self.kind(effects)]))) == nil)
        #expect(code(ledger, .define(.init(dropped: ["to"]))) == .kindInUse)
        #expect(code(ledger, .undo(revision: named, mine: false)) != nil)
        #expect(ledger.table.kinds["to"] != nil)
        // Together they go, and so does a kind that nothing names any more.
        #expect(code(ledger, .define(.init(kinds: [Self.kind([])], dropped: ["to"]))) == nil)
        #expect(ledger.table.kinds["to"] == nil)
    }

    @Test func norIfARowsOwnActionNamesIt() throws {
        let ledger = HistoryTests.board()
        let own = RowActions(trailing: Self.kind([.kind("to")]).trailing)
        #expect(code(ledger, .define(.init(kinds: [Kind("to")]))) == nil)
        #expect(code(ledger, .set("a", .init(actions: own))) == nil)
        #expect(code(ledger, .define(.init(dropped: ["to"]))) == .kindInUse)
        #expect(code(ledger, .set("a", .init(actions: RowActions()))) == nil)
        #expect(code(ledger, .define(.init(dropped: ["to"]))) == nil)
    }
}

import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// The end of an invocation changes the row that was pressed, and no other that has its id by then.
@Suite struct PressedRowTests {
    enum Press: CaseIterable {
        case action, selection

        var verb: Command.Verb {
            switch self {
            case .action: .act(.init("go", on: "x"))
            case .selection: .select("x", item: nil)
            }
        }
    }

    /// A table with a row that is pressed, and a handler that runs what was begun.
    private static func pressed(_ press: Press) throws -> (Ledger, InvocationID) {
        let ledger = Ledger()
        var kind = Kind("k")
        var action = Action("go")
        action.effects = [.invoke(deadlineSeconds: 60, then: [.set([.init("f", "then")])])]
        kind.trailing = ActionGroup(actions: [action])
        kind.tap = action.effects
        for verb: Command.Verb in [
            .define(.init(kinds: [kind])), .add(.init(id: "x", .init(kind: "k"))), press.verb,
        ] {
            _ = try ledger.perform(verb).get()
        }
        let taken = try ledger.perform(.take(action: nil, atMost: 1)).get().invocations
        return (ledger, try #require(taken.first))
    }

    private static func finish(_ id: InvocationID, _ ledger: Ledger) throws -> String? {
        let note = try ledger.perform(.finish(id, .done)).get().note
        #expect(ledger.table.invocations.count == 0 && ledger.table.fault() == nil)
        return note
    }

    @Test(arguments: Press.allCases) func anotherRowIsLeftAlone(press: Press) throws {
        let (ledger, id) = try Self.pressed(press)
        _ = try ledger.perform(.remove(["x"])).get()
        _ = try ledger.perform(.add(.init(id: "x", .init(kind: "k", title: "another")))).get()
        let note = try Self.finish(id, ledger)
        #expect(note?.contains("is another one than was pressed") == true)
        #expect(ledger.table.row("x")?.content == Row.Content(kind: "k", title: "another"))
        #expect(ledger.table.row("x")?.performed.isEmpty == true)
    }

    @Test(arguments: Press.allCases) func aRowThatHasGoneIsNamed(press: Press) throws {
        let (ledger, id) = try Self.pressed(press)
        _ = try ledger.perform(.remove(["x"])).get()
        #expect(try Self.finish(id, ledger)?.contains("There is no row \"x\"") == true)
    }

    enum Way: CaseIterable {
        case stays, undo, recall, changes

        /// The commands between the press and the end.
        var verbs: [Command.Verb] {
            switch self {
            case .stays: []
            case .undo: [.remove(["x"]), .undo(revision: nil, mine: false)]
            case .recall: [.remove(["x"]), .recall(["x"])]
            case .changes:
                [.set("x", .init(title: "new")), .move(["x"], section: "s", .top, .strict)]
            }
        }
    }

    @Test(arguments: Press.allCases, Way.allCases)
    func theSameRowIsDoneTo(press: Press, way: Way) throws {
        let (ledger, id) = try Self.pressed(press)
        for verb in way.verbs { _ = try ledger.perform(verb).get() }
        #expect(try Self.finish(id, ledger) == nil)
        #expect(ledger.table.row("x")?.content.value(of: "f") == "then")
    }

    /// An import brings a row back with its ages: it is the same row.
    @Test func aRowThatIsImportedAgainWasSelected() throws {
        let (ledger, id) = try Self.pressed(.selection)
        let row = try #require(ledger.table.row("x"))
        _ = try ledger.perform(.remove(["x"])).get()
        let carried = Carried(createdMs: row.createdMs)
        _ = try ledger.perform(.add(.init(id: "x", row.content, carrying: carried))).get()
        #expect(try Self.finish(id, ledger) == nil)
        #expect(ledger.table.row("x")?.content.value(of: "f") == "then")
    }
}

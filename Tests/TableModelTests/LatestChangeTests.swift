import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// Which change an undo takes back that names none.
@Suite struct LatestChangeTests {
    private let ledger = HistoryTests.board()

    init() {
        ledger.perform(.define(.init(kinds: [.swipeable])))
        ledger.perform(.set("b", .init(title: "new")))
    }

    private func undone(_ name: ID = "ada", mine: Bool = false) throws -> UInt64? {
        try ledger.perform(.undo(revision: nil, mine: mine), by: name).get().undoes
    }

    private func refusal(_ verb: Command.Verb) throws -> Rejection {
        guard case .failure(let rejection) = ledger.perform(verb) else {
            throw Rejection(.badValue, "It was done.")
        }
        return rejection
    }

    // MARK: What was replaced

    enum Replacement: CaseIterable {
        case swipeByLift, swipeByAnother, expansion, expandAll, claim, sleep, removal, section

        /// Changes of ada's, and then of bob's.
        var verbs: ([Command.Verb], [Command.Verb]) {
            switch self {
            case .swipeByLift: ([.swipe("b", .trailing)], [])
            case .swipeByAnother: ([.swipe("b", .trailing)], [.swipe("c", .trailing)])
            case .expansion: ([.expand("b", .expanded)], [.expand("b", .height(9))])
            case .expandAll:
                ([.expand("b", .expanded), .expand("c", .expanded)], [.expandAll(false)])
            case .claim:
                ([.claim(["b"], note: "", ttlSeconds: nil)], [.unclaim(["b"], holder: "ada")])
            case .sleep: ([.snooze(["b"], .init(.after(9)))], [.snooze(["b"], nil)])
            case .removal: ([.expand("c", .expanded)], [.remove(["c"])])
            case .section:
                ([.section("s", title: "S")], [.move(["c"], section: "s", .top, .rebase)])
            }
        }
    }

    /// Nothing is left of ada's latest change: the one before it is taken back, and not the same refused again
    /// and again.
    @Test(arguments: Replacement.allCases)
    func whatWasReplacedIsPassedOver(by way: Replacement) throws {
        let goal = ledger.table.revision
        for verb in way.verbs.0 { _ = try ledger.perform(verb).get() }
        let replaced = ledger.table.revision
        for verb in way.verbs.1 { _ = try ledger.perform(verb, by: "bob").get() }
        if way == .swipeByLift { _ = try ledger.drop(["b"], .bottom, by: "bob").get() }
        #expect(try undone(mine: true) == goal)
        #expect(ledger.table.row("b")?.content.title == "Table b")
        // By its number it is refused, as ever.
        #expect(try refusal(.undo(revision: replaced, mine: false)).code == .conflict)
    }

    /// A row that has gone is in nobody's way of looking at the others.
    @Test func theOtherRowsCloseAgain() throws {
        ledger.perform(.expandAll(true))
        let expanded = ledger.table.revision
        ledger.perform(.remove(["c"]), by: "bob")
        _ = try ledger.perform(.undo(revision: expanded, mine: false)).get()
        #expect(ledger.table.rows.allSatisfy { $0.expansion == .collapsed })
        #expect(HistoryTests.order(ledger) == "abde")
    }

    /// A change that is in the way of a part is in the way of all: nothing is passed over.
    @Test func whatIsInTheWayIsNotPassedOver() throws {
        ledger.perform(.set("b", .init(fields: [.init("f", "1")])))
        let revision = ledger.table.revision
        ledger.perform(.set("b", .init(fields: [.init("f", "2")])), by: "bob")
        #expect(
            try refusal(.undo(revision: nil, mine: true)).message
                == "Revision \(revision + 1) (bob, set) is in the way of revision \(revision): "
                + "it changed row \"b\": its field \"f\".")
    }

    @Test func nothingIsLeftAtAll() throws {
        let ledger = HistoryTests.board()
        ledger.perform(.expand("b", .expanded), by: "bob")
        ledger.perform(.expand("b", .height(9)))
        guard case .failure(let no) = ledger.perform(.undo(revision: nil, mine: true), by: "bob")
        else {
            Issue.record("undone")
            return
        }
        #expect(no.code == .nothingToUndo)
    }

    /// To look for one that is left ends at some time: everybody waits meanwhile.
    @Test func notAllIsLookedAt() throws {
        for _ in 0..<3_000 {
            ledger.perform(.claim(["b"], note: "", ttlSeconds: nil), by: "bob")
            ledger.perform(.unclaim(["b"], holder: "bob"))
        }
        guard case .failure(let no) = ledger.perform(.undo(revision: nil, mine: true), by: "bob")
        else {
            Issue.record("undone")
            return
        }
        #expect(no.code == .conflict && no.message.contains("claim"), "\(no)")
    }

    /// To people it is a way of looking: what they want to take back is what they did.
    @Test func onesOwnLooksArePassedOver() throws {
        let goal = ledger.table.revision
        ledger.perform(.expand("b", .expanded))
        ledger.perform(.swipe("b", .trailing))
        ledger.perform(.expandAll(false))
        #expect(try undone() == goal + 3)
        #expect(try undone(mine: true) == goal)
    }

    @Test func whatReplacedItIsNamed() throws {
        ledger.perform(.swipe("b", .trailing))
        let revision = ledger.table.revision
        ledger.perform(.swipe("c", .trailing), by: "bob")
        ledger.perform(.set("b", .init(title: "newer")), by: "eve")
        #expect(
            try refusal(.undo(revision: revision, mine: false)).message
                == "Revision \(revision + 1) (bob, swipe) is in the way of revision \(revision): "
                + "it changed row \"b\": its swipe.")
    }

    // MARK: What was redone

    @Test func whatWasRedoneIsAsLateAsItsRedo() throws {
        ledger.perform(.remove(["b"]))
        let removed = ledger.table.revision
        #expect(try undone() == removed)
        ledger.perform(.expand("b", .expanded))
        let expanded = ledger.table.revision
        ledger.perform(.redo(mine: false))
        #expect(ledger.table.row("b") == nil)
        #expect(try undone() == expanded + 1)
        #expect(ledger.table.row("b")?.expansion == .expanded)
        #expect(try undone() == expanded)
        #expect(try undone() == removed - 1)
    }

    /// It is a change of who made it, and of who did it again.
    @Test(arguments: ["ada", "bob"] as [ID]) func whatAnotherRedid(name: ID) throws {
        #expect(try undone("bob") == 7)
        ledger.perform(.redo(mine: true), by: "bob")
        #expect(throws: Rejection.self) { try undone("eve", mine: true) }
        #expect(try undone(name, mine: true) == 9)
        #expect(try undone("bob", mine: false) == 6)
    }
}

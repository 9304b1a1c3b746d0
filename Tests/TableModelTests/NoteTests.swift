import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// The notes of a plan about its rows.
@Suite struct NoteTests {
    private let ledger = Ledger()

    /// A row that is moved towards `b` lands behind `a`.
    init() {
        for id: RowID in ["a", "b", "c", "d"] { ledger.perform(.add(.init(id: id, .init()))) }
        ledger.perform(.section("grill", title: ""))
        ledger.perform(.remove(["b"]))
    }

    private let towards = Command(.move(["c"], section: nil, .after("b"), .rebase))
    private let toGrill = Command(.move(["d"], section: "grill", .top, .rebase))

    private func perform(_ commands: Command...) throws -> [RowID: String]? {
        try ledger.perform(commands).get().notes?.mapValues(\.text)
    }

    /// Each sentence can be said in another language: its data has all that stands in it.
    @Test func eachIsDataToo() {
        let notes = [
            Place.after("a").note(.removed("b")), Place.after("a").note(.moved("b")),
            Place.after("a").note(.pinned), Place.top("s").note(.removed("b")),
            Place.top("s").note(.moved("b")), Place.top("s").note(.pinned),
        ]
        #expect(
            notes.map(\.saying) == [
                Saying("after.removed", ["row": "a", "gone": "b"]),
                Saying("after.moved", ["row": "a", "gone": "b"]),
                Saying("after.pinned", ["row": "a"]),
                Saying("top.removed", ["section": "s", "gone": "b"]),
                Saying("top.moved", ["section": "s", "gone": "b"]),
                Saying("top.pinned", ["section": "s"]),
            ])
    }

    @Test func aRowThatLandsWhereItWasAskedToHasNone() throws {
        #expect(try perform(towards, toGrill) == ["c": "after a: b was removed"])
    }

    @Test func theLatestMoveOfARowCounts() throws {
        let away = Command(.move(["c"], section: nil, .bottom, .rebase))
        #expect(try perform(towards, away) == [:])
        let set = Command(.set("c", .init(title: "C")))
        #expect(try perform(towards, set) == ["c": "after a: b was removed"])
        #expect(try perform(away, towards) == ["c": "after a: b was removed"])
        #expect(try perform(away, toGrill) == nil)
    }

    /// However it comes to stand elsewhere.
    @Test func aNoteDoesNotOutliveThePlaceThatItIsAbout() throws {
        #expect(try perform(towards, Command(.swap("c", "d"))) == [:])
        var (kind, action) = (Kind("k"), Action("go"))
        action.effects = [.move(section: "grill", .bottom)]
        kind.trailing = ActionGroup(actions: [action])
        ledger.perform(.define(.init(kinds: [kind])))
        ledger.perform(.set("c", .init(kind: "k")))
        #expect(try perform(towards, Command(.act(.init("go", on: "c")))) == [:])
        let again = Command(.add(.init(id: "c", .init())))
        #expect(try perform(towards, Command(.remove(["c"])), again) == [:])
    }

    @Test func anUndoSaysItOfTheRowsThatItConcerns() throws {
        ledger.perform(.add(.init(id: "g", .init(), section: "grill")))
        let move = Command.Verb.move(["d", "g"], section: nil, .top, .strict)
        _ = try ledger.perform(move).get()
        let revision = ledger.table.revision
        ledger.perform(.move(["c"], section: "grill", .bottom, .rebase), by: "bob")
        let plan = try ledger.perform(.undo(revision: revision, mine: false)).get()
        #expect(plan.notes?.mapValues(\.text) == ["d": "after a: c was moved"])
        #expect(ledger.table.position(of: "g")?.index == 0)
    }

    /// A note about no row is said of all.
    @Test func aSectionThatStaysIsToldWithEachRow() throws {
        let revision = ledger.table.revision + 1
        let away = Command(.move(["c"], section: nil, .bottom, .rebase))
        _ = try perform(Command(.section("fry", title: "")), away, toGrill)
        ledger.perform(.add(.init(id: "f", .init(), section: "fry")), by: "bob")
        let plan = try ledger.perform(.undo(revision: revision, mine: false)).get()
        let note = "section fry stays: it has rows"
        #expect(plan.notes?.mapValues(\.text) == ["c": note, "d": note])
    }
}

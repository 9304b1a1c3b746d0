import Testing

@testable import TableModel

/// What a revision is told as.
@Suite struct StoryTests {
    /// Each op has an inverse of its own.
    @Test func aStoryTellsWhatEachStepReplaced() throws {
        let ledger = Ledger()
        ledger.perform(.add(.init(id: "a", .init(title: "A", fields: [.init("f", "1")]))))
        ledger.perform([
            Command(.set("a", .init(title: "B"))),
            Command(.set("a", .init(fields: [.init("f", "2")]))),
            Command(.set("a", .init(title: "C", fields: [.init("f", "3")]))),
        ])
        ledger.perform(.undo(revision: nil, mine: false))
        #expect(
            ledger.changes.suffix(2).map { Story($0, on: ledger.table).text } == [
                "ada renamed \"A\" to \"B\", set f of \"A\" to \"2\", which was \"1\" and "
                    + "renamed \"B\" to \"C\" and set f of it to \"3\", which was \"2\"",
                "ada undid revision 2: renamed \"C\" to \"B\" and set f of it to \"2\", "
                    + "which was \"3\", set f of \"A\" to \"1\", which was \"2\" "
                    + "and renamed \"B\" to \"A\"",
            ])
    }
}

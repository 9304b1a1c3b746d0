import SeededNumbers
import Testing

@testable import TableModel

/// What `recall` brings back of revisions in which a row came and went.
@Suite struct RecallTests {
    /// A batch may remove a row and add another of its name, in any order: each time what `recall` brings back
    /// is one row, once.
    @Test func rowsThatComeAndGoInOneRevisionComeBackOnce() throws {
        let verbs: [Command.Verb] = [
            .remove(["b"]), .add(.init(id: "b", .init(title: "new"))),
            .set("b", .init(title: "changed")), .move(["b"], section: nil, .top, .strict),
        ]
        for seed in 0..<300 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            let ledger = HistoryTests.board()
            let old = try #require(ledger.table.row("b"))
            let batch = (0..<2 + random.below(6)).map { _ in Command(random.pick(verbs)) }
            guard case .success = ledger.perform(batch), ledger.table.row("b") == nil else {
                continue
            }
            let isOld = batch.first { $0.name == "add" || $0.name == "remove" }?.name == "remove"
            let plan = try ledger.perform(.recall(["b"])).get()
            #expect(plan.ops.count == 1 && ledger.table.fault() == nil)
            let row = try #require(ledger.table.row("b"))
            // As it was before the revision, since it was there.
            #expect(!isOld || row.content.title == old.content.title, "\(batch)")
        }
        // It was not there: as it was when it was removed.
        let ledger = HistoryTests.board()
        let add = Command(.add(.init(id: "z", .init(title: "new"))))
        _ = try ledger.perform([add, Command(.remove(["z"]))]).get()
        _ = try ledger.perform(.recall(["z"])).get()
        #expect(ledger.table.row("z")?.content.title == "new" && ledger.table.fault() == nil)
    }
}

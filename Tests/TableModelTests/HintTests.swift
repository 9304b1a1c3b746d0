import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// How rows come and go (F2). The scenarios have the ops of each command.
struct HintTests {
    private static func table(_ hint: AnimationHint) throws -> Ledger {
        let ledger = Ledger()
        _ = try ledger.perform(.add(.init(id: "a", .init(title: "A"), hint: hint))).get()
        _ = try ledger.perform(.add(.init(id: "b", .init(title: "B"), hint: hint))).get()
        _ = try ledger.perform(.remove(["b"], hint: hint)).get()
        return ledger
    }

    private static func hints(_ ledger: Ledger) -> [AnimationHint] {
        ledger.changes.flatMap(\.diff.ops).filter { !$0.isTableWide }.map {
            inserted($0) ?? removed($0) ?? .automatic
        }
    }

    private static func inserted(_ op: Op) -> AnimationHint? {
        if case .insert(_, _, let hint) = op { hint } else { nil }
    }

    private static func removed(_ op: Op) -> AnimationHint? {
        if case .remove(_, let hint) = op { hint } else { nil }
    }

    /// Whatever is said, the table is the same, and so are the inverses.
    @Test(arguments: AnimationHint.allCases) func itIsNoState(_ hint: AnimationHint) throws {
        let (plain, hinted) = (try Self.table(.automatic), try Self.table(hint))
        #expect(Self.hints(hinted) == [hint, hint, hint])
        #expect(hinted.table.digest == plain.table.digest)
        #expect(hinted.table.rows == plain.table.rows)
        #expect(hinted.changes.map(\.inverse) == plain.changes.map(\.inverse))
    }

    /// An undo brings rows back, or takes them away, without the hint of the command.
    @Test func undoAndRecallSayNothing() throws {
        let ledger = try Self.table(.left)
        for verb: Command.Verb in [
            .undo(revision: nil, mine: false), .redo(mine: false), .recall(["b"]),
            .undo(revision: 1, mine: false), .redo(mine: false),
        ] {
            _ = try ledger.perform(verb).get()
            #expect(Self.hints(ledger).last == .automatic, "\(verb)")
        }
    }

    /// A recorded session repeats it.
    @Test func aSessionRepeatsIt() throws {
        let ledger = try Self.table(.bottom)
        let again = Ledger()
        var repeater = Repeater(
            Table(name: "t", history: ID128(high: 1, low: 2)), recordedAs: 0, limits: Limits())
        for change in ledger.changes {
            let errand = try repeater.errand(for: change.diff, atMs: 9)
            guard case .commands(let commands) = errand.repetition else {
                Issue.record("\(errand)")
                continue
            }
            _ = try again.perform(commands, atMs: errand.atMs).get()
        }
        #expect(Self.hints(again) == [.bottom, .bottom, .bottom])
    }
}

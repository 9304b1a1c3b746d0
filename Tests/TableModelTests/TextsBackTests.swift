import SeededNumbers
import TableModel
import Testing

@testable import TableDecisions
@testable import TableValues

/// The undo of the latest change of texts is not tried out. It is what a trial comes to.
struct TextsBackTests {
    private static func ledger() -> Ledger {
        let ledger = Ledger()
        for row in 0..<9 {
            let content = Row.Content(title: "t\(row)", fields: [.init("driver", "\(row % 3)")])
            ledger.perform(.add(.init(id: ID("r\(row)"), content, section: "s", at: .bottom)))
        }
        return ledger
    }

    private static func change(_ dice: inout SplitMix64) -> Command.Verb {
        let row = ID("r\(Int.random(in: 0..<9, using: &dice))")
        switch Int.random(in: 0..<8, using: &dice) {
        case 0: return .set(row, .init(title: "other"))
        case 1: return .set(row, .init(fields: [.init("new", "1")]))
        case 2: return .set(row, .init(unset: ["driver"]))
        case 3:
            return .set(row, .init(title: "a", fields: [.init("a", "1"), .init("driver", "9")]))
        case 4: return .expand(row, .expanded)
        case 5: return .claim([row], note: "", ttlSeconds: nil)
        default: return .set(row, .init(fields: [.init("driver", "9")]))
        }
    }

    @Test func itIsWhatATrialComesTo() throws {
        var dice = SplitMix64(seed: 52)
        var plain = 0
        for _ in 0..<400 {
            let commands = (0...Int.random(in: 0..<3, using: &dice)).map { _ in
                Command(Self.change(&dice))
            }
            let (one, other) = (Self.ledger(), Self.ledger())
            let (digest, revision) = (one.table.digest, one.table.revision + 1)
            guard case .success(let plan) = one.perform(commands), !plan.ops.isEmpty else {
                continue
            }
            let inverse = one.changes.last?.inverse ?? []
            let decision = Decision(
                table: one.table, limits: Limits(),
                context: DecisionContext(nowMs: 9, client: "ada"), suffix: nil)
            if decision.textsBack(inverse, of: revision) != nil { plain += 1 }
            let undo = Command.Verb.undo(revision: revision, mine: false)
            let untried = try one.perform(undo).get()
            // Here something has come in between.
            other.perform(commands, atMs: one.nowMs - 7)
            other.perform(.section("elsewhere", title: nil))
            let tried = try other.perform(undo).get()
            #expect(untried == tried)
            #expect(one.table.digest == digest)
        }
        #expect(plain > 100)
    }

    /// A query that was within the limits when it was written may be beyond them now.
    @Test func aLimitThatBecameSmallerHolds() throws {
        let ledger = Self.ledger()
        let long = String(repeating: "x", count: 99)
        ledger.perform(.set("r1", .init(title: long)))
        ledger.perform(.set("r1", .init(title: "short")))
        ledger.limits.titleBytes = 50
        let undo = Command(.undo(revision: nil, mine: false))
        guard case .failure(let rejection) = ledger.perform([undo]) else {
            Issue.record("a title comes back that is too long")
            return
        }
        #expect(rejection.code == .tooLarge)
    }
}

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
        var (plain, plainLater) = (0, 0)
        for _ in 0..<2_000 {
            let commands = (0...Int.random(in: 0..<3, using: &dice)).map { _ in
                Command(Self.change(&dice))
            }
            let ledger = Self.ledger()
            let (digest, revision) = (ledger.table.digest, ledger.table.revision + 1)
            guard case .success(let plan) = ledger.perform(commands), !plan.ops.isEmpty else {
                continue
            }
            let laterCommands = (0..<Int.random(in: 0..<4, using: &dice)).map { _ in
                Self.change(&dice)
            }
            for verb in laterCommands { ledger.perform(verb) }
            let change = ledger.changes[Int(revision) - 1]
            let decision = Decision(
                table: ledger.table, limits: Limits(),
                context: DecisionContext(nowMs: ledger.nowMs + 7, client: "ada", past: ledger),
                suffix: nil)
            let later = try LaterChanges(revision, ledger, about: Set(change.rows))
            let inverse = change.inverse ?? []
            guard let dropped = try? later.conflicts(with: change, revision),
                !inverse.contains(where: dropped.contains),
                let untried = decision.textsBack(inverse, of: revision, later)
            else { continue }
            plain += 1
            if !later.changes.isEmpty { plainLater += 1 }
            #expect(try decision.triedBack(change, ledger, later, dropped) == untried)
            let undone = try ledger.perform(.undo(revision: revision, mine: false)).get()
            #expect(undone == untried)
            #expect(ledger.table.fault() == nil)
            if laterCommands.isEmpty { #expect(ledger.table.digest == digest) }
        }
        #expect(plain > 400 && plainLater > 20, "\(plain) \(plainLater)")
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

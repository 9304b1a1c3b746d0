import TableModel
import Testing

@testable import TableSync

/// Most ops are passed over where claims and held invocations are noted. This is held against what is noted.
struct HoldersTests {
    @Test func anOpThatIsPassedOverChangesNoHolder() {
        let (ada, ben) = (ProvenID("ada"), ProvenID("ben"))
        var generator = Generator(seed: 12)
        var counts = (passed: 0, noted: 0)
        for _ in 0..<5_000 {
            let op = generator.op()
            let cause = Cause(client: "c", verb: "move", name: claim(of: op)?.holder, user: ada)
            let before = Owners(
                claims: Dictionary(op.rows.map { ($0, ben) }) { $1 },
                invocations: Dictionary(invocations(of: op).map { ($0, ben) }) { $1 })
            var after = before
            after.note([op], of: cause)
            if op.facts.contains(.changesHolders) {
                counts.noted += after == before ? 0 : 1
            } else {
                counts.passed += 1
                #expect(after == before, "\(op)")
            }
        }
        #expect(counts.passed > 1_000 && counts.noted > 500)
    }

    /// Whoever would become the holder.
    private func claim(of op: Op) -> Claim? {
        guard case .claim(_, let claim) = op else { return inserted(by: op)?.claim }
        return claim
    }

    private func inserted(by op: Op) -> Row? {
        guard case .inserts(let row, _) = op.effect else { return nil }
        return row
    }

    private func invocations(of op: Op) -> [InvocationID] {
        switch op.effect {
        case .begins(let invocation): [invocation.id]
        case .changesInvocation(let id), .ends(let id): [id]
        case .inserts, .removes, .moves, .swaps, .changes, .claims, .changesAll, .news, .ofSection,
            .ofTable:
            []
        }
    }
}

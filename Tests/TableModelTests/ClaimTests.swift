import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// Times of rows, claims, pinned rows.
@Suite struct ClaimTests {
    @Test func rowsKnowWhenTheyChangedAndMoved() throws {
        let ledger = HistoryTests.board()
        ledger.perform(.set("a", .init(title: "new")))
        let changed = ledger.nowMs
        ledger.perform(.move(["a"], section: nil, .bottom, .rebase))
        let row = try #require(ledger.table.row("a"))
        #expect(row.changedMs == changed && row.movedMs == ledger.nowMs)
        #expect(row.createdMs == 1_007)
    }

    @Test func claimsAreSeenAndRequired() throws {
        let ledger = HistoryTests.board()
        _ = try ledger.perform(.claim(["a"], note: "on it", ttlSeconds: 60)).get()
        #expect(ledger.table.row("a")?.claim?.holder == "ada")
        guard
            case .failure(let other) = ledger.perform(
                .claim(["a"], note: "", ttlSeconds: nil), by: "bob"),
            case .failure(let required) = ledger.perform(
                [Command(.set("a", .init(title: "x")), ifClaimed: true)], by: "bob")
        else {
            Issue.record("not refused")
            return
        }
        #expect(other.code == .claimed && required.code == .notClaimed)
        _ = try ledger.perform([Command(.set("a", .init(title: "x")), ifClaimed: true)]).get()
        guard case .failure = ledger.perform(.unclaim(["a"], holder: nil), by: "bob") else {
            Issue.record("not refused")
            return
        }
        _ = try ledger.perform(.unclaim([], holder: "ada"), by: "bob").get()
        #expect(ledger.table.row("a")?.claim == nil)
    }

    @Test func pinnedRowsAreNotPassed() throws {
        let ledger = Ledger()
        var head = Kind("head")
        head.isPinned = true
        ledger.perform(.define(.init(kinds: [head])))
        ledger.perform(.add(.init(id: "H", .init(kind: "head"))))
        for id: RowID in ["a", "b"] { ledger.perform(.add(.init(id: id, .init()))) }
        ledger.perform(.add(.init(id: "M", .init(kind: "head"))))
        for id: RowID in ["c", "d"] { ledger.perform(.add(.init(id: id, .init()))) }
        // M is at the bottom when c comes: c lands above it, for it cannot be below.
        #expect(HistoryTests.order(ledger) == "HabcdM")
        _ = try ledger.perform(.move(["d"], section: nil, .top, .rebase)).get()
        #expect(HistoryTests.order(ledger) == "HdabcM")
        for (id, anchor) in [("a", .before("H")), ("a", .after("M"))] as [(RowID, Anchor)] {
            guard
                case .failure(let rejection) = ledger.perform(
                    .move([id], section: nil, anchor, .rebase))
            else {
                Issue.record("passed")
                continue
            }
            #expect(rejection.code == .pinned)
        }
        guard
            case .failure(let moved) = ledger.perform(.move(["H"], section: nil, .bottom, .rebase))
        else {
            Issue.record("moved")
            return
        }
        #expect(moved.code == .notAllowed)
    }

    /// Wherever pinned rows stand: the row that is at an end of the section is there already, and a drop there
    /// is one in place.
    @Test func theRowAtAnEndStaysThere() throws {
        var pin = Kind("pin")
        pin.isPinned = true
        for layout in 0..<32 {
            let ledger = Ledger()
            ledger.perform(.define(.init(kinds: [pin])))
            let ids = (0..<5).map { ID("\(layout & 1 << $0 == 0 ? "r" : "P")\($0)") }
            for id in ids { _ = try ledger.perform(.add(.init(id: id, .init()))).get() }
            let free = ids.filter { $0.text.hasPrefix("r") }
            for id in ids where !free.contains(id) {
                _ = try ledger.perform(.set(id, .init(kind: "pin"))).get()
            }
            for (id, anchor) in [(free.first, Anchor.top), (free.last, .bottom)] {
                guard let id else { continue }
                let plan = try ledger.perform(.move([id], section: nil, anchor, .strict)).get()
                #expect(plan.ops.isEmpty && plan.rows == [id], "\(ids)")
                _ = try ledger.drop([id], anchor).get()
                #expect(ledger.table.rows.map(\.id) == ids)
            }
        }
    }
}

import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// Rows that sleep until a time.
@Suite struct SleepTests {
    private let ledger: Ledger = {
        let ledger = Ledger()
        for id: RowID in ["a", "b", "c"] { ledger.perform(.add(.init(id: id, .init()))) }
        return ledger
    }()

    private var order: [RowID] { ledger.table.rows.map(\.id) }

    private func refusal(_ verb: Command.Verb) -> Rejection? {
        guard case .failure(let rejection) = ledger.perform(verb) else { return nil }
        return rejection
    }

    /// Wakes rows as the daemon does at this time.
    private func wake(_ ids: [RowID]) throws {
        let plan = reduce(
            waking: ids, on: ledger.table, limits: Limits(), nowMs: ledger.nowMs)
        try ledger.table.apply(plan.ops, timeMs: ledger.nowMs)
    }

    @Test func aRowSleepsAndIsPassedOver() throws {
        _ = try ledger.perform(.snooze(["a", "b"], .init(.after(5_000)))).get()
        #expect(ledger.table.row("a")?.sleep == Row.Sleep(untilMs: ledger.nowMs + 5_000))
        #expect(ledger.table.asleepRows == ["a", "b"])
        #expect(try ledger.perform(.next(.init(atMost: 2))).get().rows == ["c"])
        // It sleeps already, and an undo takes that back.
        _ = try ledger.perform(.snooze(["a"], nil)).get()
        #expect(try ledger.perform(.snooze(["a"], nil)).get().ops.isEmpty)
        #expect(try ledger.perform(.next(.init())).get().rows == ["a"])
        _ = try ledger.perform(.snooze(["b"], .init(.at(9_000_000), isToTop: true))).get()
        _ = try ledger.perform(.undo(revision: nil, mine: false)).get()
        #expect(ledger.table.row("b")?.sleep?.isToTop == false)
        #expect(order == ["a", "b", "c"])
    }

    @Test func aPastTimeIsRefusedByName() {
        let past = refusal(.snooze(["a"], .init(.at(1))))
        #expect(past?.code == .badNumber && past?.field == "snooze.untilMs")
        #expect(past?.message.contains("past") == true)
        #expect(refusal(.snooze(["a"], .init(.after(0))))?.field == "snooze.forMs")
        for end in [Command.Snooze.End.at(.max), .after(.max)] {
            #expect(refusal(.snooze(["a"], .init(end)))?.code == .badNumber)
        }
        #expect(refusal(.snooze(["x"], nil))?.code == .noSuchRow)
        #expect(refusal(.snooze(["a", "a"], nil))?.code == .duplicate)
    }

    @Test func itWakesWhereItStandsOrAtTheTop() throws {
        _ = try ledger.perform(.snooze(["b"], .init(.after(1)))).get()
        _ = try ledger.perform(.snooze(["c"], .init(.after(1), isToTop: true))).get()
        try wake(["b", "c", "a"])
        #expect(order == ["c", "a", "b"] && ledger.table.asleepRows.isEmpty)
        #expect(ledger.table.row("c")?.movedMs == ledger.nowMs)
    }

    /// A row that cannot come to the top wakes all the same: a pinned row does not move.
    @Test func pinnedRowsWakeInPlace() throws {
        var head = Kind("head")
        head.isPinned = true
        ledger.perform(.define(.init(kinds: [head])))
        _ = try ledger.perform(.set("b", .init(kind: "head"))).get()
        _ = try ledger.perform(.snooze(["b", "c"], .init(.after(1), isToTop: true))).get()
        try wake(["b", "c"])
        #expect(ledger.table.asleepRows.isEmpty && order.firstIndex(of: "b") == 1)
    }

    @Test func nothingThatSleepsIsLate() throws {
        var kind = Kind("row")
        kind.ages = .init(lateSeconds: 1)
        _ = try ledger.perform(.snooze(["a"], .init(.after(5_000)))).get()
        let nowMs = ledger.nowMs + 60_000
        func age(_ id: RowID) -> Age? {
            ledger.table.row(id).flatMap { Age(of: $0, kind: kind, in: "main", nowMs: nowMs) }
        }
        #expect(age("a") == nil && age("b")?.stage == .late)
    }

    /// A row that is recalled is wanted now.
    @Test func aRecalledRowIsAwake() throws {
        _ = try ledger.perform(.snooze(["a"], .init(.after(5_000)))).get()
        _ = try ledger.perform(.remove(["a"])).get()
        #expect(ledger.table.asleepRows.isEmpty)
        _ = try ledger.perform(.recall(["a"])).get()
        #expect(ledger.table.row("a")?.sleep == nil && ledger.table.has("a"))
    }

    @Test func anActionPutsItsRowOff() throws {
        var later = Action("later")
        later.effects = [.snooze(milliseconds: 600_000, isToTop: true)]
        var job = Kind("job")
        job.trailing = ActionGroup(actions: [later])
        _ = try ledger.perform(.define(.init(kinds: [job]))).get()
        _ = try ledger.perform(.set("a", .init(kind: "job"))).get()
        _ = try ledger.perform(.act(.init("later", on: "a"))).get()
        let sleep = Row.Sleep(untilMs: ledger.nowMs + 600_000, isToTop: true)
        #expect(ledger.table.row("a")?.sleep == sleep)
        later.effects = [.snooze(milliseconds: 0, isToTop: true)]
        job.trailing = ActionGroup(actions: [later])
        #expect(refusal(.define(.init(kinds: [job])))?.code == .badNumber)
    }

    @Test func aConditionChoosesWhatSleeps() throws {
        let each = Command.Each(.snooze(.none, .init(.after(5_000))), where: "index > 0")
        _ = try ledger.perform(.each(each)).get()
        #expect(ledger.table.asleepRows == ["b", "c"])
    }

    /// Until when it sleeps, and where it comes to then.
    @Test func eachSleepIsInTheDigest() {
        let row = Row(id: "x", content: .init())
        var seen: Set<UInt64> = [row.hash]
        for sleep in [
            Row.Sleep(untilMs: 1), Row.Sleep(untilMs: 2), Row.Sleep(untilMs: 1, isToTop: true),
        ] {
            #expect(seen.insert(row.with(sleep: sleep).hash).inserted)
        }
        #expect(row.with(sleep: .init(untilMs: 1)).with(sleep: nil).hash == row.hash)
    }
}

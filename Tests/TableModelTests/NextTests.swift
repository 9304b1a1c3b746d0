import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// `next`: the daemon picks rows that nobody works on.
@Suite struct NextTests {
    /// Rows `a` to `d` in `queued`, of a kind with `run`, which a handler finishes, and `flag`, which ends at once.
    private static func queue() -> Ledger {
        let ledger = Ledger()
        var (run, flag) = (Action("run"), Action("flag"))
        run.effects = [
            .move(section: "running", .bottom),
            .invoke(deadlineSeconds: 60, then: [.move(section: "done", .bottom)]),
        ]
        flag.effects = [.set([.init("flag", "1")])]
        var job = Kind("job")
        job.trailing = ActionGroup(actions: [run, flag])
        ledger.perform(.define(.init(kinds: [job])))
        for id: RowID in ["a", "b", "c", "d"] {
            let size = Row.Field("size", id == "b" ? "9" : "1")
            let content = Row.Content(kind: "job", fields: [size])
            ledger.perform(.add(.init(id: id, content, section: "queued")))
        }
        return ledger
    }

    private func ask(
        _ next: Command.Next, _ ledger: Ledger, by name: ID = "ada"
    ) throws -> Plan {
        try ledger.perform(.next(next), by: name).get()
    }

    @Test func twoNeverGetTheSameRow() throws {
        let ledger = Self.queue()
        #expect(try ask(.init(), ledger).rows == ["a"])
        #expect(try ask(.init(atMost: 2), ledger, by: "bob").rows == ["b", "c"])
        #expect(ledger.table.row("c")?.claim?.holder == "bob")
        #expect(ledger.table.row("c")?.claim?.ttlSeconds == 60)
        // A client that asks again counts as another worker.
        #expect(try ask(.init(), ledger).rows == ["d"])
        let revision = ledger.table.revision
        #expect(try ask(.init(), ledger).rows.isEmpty)
        #expect(ledger.table.revision == revision)
        ledger.perform(.unclaim(["b"], holder: nil), by: "bob")
        #expect(try ask(.init(), ledger).rows == ["b"])
    }

    @Test func onlyWhatIsAskedForIsGiven() throws {
        let ledger = Self.queue()
        #expect(try ask(.init(where: RowCondition("field.size > 5")), ledger).rows == ["b"])
        #expect(try ask(.init(where: RowCondition("field.size > 5")), ledger).rows.isEmpty)
        ledger.perform(.move(["c"], section: "other", .bottom, .rebase))
        #expect(try ask(.init(section: "other"), ledger).rows == ["c"])
        // Somebody has it in the hand.
        let plan = try ledger.perform([Command(.next(.init()))], lifted: ["a": "eve"]).get()
        #expect(plan.rows == ["d"])
    }

    @Test func anActionIsBegunAndHeld() throws {
        let ledger = Self.queue()
        let first = try ask(.init(action: "run", section: "queued", atMost: 2), ledger, by: "w1")
        #expect(first.rows == ["a", "b"])
        #expect(first.invocations.count == 2)
        for id in first.invocations {
            #expect(ledger.table.invocations[id]?.holder == "w1")
            #expect(ledger.table.invocations[id]?.attempts == 1)
        }
        #expect(ledger.table.section(of: "b")?.id == "running")
        // An invocation that was let go of comes first, and has one attempt more. It was pressed in `queued`.
        ledger.perform(.release(first.invocations[1]), by: "w1")
        let second = try ask(.init(action: "run", section: "queued", atMost: 2), ledger, by: "w2")
        #expect(second.rows == ["b", "c"])
        #expect(ledger.table.invocations[second.invocations[0]]?.attempts == 2)
        ledger.perform(.finish(second.invocations[0], .done), by: "w2")
        #expect(ledger.table.section(of: "b")?.id == "done")
        // A row that comes back to the queue within the second is passed over until that is over, and not refused.
        ledger.perform(.move(["b"], section: "queued", .top, .rebase))
        let third = try ask(.init(action: "run", section: "queued"), ledger, by: "w2")
        #expect(third.rows == ["d"])
        ledger.perform(
            [Command(.release(third.invocations[0]))], by: "w2", atMs: ledger.nowMs + 2_000)
        #expect(try ask(.init(action: "run", atMost: 2), ledger, by: "w2").rows == ["d", "b"])
        // A row whose action failed waits until a person presses again.
        ledger.perform(.finish(second.invocations[1], .failed("no paper")), by: "w2")
        #expect(try ask(.init(action: "run"), ledger).rows.isEmpty)
    }

    @Test func anActionThatEndsAtOnceClaims() throws {
        let ledger = Self.queue()
        #expect(try ask(.init(action: "flag"), ledger, by: "bob").rows == ["a"])
        #expect(ledger.table.row("a")?.claim?.holder == "bob")
        #expect(ledger.table.row("a")?.content.value(of: "flag") == "1")
        #expect(try ask(.init(action: "flag", atMost: 2), ledger, by: "bob").rows == ["b", "c"])
        // `a` has been performed on as it is.
        ledger.perform(.unclaim([], holder: "bob"))
        #expect(try ask(.init(action: "flag"), ledger).rows == ["d"])
    }

    @Test func whatCannotBeGivenIsRefused() throws {
        let ledger = Self.queue()
        func code(_ next: Command.Next, by name: ID? = "ada") -> Rejection.Code? {
            guard case .failure(let why) = ledger.perform([Command(.next(next))], by: name) else {
                return nil
            }
            return why.code
        }
        #expect(code(.init(atMost: 0)) == .badNumber)
        #expect(code(.init(atMost: 65)) == .badNumber)
        #expect(code(.init(ttlSeconds: 0.5)) == .badNumber)
        #expect(code(.init(where: RowCondition("size >"))) == .badValue)
        #expect(code(.init(where: RowCondition(String(repeating: " ", count: 5_000)))) == .tooLarge)
        #expect(code(.init(), by: nil) == .malformed)
        #expect(code(.init(section: "nowhere")) == .noSuchSection)
        ledger.perform(.edit(true))
        #expect(code(.init(action: "run")) == .editing)
        let batch = [Command(.edit(false)), Command(.next(.init()))]
        guard case .failure(let why) = ledger.perform(batch) else {
            Issue.record("not refused")
            return
        }
        #expect(why.code == .badValue && why.command == 1)
    }

    /// Against arrays: claims, sleep, their ends, moves and removals at random.
    @Test(arguments: 0..<40) func itIsTheFirstThatIsFree(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let ledger = Ledger()
        let ids = (0..<300).map { RowID("r\($0)") }
        for id in ids { ledger.perform(.add(.init(id: id, .init()))) }
        for step in 0..<400 {
            let id = RowID("r\(Int(random.next() % 300))")
            switch random.next() % 10 {
            case 8: ledger.perform(.snooze([id], .init(.after(1 + random.next() % 9_000))))
            case 9: ledger.perform(.snooze([id], nil))
            case 0: ledger.perform(.unclaim([id], holder: "ada"))
            case 1: ledger.perform(.move([id], section: nil, .top, .rebase))
            case 2: ledger.perform(.remove([id]))
            case 3: ledger.perform(.add(.init(id: id, .init(), at: .top)))
            default:
                let most = 1 + Int(random.next() % 9)
                let free = ledger.table.rows.filter { $0.claim == nil && $0.sleep == nil }
                    .prefix(most).map(\.id)
                #expect(try ask(.init(atMost: most), ledger).rows == Few(free), "step \(step)")
            }
        }
        #expect(ledger.table.sections.allSatisfy { $0.rows.fault() == nil })
    }
}

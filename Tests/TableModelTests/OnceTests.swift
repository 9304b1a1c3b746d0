import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// Once, as people mean it (rule A18). What is refused when stands in Scenarios/once.txt; here is what else must hold.
@Suite struct OnceTests {
    private func ledger() throws -> Ledger {
        let ledger = Ledger()
        var kind = Kind("k")
        var (hold, page) = (Action("hold"), Action("page"))
        hold.effects = [.move(section: "held", .top)]
        page.effects = [.invoke(deadlineSeconds: 60, then: [.set([.init("paged", "yes")])])]
        kind.trailing = ActionGroup(actions: [hold, page, Action("other")])
        _ = try ledger.perform(.define(.init(kinds: [kind]))).get()
        for id: RowID in ["x", "y"] {
            _ = try ledger.perform(.add(.init(id: id, .init(kind: "k")))).get()
        }
        return ledger
    }

    private func press(_ action: ID, _ ledger: Ledger, atMs: UInt64? = nil) throws -> Plan {
        let version = ledger.table.row("x")?.version
        let act = Command(.act(.init(action, on: "x")), ifVersion: version)
        return try ledger.perform([act], atMs: atMs).get()
    }

    private func refusal(_ action: ID, _ ledger: Ledger, atMs: UInt64? = nil) throws -> String {
        let rejection = #expect(throws: Rejection.self) { try press(action, ledger, atMs: atMs) }
        #expect(rejection?.code == .alreadyDone)
        return rejection?.message ?? ""
    }

    @Test func itSaysWhoAndWhenAndHowToDoItAgain() throws {
        let ledger = try ledger()
        _ = try press("page", ledger, atMs: 50_000)
        let id = try #require(ledger.table.invocations.all.first?.id)
        _ = try ledger.perform([Command(.take(action: nil, atMost: 1))], by: "bot").get()
        _ = try ledger.perform([Command(.finish(id, .done))], by: "bot", atMs: 52_000).get()
        #expect(
            try refusal("page", ledger, atMs: 52_340)
                == "\"page\" was performed already, 0.3 s ago by ada. Press again after a second if "
                + "you mean it twice.")
        // Without the version it is refused for good, also where the handler has changed the row.
        let late = ledger.perform([Command(.act(.init("page", on: "x")))], atMs: 170_000)
        let rejection = #expect(throws: Rejection.self) { try late.get() }
        let version = ledger.table.row("x")?.version ?? 0
        #expect(
            rejection?.message
                == "\"page\" was performed already, 2 min ago by ada. If you mean it "
                + "twice, press again on version \(version) after a second (--if-version \(version))."
        )
    }

    @Test func anUndoMakesItPossibleAgain() throws {
        let ledger = try ledger()
        _ = try press("hold", ledger)
        _ = try refusal("hold", ledger)
        // One of something else does not.
        _ = try ledger.perform(.set("x", .init(title: "new"))).get()
        _ = try ledger.perform(.undo(revision: nil, mine: false)).get()
        _ = try refusal("hold", ledger)
        let held = ledger.changes.last { $0.diff.cause.verb == "act" }?.diff.revision
        _ = try ledger.perform(.undo(revision: held, mine: false)).get()
        _ = try press("hold", ledger)
        // A redo performs it.
        _ = try ledger.perform(.undo(revision: nil, mine: false)).get()
        _ = try ledger.perform(.redo(mine: false)).get()
        #expect(ledger.table.row("x")?.performance(of: "hold")?.state == .done)
    }

    @Test func tryingLeavesNoTrace() throws {
        let ledger = try ledger()
        let before = ledger.table.recent.entries
        let batch = [Command(.act(.init("hold", on: "x"))), Command(.act(.init("other", on: "x")))]
        let context = DecisionContext(nowMs: ledger.nowMs, client: "ada", past: ledger)
        _ = try reduce(batch: batch, on: ledger.table, limits: Limits(), context).get()
        #expect(ledger.table.recent.entries == before && before.isEmpty)
        _ = try ledger.perform(batch).get()
        #expect(ledger.table.recent.entries.map(\.deed) == [Deed("other")])
    }

    /// However many there are, and however long nothing comes.
    @Test func fewAreKept() throws {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        for number in 0..<10_000 {
            table.appendRecentDeed(
                .init(row: ID("r\(number)"), deed: Deed("a"), revision: 1, timeMs: 1_000))
        }
        #expect((1_024...2_048).contains(table.recent.entries.count))
        let last = RecentDeeds.Entry(row: "z", deed: Deed("a"), revision: 1, timeMs: 9_000)
        table.appendRecentDeed(last)
        table.appendRecentDeed(.init(row: "z", deed: Deed("b"), revision: 1, timeMs: 10_500))
        #expect(table.recent.latest(Deed("a"), on: "z", at: 9_999) == last)
        #expect(table.recent.entries.count == 2)
    }

    /// A row that comes to another section is another one to act on, whoever moves it; what has failed still says why.
    @Test func aMoveElsewhereRenews() throws {
        let ledger = try ledger()
        _ = try press("page", ledger)
        ledger.expire(ledger.table.invocations.all.map(\.id))
        _ = try press("other", ledger)
        _ = try ledger.perform(.move(["x"], section: nil, .bottom, .strict)).get()
        #expect(ledger.table.row("x")?.performed.count == 2)
        let changed = ledger.table.row("x")?.changedMs
        let steps: [(verb: Command.Verb, performed: [ID])] = [
            (.move(["x"], section: "held", .bottom, .strict), ["page"]),
            (.undo(revision: nil, mine: false), ["page", "other"]),
            (.move(["y"], section: "held", .top, .strict), ["page", "other"]),
            (.swap("x", "y"), ["page"]),
        ]
        for (verb, performed) in steps {
            _ = try ledger.perform(verb).get()
            let row = ledger.table.row("x")
            #expect(row?.performed.map(\.action) == performed, "\(verb)")
            #expect(row?.changedMs == changed, "\(verb)")
        }
    }
}

import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// Work that is paused.
@Suite struct PauseTests {
    /// Rows `a` in `grill` and `b` in `fry`, with `page`, which a handler completes, and `flag`, which ends at once.
    private let ledger: Ledger = {
        let ledger = Ledger()
        var (page, flag) = (Action("page"), Action("flag"))
        page.effects = [.invoke(deadlineSeconds: 60, then: [])]
        flag.effects = [.set([.init("flag", "1")])]
        var kind = Kind("row")
        kind.trailing = ActionGroup(actions: [page, flag])
        ledger.perform(.define(.init(kinds: [kind])))
        ledger.perform(.add(.init(id: "a", .init(), section: "grill")))
        ledger.perform(.add(.init(id: "b", .init(), section: "fry")))
        return ledger
    }()

    private func refusal(_ verb: Command.Verb) -> Rejection? {
        guard case .failure(let rejection) = ledger.perform(verb, by: "bob") else { return nil }
        return rejection
    }

    private func rows(_ next: Command.Next) throws -> [RowID] {
        try ledger.perform(.next(next), by: "bob").get().rows.array
    }

    @Test func aPausedSectionGivesOutNothing() throws {
        _ = try ledger.perform(.pause(.init(section: "grill"), note: "oven broken")).get()
        let claimed = refusal(.claim(["a"], note: "", ttlSeconds: nil))
        #expect(claimed?.code == .paused)
        #expect(claimed?.message == "\"grill\" is paused by ada: oven broken.")
        #expect(refusal(.act(.init("page", on: "a")))?.code == .paused)
        #expect(!ledger.table.hasSomething(for: .init(section: "grill")))
        #expect(try rows(.init(atMost: 2)) == ["b"])
        // A press that ends at once goes on, and so do edits and moves.
        for verb in [
            Command.Verb.act(.init("flag", on: "a")), .set("a", .init(title: "x")),
            .move(["a"], section: "fry", .top, .rebase),
        ] {
            #expect(refusal(verb) == nil)
        }
        #expect(try rows(.init()) == ["a"])
    }

    /// A file of kinds that replaces them tells of no pauses.
    @Test func toDefineAnewResumesNothing() throws {
        _ = try ledger.perform(.pause(.init(section: "grill"), note: "oven broken")).get()
        var settings = Settings()
        settings.expandPolicy = .accordionTable
        _ = try ledger.perform(.define(.init(settings: settings))).get()
        #expect(ledger.table.settings.pauses.map(\.note) == ["oven broken"])
        #expect(ledger.table.settings.expandPolicy == .accordionTable)
    }

    @Test func aTapBeginsNothing() throws {
        var (kind, plain) = (Kind("row"), Kind("plain"))
        kind.tap = [.invoke(deadlineSeconds: 60, then: [])]
        plain.tap = [.set([.init("seen", "1")])]
        ledger.perform(.define(.init(kinds: [kind, plain])))
        ledger.perform(.add(.init(id: "p", .init(kind: "plain"), section: "grill")))
        _ = try ledger.perform(.pause(.init(section: "grill"), note: "")).get()
        #expect(refusal(.select("a", item: nil))?.code == .paused)
        #expect(refusal(.select("b", item: nil)) == nil)
        // To look at a row, and to change it, is no work.
        #expect(refusal(.select("p", item: nil)) == nil)
    }

    @Test func aPausedActionWaits() throws {
        _ = try ledger.perform(.act(.init("page", on: "a"))).get()
        _ = try ledger.perform(.pause(.init(action: "page"), note: "")).get()
        #expect(refusal(.act(.init("page", on: "b")))?.code == .paused)
        #expect(try ledger.perform(.take(action: nil, atMost: 9)).get().invocations.isEmpty)
        #expect(ledger.table.waiting(for: "page", atMost: 9).isEmpty)
        #expect(try rows(.init(action: "page")).isEmpty)
        #expect(refusal(.claim(["b"], note: "", ttlSeconds: nil)) == nil)
        _ = try ledger.perform(.pause(.init(), note: nil)).get()
        #expect(ledger.table.settings.pauses.isEmpty)
        #expect(try ledger.perform(.take(action: nil, atMost: 9)).get().invocations.count == 1)
    }

    /// An imported claim was begun elsewhere, and a table that is exported with its pauses comes back whole.
    @Test func aClaimComesAlongIntoAPausedSection() throws {
        _ = try ledger.perform(.pause(.init(section: "grill"), note: "oven broken")).get()
        var add = Command.Add(id: "c", .init(), section: "grill")
        add.carried = Carried(claim: Claim(holder: "eve"))
        _ = try ledger.perform(.add(add)).get()
        #expect(ledger.table.row("c")?.claim?.holder == "eve")
        // A handler that lets go of it does not get it again.
        _ = try ledger.perform(.unclaim(["c"], holder: "eve")).get()
        #expect(refusal(.claim(["c"], note: "", ttlSeconds: nil))?.code == .paused)
    }

    /// The pause that stops the press counts, whichever of two came first.
    @Test func aPausedActionWaitsInAPausedSectionToo() throws {
        _ = try ledger.perform(.pause(.init(section: "grill"), note: "")).get()
        _ = try ledger.perform(.pause(.init(action: "flag"), note: "no flags")).get()
        #expect(refusal(.act(.init("flag", on: "a")))?.code == .paused)
    }

    /// A program that runs may finish.
    @Test func whatRunsMayFinish() throws {
        let press = try ledger.perform(.act(.init("page", on: "a"))).get()
        _ = try ledger.perform(.take(action: nil, atMost: 9)).get()
        _ = try ledger.perform(.pause(.init(), note: "fire")).get()
        #expect(
            refusal(.act(.init("page", on: "b")))?.message == "The table is paused by ada: fire.")
        _ = try ledger.perform(.finish(press.invocations[0], .done)).get()
        #expect(ledger.table.row("a")?.performance(of: "page")?.state == .done)
    }

    @Test func pausesEndByTheirScopeAndAreUndone() throws {
        _ = try ledger.perform(.pause(.init(section: "grill"), note: "x")).get()
        let sinceMs = ledger.nowMs
        _ = try ledger.perform(.pause(.init(action: "page"), note: "")).get()
        _ = try ledger.perform(.pause(.init(section: "grill"), note: "y")).get()
        #expect(ledger.table.settings.pauses.map(\.note) == ["y", ""])
        #expect(ledger.table.settings.pauses[0].sinceMs == sinceMs)
        _ = try ledger.perform(.pause(.init(section: "grill"), note: nil)).get()
        #expect(ledger.table.settings.pauses.map(\.subject) == ["page"])
        _ = try ledger.perform(.undo(revision: nil, mine: false)).get()
        #expect(ledger.table.settings.pauses.map(\.subject) == ["grill", "page"])
        #expect(
            refusal(.pause(.init(), note: String(repeating: "x", count: 2_000)))?.code == .tooLarge)
    }

    @Test func eachPauseIsInTheDigest() {
        // Each pause, and all that it says.
        var seen: Set<UInt64> = [Settings().hash]
        for pause in [
            Pause(.init(), by: "a", sinceMs: 1), Pause(.init(), by: "b", sinceMs: 1),
            Pause(.init(section: "s"), by: "a", sinceMs: 1),
            Pause(.init(action: "s"), by: "a", sinceMs: 1),
            Pause(.init(), by: "a", note: "n", sinceMs: 1), Pause(.init(), by: "a", sinceMs: 2),
        ] {
            var paused = Settings()
            paused.pauses = [pause]
            #expect(seen.insert(paused.hash).inserted)
        }
    }
}

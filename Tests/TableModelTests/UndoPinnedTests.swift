import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// No undo and no recall takes a row past one that was pinned meanwhile (docs/PROTOCOL.md, pinned rows).
@Suite struct UndoPinnedTests {
    /// The rows a, b, c, and a pinned kind.
    private func board(_ rows: [RowID] = ["a", "b", "c"]) throws -> Ledger {
        let ledger = Ledger()
        var pin = Kind("pin")
        pin.isPinned = true
        _ = try ledger.perform(.define(.init(kinds: [pin]))).get()
        for id in rows { _ = try ledger.perform(.add(.init(id: id, .init()))).get() }
        return ledger
    }

    private func pin(_ id: RowID, _ ledger: Ledger) throws {
        _ = try ledger.perform(.set(id, .init(kind: "pin"))).get()
    }

    private func add(_ id: RowID, _ anchor: Anchor, _ ledger: Ledger) throws {
        _ = try ledger.perform(.add(.init(id: id, .init(kind: "pin"), at: anchor))).get()
    }

    private func remove(_ ids: Few<RowID>, _ ledger: Ledger) throws -> UInt64 {
        _ = try ledger.perform(.remove(ids)).get()
        return ledger.table.revision
    }

    private func undo(_ revision: UInt64) -> Command.Verb { .undo(revision: revision, mine: false) }

    private func expectPinned(_ verb: Command.Verb, _ ledger: Ledger, _ order: String) {
        guard case .failure(let rejection) = ledger.perform(verb) else {
            Issue.record("\(verb) is done: \(HistoryTests.order(ledger))")
            return
        }
        #expect(rejection.code == .pinned && rejection.field == "undo.revision", "\(rejection)")
        #expect(HistoryTests.order(ledger) == order)
    }

    // MARK: Removed rows

    @Test(arguments: [true, false])
    func aRowComesBackBelowANoticeAtTheTop(isRecall: Bool) throws {
        let ledger = try board()
        let revision = try remove(["a"], ledger)
        try add("N", .top, ledger)
        let plan = try ledger.perform(isRecall ? .recall(["a"]) : undo(revision)).get()
        #expect(HistoryTests.order(ledger) == "Nabc")
        #expect(plan.note == "after N: no row passes pinned ones")
    }

    @Test(arguments: [true, false])
    func aRowComesBackAboveOneThatIsPinnedAtTheBottom(isRecall: Bool) throws {
        let ledger = try board(["a", "b", "c", "d"])
        let revision = try remove(["d"], ledger)
        try pin("c", ledger)
        let plan = try ledger.perform(isRecall ? .recall(["d"]) : undo(revision)).get()
        #expect(HistoryTests.order(ledger) == "abdc")
        #expect(plan.note == "after b: no row passes pinned ones")
    }

    @Test func whereAllArePinnedItComesBelowThem() throws {
        let ledger = try board(["a"])
        _ = try remove(["a"], ledger)
        try add("N", .top, ledger)
        _ = try ledger.perform(.recall(["a"])).get()
        #expect(HistoryTests.order(ledger) == "Na")
    }

    /// Nothing has come between: they stood there by right.
    @Test func aRowThatStoodAboveAPinnedOneComesBackThere() throws {
        let ledger = try board()
        try pin("b", ledger)
        let removed = try remove(["a"], ledger)
        _ = try ledger.perform(undo(removed)).get()
        #expect(HistoryTests.order(ledger) == "abc")
        // Other words on it are no other pin, nor is the kind in another colour.
        let again = try remove(["a"], ledger)
        _ = try ledger.perform(.set("b", .init(title: "closed"))).get()
        var kind = try #require(ledger.table.kinds["pin"])
        kind.heightPoints = 99
        _ = try ledger.perform(.define(.init(kinds: [kind]))).get()
        let plan = try ledger.perform(undo(again)).get()
        #expect(HistoryTests.order(ledger) == "abc" && plan.note == nil)
    }

    @Test func pinnedRowsComeBackWhereTheyWere() throws {
        let ledger = try board()
        try add("N", .top, ledger)
        _ = try remove(["N", "a"], ledger)
        try add("M", .top, ledger)
        _ = try ledger.perform(.recall(["a", "N"])).get()
        #expect(HistoryTests.order(ledger) == "NMabc")
    }

    /// A kind may come to be pinned, with all its rows.
    @Test func aKindThatIsPinnedMeanwhileCountsToo() throws {
        let ledger = try board()
        var kind = Kind("k")
        _ = try ledger.perform(.define(.init(kinds: [kind]))).get()
        _ = try ledger.perform(.set("b", .init(kind: "k"))).get()
        let revision = try remove(["a"], ledger)
        kind.isPinned = true
        _ = try ledger.perform(.define(.init(kinds: [kind]))).get()
        _ = try ledger.perform(undo(revision)).get()
        #expect(HistoryTests.order(ledger) == "bac")
    }

    // MARK: Rows of several revisions

    /// To each of them is new what came after its own removal.
    @Test func aKindThatWasPinnedBetweenTwoRemovalsIsNewToTheFirst() throws {
        let ledger = try board(["z", "a", "b", "c"])
        var kind = Kind("k")
        _ = try ledger.perform(.define(.init(kinds: [kind]))).get()
        _ = try ledger.perform(.set("b", .init(kind: "k"))).get()
        _ = try remove(["z"], ledger)
        kind.isPinned = true
        _ = try ledger.perform(.define(.init(kinds: [kind]))).get()
        _ = try remove(["a"], ledger)
        _ = try ledger.perform(.recall(["z", "a"])).get()
        #expect(HistoryTests.order(ledger) == "abzc")
    }

    @Test func soIsARowThatWasPinnedBetweenThem() throws {
        let ledger = try board(["z", "a", "b", "c"])
        _ = try remove(["z"], ledger)
        try pin("b", ledger)
        _ = try remove(["a"], ledger)
        _ = try ledger.perform(.recall(["z", "a"])).get()
        #expect(HistoryTests.order(ledger) == "abzc")
    }

    /// A change and its undo cancel each other for what was removed before both, not for what was removed
    /// between them.
    @Test(arguments: [true, false])
    func anUndoThatPinsIsNewToWhatWasRemovedBeforeIt(isKind: Bool) throws {
        let ledger = try board(["z", "a", "b", "c"])
        try pin("b", ledger)
        _ = try remove(["z"], ledger)
        if isKind {
            _ = try ledger.perform(.define(.init(kinds: [Kind("pin")]))).get()
        } else {
            _ = try ledger.perform(.set("b", .init(kind: "row"))).get()
        }
        let unpinned = ledger.table.revision
        _ = try remove(["a"], ledger)
        _ = try ledger.perform(undo(unpinned)).get()
        _ = try ledger.perform(.recall(["a", "z"])).get()
        #expect(HistoryTests.order(ledger) == "zbac")
    }

    /// A row that was moved back is found by its neighbours at each removal.
    @Test func aRowThatWasMovedBackIsFollowedFromEachRemoval() throws {
        for ids: Few<RowID> in [["a"], ["a", "z"]] {
            let ledger = try board(["z", "c", "a", "b"])
            _ = try remove(["z"], ledger)
            _ = try ledger.perform(.move(["c"], section: nil, .bottom, .strict)).get()
            let moved = ledger.table.revision
            _ = try ledger.perform(.move(["a"], section: nil, .after("c"), .strict)).get()
            _ = try remove(["a"], ledger)
            _ = try ledger.perform(undo(moved)).get()
            _ = try ledger.perform(.recall(ids)).get()
            #expect(HistoryTests.order(ledger).suffix(3) == "cba")
        }
    }

    // MARK: What is read

    /// Everybody waits meanwhile: what a pinned row went through is read once, not for each removal anew.
    @Test func manyRemovalsReadWhatPinnedRowsWentThroughOnce() throws {
        let ids = (0..<32).map { RowID("r\($0)") }
        let ledger = try board(ids + ["b"])
        try pin("b", ledger)
        for id in ids {
            _ = try remove([id], ledger)
            _ = try ledger.perform(.set("b", .init(title: id.text))).get()
        }
        let before = ledger.readCount
        _ = try ledger.perform(.recall(Few(ids))).get()
        #expect(ledger.readCount - before < 32 * 4, "\(ledger.readCount - before)")
    }

    @Test func anUndoThatPutsNothingSomewhereReadsNothingOfThem() throws {
        let ledger = try board()
        try pin("b", ledger)
        _ = try ledger.perform(.set("a", .init(title: "new"))).get()
        let revision = ledger.table.revision
        for number in 0..<9 { _ = try ledger.perform(.set("b", .init(title: "\(number)"))).get() }
        let before = ledger.readCount
        _ = try ledger.perform(undo(revision)).get()
        #expect(ledger.readCount - before == 1)
    }

    /// Then no row may pass it.
    @Test func whereThereIsTooMuchToReadAPinnedRowIsNew() throws {
        let ledger = try board()
        try pin("b", ledger)
        let revision = try remove(["a"], ledger)
        for number in 0..<5 { _ = try ledger.perform(.set("b", .init(title: "\(number)"))).get() }
        ledger.bytesPerChange = 1 << 20
        let plan = try ledger.perform(undo(revision)).get()
        #expect(HistoryTests.order(ledger) == "bac")
        #expect(plan.note == "after b: no row passes pinned ones")
    }

    // MARK: Moved rows

    @Test func aMoveIsNotTakenBackPastAPinnedRow() throws {
        let ledger = try board()
        _ = try ledger.perform(.move(["a"], section: nil, .bottom, .strict)).get()
        let revision = ledger.table.revision
        try pin("b", ledger)
        expectPinned(undo(revision), ledger, "bca")
        // Without the pin it is.
        _ = try ledger.perform(.set("b", .init(kind: "row"))).get()
        _ = try ledger.perform(undo(revision)).get()
        #expect(HistoryTests.order(ledger) == "abc")
    }

    @Test func norIsASwap() throws {
        let ledger = try board()
        _ = try ledger.perform(.swap("a", "c")).get()
        let revision = ledger.table.revision
        try pin("b", ledger)
        expectPinned(undo(revision), ledger, "cba")
    }

    @Test func aPinnedRowIsNotMovedBack() throws {
        let ledger = try board()
        _ = try ledger.perform(.move(["b"], section: nil, .top, .strict)).get()
        let revision = ledger.table.revision
        try pin("b", ledger)
        expectPinned(undo(revision), ledger, "bac")
        let other = try board()
        _ = try other.perform(.swap("a", "c")).get()
        let swapped = other.table.revision
        try pin("a", other)
        expectPinned(undo(swapped), other, "cba")
    }

    @Test func aMoveFromElsewhereIsNotTakenBackBeyondThem() throws {
        let ledger = try board()
        _ = try ledger.perform(.move(["a"], section: "else", .top, .strict)).get()
        let revision = ledger.table.revision
        try add("N", .before("b"), ledger)
        expectPinned(undo(revision), ledger, "Nbca")
    }

    /// A row that a batch pins is unpinned before its move is taken back.
    @Test func aBatchIsTakenBackAsAWhole() throws {
        let ledger = try board()
        _ = try ledger.perform([
            Command(.move(["a"], section: nil, .bottom, .strict)),
            Command(.set("b", .init(kind: "pin"))),
        ]).get()
        _ = try ledger.perform(.undo(revision: nil, mine: false)).get()
        #expect(HistoryTests.order(ledger) == "abc")
        _ = try ledger.perform(.redo(mine: false)).get()
        #expect(HistoryTests.order(ledger) == "bca")
        _ = try ledger.perform(.undo(revision: nil, mine: false)).get()
        #expect(HistoryTests.order(ledger) == "abc" && ledger.table.fault() == nil)
    }
}

import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// Rows that an undo, a redo or a recall brings back stand beside later ones: together they are no more than
/// commands could make. A backup of it would not be taken.
@Suite struct UndoLimitTests {
    private let ledger = Ledger()

    private func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    /// Carries out commands, and returns the revision.
    @discardableResult
    private func perform(_ verbs: Command.Verb...) throws -> UInt64 {
        for verb in verbs { _ = try ledger.perform(verb).get() }
        return ledger.table.revision
    }

    /// That this is refused by name and leaves the table as it is.
    private func expectRefused(
        _ verb: Command.Verb, _ code: Rejection.Code = .tooLarge, says words: String,
        _ place: SourceLocation = #_sourceLocation
    ) {
        let (revision, digest) = (ledger.table.revision, ledger.table.digest)
        switch ledger.perform(verb) {
        case .success(let plan): Issue.record("done: \(plan.ops)", sourceLocation: place)
        case .failure(let rejection):
            #expect(rejection.code == code, sourceLocation: place)
            #expect(
                rejection.message.contains(words), "\(rejection.message)", sourceLocation: place)
        }
        #expect(
            ledger.table.revision == revision && ledger.table.digest == digest,
            sourceLocation: place)
        #expect(ledger.table.fault() == nil, sourceLocation: place)
    }

    private func undo(_ revision: UInt64) -> Command.Verb { .undo(revision: revision, mine: false) }

    // MARK: A row

    @Test func textsOfARow() throws {
        try perform(.add(.init(id: "r", .init())))
        try perform(.set("r", .init(fields: [.init("a", text(16_000))])))
        let gone = try perform(.set("r", .init(unset: ["a"])))
        try perform(.set("r", .init(fields: [.init("b", text(16_000))])))
        expectRefused(undo(gone), says: "Row \"r\": row bytes: 32005, at most 16384.")
        try perform(.set("r", .init(unset: ["b"])), undo(gone))
        #expect(ledger.table.row("r")?.content.value(of: "a")?.count == 16_000)
    }

    @Test func fieldsOfARow() throws {
        let fields = (0..<256).map { Row.Field(ID("f\($0)"), "") }
        try perform(.add(.init(id: "r", .init(fields: fields))))
        let gone = try perform(.set("r", .init(unset: ["f7"])))
        try perform(.set("r", .init(fields: [.init("g", "")])))
        expectRefused(undo(gone), says: "Row \"r\": fields: 257, at most 256.")
    }

    /// A row with such keys could not travel as JSON.
    @Test func keysThatDifferInNormalisation() throws {
        try perform(.add(.init(id: "r", .init(fields: [.init("\u{e9}", "1")]))))
        let gone = try perform(.set("r", .init(unset: ["\u{e9}"])))
        try perform(.set("r", .init(fields: [.init("e\u{301}", "2")])))
        expectRefused(undo(gone), .duplicate, says: "normalisation")
    }

    private func makeStrip(_ items: [Item]) throws {
        var kind = Kind("strip")
        kind.isStrip = true
        try perform(
            .define(.init(kinds: [kind])), .add(.init(id: "s", .init(kind: "strip", items: items))))
    }

    @Test func itemsOfAStrip() throws {
        try makeStrip((0..<1_000).map { Item(ID("i\($0)")) })
        let gone = try perform(.item("s", .remove(["i3"])))
        try perform(.item("s", .add(Item("new"), .bottom)))
        expectRefused(undo(gone), says: "Row \"s\": items: 1001, at most 1000.")
    }

    @Test func textsOfAStrip() throws {
        try makeStrip((0..<5).map { Item(ID("i\($0)"), fields: [.init("f", text(13_000))]) })
        let gone = try perform(.item("s", .remove(["i3"])))
        try perform(.item("s", .add(Item("new", fields: [.init("f", text(13_000))]), .bottom)))
        expectRefused(undo(gone), says: "Row \"s\": bytes of a strip: ")
    }

    /// An item comes back as a whole: it can only be too large for a limit that became smaller.
    @Test func textsOfAnItem() throws {
        try makeStrip([Item("i", fields: [.init("a", text(2_000))])])
        let gone = try perform(.item("s", .set("i", .init(unset: ["a"]))))
        ledger.limits.rowBytes = 1_000
        expectRefused(undo(gone), says: "Row \"s\": row bytes: 2004, at most 1000.")
    }

    // MARK: A table

    @Test func sections() throws {
        ledger.limits.sections = 2
        try perform(.section("a", title: nil), .section("b", title: nil))
        let gone = try perform(.removeSection("b"))
        try perform(.section("c", title: nil))
        expectRefused(undo(gone), says: "sections: 3, at most 2.")
    }

    @Test func kinds() throws {
        ledger.limits.kinds = 2
        try perform(.define(.init(kinds: [Kind("a")])))
        let gone = try perform(.define(.init(dropped: ["a"])))
        try perform(.define(.init(kinds: [Kind("b")])))
        expectRefused(undo(gone), says: "kinds: 3, at most 2.")
    }

    private var pinned: Kind {
        var kind = Kind("pinned")
        kind.isPinned = true
        return kind
    }

    @Test func pinnedRows() throws {
        ledger.limits.pinnedRows = 1
        try perform(.define(.init(kinds: [pinned])), .add(.init(id: "p", .init(kind: "pinned"))))
        let gone = try perform(.remove(["p"]))
        try perform(.add(.init(id: "q", .init(kind: "pinned"))))
        expectRefused(undo(gone), says: "pinned rows: 2, at most 1.")
        expectRefused(.recall(["p"]), says: "pinned rows: 2, at most 1.")
        try perform(.remove(["q"]), .recall(["p"]))
        // By the kind of a row, and by what a kind is.
        let set = try perform(.set("p", .init(kind: .plainKind)))
        try perform(.add(.init(id: "q", .init(kind: "pinned"))))
        expectRefused(undo(set), says: "pinned rows: 2, at most 1.")
        let free = try perform(.remove(["q"]), .define(.init(kinds: [Kind("pinned")])))
        try perform(.add(.init(id: "q", .init(kind: "pinned"))), undo(set))
        expectRefused(undo(free), says: "pinned rows: 2, at most 1.")
    }

    @Test func claims() throws {
        ledger.limits.claims = 1
        try perform(.add(.init(id: "a", .init())), .add(.init(id: "b", .init())))
        try perform(.claim(["a"], note: "", ttlSeconds: nil))
        let ended = try perform(.unclaim(["a"], holder: nil))
        try perform(.claim(["b"], note: "", ttlSeconds: nil))
        expectRefused(undo(ended), says: "claimed rows: 2, at most 1.")
    }

    private func makeInvokers() throws {
        var kind = Kind("k")
        var page = Action("page")
        page.effects = [.invoke(deadlineSeconds: 9, then: [.set([.init("f", text(900))])])]
        kind.trailing = ActionGroup(actions: [page])
        try perform(.define(.init(kinds: [kind])))
        for id: RowID in ["a", "b", "c"] { try perform(.add(.init(id: id, .init(kind: "k")))) }
    }

    @Test func invocations() throws {
        try makeInvokers()
        ledger.limits.invocations = 2
        let first = try perform(.act(.init("page", on: "a")))
        let taken = try perform(undo(first))
        try perform(.act(.init("page", on: "b")), .act(.init("page", on: "c")))
        expectRefused(undo(taken), says: "invocations under way: 3, at most 2.")
        expectRefused(.redo(mine: false), says: "invocations under way: 3, at most 2.")
    }

    @Test func effectsThatAreUnderWay() throws {
        try makeInvokers()
        ledger.limits.invocationBytes = 2_500
        let first = try perform(.act(.init("page", on: "a")))
        let taken = try perform(undo(first))
        try perform(.act(.init("page", on: "b")), .act(.init("page", on: "c")))
        expectRefused(undo(taken), says: "bytes of later effects under way: ")
    }

    // MARK: From former times

    /// A limit that became smaller keeps nothing from being undone that makes it no worse.
    @Test func whatIsMoreFromBeforeMayStay() throws {
        try makeStrip((0..<5).map { Item(ID("i\($0)"), fields: [.init("f", text(2_000))]) })
        try perform(.add(.init(id: "r", .init(fields: [.init("a", text(2_000))]))))
        try perform(.define(.init(kinds: [pinned])))
        for id: RowID in ["p", "q"] { try perform(.add(.init(id: id, .init(kind: "pinned")))) }
        let title = try perform(.set("r", .init(title: "new")))
        let shorter = try perform(.set("r", .init(fields: [.init("a", text(1_500))])))
        let item = try perform(.item("s", .set("i2", .init(title: "new"))))
        let moved = try perform(.item("s", .move(["i1"], .bottom)))
        let gone = try perform(.item("s", .remove(["i3"])))
        ledger.limits.rowBytes = 1_000
        ledger.limits.items = 2
        ledger.limits.stripBytes = 3_000
        (ledger.limits.rows, ledger.limits.pinnedRows, ledger.limits.kinds) = (1, 1, 1)
        try perform(undo(title), undo(item), undo(moved))
        expectRefused(undo(gone), says: "Row \"s\": items: 5, at most 4.")
        expectRefused(undo(shorter), says: "Row \"r\": row bytes: 2004, at most 1504.")
        let removed = try perform(.remove(["q"]))
        expectRefused(undo(removed), says: "rows: 4, at most 1.")
        ledger.limits.rows = 9
        expectRefused(undo(removed), says: "pinned rows: 2, at most 1.")
    }
}

import Foundation
import TableDecisions
import TableModel
import Testing

/// Limits at their edges, and ids that look alike.
struct LimitTests {
    private func run(
        _ verb: Command.Verb, on table: Table, _ limits: Limits, by client: ID? = nil
    ) -> Rejection.Code? {
        switch reduce(Command(verb), on: table, limits: limits, nowMs: 0, client: client) {
        case .failure(let rejection): return rejection.code
        case .success(let plan):
            let old = table.copy()
            if let diff = table.apply(plan, cause: Cause(verb: "test")) {
                expectDiffLaw(diff, old: old, new: table)
            }
            return nil
        }
    }

    private func add(
        _ id: String, title: String = "", fields: [Row.Field] = [], section: SectionID? = nil
    ) -> Command.Verb {
        .add(.init(id: ID(id), .init(title: title, fields: fields), section: section))
    }

    private func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    @Test func sizesAtTheirEdge() {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        let limits = Limits()
        #expect(run(add(text(128)), on: table, limits) == nil)
        #expect(run(add(text(129)), on: table, limits) == .tooLarge)
        // Bytes count, not letters.
        #expect(run(add(String(repeating: "é", count: 64)), on: table, limits) == nil)
        #expect(run(add(String(repeating: "é", count: 65)), on: table, limits) == .tooLarge)
        #expect(run(add("t1", title: text(4_096)), on: table, limits) == nil)
        #expect(run(add("t2", title: text(4_097)), on: table, limits) == .tooLarge)
        let room = 16_384 - "row".utf8.count - "f".utf8.count
        #expect(run(add("f1", fields: [.init("f", text(room))]), on: table, limits) == nil)
        #expect(
            run(add("f2", fields: [.init("f", text(room + 1))]), on: table, limits) == .tooLarge)
        let fields = (0..<257).map { Row.Field(ID("k\($0)"), "") }
        #expect(run(add("n1", fields: Array(fields.dropLast())), on: table, limits) == nil)
        #expect(run(add("n2", fields: fields), on: table, limits) == .tooLarge)
        #expect(run(.set("n1", .init(fields: [.init("new", "")])), on: table, limits) == .tooLarge)
        let swap = Command.Changes(fields: [.init("new", "")], unset: ["k0"])
        #expect(run(.set("n1", swap), on: table, limits) == nil)
        #expect(run(.section("s", title: text(4_096)), on: table, limits) == nil)
        #expect(run(.section("s", title: text(4_097)), on: table, limits) == .tooLarge)
    }

    @Test func countsAtTheirEdge() {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        var limits = Limits()
        limits.rows = 2
        limits.sections = 2
        limits.kinds = 2
        limits.batchCommands = 2
        #expect(run(add("a"), on: table, limits) == nil)
        #expect(run(add("b", section: "s"), on: table, limits) == nil)
        #expect(run(add("c"), on: table, limits) == .tooLarge)
        #expect(run(.section("t", title: nil), on: table, limits) == .tooLarge)
        #expect(run(.move(["a"], section: "t", .top, .strict), on: table, limits) == .tooLarge)
        #expect(run(.define(.init(kinds: [Kind("x")])), on: table, limits) == nil)
        #expect(run(.define(.init(kinds: [Kind("y")])), on: table, limits) == .tooLarge)
        // One goes, one comes.
        let exchange = Command.Definitions(kinds: [Kind("y")], dropped: ["x"])
        #expect(run(.define(exchange), on: table, limits) == nil)
        #expect(run(.remove(["a", "b"]), on: table, limits) == nil)
        #expect(run(.remove(["a", "b", "c"]), on: table, limits) == .tooLarge)
        let batch = Array(repeating: Command(.section("s", title: "S")), count: 3)
        let result = reduce(batch: batch, on: table, limits: limits, nowMs: 0)
        guard case .failure(let rejection) = result else {
            Issue.record("not refused")
            return
        }
        #expect(rejection.code == .tooLarge && rejection.command == nil)
    }

    /// A change that makes nothing more is not refused, at the limit or beyond it.
    @Test func whatStaysAsMuchIsAllowed() {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        var limits = Limits()
        var kinds = [Kind("p"), Kind("q")]
        for index in kinds.indices { kinds[index].isPinned = true }
        #expect(run(.define(.init(kinds: kinds)), on: table, limits) == nil)
        for id: RowID in ["a", "b", "c"] {
            let kind: KindID = id == "c" ? .plainKind : "p"
            #expect(run(.add(.init(id: id, .init(kind: kind))), on: table, limits) == nil)
        }
        for most in [2, 1] {
            limits.pinnedRows = most
            let other: KindID = most == 2 ? "q" : "p"
            #expect(run(.set("a", .init(kind: other)), on: table, limits) == nil)
            #expect(run(.set("c", .init(kind: other)), on: table, limits) == .tooLarge)
        }
        func claim(_ id: RowID, _ note: String) -> Rejection.Code? {
            let verb = Command.Verb.claim([id], note: note, ttlSeconds: 60)
            return run(verb, on: table, limits, by: "ada")
        }
        #expect(claim("a", "") == nil && claim("b", "") == nil)
        for most in [2, 1] {
            limits.claims = most
            #expect(claim("a", "\(most)") == nil)
            #expect(claim("c", "") == .tooLarge)
        }
    }

    @Test func heightsAtTheirEdge() {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        #expect(run(add("a"), on: table, Limits()) == nil)
        for height in [1e6, .leastNonzeroMagnitude, 1, 0.1, 60.000000000000007] {
            #expect(run(.expand("a", .height(height)), on: table, Limits()) == nil)
            #expect(table.row("a")?.expansion == .height(height))
            // As text and back, exactly: viewers in other languages read the text.
            #expect(Expansion(Expansion.height(height).text) == .height(height))
        }
        for height in [0, -0.0, -1, 1e6.nextUp, .nan, .infinity, -.infinity, 1e300] {
            #expect(run(.expand("a", .height(height)), on: table, Limits()) == .badNumber)
        }
    }

    @Test func idsAreBytes() {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        let ids = ["é", "e\u{301}", "A", "a", "🐘", "👩‍👩‍👧", "👩", " ", "a ", "\u{FEFF}a", "ﬁ", "fi"]
        for id in ids { #expect(run(add(id), on: table, Limits()) == nil, "\(id)") }
        #expect(table.count == ids.count && table.fault() == nil)
        #expect(Set(ids.map { ID($0) }).count == ids.count)
        for id in ids { #expect(run(add(id), on: table, Limits()) == .exists) }
        // Same length, canonically the same, other bytes.
        let marks = ("a\u{301}\u{323}", "a\u{323}\u{301}")
        #expect(marks.0 == marks.1 && ID(marks.0) != ID(marks.1))
        // Of every length around a word's.
        for count in 0..<40 {
            let one = ID(text(count))
            #expect(one == ID(text(count)) && one != ID(text(count + 1)))
            if count > 0 { #expect(one != ID(text(count - 1) + "y")) }
            if count > 8 { #expect(one != ID("y" + text(count - 1))) }
        }
        #expect(ID("é") != ID("e\u{301}") && ID("b") > ID("a") && ID("a") > ID(""))
        #expect(ID("e\u{301}") < ID("f") && ID("f") < ID("é"), "the order of the bytes")
        #expect(run(.set("é", .init(title: "é")), on: table, Limits()) == nil)
        let revision = table.revision
        #expect(run(.set("é", .init(title: "e\u{301}")), on: table, Limits()) == nil)
        #expect(table.revision == revision + 1, "another normalisation is a change")
    }

    @Test func fieldsAreSortedAndOfTwoTheLastIsKept() {
        let fields = (0..<500).map { Row.Field(ID("k\($0 * 7919 % 100)"), "\($0)") }
        var one = Row.Content()
        for field in fields { one.set(field) }
        let all = Row.Content(fields: fields)
        #expect(one == all && all.fields.count == 100)
        #expect(all.fields.map(\.key) == all.fields.map(\.key).sorted())
        #expect(Row.Content(fields: fields.reversed()) != all)
        one.unset("k5")
        one.unset("nothing")
        #expect(one.fields.count == 99)
    }

    /// As many fields as fit into one request: refused, and soon.
    @Test func hostileFieldsAreRefusedSoon() {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        #expect(run(add("a"), on: table, Limits()) == nil)
        let fields = (0..<100_000).reversed().map { Row.Field(ID("\($0)"), "") }
        let start = clock()
        #expect(run(add("b", fields: fields), on: table, Limits()) == .tooLarge)
        let changes = Command.Changes(fields: fields, unset: fields.map(\.key))
        #expect(run(.set("a", changes), on: table, Limits()) == .tooLarge)
        // The seconds are the processor's, for the whole process: other tests run beside this one.
        #expect((clock() - start) / CLOCKS_PER_SEC < 40)
    }

    @Test func names128() {
        let id = ID128(high: 0x0123_4567_89AB_CDEF, low: 1)
        #expect(id.description == "0123456789abcdef0000000000000001")
        #expect(ID128(id.description) == id)
        for text in [
            "", "0", "0123456789ABCDEF0000000000000001", "0123456789abcdef000000000000000g",
            "0123456789abcdef00000000000000011", " 123456789abcdef0000000000000001",
        ] {
            #expect(ID128(text) == nil)
        }
    }
}

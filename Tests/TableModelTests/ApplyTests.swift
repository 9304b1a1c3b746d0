import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// A diff that does not fit gives a `Mismatch`, never a trap.
struct ApplyTests {
    private func table(revision: UInt64 = 0) throws -> Table {
        let table = Table(
            restoring: "t", history: ID128(high: 1, low: 2), revision: revision,
            kinds: [Kind(.plainKind)], settings: Settings())
        try table.appendSection("main", title: "Main")
        for id in ["a", "b", "c"] as [RowID] {
            try table.appendRow(Row(id: id, content: .init(title: id.text)), to: "main")
        }
        try table.appendSection("empty", title: "")
        return table
    }

    private static let misfits: [Op] = [
        .rest(.init(revision: 9, index: 0), nil),
        .insert(Row(id: "a", content: .init()), .top("main")),
        .insert(Row(id: "x", content: .init()), .top("nowhere")),
        .insert(Row(id: "x", content: .init()), .after("nobody")),
        .insert(Row(id: "x", content: .init()), .after("x")),
        .remove("nobody"), .move(["nobody"], .top("main")), .move(["a", "a"], .top("main")),
        .move(["a"], .after("a")), .move(["a"], .after("nobody")), .move(["a"], .top("nowhere")),
        .set("nobody", .init(title: "x")), .swipe("nobody", .leading),
        .expand("nobody", .expanded), .swap("a", "nobody"), .swap("nobody", "a"),
        .insertSection("main", title: "", after: nil),
        .insertSection("new", title: "", after: "nowhere"), .removeSection("nowhere"),
        .removeSection("main"), .setSection("nowhere", title: "x"),
    ]

    @Test(arguments: misfits.indices)
    func misfit(_ index: Int) throws {
        let table = try table(revision: 4)
        let diff = Diff(base: 4, digest: 0, cause: Cause(verb: "test"), ops: [Self.misfits[index]])
        #expect {
            try table.apply(diff)
        } throws: { error in
            guard case .op = error as? Mismatch else { return false }
            return true
        }
        #expect(table.revision == 4)
    }

    @Test func baseAndDigest() throws {
        let table = try table(revision: 4)
        let cause = Cause(verb: "test")
        for base in [0, 3, 5, UInt64.max] {
            #expect(throws: Mismatch.base(table: 4, diff: base)) {
                try table.apply(Diff(base: base, digest: table.digest, cause: cause, ops: []))
            }
        }
        try table.apply(Diff(base: 4, digest: table.digest, cause: cause, ops: []))
        #expect(table.revision == 5)
        let old = table.digest
        #expect(throws: Mismatch.digest(table: old, diff: old &+ 1)) {
            try table.apply(Diff(base: 5, digest: old &+ 1, cause: cause, ops: []))
        }
    }

    @Test func theRevisionCannotOverflow() throws {
        let table = try table(revision: .max)
        let diff = Diff(base: .max, digest: table.digest, cause: Cause(verb: "test"), ops: [])
        #expect(throws: Mismatch.op("the revision cannot grow")) { try table.apply(diff) }
        #expect(table.revision == .max)
        #expect(diff.revision == 0)
        // To look at what would be needs no revision.
        let command = Command(.remove(["a"]))
        guard case .success = reduce(batch: [command], on: table, limits: Limits(), nowMs: 0)
        else { return }
        #expect(table.row("a") != nil)
    }

    @Test(arguments: 1...40)
    func randomDiffsNeverTrap(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        for _ in 0..<40 {
            let table = try table(revision: random.pick([0, 7, .max - 1, .max]))
            for _ in 0..<20 {
                let ops = (0..<random.below(6)).map { _ in Self.randomOp(&random) }
                let diff = Diff(
                    base: random.once(in: 4) ? random.next() : table.revision,
                    digest: random.once(in: 2) ? random.next() : table.digest,
                    cause: Cause(verb: "test"), ops: ops)
                _ = try? table.apply(diff)
                _ = (table.digest, table.fault(), table.rows, table.copy)
            }
        }
    }

    private static func randomOp(_ random: inout SplitMix64) -> Op {
        let ids: [RowID] = ["a", "b", "c", "d", "", "\0", "main"]
        let sections: [SectionID] = ["main", "empty", "other", ""]
        func id() -> RowID { random.pick(ids) }
        func section() -> SectionID { random.pick(sections) }
        func place() -> Place { random.once(in: 2) ? .after(id()) : .top(section()) }
        switch random.below(11) {
        case 0:
            let content = Row.Content(kind: random.pick(["row", "nope"]), title: "\u{1B}[2J")
            let version = random.next()
            return .insert(
                Row(id: id(), content: content, version: version, swipe: .leading), place())
        case 1: return .remove(id())
        case 2: return .move(Few((0..<random.below(4)).map { _ in id() }), place())
        case 3: return .set(id(), .init(title: "x", kind: random.pick([nil, "nope"])))
        case 4: return .swipe(id(), random.pick([.leading, .trailing, nil]))
        case 5: return .expand(id(), random.pick([.height(.nan), .height(-1), .named("")]))
        case 6: return .swap(id(), id())
        case 7: return .insertSection(section(), title: "x", after: random.pick([nil, section()]))
        case 8: return .removeSection(section())
        case 9: return .setSection(section(), title: "y")
        default:
            var kind = Kind(random.pick(["row", ""]))
            kind.states = []
            kind.heightPoints = .nan
            let drop: [KindID] = random.once(in: 2) ? ["row"] : []
            return .define(.init(kinds: [kind], dropped: drop, settings: Settings()))
        }
    }

    @Test func restoringRefusesWhatCannotBe() throws {
        let table = try table()
        #expect(throws: Mismatch.self) {
            try table.appendRow(Row(id: "a", content: .init()), to: "main")
        }
        #expect(throws: Mismatch.self) {
            try table.appendRow(Row(id: "x", content: .init()), to: "nowhere")
        }
        #expect(throws: Mismatch.self) { try table.appendSection("main", title: "again") }
        try table.appendSection("empty", title: "the last one goes on")
        for number in [-1, 0, Int.min, Int.max] { table.reserve(number) }
        #expect(table.fault() == nil && table.count == 3)
        #expect(throws: Mismatch.self) {
            try table.appendRows([Row(id: "x", content: .init())], to: "nowhere")
        }
        for ids: [RowID] in [["x", "a"], ["y", "y"]] {
            #expect(throws: Mismatch.self) {
                try table.appendRows(ids.map { Row(id: $0, content: .init()) }, to: "main")
            }
        }
    }

    @Test func removedPlacesAreBounded() {
        var places = RemovedPlaces(capacity: 3)
        for number in 0..<10 {
            places.append(.init(row: ID("\(number % 5)"), section: "main", after: nil))
        }
        #expect(places.entries.map(\.row) == ["2", "3", "4"])
        #expect(places["1"] == nil && places["4"] != nil)
        places.append(.init(row: "4", section: "s", after: nil))
        places.append(.init(row: "x", section: "s", after: nil))
        #expect(places["4"]?.section == "s" && places["2"] == nil)
        var none = RemovedPlaces(capacity: 0)
        none.append(.init(row: "a", section: "main", after: nil))
        #expect(none["a"] == nil && none.entries.isEmpty)
    }

    @Test func moreOrFewerRemovedPlaces() {
        var places = RemovedPlaces(capacity: 4)
        func append(_ row: RowID) { places.append(.init(row: row, section: "main", after: nil)) }
        for number in 0..<6 { append(ID("\(number)")) }
        // As a restart with the smaller number would find them.
        places.capacity = 2
        #expect(places.entries.map(\.row) == ["4", "5"])
        append("6")
        #expect(places.entries.map(\.row) == ["5", "6"] && places["4"] == nil)
        places.capacity = 3
        #expect(places.entries.map(\.row) == ["5", "6"])
        for row in ["7", "8"] as [RowID] { append(row) }
        #expect(places.entries.map(\.row) == ["6", "7", "8"] && places["5"] == nil)
        places.capacity = 0
        #expect(places.entries.isEmpty)
        append("9")
        #expect(places["9"] == nil && places["8"] == nil)
        places.capacity = 2
        append("9")
        #expect(places.entries.map(\.row) == ["9"] && places["9"] != nil)
    }
}

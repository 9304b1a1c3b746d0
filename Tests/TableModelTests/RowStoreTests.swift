import TableHash
import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// Packed rows: they give back what was put in, and take no more room than they may.
struct RowStoreTests {
    /// A row as it was given.
    private struct Given {
        var id: RowID
        var kind: KindID
        var title: String
        var fields: [Row.Field]
        var items: [Item]
        var version: UInt64
        var createdMs: UInt64
        var expansion: Expansion
        var swipe: Edge?
        var performed: [Performance]
        var scroll: Scroll?
        var changedMs: UInt64
        var movedMs: UInt64
        var claim: Claim?
        var states: [Kind.State]
        var selection: Row.Selection?

        init(_ random: inout SplitMix64) {
            func text() -> String {
                let letters = ["", "a", "é", "e\u{301}", "\0", "🙂", "two words, and more"]
                return (0..<random.below(4)).map { _ in random.pick(letters) }.joined()
                    + String(repeating: "x", count: random.pick([0, 0, 1, 120, 127, 128]))
            }
            func number() -> UInt64 { random.pick([0, random.next() >> UInt64(random.below(64))]) }
            func few<Value>(_ make: () -> Value) -> Value? { random.once(in: 4) ? make() : nil }
            id = ID(text())
            kind = random.pick(["row", "", "r", ID(text())])
            title = text() + String(repeating: "y", count: random.once(in: 20) ? 20_000 : 0)
            fields = (0..<random.pick([0, 1, 1, 2, 2, random.pick([3, 130])])).map {
                .init(ID("\($0)" + text()), text())
            }
            items = few { [Item("one", title: text()), Item("two")] } ?? []
            (version, createdMs, changedMs, movedMs) = (number(), number(), number(), number())
            expansion = random.pick([
                .collapsed, .expanded, .named(ID(text())), .height(-0.0), .height(80.5),
                .height(Double(bitPattern: random.next() >> 2)),
            ])
            swipe = random.pick([nil, .leading, .trailing])
            performed = few { [Performance("a", .done), Performance("b", .failed(text()))] } ?? []
            scroll = few { Scroll("one", fraction: 0.5) }
            states = few { [.named(ID(text()), heightPoints: 5), .collapsed] } ?? []
            selection = few { random.pick([.row, .item("one"), .item(ID(text()))]) }
            claim = few { Claim(holder: "ann", note: text(), ttlSeconds: 5, sinceMs: number()) }
        }

        var row: Row {
            Row(
                id: id,
                content: .init(
                    kind: kind, title: title, fields: fields.reversed(), items: items,
                    states: states),
                version: version, createdMs: createdMs, expansion: expansion, swipe: swipe,
                performed: performed, scroll: scroll, changedMs: changedMs, movedMs: movedMs,
                claim: claim, selection: selection)
        }

        func isAll(of row: Row) -> Bool {
            let content = row.content
            let texts =
                content.kind == kind && ID(content.title) == ID(title)
                && content.fields == fields.sorted { $0.key < $1.key } && content.items == items
                && content.actions == nil && content.states == states
            let stamps =
                row.version == version && row.createdMs == createdMs
                && row.changedMs == changedMs && row.movedMs == movedMs
            let rest =
                row.performed == performed && row.scroll == scroll && row.claim == claim
                && row.swipe == swipe && row.expansion == expansion && row.selection == selection
            let bytes =
                fields.reduce(kind.byteCount + title.utf8.count) {
                    $0 + $1.key.byteCount + $1.value.utf8.count
                } + states.reduce(0) { $0 + $1.expansion.text.utf8.count + 8 }
            let single =
                content.fieldCount == fields.count && content.value(of: "no such") == nil
                && fields.allSatisfy {
                    content.value(of: $0.key)?.hasSameBytes(as: $0.value) == true
                }
            return row.id == id && texts && single && stamps && rest && content.byteCount == bytes
                && row.hash == hash
        }

        /// As docs/PROTOCOL.md says, from what was given.
        private var hash: UInt64 {
            var writer = CanonicalWriter()
            for text in [id.text, kind.text, title] { writer.write(text) }
            writer.write(UInt64(fields.count))
            for field in fields.sorted(by: { $0.key < $1.key }) {
                writer.write(field.key)
                writer.write(field.value)
            }
            writer.write(createdMs)
            writer.write(expansion.text)
            writer.write(swipe?.rawValue ?? "closed")
            if !performed.isEmpty {
                writer.write("performed")
                writer.write(UInt64(performed.count))
                for performance in performed { performance.write(to: &writer) }
            }
            if !items.isEmpty {
                writer.write("items")
                writer.write(UInt64(items.count))
                for item in items { item.write(to: &writer) }
            }
            if let scroll {
                writer.write("scroll")
                writer.write(scroll.item)
                writer.write(scroll.fraction)
            }
            for (name, number) in [("changed", changedMs), ("moved", movedMs)] where number != 0 {
                writer.write(name)
                writer.write(number)
            }
            if let claim {
                writer.write("claim")
                claim.write(to: &writer)
            }
            if !states.isEmpty {
                writer.write("states")
                writer.write(UInt64(states.count))
                for state in states { state.write(to: &writer) }
            }
            if let selection {
                writer.write("selected")
                writer.write(optional: selection.item?.text)
            }
            return writer.hash
        }
    }

    @Test func givesBackWhatItWasGiven() throws {
        var random = SplitMix64(seed: 20)
        for _ in 0..<100 {
            var given = Given(&random)
            var row = given.row
            try #require(given.isAll(of: row))
            for _ in 0..<4 {
                (given, row) = try changed(given, row, &random)
                try #require(given.isAll(of: row))
                try #require(row == given.row)
                try #require(row.content == given.row.content)
                try #require(row.content.hashValue == given.row.content.hashValue)
            }
        }
    }

    /// The row after a change of its parts: as a copy, and changed where it lies, which must be the same.
    private func both(_ row: Row, _ change: (inout RowStore.Parts) -> Void) throws -> Row {
        let copy = row.with(change)
        // Nobody else holds it.
        var own = row.with { _ in }
        let lay = ObjectIdentifier(own.store)
        let other = own.change(change)
        try #require(other == nil ? ObjectIdentifier(own.store) == lay : own == row)
        let changed = other ?? own
        try #require(changed == copy && changed.hash == copy.hash)
        // And back again: what it has shrunk by has room.
        var back = changed.with { _ in }
        let parts = row.store.parts
        back = back.change { $0 = parts } ?? back
        try #require(back == row && back.hash == row.hash)
        // Somebody holds it, who must not see the change.
        var held = row
        let third = held.change(change)
        try #require(held.isSame(as: row) && third == copy)
        return changed
    }

    /// The row after one of the frequent changes: where it lies, or as another row if somebody holds it.
    private func changed(
        _ row: Row, to expected: Row, _ change: (inout Row) -> Row?
    ) throws -> Row {
        var own = row.with { _ in }
        let place = ObjectIdentifier(own.store)
        let other = change(&own)
        try #require(ObjectIdentifier(own.store) == place)
        let changed = other ?? own
        try #require(changed == expected && changed.hash == expected.hash)
        let copy = row.with { _ in }
        var held = row
        let third = change(&held)
        try #require(row == copy && row.hash == copy.hash && held.isSame(as: row))
        try #require((third ?? held) == expected)
        return changed
    }

    /// Makes one change in both.
    private func changed(
        _ given: Given, _ row: Row, _ random: inout SplitMix64
    ) throws -> (Given, Row) {
        var given = given
        let other = Given(&random)
        let moment = Moment(revision: random.next(), timeMs: random.next())
        switch random.below(9) {
        case 8:
            given.selection = other.selection
            return (given, try both(row) { $0.changeExtras { $0.selection = other.selection } })
        case 0:
            given.expansion = other.expansion
            let opened = try both(row) { $0.expansion = other.expansion }
            return (given, try changed(row, to: opened) { $0.expand(to: other.expansion) })
        case 1:
            given.swipe = other.swipe
            return (given, try both(row) { $0.swipe = other.swipe })
        case 2:
            given.scroll = other.scroll
            return (given, try both(row) { $0.changeExtras { $0.scroll = other.scroll } })
        case 3:
            given.claim = other.claim
            return (given, try both(row) { $0.changeExtras { $0.claim = other.claim } })
        case 4:
            given.movedMs = moment.timeMs
            let moved = try both(row) { $0.move(at: moment) }
            return (given, try changed(row, to: moved) { $0.move(at: moment) })
        case 5:
            given.version = other.version
            return (given, try both(row) { $0.stamps.version = other.version })
        case 6:
            (given.version, given.changedMs) = (moment.revision, moment.timeMs)
            (given.kind, given.title, given.performed) = (other.kind, other.title, [])
            let field = Row.Field("new", other.title)
            let gone = given.fields.prefix(1).map(\.key)
            given.fields =
                given.fields.filter { !gone.contains($0.key) && $0.key != "new" } + [field]
            given.states = other.states
            let changes = Command.Changes(
                title: other.title, kind: other.kind, fields: [field], unset: gone + ["none"],
                states: other.states)
            // Written at once or as a content first: it is the same row.
            func set(_ changes: Command.Changes) throws -> Row {
                let content = changes.applied(to: row.content)
                return try changed(row, to: row.with(content: content, at: moment)) {
                    $0.set(changes, at: moment)
                }
            }
            let texts = Command.Changes(
                title: random.below(2) == 0 ? other.title : nil,
                kind: random.below(2) == 0 ? other.kind : nil, fields: [field], unset: gone)
            _ = try set(texts)
            // A text that is as long has room where the old one lies.
            let first = row.content.fields.first ?? field
            let letters = String(repeating: "z", count: first.value.utf8.count)
            _ = try set(Command.Changes(fields: [.init(first.key, letters)]))
            return (given, try set(changes))
        default:
            var content = row.content
            content.items = other.items
            (given.items, given.performed) = (other.items, [])
            (given.version, given.changedMs) = (moment.revision, moment.timeMs)
            return (given, row.with(content: content, at: moment))
        }
    }

    /// A table changes a row where it lies, unless somebody holds it.
    @Test func aTableChangesRowsWhereTheyLie() throws {
        let table = Table(name: "t", history: ID128(high: 0, low: 1))
        try table.appendSection("main", title: "")
        for number in 0..<200 {
            let id = ID("r\(number)")
            try table.appendRow(
                Row(id: id, content: .init(title: "t"), createdMs: 1, movedMs: 1), to: "main")
        }
        func place(_ id: RowID) -> ObjectIdentifier? { table.row(id).map { .init($0.store) } }
        let steps: [Op] = [
            .expand("r7", .expanded), .move(["r7"], .after("r150")), .swipe("r7", .leading),
            .claim("r7", Claim(holder: "ada", sinceMs: 1)),
            .set("r7", Command.Changes(title: "u")),
            .set("r7", Command.Changes(fields: [.init("a", "b")])),
        ]
        for step in steps {
            let before = place("r7")
            try table.apply([step], timeMs: 2)
            #expect(place("r7") == before, "\(step)")
            #expect(table.fault() == nil && table.recomputedDigest() == table.digest)
        }
        // A snapshot, or anybody, goes on seeing what there was.
        let (held, runs) = (try #require(table.row("r7")), table.sections[0].runs())
        let rows = Row(id: "x", content: held.content)
        try table.apply([.expand("r7", .collapsed), .move(["r7"], .top("main"))], timeMs: 3)
        #expect(held.expansion == .expanded && held.movedMs == 2 && held.content == rows.content)
        #expect(runs.joined().first { $0.id == "r7" }?.movedMs == 2)
        #expect(table.row("r7")?.expansion == .collapsed)
        #expect(table.fault() == nil && table.recomputedDigest() == table.digest)
    }

    @Test func contentsDifferByEveryByte() {
        let content = Row.Content(kind: "k", title: "t", fields: [.init("a", "b")])
        for other: Row.Content in [
            .init(kind: "kt", title: "", fields: [.init("a", "b")]),
            .init(kind: "row", title: "t", fields: [.init("a", "b")]),
            .init(kind: "k", title: "ta", fields: [.init("", "b")]),
            .init(kind: "k", title: "t", fields: [.init("ab", "")]),
            .init(kind: "k", title: "t", fields: []),
            .init(kind: "k", title: "t", fields: [.init("a", "b")], items: [Item("i")]),
            .init(kind: "k", title: "t", fields: [.init("a", "b")], states: [.collapsed]),
        ] {
            #expect(content != other)
        }
        #expect(Row.Content(title: "é") != Row.Content(title: "e\u{301}"))
        #expect(Row.Content(kind: "row") == Row.Content())
        #expect(Row.Content(kind: "") != Row.Content())
    }

    /// Bytes that the allocator gave the row.
    private func room(of row: Row) -> Int {
        let start = UnsafeRawPointer(Unmanaged.passUnretained(row.store).toOpaque())
        let head = row.store.withUnsafeMutablePointerToElements { UnsafeRawPointer($0) - start }
        return head + row.store.capacity
    }

    /// A row with 200 bytes of text, as in the benchmark of a table's memory.
    @Test func aPlainRowIsSmall() {
        let row = Row(
            id: "r0000001",
            content: .init(
                title: String(repeating: "t", count: 40),
                fields: [.init("note", String(repeating: "n", count: 160))]),
            version: 100, createdMs: 1_800_000_000_000)
        #expect(room(of: row) <= 280)
        #expect(MemoryLayout<Row>.size == 8)
        #expect(MemoryLayout<Row.Mark>.size == 8)
        #expect(MemoryLayout<Table.Slot?>.stride == 16)
        // It moves, and is opened: the times grow, and nothing else comes with it.
        let moved = row.with { $0.move(at: Moment(revision: 101, timeMs: 1_800_000_000_001)) }
            .with { $0.expansion = .expanded }
        #expect(room(of: moved) <= 296)
        #expect(moved.store.header.extras == nil)
    }
}

struct ScrollTests {
    /// The digest knows one zero only, so −0 is stored and sent as 0.
    @Test func zeroHasOneForm() {
        #expect(Scroll("i", fraction: -0.0).fraction.sign == .plus)
    }
}

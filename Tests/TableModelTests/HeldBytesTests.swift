import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// The strips that a batch writes, and the traces of removed rows, are bounded.
@Suite struct HeldBytesTests {
    private let table = Table(name: "t", history: ID128(high: 1, low: 2))

    private func perform(_ verb: Command.Verb) -> Rejection? {
        switch reduce(
            Command(verb), on: table, limits: Limits(), nowMs: 0, client: "ada")
        {
        case .failure(let rejection): return rejection
        case .success(let plan):
            _ = table.apply(plan, cause: Cause(verb: "test"))
            return nil
        }
    }

    /// A strip whose items set a field of theirs eight times when they are selected, and read it between.
    private func makeStrip() {
        var kind = Kind("strip")
        kind.isStrip = true
        kind.tap = (0..<8).flatMap {
            [.setItem([.init("f", "\($0)")]), Effect.fill([.init("seen", "{f}")])]
        }
        #expect(perform(.define(.init(kinds: [kind]))) == nil)
        let title = String(repeating: "x", count: 60)
        var content = Row.Content(kind: "strip")
        content.items = (0..<500).map { Item(ID("i\($0)"), title: title) }
        #expect(perform(.add(Command.Add(id: "s", content))) == nil)
    }

    @Test func aBatchThatWritesAStripTooOftenIsRefused() {
        makeStrip()
        let weight = table.row("s")?.weight ?? 0
        #expect(weight > 30_000)
        func selects(_ count: Int, _ work: BatchWork) -> Rejection? {
            let commands = (0..<count).map { Command(.select("s", item: ID("i\($0)"))) }
            let result = reduce(
                batch: commands, on: table, limits: Limits(), DecisionContext(nowMs: 0),
                atMost: work)
            guard case .failure(let rejection) = result else { return nil }
            return rejection
        }
        // Each has sixteen effects of which each writes the strip, since others read between them.
        let few = BatchWork.changing.stripBytes / (weight * 17)
        #expect(few > 5 && selects(few, .changing) == nil)
        #expect(selects(few * 2, .changing)?.code == .tooLarge)
        #expect(selects(few, .explaining)?.code == .tooLarge)
    }

    /// One command that names many is bounded too; its undo may do as much as it did.
    @Test func aCommandNamesSoManyLargeStripsAtMost() throws {
        makeStrip()
        let weight = table.row("s")?.weight ?? 0
        let content = try #require(table.row("s")).content
        let ids = (0..<Limits.changedStripBytes / weight).map { RowID("s\($0)") }
        #expect(ids.count > Limits.lightRows)
        for id in ids { #expect(perform(.add(Command.Add(id: id, content))) == nil) }
        #expect(perform(.move(Few(ids), section: nil, .top, .strict)) == nil)
        #expect(perform(.claim(Few(ids), note: "", ttlSeconds: nil)) == nil)
        #expect(perform(.add(Command.Add(id: "more", content))) == nil)
        let all = ids + ["more"]
        #expect(perform(.move(Few(all), section: nil, .bottom, .strict))?.code == .tooLarge)
        #expect(perform(.claim(Few(all), note: "again", ttlSeconds: nil))?.code == .tooLarge)
        #expect(perform(.remove(Few(all)))?.code == .tooLarge)
        // What is about all rows cannot be sent in parts.
        #expect(perform(.expandAll(true)) == nil)
    }

    /// Whatever is done to a strip: it is hashed as a whole each time.
    @Test func aBatchThatTouchesAStripTooOftenIsRefused() {
        makeStrip()
        let weight = table.row("s")?.weight ?? 0
        let most = BatchWork.explaining.stripBytes / weight
        let pairs: [[Command.Verb]] = [
            [.set("s", .init(title: "t")), .set("s", .init(title: "u"))],
            [.claim(["s"], note: "", ttlSeconds: nil), .unclaim(["s"], holder: nil)],
            [.expandAll(true), .expandAll(false)],
        ]
        func refused(_ commands: [Command]) -> Rejection.Code? {
            let result = reduce(
                batch: commands, on: table, limits: Limits(),
                DecisionContext(nowMs: 0, client: "ada"),
                atMost: .explaining)
            guard case .failure(let rejection) = result else { return nil }
            return rejection.code
        }
        for pair in pairs {
            let many = (0..<most * 2).map { Command(pair[$0 % 2]) }
            #expect(refused(many) == .tooLarge, "\(pair)")
            #expect(refused(Array(many.prefix(2))) == nil, "\(pair)")
        }
    }

    /// Rows of one strip share its items, whatever else they have, and go in any order.
    @Test func pressedRowsThatWentCountForNothing() throws {
        makeStrip()
        let large = (0..<9).map { Action(ID(String(repeating: "a", count: 60) + "\($0)")) }
        let own = RowActions(leading: ActionGroup(actions: large))
        #expect(perform(.set("s", .init(actions: own))) == nil)
        let with = try #require(table.row("s"))
        #expect(perform(.set("s", .init(actions: RowActions()))) == nil)
        let without = try #require(table.row("s"))
        #expect(with.itemsPlace == without.itemsPlace && with.weight > without.weight + 500)
        let pressed = [with, without, with].enumerated().map { index, row in
            Invocation(
                id: InvocationID(revision: UInt64(index), index: 0), row: "s", action: "a",
                pressedMs: 0, deadlineSeconds: 9, pressed: row)
        }
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
            var invocations = Invocations()
            for one in pressed { invocations.put(one) }
            // The strip once, and the rest of each.
            let rest = pressed.reduce(0) { $0 + ($1.pressed?.weight ?? 0) - with.weightOfItems }
            #expect(invocations.pressedBytes == with.weightOfItems + rest)
            for place in order { invocations.remove(pressed[place].id) }
            #expect(invocations.pressedBytes == 0, "\(order)")
        }
    }

    @Test func ofARemovedRowTheLatestActionsAreKept() {
        let deeds = (0..<100).map { Deed(ID(String(repeating: "a", count: 60) + "\($0)")) }
        let entry = RemovedPlaces.Entry(row: "r", section: "s", after: nil, performed: deeds)
        #expect(entry.performed == Array(deeds.suffix(16)))
        let few = RemovedPlaces.Entry(
            row: "r", section: "s", after: nil, performed: Array(deeds.prefix(3)))
        #expect(few.performed.count == 3)
    }
}

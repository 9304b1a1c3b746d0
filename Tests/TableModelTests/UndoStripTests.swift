import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// Where a strip stands after an undo.
@Suite struct UndoStripTests {
    /// A strip with the items a, b, c, d, of which each is a revision of its own: 3 to 6.
    private static func strip() throws -> Ledger {
        let ledger = Ledger()
        var kind = Kind("strip")
        kind.isStrip = true
        var settings = Settings()
        settings.scrollScope = .shared
        _ = try ledger.perform(.define(.init(kinds: [kind], settings: settings))).get()
        _ = try ledger.perform(.add(.init(id: "s", .init(kind: "strip")))).get()
        for id: ID in ["a", "b", "c", "d"] {
            _ = try ledger.perform(.item("s", .add(Item(id), .bottom))).get()
        }
        return ledger
    }

    /// As when the item is removed by a command.
    @Test(arguments: [("a", "b"), ("b", "c"), ("d", "c")])
    func itStandsAtTheNextItem(item: String, next: String) throws {
        let (undone, removed) = (try Self.strip(), try Self.strip())
        let added: [String: UInt64] = ["a": 3, "b": 4, "c": 5, "d": 6]
        let revision = try #require(added[item])
        for ledger in [undone, removed] {
            _ = try ledger.perform(.scroll("s", Scroll(ID(item), fraction: 0.5))).get()
        }
        _ = try undone.perform(.undo(revision: revision, mine: false)).get()
        _ = try removed.perform(.item("s", .remove([ID(item)]))).get()
        for ledger in [undone, removed] {
            #expect(ledger.table.row("s")?.scroll == Scroll(ID(next)))
            #expect(ledger.table.row("s")?.content.items.count == 3)
        }
    }

    /// Each viewer scrolls by itself again: nobody could take back what was shared.
    @Test func nothingIsSharedAfterTheUndoOfSharing() throws {
        let ledger = try Self.strip()
        _ = try ledger.perform(.define(.init(settings: Settings()))).get()
        var settings = Settings()
        settings.scrollScope = .shared
        _ = try ledger.perform(.define(.init(settings: settings))).get()
        let revision = ledger.table.revision
        _ = try ledger.perform(.scroll("s", Scroll("b"))).get()
        _ = try ledger.perform(.undo(revision: revision, mine: false)).get()
        #expect(ledger.table.settings.scrollScope == .viewer)
        #expect(ledger.table.row("s")?.scroll == nil)
    }

    @Test func itStandsNowhereWithoutItems() throws {
        let ledger = try Self.strip()
        _ = try ledger.perform(.item("s", .remove(["b", "c", "d"]))).get()
        _ = try ledger.perform(.scroll("s", Scroll("a"))).get()
        _ = try ledger.perform(.undo(revision: 3, mine: false)).get()
        let row = try #require(ledger.table.row("s"))
        #expect(row.scroll == nil && row.content.items.isEmpty)
    }
}

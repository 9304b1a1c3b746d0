import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// Shared selection in undo, recall, backups and sessions (F15). The scenarios have the rest.
struct SelectionTests {
    private static func ledger() throws -> Ledger {
        let ledger = Ledger()
        var settings = Settings()
        settings.selection = .shared
        var strip = Kind("reel")
        strip.isStrip = true
        for verb in [
            Command.Verb.define(.init(kinds: [strip], settings: settings)),
            .add(.init(id: "a", .init())), .add(.init(id: "b", .init())),
            .add(.init(id: "s", .init(kind: "reel", items: [Item("i"), Item("j")]))),
        ] { _ = try ledger.perform(verb).get() }
        return ledger
    }

    /// The selection as text.
    private static func selected(_ table: Table) -> [String] {
        table.rows.compactMap { row in
            row.selection.map { "\(row.id)" + ($0.item.map { "/\($0)" } ?? "") }
        }
    }

    @Test func undoBringsItBack() throws {
        let ledger = try Self.ledger()
        let table = ledger.table
        _ = try ledger.perform(.select("a", item: nil)).get()
        let before = table.digest
        _ = try ledger.perform(.select("s", item: "j")).get()
        #expect(Self.selected(table) == ["s/j"])
        _ = try ledger.perform(.undo(revision: nil, mine: false)).get()
        #expect(Self.selected(table) == ["a"] && table.digest == before)
        // An undo that brings two together leaves one.
        _ = try ledger.perform(.remove(["a"])).get()
        let removal = table.revision
        _ = try ledger.perform(.mark("b", item: nil)).get()
        _ = try ledger.perform(.undo(revision: removal, mine: false)).get()
        #expect(Self.selected(table) == ["a"] && table.fault() == nil)
        // A row that is recalled is not selected.
        _ = try ledger.perform(.remove(["a"])).get()
        _ = try ledger.perform(.recall(["a"])).get()
        #expect(Self.selected(table).isEmpty)
        // An item that an undo takes away is not selected any more.
        _ = try ledger.perform(.item("s", .add(Item("k"), .bottom))).get()
        let adding = table.revision
        _ = try ledger.perform(.select("s", item: "k")).get()
        _ = try ledger.perform(.undo(revision: adding, mine: false)).get()
        #expect(Self.selected(table).isEmpty && table.fault() == nil)
    }

    /// The commands that make the table again make the selection, and no tap is carried out.
    @Test func aSessionBeginsWithIt() throws {
        let ledger = try Self.ledger()
        let table = ledger.table
        var kind = Kind(.plainKind)
        kind.tap = [.remove]
        _ = try ledger.perform(.mark("b", item: nil)).get()
        _ = try ledger.perform(.define(.init(kinds: [kind]))).get()
        let copy = Table(name: "t", history: ID128(high: 1, low: 3))
        for verb in table.beginning {
            let context = DecisionContext(nowMs: 9)
            let plan = try reduce(Command(verb), on: copy, limits: Limits(), context).get()
            _ = copy.apply(plan, cause: Cause(verb: "x", timeMs: 9))
        }
        #expect(Self.selected(copy) == ["b"] && copy.digest == table.digest)
    }

    /// A backup with two selected rows, or with one where none is kept, is refused.
    @Test func aBackupThatCannotBe() throws {
        for (scope, rows, isGood) in [
            (Settings.SelectionScope.shared, ["a"], true), (.shared, ["a", "b"], false),
            (.viewer, ["a"], false), (.none, ["a"], false), (.none, [], true),
        ] as [(Settings.SelectionScope, [ID], Bool)] {
            var settings = Settings()
            settings.selection = scope
            let whole = Table(
                restoring: "t", history: ID128(high: 1, low: 2), revision: 9,
                kinds: [Kind(.plainKind)], settings: settings)
            try whole.appendSection("main", title: "")
            let all = ["a", "b"].map { id in
                Row(id: id, content: .init()).with(selection: rows.contains(id) ? .row : nil)
            }
            for row in all { try whole.appendRow(row, to: "main") }
            let staged = try StagedTable(
                "t", history: ID128(high: 1, low: 2), revision: 9, digest: whole.digest,
                settings: settings, isEditing: false, limits: Limits(), removedPlaces: 9)
            try staged.add([Kind(.plainKind)])
            try staged.add(all, to: "main", title: "")
            do throws(Rejection) {
                try staged.finish()
                #expect(isGood, "\(scope) \(rows)")
            } catch { #expect(!isGood && error.code == .badBackup, "\(error)") }
        }
    }
}

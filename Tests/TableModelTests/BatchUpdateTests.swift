import Foundation
import Testing

@testable import TableModel

/// The batch form of diffs. Carried out as a toolkit does it, it gives the table's rows.
struct BatchUpdateTests {
    private typealias Path = BatchUpdate.Path

    private static func shown(_ table: Table) -> [[Row]] {
        table.sections.map { $0.runs().flatMap { $0 } }
    }

    private static let batches =
        ProcessInfo.processInfo.environment["BATCHES"].flatMap { Int($0) } ?? 3_200

    /// 3,200 batches; `BATCHES=100000` for more.
    @Test(arguments: 1...8)
    func bothFormsGiveTheSameTable(seed: Int) throws {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        let screen = Table(name: "t", history: ID128(high: 1, low: 2))
        var commands = RandomCommands(seed: UInt64(seed) &+ 500)
        var shown = Self.shown(screen)
        var titles: [String] = []
        var seen = BatchUpdate()
        for step in 0..<(Self.batches / 8) {
            commands.look(at: table)
            var diff: Diff?
            while diff == nil {
                let result = reduce(
                    batch: Self.batch(&commands, table), on: table, limits: Limits(),
                    nowMs: UInt64(step),
                    client: commands.client)
                guard case .success(let plan) = result else { continue }
                diff = table.apply(plan, cause: Cause(verb: "batch"))
            }
            guard let diff else { continue }
            let update = try screen.applyBatch(diff)
            let note = "seed \(seed), step \(step): \(diff.ops)"
            try Self.requireSound(update, note)
            // Rows that no list names are the old objects: they must be the same.
            let rows = update.applied(to: shown, asking: Self.shown(screen))
            try #require(rows == Self.shown(table), "\(note)")
            for index in update.deletedSections.reversed() { titles.remove(at: index) }
            for index in update.insertedSections {
                titles.insert(screen.sections[index].title, at: index)
            }
            for index in update.retitledSections { titles[index] = screen.sections[index].title }
            try #require(titles == table.sections.map(\.title), "\(note)")
            shown = Self.shown(screen)
            seen.moves += update.moves
            seen.deletes += update.deletes
            seen.inserts += update.inserts
            seen.reloads += update.reloads
            seen.deletedSections += update.deletedSections
            seen.retitledSections += update.retitledSections
        }
        // All lists were in use.
        #expect(seen.moves.count > 100 && seen.deletes.count > 20 && seen.inserts.count > 20)
        #expect(seen.reloads.count > 100 && seen.deletedSections.count > 2)
        #expect(seen.retitledSections.count > 1)
    }

    /// Sometimes removes a section, after moving its rows to another.
    private static func batch(_ commands: inout RandomCommands, _ table: Table) -> [Command] {
        if commands.random.once(in: 12) {
            return commands.batch() + [Command(.expandAll(commands.random.once(in: 2)))]
        }
        guard commands.random.once(in: 8), let section = table.sections.last,
            let other = table.sections.first, other !== section
        else { return commands.batch() }
        let rows = section.runs().flatMap { $0 }.map(\.id)
        let move = Command.Verb.move(Few(rows), section: other.id, .top, .strict)
        let empty = rows.isEmpty ? [] : [Command(move)]
        let back = commands.random.once(in: 3) ? [Command(.section(section.id, title: "B"))] : []
        return commands.batch() + empty + [Command(.removeSection(section.id))] + back
            + commands.batch()
    }

    /// What toolkits require of a batch.
    private static func requireSound(_ update: BatchUpdate, _ note: String) throws {
        let sources = update.deletes + update.moves.map(\.from)
        let targets = update.inserts + update.moves.map(\.to)
        try #require(Set(sources).count == sources.count, "\(note)")
        try #require(Set(targets).count == targets.count, "\(note)")
        try #require(sources.allSatisfy { !update.deletedSections.contains($0.section) }, "\(note)")
        try #require(
            targets.allSatisfy { !update.insertedSections.contains($0.section) }, "\(note)")
        try #require(Set(update.reloads).isDisjoint(with: update.inserts), "\(note)")
        try #require(
            update.reloads.allSatisfy { !update.insertedSections.contains($0.section) }, "\(note)")
        try #require(
            update.deletes == update.deletes.sorted() && update.inserts.sorted() == update.inserts)
    }

    private func update(
        _ table: Table, _ verbs: Command.Verb...
    ) throws -> BatchUpdate {
        let plan = try reduce(
            batch: verbs.map { Command($0) }, on: table, limits: Limits(), nowMs: 0
        ).get()
        let draft = BatchUpdate.Draft(plan.ops, before: table)
        _ = table.apply(plan, cause: Cause(verb: "test"))
        return draft.update(after: table)
    }

    private func table(_ ids: RowID...) throws -> Table {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        try table.appendSection("main", title: "main")
        for id in ids { try table.appendRow(Row(id: id, content: .init()), to: "main") }
        return table
    }

    private func path(_ section: Int, _ index: Int) -> Path {
        Path(section: section, index: index)
    }

    @Test func placesAreOfBeforeAndAfter() throws {
        let table = try table("a", "b", "c", "d")
        let update = try update(
            table, .remove(["b"]), .add(.init(id: "x", .init(), at: .top)),
            .move(["d"], section: nil, .after("a"), .strict), .set("d", .init(title: "new")))
        #expect(table.rows.map(\.id) == ["x", "a", "d", "c"])
        #expect(update.deletes == [path(0, 1)] && update.inserts == [path(0, 0)])
        #expect(update.moves == [.init(from: path(0, 3), to: path(0, 2))])
        #expect(update.reloads == [path(0, 2)])
        #expect(!update.isEmpty && BatchUpdate().isEmpty && !update.isRedefined)
    }

    /// What is said of how rows come and go stands with their places (F2).
    @Test func hintsStandWithThePlaces() throws {
        let table = try table("a", "b", "c")
        let update = try update(
            table, .remove(["a"], hint: .left), .remove(["b"]),
            .add(.init(id: "x", .init(), at: .top, hint: .fade)), .add(.init(id: "y", .init())),
            // It comes and goes in one diff, so it is not seen.
            .add(.init(id: "z", .init(), hint: .right)), .remove(["z"], hint: .top))
        #expect(update.deletes == [path(0, 0), path(0, 1)])
        #expect(update.deleteHints == [path(0, 0): .left])
        #expect(update.inserts == [path(0, 0), path(0, 2)])
        #expect(update.insertHints == [path(0, 0): .fade])
    }

    @Test func removedAndBackIsAMoveAndAReload() throws {
        let table = try table("a", "b")
        let update = try update(
            table, .remove(["a"]), .add(.init(id: "a", .init(title: "again"))))
        #expect(update.moves == [.init(from: path(0, 0), to: path(0, 1))])
        #expect(update.reloads == [path(0, 1)])
        #expect(update.deletes.isEmpty && update.inserts.isEmpty)
    }

    @Test func sectionsTakeTheirRowsAlong() throws {
        let table = try table("a", "b")
        _ = try self.update(
            table, .section("old", title: ""), .move(["a"], section: "old", .top, .strict))
        let update = try update(
            table, .section("new", title: ""), .move(["a"], section: "main", .top, .strict),
            .move(["b"], section: "new", .top, .strict), .removeSection("old"))
        #expect(update.deletedSections == [1] && update.insertedSections == [1])
        #expect(update.inserts == [path(0, 0)] && update.deletes == [path(0, 0)])
        #expect(update.moves.isEmpty && update.reloads.isEmpty)
    }

    @Test func whatContradictsItselfIsRefused() {
        let old = [["a", "b"], ["c"]]
        func result(_ change: (inout BatchUpdate) -> Void) -> [[String]]? {
            var update = BatchUpdate()
            change(&update)
            return update.applied(to: old, asking: [["x", "y"]])
        }
        #expect(result { _ in } == old)
        #expect(result { $0.reloads = [path(0, 1)] } == [["a", "y"], ["c"]])
        #expect(result { $0.deletes = [path(0, 2)] } == nil)
        #expect(result { $0.deletes = [path(0, 0), path(0, 0)] } == nil)
        #expect(result { $0.deletes = [path(-1, 0)] } == nil)
        #expect(result { $0.deletedSections = [2] } == nil)
        #expect(result { $0.insertedSections = [9] } == nil)
        #expect(result { $0.insertedSections = [-1] } == nil)
        #expect(result { $0.inserts = [path(1, 0)] } == nil)
        #expect(result { $0.reloads = [path(1, 0)] } == nil)
        #expect(result { $0.moves = [.init(from: path(0, 0), to: path(0, 7))] } == nil)
        #expect(
            result { $0.moves = [.init(from: path(0, 0), to: path(1, 1))] } == [["b"], ["c", "a"]])
    }
}

import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// A check in slices, while the table changes, finds the same as a check in one go.
@Suite struct TableCheckTests {
    /// Runs a check to its end, with something done between the slices.
    private static func run(
        _ check: TableCheck, between: (Int) -> Void = { _ in }
    ) -> (TableCheck.Progress, Int) {
        var slices = 0
        while true {
            let progress = check.work()
            slices += 1
            if progress != .more { return (progress, slices) }
            between(slices)
        }
    }

    private static func table(rows: Int) throws -> Table {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        for section in ["a", "b", "empty"] {
            try table.appendSection(ID(section), title: section)
        }
        for index in 0..<rows {
            let row = Row(id: ID("r\(index)"), content: Row.Content(title: "Row \(index)"))
            try table.appendRow(row, to: index % 2 == 0 ? "a" : "b")
        }
        return table
    }

    @Test(arguments: [0, 1, 63, 64, 65, 5_000])
    func aWholeTableIsWhole(rows: Int) throws {
        let (progress, slices) = Self.run(TableCheck(try Self.table(rows: rows)))
        #expect(progress == .whole)
        #expect(slices >= rows / 64)
    }

    /// Commands of every kind between the slices.
    @Test(arguments: 0..<12 as Range<UInt64>)
    func theTableGoesOnMeanwhile(seed: UInt64) throws {
        let ledger = Ledger()
        var commands = RandomCommands(seed: seed, rows: 400)
        func go(on times: Int) {
            for _ in 0..<times {
                commands.look(at: ledger.table)
                ledger.perform([Command(commands.verb())], by: commands.client ?? "nobody")
            }
        }
        go(on: 400)
        let (progress, _) = Self.run(TableCheck(ledger.table)) { _ in go(on: 20) }
        #expect(progress == .whole, "seed \(seed)")
        #expect(ledger.table.fault() == nil)
    }

    /// A trial between the slices is taken back, and is no damage: the rows that a check holds are
    /// copied for it, and an index that grew for it stays larger.
    @Test(arguments: [0, 1])
    func whatIsTriedOutMeanwhileIsNoDamage(kind: Int) throws {
        let table = try Self.table(rows: 2_000)
        let verb: Command.Verb =
            kind == 0
            ? .set("r1999", .init(title: "another"))
            : .add(Command.Add(id: "new", Row.Content(title: "new")))
        let (revision, digest) = (table.revision, table.digest)
        let (progress, _) = Self.run(TableCheck(table)) { slice in
            guard slice == 3,
                case .success(let plan) = reduce(
                    Command(verb), on: table, limits: Limits(), nowMs: 0, client: "ada")
            else { return }
            table.onTrial(plan) { _ in }
        }
        #expect(progress == .whole)
        #expect((table.revision, table.digest) == (revision, digest))
    }

    @Test func anotherDigestThanThatOfTheRowsIsFound() throws {
        let table = try Self.table(rows: 200)
        table.isEditing = true
        let check = TableCheck(table)
        #expect(Self.run(check).0 == .whole)
        // A hash that was noted is wrong: what is computed anew is not.
        table.cachedDefinitionsHash = 7
        #expect(Self.run(TableCheck(table)).0 == .fault("digest"))
        #expect(table.recomputedDigest() != table.digest)
    }

    @Test func aRowThatTheIndexDoesNotKnowIsFound() throws {
        let table = try Self.table(rows: 200)
        table.slots.remove("r77")
        #expect(Self.run(TableCheck(table)).0 == .fault("row r77: has no slot"))
        #expect(table.fault() != nil)
    }

    @Test func aNoteThatIsWrongIsFound() throws {
        let table = try Self.table(rows: 200)
        table.openRows.insert("r5")
        #expect(Self.run(TableCheck(table)).0 == .fault("row r5: its swipe is not noted"))
    }
}

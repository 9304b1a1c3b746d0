import TableDecisions
import TableModel
import Testing

@testable import TableSync

/// What the server keeps for viewers: the latest diffs, and open snapshots.
struct KeepingTests {
    private func log(
        from revision: UInt64 = 0, diffs: Int = 100, bytes: Int = 10_000, count: Int = 0
    ) -> DiffLog {
        var log = DiffLog(from: revision, digest: 1_000 + revision)
        for _ in 0..<count {
            let next = log.head + 1
            log.append(
                Self.entry([UInt8(next % 256)], digest: 1_000 + next),
                within: .init(diffs: diffs, bytes: bytes), rows: 0)
        }
        return log
    }

    private static func entry(
        _ bytes: [UInt8], digest: UInt64, timeMs: UInt64 = 0, undoes: UInt64? = nil
    ) -> DiffLog.Entry {
        let cause = Cause(verb: "test", timeMs: timeMs, undoes: undoes)
        return DiffLog.Entry(
            DiffOutline(base: 0, digest: digest, cause: cause),
            EncodedChange(diff: bytes, inverse: nil))
    }

    @Test func whatIsOldGoesAndIsAnnounced() {
        var log = DiffLog(from: 0, digest: 0)
        let limit = Retention(diffs: 100, bytes: 10_000, seconds: 10)
        var left = 100
        for second in 1...20 as ClosedRange<UInt64> {
            log.append(
                Self.entry([1], digest: second, timeMs: second * 1_000), within: limit,
                rows: 0)
        }
        #expect(log.leaving(nowMs: 9_000, within: limit, rows: 0) == nil)
        #expect(log.leaving(nowMs: 12_000, within: limit, rows: 0) == 2)
        log.trim(nowMs: 15_500, within: limit, rows: 0, atMost: &left)
        #expect(log.oldest == 5 && log.head == 20)
        // A date that was set back keeps everything; one far ahead lets all go.
        log.trim(nowMs: 0, within: limit, rows: 0, atMost: &left)
        #expect(log.oldest == 5)
        log.trim(nowMs: .max, within: limit, rows: 0, atMost: &left)
        #expect(log.oldest == 20 && left == 80)
        log = self.log(diffs: 10, count: 10)
        #expect(log.leaving(nowMs: 0, within: .init(diffs: 10, bytes: 10_000), rows: 0) == 1)
    }

    /// No turn gets long where much is to go at once.
    @Test func whereLessIsKeptTheOldestGoStepByStep() {
        let less = Retention(diffs: 10, bytes: 10_000)
        var log = log(diffs: 1_000, count: 1_000)
        log.append(Self.entry([1], digest: 1), within: less, rows: 0)
        #expect(log.head == 1_001 && log.oldest == 64)
        var left = 100
        log.trim(nowMs: 0, within: less, rows: 0, atMost: &left)
        #expect(log.oldest == 164 && left == 0)
        left = 10_000
        log.trim(nowMs: 0, within: less, rows: 0, atMost: &left)
        #expect(log.oldest == 991 && log.head == 1_001 && left == 10_000 - 827)
        #expect(log.diffs(since: 991, maximumBytes: 1_000)?.count == 10)
        // More again: nothing goes.
        log.append(Self.entry([1], digest: 1), within: Retention(), rows: 0)
        #expect(log.oldest == 991 && log.head == 1_002)
    }

    @Test func undoneRevisionsAreMarked() {
        var log = log(from: 10, count: 2)
        log.append(Self.entry([1], digest: 1, undoes: 12), within: Retention(), rows: 0)
        log.append(Self.entry([1], digest: 1, undoes: 13), within: Retention(), rows: 0)
        #expect(log.mark(of: 11)?.undoneBy == nil && log.mark(of: 12)?.undoneBy == 13)
        #expect(log.mark(of: 13)?.isRedo == false && log.mark(of: 14)?.isRedo == true)
        #expect(log.mark(of: 10) == nil && log.mark(of: 15) == nil)
    }

    @Test func diffsLeadOn() {
        let log = log(from: 7, count: 5)
        #expect(log.oldest == 7 && log.head == 12)
        for since in 7...12 as ClosedRange<UInt64> {
            let found = log.diffs(since: since, maximumBytes: 1_000)?.map { $0.change.diff[0] }
            let wanted: [UInt8] = since < 12 ? Array(UInt8(since) + 1...12) : []
            #expect(found == wanted)
            #expect(log.digest(at: since) == 1_000 + since)
        }
        for since in [0, 6, 13, .max] as [UInt64] {
            #expect(log.diffs(since: since, maximumBytes: 1_000) == nil)
            #expect(log.digest(at: since) == nil)
        }
    }

    @Test func diffsAreBoundedInNumberAndBytes() {
        var log = log(diffs: 10, count: 5_000)
        #expect(log.oldest == 4_990 && log.head == 5_000)
        #expect(log.diffs(since: 4_990, maximumBytes: 1_000)?.count == 10)
        #expect(log.diffs(since: 4_989, maximumBytes: 1_000) == nil)
        #expect(log.digest(at: 4_990) == 5_990 && log.digest(at: 4_989) == nil)
        log = self.log(diffs: 100, bytes: 10, count: 30)
        #expect(log.oldest == 20)
        // One that is larger than all is kept alone.
        log.append(
            Self.entry(Array(repeating: 0, count: 500), digest: 1),
            within: .init(diffs: 100, bytes: 10), rows: 0)
        #expect(log.oldest == 30 && log.head == 31)
        #expect(log.diffs(since: 30, maximumBytes: 1)?.count == 1)
        // Keeping none is a setting too.
        log = self.log(diffs: 0, count: 3)
        #expect(log.oldest == 3 && log.diffs(since: 3, maximumBytes: 1)?.isEmpty == true)
    }

    /// An import does not fill all that is kept: changes of many rows have a quarter, and more in a large table.
    @Test func changesOfManyRowsHaveAQuarter() {
        let limit = Retention(diffs: 1_000, bytes: 4 << 20)
        let many = Self.entry(Array(repeating: 0, count: 100 << 10), digest: 1)
        let one = Self.entry(Array(repeating: 0, count: 32 << 10), digest: 1)
        for (rows, kept) in [(0, 10), (40_000, 10), (80_000, 18), (1_000_000, 40)] {
            var log = DiffLog(from: 0, digest: 0)
            for _ in 0..<50 { log.append(many, within: limit, rows: rows) }
            #expect(log.kept.count == kept)
            // The next tenth of a quarter, or of all.
            let leaving = log.leaving(nowMs: 0, within: limit, rows: rows)
            #expect(leaving == log.oldest + UInt64((kept + 9) / 10))
        }
        var log = DiffLog(from: 0, digest: 0)
        for _ in 0..<100 { log.append(one, within: limit, rows: 0) }
        #expect(log.oldest == 0)
        // The latest is kept, however large: it may be undone.
        let large = Self.entry(Array(repeating: 0, count: 3 << 20), digest: 1)
        log.append(large, within: limit, rows: 0)
        log.append(one, within: limit, rows: 0)
        #expect(log.head == 102 && log.oldest == 69)
        // One that alone has nearly as much as may be kept leaves the others: it may be undone after more of them.
        var other = DiffLog(from: 0, digest: 0)
        for _ in 0..<50 { other.append(one, within: limit, rows: 0) }
        other.append(
            Self.entry(Array(repeating: 0, count: 6 << 20), digest: 1), within: limit, rows: 0)
        for _ in 0..<100 { other.append(one, within: limit, rows: 0) }
        #expect(other.oldest < 50 && other.entry(of: 51) != nil)
        // Of less than before the rest goes later.
        var left = 100
        log.append(many, within: limit, rows: 1_000_000)
        log.trim(nowMs: 0, within: limit, rows: 0, atMost: &left)
        #expect(log.kept.count == 2 && left == 72)
    }

    @Test func pagesHaveAtLeastOne() {
        let log = log(count: 20)
        #expect(log.diffs(since: 0, maximumBytes: 0)?.count == 1)
        #expect(log.diffs(since: 0, maximumBytes: 7)?.count == 7)
        #expect(log.diffs(since: 20, maximumBytes: 7)?.isEmpty == true)
    }

    // MARK: Snapshots

    private func table(_ count: Int) throws -> Table {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        try table.appendSection("main", title: "Main")
        for number in 0..<count {
            try table.appendRow(Row(id: ID("\(number)"), content: .init()), to: "main")
        }
        return table
    }

    private func apply(_ verb: Command.Verb, to table: Table) throws {
        let plan = try reduce(Command(verb), on: table, limits: Limits(), nowMs: 0).get()
        _ = table.apply(plan, cause: Cause(verb: "test", timeMs: 1))
    }

    private func noSnapshots() -> Snapshots {
        Snapshots { ID128(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max)) }
    }

    /// Takes all chunks, with something done before each.
    private func assemble(
        _ snapshots: inout Snapshots, _ table: Table, before: (Int) throws -> Void = { _ in }
    ) throws -> Table {
        let first = snapshots.begin(table, nowMs: 0, tables: { _ in table })
        let copy = Table(
            restoring: table.name, history: table.history, revision: first.revision,
            kinds: first.kinds, settings: first.settings ?? Settings())
        for index in 0..<first.chunks {
            try before(index)
            let part = snapshots.chunk(index, of: first.id, table: table, nowMs: 0)
            let chunk = try #require(part)
            #expect(chunk.chunks == first.chunks && chunk.revision == first.revision)
            #expect(chunk.digest == first.digest && chunk.rows == first.rows)
            #expect(chunk.kinds.isEmpty == (index > 0))
            for slice in chunk.slices {
                try copy.appendSection(slice.section, title: slice.title)
                for row in slice.rows { try copy.appendRow(row, to: slice.section) }
            }
        }
        #expect(copy.digest == first.digest && copy.count == first.rows)
        return copy
    }

    @Test func editsWhileItIsPulledGiveTheOldState() throws {
        let table = try table(5_000)
        let old = table.copy()
        var snapshots = noSnapshots()
        let copy = try assemble(&snapshots, table) { index in
            try apply(.remove([ID("\(index * 700)")]), to: table)
            try apply(.add(.init(id: ID("new \(index)"), .init(), at: .top)), to: table)
            try apply(.section("main", title: "Main \(index)"), to: table)
            try apply(.set("4999", .init(title: "\(index)")), to: table)
        }
        #expect(copy.rows == old.rows && copy.digest == old.digest && copy.digest != table.digest)
        #expect(copy.revision == 0 && copy.section("main")?.title == "Main")
    }

    @Test func ofNothingAndOfEmptySections() throws {
        var snapshots = noSnapshots()
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        #expect(try assemble(&snapshots, table).digest == table.digest)
        for number in 0..<40 {
            try apply(.section(ID("s\(number)"), title: "S"), to: table)
        }
        try apply(.add(.init(id: "a", .init(), section: "s20")), to: table)
        let copy = try assemble(&snapshots, table)
        #expect(copy.digest == table.digest && copy.sections.count == 40)
        #expect(snapshots.begin(table, nowMs: 0, tables: { _ in table }).chunks == 3)
    }

    @Test func isSharedAtOneRevision() throws {
        var snapshots = noSnapshots()
        let table = try table(3)
        let one = snapshots.begin(table, nowMs: 0, tables: { _ in table })
        #expect(snapshots.begin(table, nowMs: 5, tables: { _ in table }) == one)
        try apply(.remove(["0"]), to: table)
        let two = snapshots.begin(table, nowMs: 6, tables: { _ in table })
        #expect(two.id != one.id && two.rows == 2)
        // An answer to one is never taken for an answer to the other, nor after a restart.
        #expect(snapshots.chunk(0, of: one.id, table: table, nowMs: 6)?.rows == 3)
        var later = noSnapshots()
        #expect(later.begin(table, nowMs: 0, tables: { _ in table }).id != two.id)
        #expect(later.chunk(0, of: two.id, table: table, nowMs: 0) == nil)
    }

    /// Whoever changes one table and asks for it again and again takes no snapshot of another.
    @Test func theTableThatHasMostLosesOne() throws {
        var snapshots = noSnapshots()
        let (busy, other) = (try table(200), Table(name: "o", history: ID128(high: 5, low: 6)))
        let tables = { (name: TableID) in name == "o" ? other : busy }
        let kept = snapshots.begin(other, nowMs: 0, tables: tables).id
        let first = snapshots.begin(busy, nowMs: 1, tables: tables).id
        for number in 0..<100 {
            try apply(.remove([ID("\(number)")]), to: busy)
            _ = snapshots.begin(busy, nowMs: UInt64(2 + number), tables: tables)
        }
        #expect(snapshots.chunk(0, of: kept, table: other, nowMs: 200) != nil)
        #expect(snapshots.chunk(0, of: first, table: busy, nowMs: 200) == nil)
    }

    @Test func chunksOutOfRangeAndOfAnotherTable() throws {
        var snapshots = noSnapshots()
        let table = try table(3)
        let id = snapshots.begin(table, nowMs: 0, tables: { _ in table }).id
        for index in [-1, 1, Int.min, Int.max] {
            #expect(snapshots.chunk(index, of: id, table: table, nowMs: 0) == nil)
        }
        let others = [
            Table(name: "t2", history: table.history),
            Table(name: "t", history: ID128(high: 9, low: 9)),
        ]
        for other in others {
            #expect(snapshots.chunk(0, of: id, table: other, nowMs: 0) == nil)
        }
        #expect(snapshots.chunk(0, of: "", table: table, nowMs: 0) == nil)
        #expect(snapshots.chunk(0, of: id, table: table, nowMs: 0) != nil)
    }

    @Test func expiresWhenNobodyAsks() throws {
        var snapshots = noSnapshots()
        let table = try table(3)
        let id = snapshots.begin(table, nowMs: 1_000, tables: { _ in table }).id
        snapshots.expire(nowMs: 31_000)
        #expect(snapshots.chunk(0, of: id, table: table, nowMs: 31_000) != nil)
        snapshots.expire(nowMs: 61_000)
        #expect(snapshots.chunk(0, of: id, table: table, nowMs: 61_000) != nil)
        snapshots.expire(nowMs: 91_001)
        #expect(snapshots.chunk(0, of: id, table: table, nowMs: 91_001) == nil)
    }

    private static var stripKind: Kind {
        var kind = Kind("strip")
        kind.isStrip = true
        return kind
    }

    private func strip(_ items: Int, _ text: String) -> Row.Content {
        .init(kind: "strip", items: (0..<items).map { Item(ID("i\($0)"), title: text) })
    }

    /// A chunk is bounded by what its rows say, too.
    @Test func aChunkOfLargeRowsHasFewer() throws {
        let table = try table(100)
        try apply(.define(.init(kinds: [Self.stripKind])), to: table)
        for number in 0..<60 {
            try apply(.add(.init(id: ID("s\(number)"), strip(900, "yyyyyyyyy"))), to: table)
        }
        var snapshots = noSnapshots()
        #expect(try assemble(&snapshots, table).digest == table.digest)
        let first = snapshots.begin(table, nowMs: 0, tables: { _ in table })
        #expect((20...40).contains(first.chunks))
        for index in 0..<first.chunks {
            let chunk = snapshots.chunk(index, of: first.id, table: table, nowMs: 0)
            let weight = chunk?.slices.reduce(0) { $0 + $1.rows.reduce(0) { $0 + $1.weight } }
            #expect(weight ?? .max <= Snapshots.mostWeight)
        }
    }

    /// What snapshots hold besides the tables is bounded. The newest is always there.
    @Test func oldSnapshotsGoBeyondSomeBytes() throws {
        let table = try table(10)
        try apply(.define(.init(kinds: [Self.stripKind])), to: table)
        for number in 0..<10 {
            try apply(.add(.init(id: ID("s\(number)"), strip(900, ""))), to: table)
        }
        var snapshots = noSnapshots()
        var ids: [String] = []
        for round in 0..<40 {
            ids.append(snapshots.begin(table, nowMs: 0, tables: { _ in table }).id)
            let changed = ID("i\(round)")
            for number in 0..<10 {
                let change = Command.ItemChange.set(changed, .init(title: "\(round)"))
                try apply(.item(ID("s\(number)"), change), to: table)
            }
        }
        let open = ids.map { snapshots.chunk(0, of: $0, table: table, nowMs: 0) != nil }
        // 40 times ten rows of 90 KB were replaced, and 16 MiB may be held.
        let kept = open.count { $0 }
        #expect((15...20).contains(kept) && open.suffix(kept).allSatisfy { $0 })
        // What nobody's snapshot has is not counted, nor what was replaced again.
        let before = table.supersededBytes
        for number in 0..<100 {
            try apply(.add(.init(id: ID("n\(number)"), strip(900, ""))), to: table)
            try apply(.remove([ID("n\(number)")]), to: table)
        }
        #expect(table.supersededBytes == before)
        // Of a table that was dropped none is held.
        let other = Table(name: "t2", history: ID128(high: 1, low: 3))
        _ = snapshots.begin(other, nowMs: 0, tables: { $0 == other.name ? other : nil })
        #expect(snapshots.tables == ["t2"])
    }

    /// Moved, swiped and expanded rows keep their versions. A snapshot holds them once all the same.
    @Test func whatIsReplacedAgainIsHeldOnce() throws {
        let table = try table(200)
        var kind = Kind(.plainKind)
        kind.trailing = ActionGroup(actions: [Action("a")])
        try apply(.define(.init(kinds: [kind])), to: table)
        var snapshots = noSnapshots()
        _ = snapshots.begin(table, nowMs: 0, tables: { _ in table })
        let before = table.supersededBytes
        for round in 0..<100 {
            let isOdd = round % 2 == 1
            let near: Anchor = isOdd ? .after("9") : .after("150")
            let far: Anchor = isOdd ? .top : .bottom
            try apply(.move(["5"], section: nil, near, .rebase), to: table)
            try apply(.move(["20", "21"], section: nil, far, .rebase), to: table)
            try apply(.swap("30", "170"), to: table)
            try apply(.expand("40", nil), to: table)
            try apply(.swipe("50", isOdd ? nil : .trailing), to: table)
        }
        // Seven rows.
        let held = table.supersededBytes - before
        #expect((7 * 700...7 * 900).contains(held), "\(held)")
        try apply(.remove(["5"]), to: table)
        #expect(table.supersededBytes - before == held, "the snapshot holds another of this id")
        try apply(.remove(["6"]), to: table)
        #expect(table.supersededBytes - before > held)
    }

    @Test func theOldestGoesBeyondSixtyFour() throws {
        var snapshots = noSnapshots()
        let table = try table(3)
        var ids: [String] = []
        for number in 0..<70 {
            try apply(.set("0", .init(title: "\(number)")), to: table)
            ids.append(snapshots.begin(table, nowMs: UInt64(number), tables: { _ in table }).id)
        }
        let kept = ids.filter { snapshots.chunk(0, of: $0, table: table, nowMs: 100) != nil }
        #expect(kept == Array(ids.suffix(64)))
    }
}

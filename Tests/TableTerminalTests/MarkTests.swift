import TableModel
import Testing

@testable import TableTerminal

/// Several rows are marked, and what is done with one of them is done with all, as one revision.
struct MarkTests {
    private func stage() throws -> Stage {
        let stage = Stage(try Tables.kitchen(), width: 80, height: 24)
        stage.type("gvv")
        return stage
    }

    @Test func shown() throws {
        try expectScreen(try stage(), "marked")
        let stage = try stage()
        stage.type("\u{1B}")
        #expect(!stage.screen.contains("■") && !stage.screen.contains("marked"))
        stage.type(":mark all\r")
        #expect(stage.screen.contains("4 rows marked."))
    }

    @Test func actedUponTogether() throws {
        let stage = try stage()
        let revision = stage.table.revision
        stage.type("g\u{1B}[D1")
        #expect(stage.table.revision == revision + 2, "a swipe and a batch: \(stage.wishes)")
        for id in ["t1", "t2"] as [RowID] {
            #expect(stage.table.position(of: id)?.section == "pass")
        }
        #expect(!stage.screen.contains("marked"))
    }

    /// An action that asks does so once for all; one that is not there is refused before anything is done.
    @Test func asksOnce() throws {
        let stage = try stage()
        stage.type("g\u{1B}[D3")
        #expect(stage.screen.contains("Void 2 rows?"))
        stage.type("y")
        #expect(stage.table.row("t1") == nil && stage.table.row("t2") == nil)
        #expect(stage.table.row("t3") != nil)
    }

    @Test func notAllHaveTheAction() throws {
        let table = try Tables.kitchen()
        try table.appendRow(Tables.row("p1", "Plain", kind: .plainKind), to: "grill")
        let stage = Stage(table, width: 80, height: 24)
        stage.type(":mark all\rg\u{1B}[D1")
        #expect(stage.screen.contains("1 row of 5 marked have no action Bump there."))
        #expect(stage.table.position(of: "t1")?.section == "grill")
    }

    /// Marking moves the selection on: what is done from there is done with the marked rows, and with no other.
    @Test(arguments: ["\u{1B}[D1", ":goto t4\r\u{1B}[D1"])
    func fromAnotherRow(keys: String) throws {
        let stage = try stage()
        stage.type(keys)
        for id in ["t1", "t2"] as [RowID] {
            #expect(stage.table.position(of: id)?.section == "pass")
        }
        for id in ["t3", "t4"] as [RowID] {
            #expect(stage.table.position(of: id)?.section != "pass")
        }
        #expect(!stage.screen.contains("marked"))
    }

    @Test func claimedAndDeletedFromAnotherRow() throws {
        let stage = try stage()
        stage.type("c")
        #expect(
            stage.wishes.last == .command(.claim(["t1", "t2"], note: "", ttlSeconds: nil)))
        stage.type(":goto t1\rvvEx")
        #expect(stage.screen.contains("Delete 2 rows?"))
        stage.type("y")
        #expect(stage.table.row("t3") != nil && stage.table.count == 2)
    }

    @Test func movedClaimedSetAndDeletedTogether() throws {
        let stage = try stage()
        stage.type("gm\t\t\r")
        guard case .drop(_, ["t1", "t2"], _, section: "pass")? = stage.wishes.last else {
            Issue.record("\(stage.wishes)")
            return
        }
        #expect(stage.table.position(of: "t2")?.after == "t1")
        stage.type(":goto t1\rvvc")
        #expect(
            stage.wishes.last == .command(.claim(["t1", "t2"], note: "", ttlSeconds: nil)))
        stage.type(":goto t1\rvv:set qty=3\r")
        for id in ["t1", "t2"] as [RowID] {
            #expect(stage.table.row(id)?.content.fields.contains(Row.Field("qty", "3")) == true)
        }
        stage.type(":goto t1\rvv:goto t1\rEx")
        #expect(stage.screen.contains("Delete 2 rows?"))
        stage.type("y")
        #expect(stage.table.count == 2)
    }

    @Test func severalFieldsAtOnce() throws {
        let stage = Stage(try Tables.kitchen(), width: 80, height: 24)
        stage.type(":goto t1\r:set course=main note=no salt, please qty=2\r")
        let fields = stage.table.row("t1")?.content.fields ?? []
        #expect(
            ["course=main", "note=no salt, please", "qty=2"].allSatisfy { typed in
                fields.contains { "\($0.key.text)=\($0.value)" == typed }
            }, "\(fields)")
        let revision = stage.table.revision
        stage.type(":set salt\r:set =1\r")
        #expect(stage.table.revision == revision)
    }

    /// Nobody has marked so many rows one by one.
    @Test func manyAreAskedFor() throws {
        let table = try Tables.kitchen()
        for number in 0..<10 {
            try table.appendRow(Tables.row(ID("n\(number)"), "more"), to: "fry")
        }
        let stage = Stage(table, width: 80, height: 24)
        stage.type(":mark all\r:set qty=3\r")
        #expect(stage.screen.contains("set qty=3 14 rows?") && stage.wishes.isEmpty)
        stage.type("y")
        #expect(stage.table.rows.allSatisfy { $0.content.fields.contains(Row.Field("qty", "3")) })
    }

    @Test func totals() throws {
        let table = try Tables.kitchen()
        for (id, title, qty) in [
            ("a", "2 × fries, 1 × soup", nil), ("b", "fries", "3"), ("c", "2x soup, no salt", nil),
            ("d", "2 xylophones", nil),
        ] {
            let fields = [Row.Field("table", "12")] + (qty.map { [Row.Field("qty", $0)] } ?? [])
            try table.appendRow(Tables.row(ID(id), title, fields: fields), to: "pass")
        }
        let stage = Stage(table, width: 80, height: 24)
        stage.type("#")
        for line in ["5  fries", "3  lamb", "3  soup", "1  2 xylophones"] {
            #expect(stage.screen.contains(line))
        }
        try stage.perform(.remove(["b"]), by: "Ana")
        #expect(stage.screen.contains("2  fries"))
        stage.type("q:totals table\r")
        #expect(stage.screen.contains("Totals of table") && stage.screen.contains("  12"))
        stage.type("\u{1B}")
        #expect(!stage.screen.contains("Totals"))
    }

    /// Titles and fields are others' words: no sum of them ends the viewer.
    @Test func totalsBeyondANumber() {
        #expect(Totals.sum(2, 3) == 5 && Totals.sum(.max - 1, 999_999 * 999_999) == .max)
    }

    @Test func sortedHere() throws {
        let stage = Stage(try Tables.kitchen(), width: 80, height: 24)
        stage.type(":sort -title\r")
        #expect(stage.screen.contains("↓ -title") && stage.line("lamb") < stage.line("ribeye"))
        stage.type(":sort field.\r")
        let y = stage.line("✗ field.")
        #expect(y > 0 && stage.line("^ ") == y + 1, "\(stage.screen)")
        stage.type(":sort\r")
        #expect(stage.line("ribeye") < stage.line("lamb"))
    }
}

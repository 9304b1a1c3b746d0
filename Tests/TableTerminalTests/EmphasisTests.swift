import SeededNumbers
import TableDecisions
import TableFiles
import TableLayout
import TableModel
import TableSync
import Testing

@testable import TableTerminal

/// The screen has an emphasised text to its last letter, in its own colour, whatever is done with the row.
struct EmphasisTests {
    private static let ground = Color(red: 0xB0, green: 0x00, blue: 0x20)
    private static let words = [
        "ALLERGY:", "dairy", "nuts", "寿司", "Donaudampfschiff", "é", "👩‍👩‍👧", "-", "gluten,", "WITHOUT",
        "soy\tcelery\tfish", "\u{200F}",
    ]

    static func table(_ random: inout SplitMix64) throws -> Table {
        let height = random.pick([20, 40, 60, 76, 100])
        let margin = random.pick([0, 16, 40])
        let wrap = 1 + random.below(3)
        let kinds = try KindsFile.parse(
            """
            kinds:
              ticket:
                height: \(height)
                margins: {text: \(margin)}
                states: [collapsed, {name: summary, height: \(random.pick([20, 60, 140]))}, expanded]
                ages: {warn: 60, late: 600}
                appearance: {collapsed: {alpha: 0}, summary: {alpha: 0, background: "#dddddd"}}
                leading: {actions: [{id: recall, title: Recall, effect: {set: {state: open}}}]}
                trailing: {actions: [{id: bump, title: Bump, effect: {remove: true}}, {id: b, title: B}]}
                show: {line: ["t {table}", "{note}"], hide: [note], badge: "{table}", wrap: \(wrap)}
                emphasis:
                  - {when: 'field.note ~ "A"', field: note, background: "#b00020", icon: warning}
                  - {when: 'field.other != none', field: other, background: "#b00020"}
                  - {when: 'field.rush == "yes"', row: true, background: "#b00020"}
            """, name: "k")
        let table = Table(
            restoring: "board", history: ID128(high: 1, low: 2), revision: 7,
            kinds: [Kind(.plainKind)] + kinds.kinds, settings: Settings())
        try table.appendSection("grill", title: "Grill")
        for number in 0..<4 {
            func text(_ most: Int) -> String {
                (0...random.below(most)).map { _ in random.pick(words) }.joined(separator: " ")
            }
            var fields = [Row.Field("note", "A " + text(6)), Row.Field("table", "12")]
            if random.once(in: 2) { fields.append(Row.Field("other", text(9))) }
            if random.once(in: 3) { fields.append(Row.Field("rush", "yes")) }
            let states: [Expansion] = [.collapsed, .named("summary"), .expanded, .height(30)]
            let row = Row(
                id: ID("r\(number)"),
                content: Row.Content(kind: "ticket", title: "T" + text(4), fields: fields),
                createdMs: 1_000_000_000 - UInt64(random.below(2_000_000)),
                expansion: random.pick(states),
                swipe: random.once(in: 4) ? random.pick([.leading, .trailing]) : nil)
            try table.appendRow(row, to: "grill")
        }
        return table
    }

    /// The letters on the ground of what stands out, in order, without blanks and marks.
    private static func letters(_ screen: Screen, from line: Int, to end: Int) -> String {
        (line..<end).map { line in
            screen[line].filter { $0.style.ground == ground }.map(\.text).joined()
        }.joined().filter { !" !▸▾▹▌▏≡−".contains($0) }
    }

    @Test(arguments: [16, 17, 23, 40, 80]) func everyLetterIsThere(width: Int) throws {
        var random = SplitMix64(seed: UInt64(width))
        for round in 0..<12 {
            let table = try Self.table(&random)
            let stage = Stage(table, width: width, height: 120, isDense: random.once(in: 4))
            if random.once(in: 4) { stage.type("E") }
            for key in ["j", "j", "j", "k"].prefix(random.below(5)) { stage.type(key) }
            if random.once(in: 3) { stage.type(random.pick([" ", "m", "l", "h"])) }
            if random.once(in: 4) { stage.send(.connection(.disconnected)) }
            let screen = stage.board.draw()
            for row in table.rows {
                guard let block = stage.board.block(of: row.id), block.end <= stage.board.viewHeight
                else { continue }
                let top = stage.board.viewTop + block.y
                let found = Self.letters(screen, from: top, to: top + block.lines)
                let face = RowLines(board: stage.board, table: table, row: row, block: block).face
                #expect(!face.emphasised.isEmpty)
                for one in face.emphasised {
                    let wanted = one.text.shown.filter { $0 != " " }
                    #expect(found.contains(wanted), "\(width), \(round), \(row.id): \(screen.text)")
                }
                if face.row != nil, stage.board.restOffset(of: row) == 0 {
                    let wanted = face.title.shown.filter { $0 != " " }
                    // Badges and ages stand in the title's first line, behind it.
                    var rest = found[...]
                    let isWhole = wanted.allSatisfy { letter in
                        guard let at = rest.firstIndex(of: letter) else { return false }
                        rest = rest[rest.index(after: at)...]
                        return true
                    }
                    #expect(isWhole, "\(width), \(round), \(row.id): \(screen.text)")
                }
            }
        }
    }

    /// A row that stands out keeps its ground while it is selected, and a mark says that it is.
    @Test func aSelectedRowKeepsItsColour() throws {
        var random = SplitMix64(seed: 5)
        let table = try Self.table(&random)
        try #require(table.rows.contains { $0.content.value(of: "rush") != nil })
        let stage = Stage(table, width: 60, height: 120)
        for _ in 0..<4 {
            let screen = stage.board.draw()
            let selected = try #require(stage.board.selected)
            let block = try #require(stage.board.block(of: selected))
            let row = try #require(table.row(selected))
            let line = stage.board.viewTop + block.y
            if row.content.value(of: "rush") != nil, row.swipe == nil {
                #expect(
                    screen[line + block.lines - 1].allSatisfy { $0.style.ground == Self.ground })
                #expect(screen[line].contains { $0.text == "▌" })
            }
            stage.type("j")
        }
    }

    /// A terminal without colours says by a mark that a row stands out. What is wrapped goes on below the title.
    @Test func aRowThatStandsOutHasAMark() throws {
        let kinds = try KindsFile.parse(
            """
            kinds:
              call:
                height: 40
                emphasis: [{when: 'field.urgent == "yes"', row: true, icon: flame}]
            """, name: "k")
        let long = "Child with high fever and a rash that does not pale"
        let table = Table(
            restoring: "board", history: ID128(high: 1, low: 2), revision: 7,
            kinds: [Kind(.plainKind)] + kinds.kinds, settings: Settings())
        try table.appendSection("waiting", title: "Waiting")
        for (id, title, urgent) in [("a", "Burn", "yes"), ("b", "Cut", "no"), ("c", long, "yes")] {
            let content = Row.Content(
                kind: "call", title: title, fields: [.init("urgent", urgent)])
            try table.appendRow(Row(id: ID(id), content: content), to: "waiting")
        }
        let lines = Stage(table, width: 40, height: 20).board.draw().text
            .split(separator: "\n").map { String($0.drop { " ▌▸".contains($0) }) }
        #expect(lines.contains { $0.hasPrefix("! Burn") })
        #expect(lines.contains { $0.hasPrefix("Cut") })
        let first = try #require(lines.firstIndex { $0.hasPrefix("! Child with") })
        let said = lines[first...].prefix(2).joined(separator: " ").split(separator: " ")
        #expect(said.dropFirst().joined(separator: " ").hasPrefix(long))
    }

    /// A strip's title goes up where the fields of its items need the lines below it.
    @Test func fieldsOfItemsHaveTheirLines() throws {
        let kinds = try KindsFile.parse(
            """
            kinds:
              plate:
                height: 104
                strip: true
                items: {well: {width: 120, height: 64, fields: [qc, sample]}}
            """, name: "k")
        let table = Table(
            restoring: "board", history: ID128(high: 1, low: 2), revision: 7,
            kinds: [Kind(.plainKind)] + kinds.kinds, settings: Settings())
        try table.appendSection("done", title: "Done")
        let well = Item(
            "a1", title: "Standard", kind: "well",
            fields: [.init("qc", "pass"), .init("sample", "S-1")])
        let content = Row.Content(kind: "plate", title: "Plate 7", items: [well])
        try table.appendRow(Row(id: "p7", content: content), to: "done")
        let text = Stage(table, width: 40, height: 20).board.draw().text
        for word in ["Plate 7", "Standard", "pass", "S-1"] {
            #expect(text.contains(word), "\(text)")
        }
    }

    /// Rows with a note that stands out, in a kind that shows no line.
    private static func notes(
        _ note: String, _ look: String = "field: note", title: String = "Soup"
    ) throws -> Table {
        let kinds = try KindsFile.parse(
            """
            kinds:
              ticket:
                height: 40
                ages: {late: 60}
                show: {line: []}
                emphasis: [{when: "field.note != none", \(look), background: "#b00020"}]
            """, name: "k")
        let table = Table(
            restoring: "board", history: ID128(high: 1, low: 2), revision: 7,
            kinds: [Kind(.plainKind)] + kinds.kinds, settings: Settings())
        try table.appendSection("grill", title: "Grill")
        for id in ["a", "b"] {
            let content = Row.Content(
                kind: "ticket", title: title, fields: [.init("note", note)])
            try table.appendRow(Row(id: ID(id), content: content), to: "grill")
        }
        return table
    }

    private static func whole(_ screen: Screen) -> String {
        letters(screen, from: 0, to: screen.height)
    }

    @Test func tabsAndMarksOfDirection() throws {
        let note = "ALLERGY:\tnuts\tmilk\teggs\u{200E}\tfish\tsoy\tcelery"
        let screen = Stage(try Self.notes(note), width: 40, height: 20).board.draw()
        let found = Self.whole(screen)
        #expect(found.hasSuffix(#"fish\tsoy\tcelery"#), "\(screen.text)")
        #expect(found == note.shown + note.shown, "\(screen.text)")
    }

    /// Where another person would drop a row covers nothing that stands out.
    @Test func anotherPersonsDragCoversNone() throws {
        let note = "ALLERGY:nuts,milk,eggs,fish,soy"
        let stage = Stage(try Self.notes(note), width: 40, height: 20)
        var lease = Lease(id: "x", holder: "Ana", rows: ["b"], ttlSeconds: 10)
        lease.hover = .init(.after("a"))
        stage.send(.company(Company(ghosts: [lease])))
        let screen = stage.board.draw()
        #expect(Self.whole(screen) == note + note, "\(screen.text)")
    }

    /// A row that stands out as a whole keeps its title, too.
    @Test func anotherPersonsDragCoversNoTitle() throws {
        let title = "ALLERGY: nuts, milk, eggs, fish, soy, mustard and sesame"
        let stage = Stage(try Self.notes("x", "row: true", title: title), width: 40, height: 20)
        var lease = Lease(id: "x", holder: "Ana", rows: ["b"], ttlSeconds: 10)
        lease.hover = .init(.after("a"))
        stage.send(.company(Company(ghosts: [lease])))
        let screen = stage.board.draw()
        let lines = screen.text.split(separator: "\n").filter { $0.contains("mustard and sesame") }
        #expect(lines.count == 2, "\(screen.text)")
    }

    /// Nor do the row's own age and badges cover the name of that person.
    @Test(arguments: [20, 40]) func anotherPersonIsNamed(height: Int) throws {
        let stage = Stage(try Self.notes("x", "row: true"), width: 40, height: height)
        var lease = Lease(id: "x", holder: "Ana", rows: ["a"], ttlSeconds: 10)
        lease.hover = .init(.before("b"))
        stage.send(.company(Company(ghosts: [lease])))
        let screen = stage.board.draw()
        #expect(screen.text.contains(" ◂ Ana: Soup"), "\(screen.text)")
        #expect(screen.text.components(separatedBy: "Soup").count == 4, "\(screen.text)")
    }
}

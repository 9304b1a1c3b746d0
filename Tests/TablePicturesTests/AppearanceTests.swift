import TableDecisions
import TableModel
import TablePictures
import Testing

/// Looks of rows in their states, in pictures (F12).
struct AppearancePictureTests {
    private static func table(_ state: Expansion, _ appearance: Kind.Appearance?) throws -> Table {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        var kind = Kind("card")
        kind.states = [.collapsed, .named("half", heightPoints: 110), .expanded]
        if let appearance { kind.appearances[state] = appearance }
        let fields = [Row.Field("qty", "2")]
        let row = Row.Content(kind: "card", title: "Soup", fields: fields)
        for verb in [
            Command.Verb.define(.init(kinds: [kind])), .add(.init(id: "a", row, startingIn: state)),
        ] {
            let plan = try reduce(Command(verb), on: table, limits: Limits(), nowMs: 1).get()
            _ = table.apply(plan, cause: Cause(verb: "test"))
        }
        return table
    }

    private static func svg(
        _ state: Expansion, _ appearance: Kind.Appearance?
    ) throws -> String { TablePicture().svg(of: try table(state, appearance)) }

    @Test func nothingSaidNothingChanged() throws {
        for state in [Expansion.collapsed, .named("half"), .expanded] {
            #expect(try Self.svg(state, nil) == Self.svg(state, .init()))
        }
        // These values are the default.
        #expect(try Self.svg(.expanded, nil) == Self.svg(.expanded, .init(alpha: 1)))
        #expect(try Self.svg(.collapsed, nil) == Self.svg(.collapsed, .init(alpha: 0)))
    }

    @Test func backgroundAndTint() throws {
        let svg = try Self.svg(.named("half"), .init(background: "#112233", tint: "#ffcc00"))
        #expect(svg.contains(##"height="110" fill="#112233""##))
        #expect(svg.contains(##"fill="#ffcc00""##))
        // Without a tint, text on a colour is what can be read there: white on a dark one.
        let dark = try Self.svg(.expanded, .init(background: "#112233"))
        #expect(dark.contains(##"fill="#ffffff""##) && !dark.contains("#ffcc00"))
        // The other states are not touched.
        let table = try Self.table(.expanded, .init(background: "#112233"))
        let plan = try reduce(
            Command(.expand("a", .collapsed)), on: table, limits: Limits(), nowMs: 1
        ).get()
        _ = table.apply(plan, cause: Cause(verb: "test"))
        #expect(!TablePicture().svg(of: table).contains("#112233"))
    }

    /// A closed row that shows its fields has them below its title, and beside it where there is no room.
    @Test(arguments: [44.0, 76, 110])
    func aClosedRowThatShowsItsFields(height: Double) throws {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        var kind = Kind("card")
        kind.heightPoints = height
        kind.appearances[.collapsed] = .init(alpha: 0.5)
        kind.show.badge = "{qty} pcs"
        let row = Row.Content(kind: "card", title: "Soup", fields: [Row.Field("qty", "2")])
        for verb in [
            Command.Verb.define(.init(kinds: [kind])), .add(.init(id: "a", row, startingIn: nil)),
        ] {
            let plan = try reduce(Command(verb), on: table, limits: Limits(), nowMs: 1).get()
            _ = table.apply(plan, cause: Cause(verb: "test"))
        }
        let svg = TablePicture().svg(of: table)
        #expect(svg.contains("Soup") && svg.contains("2 pcs"))
        #expect(svg.contains(">qty</text>") == (height > 70))
        #expect(svg.contains("opacity=\"0.5\"") == (height > 70))
    }

    /// The title is seen whole, what is below it by its alpha; at 0 it takes its room and is not there.
    @Test func theHiddenPart() throws {
        let half = try Self.svg(.expanded, .init(alpha: 0.25))
        #expect(half.contains(#"opacity="0.25""#) && half.contains("qty"))
        let none = try Self.svg(.expanded, .init(alpha: 0))
        #expect(none.contains("Soup") && !none.contains("qty") && !none.contains("opacity"))
        let full = try Self.svg(.expanded, nil)
        #expect(full.contains("qty") && !full.contains("opacity"))
        let height = #"viewBox="0 0 390 "#
        let line = { (svg: String) in svg.split(separator: "\n").first { $0.contains(height) } }
        #expect(line(none) == line(full))
    }

    /// On a bright ground the ink is dark, also that of the reason why an action failed, and where the kind has a tint that
    /// cannot be read there.
    @Test(arguments: [nil, "#27ae60", "#ffffff", "#1c1c1e"])
    func inksThatCanBeRead(tint: String?) throws {
        var kind = Kind("card")
        kind.appearances[.collapsed] = .init(background: "#2ecc71", tint: tint)
        let failed = Performance("page", .failed("no answer"))
        let row = Boards.row("r", "Soup", kind: "card", performed: [failed])
        let svg = TablePicture().svg(of: try Boards.table([kind], [("main", "Main", [row])]))
        for text in ["Soup", "no answer"] {
            let line = try #require(
                svg.split(separator: "\n").first { $0.contains(">\(text)</text>") })
            #expect(line.contains(##"fill="#1c1c1e""##), "\(line)")
        }
    }

    /// A tint that can be read is kept, and the ink of what stands out can be read too.
    @Test func inksOfAKind() throws {
        let kinds = try Boards.kinds(
            """
            kinds:
              card:
                appearance: {collapsed: {tint: "#00331a", background: "#2ecc71"}}
                emphasis:
                  - {when: "field.note != none", field: note, background: "#b00020", color: "#a00018"}
                  - {when: "field.rush != none", field: rush, color: "#7a0c00"}
                  - {when: "field.vip != none", field: vip, color: "#fff3cd"}
                  - {when: "field.grey != none", field: grey, color: "#8f8f8f"}
            """)
        let row = Boards.row(
            "r", "Soup", kind: "card",
            fields: [
                Row.Field("note", "NUTS"), Row.Field("rush", "yes"), Row.Field("vip", "VIP"),
                Row.Field("grey", "pale"),
            ])
        let lines = TablePicture().svg(of: try Boards.table(kinds, [("main", "Main", [row])]))
            .split(separator: "\n")
        for (text, ink) in [
            ("Soup", "#00331a"), ("NUTS", "#ffffff"), ("yes", "#7a0c00"), ("VIP", "#fff3cd"),
            ("pale", "#8a4b00"),
        ] {
            let line = try #require(lines.first { $0.contains(">\(text)</text>") })
            #expect(line.contains("fill=\"\(ink)\""), "\(line)")
        }
    }

    /// A key that is too wide for its column is not cut.
    @Test func longKeys() throws {
        let key = "instructions-of-the-doctor-for-the-night"
        let row = Boards.row(
            "r", "Soup", kind: "card", fields: [Row.Field(ID(key), "rest"), Row.Field("qty", "2")],
            expansion: .expanded)
        let table = try Boards.table([Kind("card")], [("main", "Main", [row])])
        let svg = TablePicture(widthPoints: 390).svg(of: table)
        #expect(svg.contains(">\(key): rest</text>"), "\(svg)")
        #expect(svg.contains(">qty</text>") && !svg.contains("…"))
    }

    /// A strip has its items in each state.
    @Test(arguments: [Expansion.collapsed, .named("half"), .expanded, .height(80)])
    func anOpenedStrip(_ state: Expansion) throws {
        var kind = Kind("reel")
        kind.isStrip = true
        kind.states = [.collapsed, .named("half", heightPoints: 110), .expanded]
        let items = [Item("i", title: "Soup"), Item("j", title: "Fish")]
        let content = Row.Content(kind: "reel", title: "Courses", items: items)
        let row = Row(id: "r", content: content, expansion: state)
        let svg = TablePicture().svg(of: try Boards.table([kind], [("main", "Main", [row])]))
        #expect(svg.contains(">Soup<") && svg.contains(">Fish<"))
    }
}

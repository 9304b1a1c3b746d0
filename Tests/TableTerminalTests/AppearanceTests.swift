import TableModel
import Testing

@testable import TableTerminal

/// Looks of rows in their states, on a terminal (F12).
struct AppearanceTests {
    private func stage(_ appearance: Kind.Appearance) throws -> Stage {
        let table = Table(name: "board", history: ID128(high: 1, low: 2))
        try table.appendSection("main", title: "")
        let stage = Stage(table)
        var kind = Kind("card")
        kind.appearances[.expanded] = appearance
        try stage.perform(.define(.init(kinds: [kind])))
        try stage.perform(.add(.init(id: "z", .init(title: "First"))))
        let content = Row.Content(kind: "card", title: "Soup", fields: [.init("qty", "zwei")])
        try stage.perform(.add(.init(id: "a", content, startingIn: .expanded)))
        stage.type("g")
        return stage
    }

    private func style(of text: String, _ stage: Stage) throws -> Style {
        let screen = stage.board.draw()
        let cells = screen[stage.line(text)]
        let first = try #require(text.first.map(String.init))
        return try #require(cells.first { $0.text == first }).style
    }

    @Test func colours() throws {
        let stage = try stage(.init(background: "#112233", tint: "#ffcc00"))
        let title = try style(of: "Soup", stage)
        #expect(title.ground == Color("#112233") && title.ink == Color("#ffcc00"))
        // The row of another kind has none.
        #expect(try style(of: "First", stage).ground != Color("#112233"))
        // Collapsed, it is as it always was.
        try stage.perform(.expand("a", .collapsed))
        #expect(try style(of: "Soup", stage).ground == nil)
    }

    /// Half-transparent text is faint; what cannot be seen is not there.
    @Test func theHiddenPart() throws {
        #expect(try !style(of: "zwei", try stage(.init(tint: "red"))).marks.contains(.faint))
        #expect(try style(of: "zwei", try stage(.init(alpha: 0.3))).marks.contains(.faint))
        let none = try stage(.init(alpha: 0)).screen
        #expect(none.contains("Soup") && !none.contains("zwei"))
    }

    /// Bright grounds have a dark ink. Why an action failed is written in red only where red can be read.
    @Test func inksThatCanBeRead() throws {
        var kind = Kind("card")
        kind.appearances[.collapsed] = .init(background: "#2ecc71")
        kind.heightPoints = 40
        let table = Table(
            restoring: "board", history: ID128(high: 1, low: 2), revision: 7,
            kinds: [Kind(.plainKind), kind], settings: Settings())
        try table.appendSection("main", title: "")
        for id in ["first", "second"] {
            let failed = Performance("page", .failed("no answer"))
            let content = Row.Content(kind: "card", title: "Soup")
            try table.appendRow(Row(id: ID(id), content: content, performed: [failed]), to: "main")
        }
        let stage = Stage(table)
        stage.type("G")
        let screen = stage.board.draw()
        let dark = try #require(Color("#14161a")), white = try #require(Color("#fff"))
        let line = stage.line("no answer")
        for cell in screen[line] where !" ▌▏".contains(cell.text) {
            #expect(cell.style.ground == Color("#2ecc71") && cell.style.ink == dark)
        }
        // The selected row has its own ground.
        let last = try #require(
            (line + 1..<screen.height).first { line in
                screen[line].map(\.text).joined().contains("no answer")
            })
        for cell in screen[last] where !" ▌▏".contains(cell.text) {
            #expect(cell.style.ink == white)
        }
    }

    /// The ink has a contrast of 4 with each grey, and the viewer's red is no ink on green.
    @Test func contrasts() throws {
        let white = try #require(Color("#fff"))
        for value in UInt8.min...UInt8.max {
            let grey = Color(red: value, green: value, blue: value)
            let ink = Theme.ink(on: grey)
            #expect(ink.contrast(with: grey) >= 41)
            // None is left out for one that is worse.
            #expect(
                Theme.ink(on: grey, white).contrast(with: grey) >= min(45, ink.contrast(with: grey))
            )
            #expect(
                white.contrast(with: grey) < ink.contrast(with: grey)
                    || Theme.ink(on: grey, white) == white)
            #expect(grey.isLight == (value > 117))
        }
        let (blue, sky) = (try #require(Color("#103050")), try #require(Color("#70c0ff")))
        #expect(Theme.ink(on: sky, blue) == blue)
        #expect(Theme.ink(on: sky, sky) == Theme.ink(on: sky))
        let (red, green) = (try #require(Color("#f0524a")), try #require(Color("#2ecc71")))
        #expect(red.contrast(with: green) < 30 && green.contrast(with: red) < 30)
        #expect(green.isLight && Color("orange")?.isLight == true)
        #expect(Color("#b00020")?.isLight == false)
    }
}

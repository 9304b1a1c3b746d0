import TableModel
import TableTerminal
import Testing

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

    /// Of all greys the ink has a contrast of more than 4, and the viewer's red is no ink on green.
    @Test func contrasts() throws {
        let (white, black) = (try #require(Color("#fff")), try #require(Color("#000")))
        for value in UInt8.min...UInt8.max {
            let grey = Color(red: value, green: value, blue: value)
            #expect((grey.isLight ? black : white).contrasts(with: grey))
            #expect(grey.isLight == (value > 117))
        }
        let (red, green) = (try #require(Color("#f0524a")), try #require(Color("#2ecc71")))
        #expect(!red.contrasts(with: green) && !green.contrasts(with: red))
        #expect(green.isLight && Color("orange")?.isLight == true)
        #expect(Color("#b00020")?.isLight == false)
    }
}

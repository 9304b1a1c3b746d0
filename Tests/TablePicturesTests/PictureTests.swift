import Foundation
import TableLayout
import TableModel
import TablePictures
import Testing

/// The picture shows what TableLayout says, and the same table is the same picture.
struct PictureTests {
    /// Definitions and rows in another order, and another history, are the same picture.
    @Test func theSameTableIsTheSameBytes() throws {
        let board = try Boards.tickets(style: "custom")
        let kinds = (0..<40).map { Kind(ID("kind\($0)")) } + Array(board.kinds.values)
        let pictures = try (0..<8).map { round in
            let order = round % 2 == 0 ? kinds : kinds.reversed()
            let table = try Boards.table(order, [("grill", "Grill", board.rows)])
            return TablePicture().svg(of: table) + TablePicture().html(of: table)
        }
        #expect(Set(pictures).count == 1)
        #expect(TablePicture().svg(of: board) == TablePicture().svg(of: board.copy()))
    }

    /// Height of the picture: that of the rows, and of what stands around them.
    @Test func heightsAreTheLayouts() throws {
        let board = try Boards.tickets(style: "default")
        let frames = TableFrames(board, widthPoints: 390)
        let document = Document(TablePicture().svg(of: board))
        let height = try #require(document.attributes["svg.height"]?.first.flatMap(Double.init))
        #expect(height == frames.contentHeightPoints + 62 + 34 + 14)
    }

    /// Circles are where the geometry has them, with its radius; the content is beside them.
    @Test func framesAreTheLayouts() throws {
        let board = try Boards.tickets(style: "circular")
        let document = Document(TablePicture().svg(of: board))
        let frames = TableFrames(board, widthPoints: 390)
        let swipe = try #require(frames.rows[0].swipe)
        #expect(swipe.buttons.count == 3 && document.elements["circle"] == 6)
        #expect(document.attributes["circle.r"] == ["32"])
        let centres = Set(swipe.buttons.map { String(Int($0.face.x + $0.face.width / 2)) })
        #expect(document.attributes["circle.cx"]?.isSuperset(of: centres) == true)
        let moves = document.attributes["g.transform"] ?? []
        #expect(moves.contains("translate(174 0)"), "the pull view, at the right")
        #expect(moves.contains("translate(224 0)"), "the content, and a gap of the spacing")
    }

    /// Between the content and the circle beside it is as much as between two circles, and without
    /// spacing still something; buttons side by side touch the content as they touch each other.
    @Test(arguments: [
        ("circular", 8.0, 8.0), ("circular", 20, 20), ("circular", 0, 8), ("circular", 1e6, 24),
        ("custom", 12, 12), ("custom", 0, 0), ("default", 0, 0), ("default", 6, 6),
    ])
    func theGapBesideTheContent(_ style: String, _ spacing: Double, _ gap: Double) throws {
        let table = try Boards.tickets(style: style).copy()
        var kind = try #require(table.kinds["ticket"])
        for group in [\Kind.leading, \Kind.trailing] {
            kind[keyPath: group]?.look.spacingPoints = spacing
            kind[keyPath: group]?.look.width = .points(40)
        }
        let board = try Boards.table([kind], [("grill", "", table.rows)])
        let document = Document(TablePicture().svg(of: board))
        let frames = TableFrames(board, widthPoints: 390)
        let swipe = try #require(frames.rows[1].swipe)
        let pull = min(swipe.pullPoints, 390 - 104 - gap)
        let content = (pull + gap).formatted(.number.grouping(.never))
        #expect(
            document.attributes["g.transform"]?.contains("translate(\(content) 0)") == true,
            "\(document.attributes["g.transform"] ?? [])")
    }

    /// However far a row is open and however short its title: its beginning is to be seen.
    @Test(arguments: [120, 200, 320, 390, 1_000])
    func theTitleOfAnOpenRow(_ width: Double) throws {
        for style in ["default", "circular", "custom"] {
            let tickets = try Boards.tickets(style: style)
            for edge in Edge.allCases {
                let row = Boards.row("t", "Soup", swipe: edge)
                let board = try Boards.table(
                    Array(tickets.kinds.values.filter { $0.id != .plainKind }),
                    [("grill", "", [row])])
                let document = Document(TablePicture(widthPoints: width).svg(of: board))
                // Nothing slides out of the picture at its left.
                let moves = document.attributes["g.transform"] ?? []
                #expect(!moves.contains { $0.hasPrefix("translate(-") }, "\(style) \(edge)")
                #expect(
                    document.texts.contains { width < 200 ? $0.hasPrefix("S") : $0 == "Soup" },
                    "\(style) \(edge)")
            }
        }
    }

    /// A text at the right edge, or in the middle of a button, stays there in a wider font.
    @Test func textsHaveAnchors() throws {
        let document = Document(TablePicture().svg(of: try Boards.tickets(style: "default")))
        #expect(document.attributes["text.text-anchor"] == ["end", "middle"])
        #expect(document.attributes["text.textLength"] == nil)
    }

    /// A manual layout has no line for a title that is not there: the id is not drawn over the fields.
    @Test(arguments: [("auto", true), ("manual", false)])
    func withoutATitle(_ layout: String, _ isThere: Bool) throws {
        let kinds = try Boards.kinds("kinds: {ticket: {layout: \(layout)}}")
        func svg(_ fields: [Row.Field]) throws -> String {
            let row = Boards.row("the-id", "", fields: fields, expansion: .expanded)
            return TablePicture().svg(of: try Boards.table(kinds, [("grill", "", [row])]))
        }
        #expect(try svg([Row.Field("table", "12")]).contains("the-id") == isThere)
        #expect(try svg([]).contains("the-id"))
    }

    /// A row's own actions are drawn in the place of its kind's.
    @Test func aRowsOwnActions() throws {
        var action = Action("own")
        action.title = "Its own"
        let content = Row.Content(
            title: "Row",
            actions: RowActions(trailing: ActionGroup(look: Look(), actions: [action])))
        let row = Row(id: "t", content: content, swipe: .trailing)
        let document = Document(TablePicture().svg(of: try Boards.table([("a", "", [row])])))
        #expect(document.texts.contains("Its own"))
    }

    /// The table's look holds where neither the action nor its group says anything.
    @Test func theTablesLook() throws {
        var settings = Settings()
        settings.look.style = .circular
        var kind = Kind("ticket")
        kind.trailing = ActionGroup(look: Look(), actions: [Action("a")])
        let rows = [Boards.row("t", "Row", swipe: .trailing)]
        let table = try Boards.table([kind], settings: settings, [("a", "", rows)])
        #expect(Document(TablePicture().svg(of: table)).elements["circle"] == 1)
    }

    /// Buttons that need more than the row share what it has, but for its title; nothing leaves it.
    @Test func buttonsWiderThanTheRow() throws {
        let board = try Boards.tickets(style: "default")
        let document = Document(TablePicture(widthPoints: 120).svg(of: board))
        #expect(document.attributes["g.transform"]?.contains("translate(78 0)") == true)
        #expect(
            document.texts.filter { ["2 ×…", "1 ×…"].contains($0) }.count == 2, "\(document.texts)")
        let widths = (document.attributes["rect.width"] ?? []).compactMap(Double.init)
        #expect(widths.allSatisfy { $0 <= 120 })
    }

    @Test func longTextIsCutOff() throws {
        let title = "A long title that goes on and on, beyond what any telephone is wide"
        let row = Boards.row("t", title, kind: "row", fields: [])
        let table = try Boards.table([("a", "", [row])])
        let texts = Document(TablePicture(widthPoints: 200).svg(of: table)).texts
        let found = try #require(texts.first { $0.hasPrefix("A long") })
        #expect(found.hasSuffix("…") && !found.hasSuffix(" …"))
        let wide = Document(TablePicture(widthPoints: 1_000).svg(of: table)).texts
        #expect(wide.contains(title))
    }

    /// On a wide screen sections stand beside each other, in columns of a style sheet; a long one
    /// goes on in the next column. Names of clips are those of their own picture.
    @Test func aPageHasColumns() throws {
        let rows = (1...45).map { Boards.row(ID("t\($0)"), "Row \($0)", kind: "row") }
        let table = try Boards.table([
            ("a", "Long", rows), ("b", "", [Boards.row("u", "Last", kind: "row")]), ("c", "", []),
        ])
        let html = TablePicture(mostRows: 100).html(of: table)
        let document = Document(html)
        // The heading, three parts of the long one, and two.
        #expect(document.elements["svg"] == 6)
        for part in ["1–20 of 45", "21–40 of 45", "41–45 of 45"] {
            #expect(document.texts.contains(part))
        }
        #expect(document.texts.filter { $0 == "Long" }.count == 3)
        #expect(html.contains("columns:339.3px 5"))
        #expect(
            document.texts.filter { $0.hasPrefix("Row ") } == rows.map(\.content.title))
        let clips = try #require(document.attributes["clipPath.id"])
        #expect(document.elements["clipPath"] == clips.count, "no name twice")
        let none = TablePicture().html(of: try Boards.table([]))
        #expect(Document(none).texts.contains("No rows"))
    }

    /// Every colour of the viewer's own has one for dark screens.
    @Test func pagesAreDarkToo() throws {
        let html = TablePicture().html(of: try Boards.tickets(style: "default"))
        #expect(html.contains("prefers-color-scheme:dark"))
        #expect(html.contains(".f-paper{fill:#1c1c1e}") && html.contains("class=\"f-paper\""))
    }
}

import TableLayout
import TableModel
import TableViewer
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
        #expect(moves.contains("translate(-216 0)") && moves.contains("translate(216 0)"))
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

    /// Buttons that need more than the row are shared out over its width; nothing leaves it.
    @Test func buttonsWiderThanTheRow() throws {
        let board = try Boards.tickets(style: "default")
        let document = Document(TablePicture(widthPoints: 120).svg(of: board))
        #expect(document.attributes["g.transform"]?.contains("translate(-120 0)") == true)
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

    /// Every colour of the viewer's own has one for dark screens.
    @Test func pagesAreDarkToo() throws {
        let html = TablePicture().html(of: try Boards.tickets(style: "default"))
        #expect(html.contains("prefers-color-scheme:dark"))
        #expect(html.contains(".f-paper{fill:#1c1c1e}") && html.contains("class=\"f-paper\""))
    }
}

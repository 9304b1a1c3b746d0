import TableLayout
import TableModel
import TablePictures
import Testing

/// Pictures as they are to be: `REWRITE=1 swift test --filter TablePicturesTests` writes them anew,
/// to be looked at before they are committed.
struct GoldenTests {
    @Test(arguments: ["default", "circular", "custom"])
    func aStyle(_ style: String) throws {
        let svg = TablePicture().svg(of: try Boards.tickets(style: style))
        try expectGolden(svg, "style-\(style).svg")
        #expect(Document(svg).elements["svg"] == 1)
    }

    /// Circles leave room below them for their titles.
    @Test func smallCircles() throws {
        let table = try Boards.tickets(style: "circular").copy()
        var kind = try #require(table.kinds["ticket"])
        kind.trailing?.look.width = .points(40)
        kind.trailing?.actions[2].icon = nil
        kind.leading = nil
        let other = try Boards.table([kind], [("grill", "", table.rows.filter { $0.id != "t2" })])
        try expectGolden(TablePicture().svg(of: other), "style-small-circles.svg")
    }

    @Test func editMode() throws {
        let kinds = try Boards.kinds(
            """
            kinds:
              ticket: {height: 60}
              notice: {height: 40, canDelete: false, pinned: true}
              board: {height: 40, pinned: true}
              slot: {height: 44, editingStyle: insert}
              bare: {height: 44, editingStyle: none}
            """)
        let table = try Boards.table(
            kinds,
            [
                (
                    "grill", "Grill",
                    [
                        Boards.row("n", "86 the ribeye", kind: "notice", fields: []),
                        Boards.row("b", "Pinned, and may go", kind: "board", fields: []),
                        Boards.row("s", "Another order", kind: "slot", fields: []),
                        Boards.row("e", "Only a grip", kind: "bare", fields: []),
                        Boards.row("t1", "2 × ribeye, medium rare, and a salad on the side"),
                        Boards.row("t2", "1 × salmon", expansion: .expanded),
                    ]
                )
            ])
        table.restoreEditing(true)
        try expectGolden(TablePicture().svg(of: table), "editing.svg")
    }

    /// Rule F8. By hand: circles of 44 and a spacing of 8 are two buttons of 52; with a gap of 16 the row
    /// rests at 120 of 390. At the trailing edge the colour begins at 270, the circles at 286 and
    /// 338, and the row ends at 270. At the leading edge the circles are at 8 and 60, and the row
    /// begins at 120.
    @Test func thePullView() throws {
        let actions =
            "[{id: bump, title: Bump, icon: checkmark, background: '#237a4b'}, "
            + "{id: page, title: Page, icon: bell, background: '#b45f06'}]"
        let group = "{style: circular, width: 44, spacing: 8, gap: 16, actions: \(actions)"
        let table = try Boards.table(
            try Boards.kinds(
                """
                kinds:
                  ticket:
                    height: 76
                    leading: \(group), background: "#ffe6cc"}
                    trailing: \(group), background: "#d9e6ff"}
                """),
            [
                (
                    "grill", "Grill",
                    [
                        Boards.row("t1", "2 × ribeye", swipe: .trailing),
                        Boards.row("t2", "1 × salmon", swipe: .leading),
                    ]
                )
            ])
        let svg = TablePicture().svg(of: table)
        #expect(svg.contains(##"<rect x="270" y="0" width="120" height="76" fill="#d9e6ff"/>"##))
        #expect(svg.contains(##"<rect x="0" y="0" width="120" height="76" fill="#ffe6cc"/>"##))
        try expectGolden(svg, "pull-view.svg")
    }

    /// Rule F12. By hand. Collapsed: its own paper; what its alpha would half show has no room below the title in 60
    /// points, so it stands in the line below, as if nothing were said. `summary`: the tint on its paper. Expanded: no tint; on #1f3b2c (brightness
    /// (299 × 31 + 587 × 59 + 114 × 44)/1,000 = 48) text is white. At a height of its own: as
    /// expanded.
    @Test func appearances() throws {
        let table = try Boards.table(
            try Boards.kinds(
                """
                kinds:
                  ticket:
                    states: [collapsed, {name: summary, height: 100}, expanded]
                    appearance:
                      collapsed: {background: "#eef4ff", alpha: 0.5}
                      summary: {background: "#fff1d6", tint: "#7a4a00"}
                      expanded: {background: "#1f3b2c"}
                """),
            [
                (
                    "grill", "Grill",
                    [
                        Boards.row("t1", "2 × ribeye"),
                        Boards.row("t2", "1 × salmon", expansion: .named("summary")),
                        Boards.row("t3", "3 × lamb", expansion: .expanded),
                        Boards.row("t4", "1 × sole", expansion: .height(90)),
                    ]
                )
            ])
        let svg = TablePicture().svg(of: table)
        #expect(svg.matches(of: /fill="#1f3b2c"/).count == 2)
        #expect(svg.matches(of: /opacity="0.5"/).isEmpty)
        try expectGolden(svg, "appearance.svg")
    }

    @Test func howFarRowsAreOpen() throws {
        let kinds = try Boards.kinds(
            """
            kinds:
              ticket:
                height: 60
                states: [collapsed, {name: summary, height: 112}, expanded]
                trailing: {actions: [{id: page, title: Page}, {id: bump, title: Bump}]}
            """)
        let long = "Two burgers without onions, one with, and the fries apart from all of them"
        let performed = [
            Performance("page", .failed("no pager answers")), Performance("bump", .done),
        ]
        let table = try Boards.table(
            kinds,
            [
                (
                    "grill", "",
                    [
                        Boards.row("t1", long),
                        Boards.row("t2", long, expansion: .expanded, performed: performed),
                        Boards.row(
                            "t3", long,
                            fields: "abcdef".map { Row.Field(ID(String($0)), "\($0) value") },
                            expansion: .named("summary")),
                        Boards.row("t4", "", fields: [], expansion: .height(33)),
                    ]
                ), ("empty", "Nothing here", []),
            ])
        try expectGolden(TablePicture(widthPoints: 320).svg(of: table), "expansions.svg")
    }

    @Test func whatCameOfActions() throws {
        let pending = Performance("page", .pending(InvocationID(revision: 3, index: 0)))
        let failed = Performance("page", .failed("the printer is out of paper"))
        let table = try Boards.table(
            try Boards.tickets(style: "default").kinds.values.filter { $0.id != .plainKind },
            [
                (
                    "grill", "",
                    [
                        Boards.row("t1", "1 × salmon, no butter", performed: [pending]),
                        Boards.row("t2", "1 × salmon, no butter", performed: [failed]),
                        Boards.row("t3", "1 × soup", performed: [Performance("bump", .done)]),
                        Boards.row(
                            "t4", "Everything at once",
                            performed: ["bump", "page", "void", "other"].map {
                                Performance($0, .done)
                            }),
                    ]
                )
            ])
        try expectGolden(TablePicture().svg(of: table), "performed.svg")
    }

    @Test func manyRowsAndNone() throws {
        let rows = (1...5).map { Boards.row(ID("t\($0)"), "Row \($0)", kind: "row") }
        let table = try Boards.table([("a", "", Array(rows[..<3])), ("b", "", Array(rows[3...]))])
        let svg = TablePicture(mostRows: 2).svg(of: table)
        try expectGolden(svg, "more-rows.svg")
        let texts = Document(svg).texts
        #expect(texts.contains("… and 3 more rows"))
        #expect(!texts.contains("Row 3") && !texts.contains("b"))
        let none = Document(TablePicture().svg(of: try Boards.table([])))
        #expect(none.texts.contains("No rows"))
        #expect(
            Document(TablePicture(mostRows: 0).svg(of: table)).texts.last == "… and 5 more rows")
        #expect(Document(TablePicture(mostRows: -1).svg(of: table)).elements["svg"] == 1)
    }

    @Test func aPage() throws {
        let html = TablePicture(widthPoints: 320).html(of: try Boards.tickets(style: "custom"))
        try expectGolden(html, "page.html")
        let document = Document(html)
        #expect(document.elements["script"] == nil && document.elements["link"] == nil)
        // The heading, and one for the section.
        #expect(document.elements["html"] == 1 && document.elements["svg"] == 2)
    }

    // MARK: Faces

    /// A font with fallbacks, italics, and letters of one width (F3).
    private static let fonts: Face = {
        var serif = Face(.text("Georgia"))
        (serif.families, serif.isItalic) = (["Georgia", "Times New Roman", "serif"], true)
        var wide = Face(.text("Courier"))
        (wide.families, wide.weight) = (["Courier New", "monospace"], "bold")
        var sheet = Face(.vertical([serif, wide]))
        sheet.sizePoints = 14
        return sheet
    }()

    /// A path and a PNG (red, 4 × 2 pixels), each with its own colour, and tinted.
    private static let images: Face = {
        let png =
            Base64.bytes(
                "iVBORw0KGgoAAAANSUhEUgAAAAQAAAACCAYAAAB/qH1jAAAAEklEQVR42mP4z8DwHxkzoAsAAA8hD/H+"
                    + "RRRjAAAAAElFTkSuQmCC") ?? []
        var path = Face(.image(FaceImage(.path("M2 2h8v8H2z"), grid: .init(width: 12, height: 12))))
        path.color = "#ffd54a"
        var sheet = Face(
            .vertical([
                Face(
                    .horizontal([
                        path,
                        Face(
                            .image(
                                FaceImage(
                                    .path("M2 2h8v8H2z"), grid: .init(width: 12, height: 12),
                                    isTemplate: true))),
                    ])),
                Face(
                    .horizontal([
                        Face(.image(FaceImage(.png(png)))),
                        Face(.image(FaceImage(.png(png), isTemplate: true))),
                    ])),
            ]))
        sheet.sizePoints = 12
        return sheet
    }()

    static let faces: [(name: String, face: Face)] = {
        func text(_ text: String, size: Double? = nil, weight: String? = nil) -> Face {
            var face = Face(.text(text))
            (face.sizePoints, face.weight) = (size, weight)
            return face
        }
        func icon(_ name: String, size: Double? = nil, color: String? = nil) -> Face {
            var face = Face(.icon(name))
            (face.sizePoints, face.color) = (size, color)
            return face
        }
        var left = Face(.vertical([text("left", size: 11), text("long line", size: 11)]))
        left.align = "leading"
        left.insets = Look.Insets(top: 2, left: 6, bottom: 2, right: 2)
        var close = Face(.vertical([icon("star", size: 16), text("close", size: 12)]))
        (close.spacingPoints, close.color) = (0, "#ffd54a")
        let pair = Face(
            .horizontal([icon("clock", size: 14), text("5", size: 14, weight: "bold")]))
        return [
            ("icon", icon("checkmark")), ("text", text("Bump")),
            ("vertical", Face(.vertical([icon("bell", size: 24), text("Page", size: 13)]))),
            ("horizontal", Face(.horizontal([icon("trash", size: 18), text("Void", size: 13)]))),
            ("nested", Face(.vertical([pair, text("minutes", size: 11, weight: "light")]))),
            (
                "spacer",
                Face(.vertical([text("up", size: 11), Face(.spacer(14)), text("down", size: 11)]))
            ),
            ("leading", left), ("inherited", close),
            ("too-long", text("A title that is longer than its button")),
            ("too-high", Face(.vertical((1...6).map { text("line \($0)") }))),
            ("unknown-icon", Face(.vertical([icon("frying-pan", size: 28), text("?", size: 9)]))),
            (
                "colours",
                Face(
                    .horizontal([
                        icon("circle.fill", size: 16, color: "#ff000080"),
                        icon("flame", color: "orange"),
                    ]))
            ),
            ("empty", Face(.vertical([]))), ("images", images),
            ("fonts", fonts),
        ]
    }()

    @Test(arguments: faces.map(\.name))
    func aFace(_ name: String) throws {
        let face = try #require(Self.faces.first { $0.name == name }).face
        let svg = faceSVG(face, background: "#2b5fb0", foreground: "#ffffff")
        try expectGolden(svg, "face-\(name).svg")
        #expect(Document(svg).elements["svg"] == 1)
    }

    /// Every icon once, to be looked at.
    @Test func icons() throws {
        let names = [
            "checkmark", "xmark", "trash", "pencil", "plus", "minus", "person", "clock", "bell",
            "phone", "printer", "flag", "star", "pin", "undo", "redo", "arrow.up", "arrow.down",
            "arrow.left", "arrow.right", "envelope", "archivebox", "tag", "exclamationmark",
            "questionmark", "flame", "cart", "doc", "ellipsis", "Wok",
        ]
        let rows = stride(from: 0, to: names.count, by: 6).map { start in
            Face(.horizontal(names[start..<min(start + 6, names.count)].map { Face(.icon($0)) }))
        }
        var sheet = Face(.vertical(rows))
        (sheet.sizePoints, sheet.spacingPoints) = (32, 12)
        let svg = faceSVG(
            sheet, widthPoints: 260, heightPoints: 240, background: "#ffffff",
            foreground: "#1c1c1e")
        try expectGolden(svg, "icons.svg")
        #expect(Document(svg).texts == ["W"])
    }

    @Test func iconsByTheirOtherNames() {
        func picture(_ name: String) -> String { faceSVG(Face(.icon(name))) }
        for (one, other) in [
            ("check", "checkmark"), ("checkmark.circle.fill", "checkmark"), ("delete", "trash"),
            ("trash.fill", "trash"), ("TRASH", "trash"), ("undo", "arrow.uturn.backward"),
            ("push_pin", "pin"), ("more_horiz", "ellipsis"), ("shopping-cart", "cart"),
            ("bell.badge.fill", "bell"), ("local_fire_department", "flame"),
        ] {
            #expect(picture(one) == picture(other), "\(one)")
        }
        #expect(picture("fill") != picture("circle"))
        #expect(Document(picture("…")).texts == ["?"])
    }
}

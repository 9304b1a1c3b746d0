import SeededNumbers
import TableLayout
import TableDecisions
import TableModel
import Testing

/// Shared faces (F6), fonts (F3), and faces that their row fills in (F7).
struct BoundFaceTests {
    private static func text(_ text: String) -> Face { Face(.text(text)) }

    private func filled(_ face: Face, on row: Row, nowMs: UInt64? = nil) -> Face? {
        var action = Action("a")
        action.face = face
        return ActionGroup(actions: [action])
            .shown(on: row, faces: ["big": Self.text("{title}!")], nowMs: nowMs).actions[0].face
    }

    @Test func valuesOfTheRow() {
        let row = Row(
            id: "r", content: .init(title: "Soup", fields: [.init("table", "4")]), createdMs: 1_000)
        for (template, found) in [
            ("{title} {table}", "Soup 4"), ("{nobody}", ""), ("{age}", "2:00"),
            ("{{title}}", "{title}"),
            ("}}{title}{{", "}Soup{"), ("plain", "plain"), ("{title", "{title"), ("", ""),
        ] {
            #expect(filled(Self.text(template), on: row, nowMs: 121_000) == Self.text(found))
        }
        #expect(filled(Self.text("{age}"), on: row) == Self.text(""))
        let old = Row(id: "r", content: row.content)
        #expect(filled(Self.text("{age}"), on: old, nowMs: 1) == Self.text(""))
        // Values are not templates.
        let sly = Row(id: "r", content: .init(title: "{age}", fields: []), createdMs: 1_000)
        #expect(filled(Self.text("{title}"), on: sly, nowMs: 9) == Self.text("{age}"))
    }

    @Test func sharedFacesArePutIn() {
        let row = Row(id: "r", content: .init(title: "Soup"))
        var part = Face(.shared("big"))
        part.sizePoints = 20
        var expected = Self.text("Soup!")
        #expect(filled(Face(.shared("big")), on: row) == expected)
        expected.sizePoints = 20
        #expect(filled(Face(.vertical([part])), on: row) == Face(.vertical([expected])))
        #expect(filled(Face(.shared("gone")), on: row) == Face(.vertical([])))
    }

    /// A face of 900 references to a face of 900 parts, in which a title of 4 KiB stands: no more
    /// than 4,096 parts and 64 KiB of values come of it.
    @Test func hostileFacesStaySmall() {
        func count(_ face: Face) -> (parts: Int, bytes: Int) {
            switch face.content {
            case .vertical(let parts), .horizontal(let parts):
                return parts.map(count).reduce((1, 0)) { ($0.0 + $1.0, $0.1 + $1.1) }
            case .text(let text): return (1, text.utf8.count)
            default: return (1, 0)
            }
        }
        let row = Row(id: "r", content: .init(title: String(repeating: "x", count: 4_096)))
        var action = Action("a")
        action.face = Face(.vertical((0..<900).map { _ in Face(.shared("big")) }))
        let many = Face(.vertical((0..<900).map { _ in Self.text("{title}") }))
        let shown = ActionGroup(actions: [action]).shown(on: row, faces: ["big": many])
        let (parts, bytes) = shown.actions[0].face.map(count) ?? (0, 0)
        #expect(parts > 3_000 && parts <= 4_096 + 2 * 900)
        #expect(bytes == 64 << 10)
    }

    /// By hand, at size 15: "Soup 4" is 667 + 556 + 556 + 556 + 278 + 556 = 3,169 thousandths, so
    /// 47.535 points; insets of 5 and 7 make 59.535. An empty face has the least width, 30. A
    /// title of 4,096 wide characters is 4,096 × 15 = 61,440 points. שלום is 4 × 556 thousandths,
    /// so 33.36. A family of three and a flag are emoji sequences of one em: 2 × 15 = 30, and with
    /// two letters a (556 each) 46.68.
    @Test func widthsAreThoseOfTheFilledFace() throws {
        func width(_ title: String, _ template: String, insets: Insets? = nil) throws -> Double {
            var action = Action("a")
            action.face = Self.text(template)
            action.look.style = .custom
            action.look.width = .face
            action.look.insets = insets
            let row = Row(id: "r", content: .init(title: title, fields: [.init("table", "4")]))
            let group = ActionGroup(actions: [action]).shown(on: row, faces: [:])
            let geometry = SwipeGeometry(
                group, edge: .trailing, rowHeight: 60, containerWidth: 320)
            return try #require(geometry.buttons.first).hit.width
        }
        let insets = Insets(top: 1, left: 5, bottom: 2, right: 7)
        #expect(try abs(width("Soup", "{title} {table}") - 47.535) < 1e-9)
        #expect(try abs(width("Soup", "{title} {table}", insets: insets) - 59.535) < 1e-9)
        #expect(try width("Soup", "{nobody}") == 30)
        #expect(try width(String(repeating: "寿", count: 4_096), "{title}") == 61_440)
        #expect(try abs(width("שלום", "{title}") - 33.36) < 1e-9)
        #expect(try abs(width("👨‍👩‍👧🇩🇪", "a{title}a") - 46.68) < 1e-9)
    }

    /// By hand, at size 10: "Bump" is 2,612 thousandths in Helvetica, so 26.12 points, and 4 × 600
    /// in Courier, so 24. "寿司" is 2 × 1,000 in both, so 20.
    @Test func fontsAreMeasuredOrNamed() throws {
        func part(_ families: [String], _ text: String = "Bump", _ metrics: Metrics = .point)
            throws -> (width: Double, substituted: [String])
        {
            var face = Self.text(text)
            (face.sizePoints, face.families) = (10, families)
            // A stack hands its font down.
            let stack = Face(.vertical([face]))
            let rect = Rect(x: 0, y: 0, width: 300, height: 60)
            let part = try #require(
                FaceLayout.parts(of: stack, in: rect, metrics: metrics).first)
            return (part.frame.width, part.substituted)
        }
        #expect(try part([]) == (26.12, []))
        #expect(try part(["Arial"]) == (26.12, []))
        #expect(try part(["COURIER new"]) == (24, []))
        #expect(try part(["Georgia"]) == (26.12, ["Georgia"]))
        #expect(
            try part(["Georgia", "Menlo", "monospace", "Arial"]) == (24, ["Georgia", "Menlo"]))
        #expect(try part(["Courier"], "寿司") == (20, []))
        #expect(try part(["Courier"], "Bump", .cell) == (40, ["Courier"]))
        var face = Face(.vertical([Self.text("x")]))
        (face.families, face.isItalic) = (["Courier"], true)
        let rect = Rect(x: 0, y: 0, width: 300, height: 60)
        let inherited = try #require(
            FaceLayout.parts(of: face, in: rect, metrics: .point).first)
        #expect(inherited.families == ["Courier"] && inherited.isItalic)
    }

    // MARK: Ten thousand edits

    /// Faces filled in by replacing text, which is right where values hold no braces.
    private static func naive(_ row: Row) -> ActionGroup {
        var group = Self.group
        let fields = row.content.fields
        let text = "\(row.content.title) at \(fields.first { $0.key == "table" }?.value ?? "")"
        group.actions[0].face = Face(.vertical([Face(.icon("bell")), Self.text(text)]))
        group.actions[1].face = Self.text("\(row.content.title)!")
        return group
    }

    private static var group: ActionGroup {
        var first = Action("first")
        first.face = Face(.vertical([Face(.icon("bell")), text("{title} at {table}")]))
        var second = Action("second")
        second.face = Face(.shared("big"))
        var group = ActionGroup(actions: [first, second])
        (group.look.style, group.look.width) = (.custom, .face)
        return group
    }

    /// After each edit the frames of a table that has lived through them are those of the row as it
    /// is, measured anew.
    ///
    /// A title of 4,096 wide characters is longer than a title may be by default; whoever raises the
    /// limit has it measured like any other. Now and then the table is read back from its rows, and
    /// all frames are the same.
    @Test func tenThousandEdits() throws {
        var random = SplitMix64(seed: 7)
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        var kind = Kind("k")
        (kind.leading, kind.trailing) = (Self.group, Self.group)
        var settings = Settings()
        settings.swipePolicy = .multiple
        settings.faces = ["big": Self.text("{title}!")]
        // A viewer keeps this index through all edits, and measures only where something changed.
        let index = LayoutIndex(table, widthPoints: 320, metrics: .point)
        var limits = Limits()
        (limits.titleBytes, limits.rowBytes) = (3 * 4_096, 8 * 4_096)
        func perform(_ verb: Command.Verb) {
            guard
                case .success(let plan) = reduce(
                    Command(verb), on: table, limits: limits, nowMs: 5)
            else { return }
            if let diff = table.apply(plan, cause: Cause(verb: "test")) {
                _ = index.apply(diff, table)
            }
        }
        perform(.define(.init(kinds: [kind], settings: settings)))
        let short = ["", "Soup", "寿司と味噌汁", "שלום עולם", "👨‍👩‍👧", "e\u{301}"]
        let long = [
            String(repeating: "寿", count: 4_096), String(repeating: "שלום 🇩🇪", count: 64),
        ]
        // Few rows have the longest text at a time: each is measured after each edit.
        let texts = Array(repeating: short, count: 9).joined() + long
        let ids = (0..<8).map { ID("r\($0)") }
        var (open, longest) = (0, 0)
        for edit in 0..<3_000 {
            let id = random.pick(ids)
            switch random.below(8) {
            case 0:
                let content = Row.Content(kind: "k", title: random.pick(texts))
                perform(.add(.init(id: id, content, at: random.pick([.top, .bottom]))))
            case 1: perform(.remove([id]))
            case 2, 3: perform(.set(id, .init(title: random.pick(texts))))
            case 4: perform(.set(id, .init(fields: [.init("table", random.pick(texts))])))
            case 5: perform(.move([id], section: nil, random.pick([.top, .bottom]), .rebase))
            case 6: perform(.swipe(id, random.pick([.leading, .trailing])))
            default: perform(.expand(id, nil))
            }
            let frames = TableFrames(table, widthPoints: 320)
            for frame in frames.rows {
                try #require(index.height(of: frame.id) == frame.height)
                guard let row = table.row(frame.id), let edge = row.swipe else { continue }
                open += 1
                longest = max(longest, row.content.title.count)
                let anew = SwipeGeometry(
                    Self.naive(row), edge: edge, rowHeight: frame.height, containerWidth: 320)
                try #require(frame.swipe == anew, "\(row.content)")
            }
            if edit % 100 == 0 {
                let rows = table.rows.map { row in
                    Row(
                        id: row.id,
                        content: .init(
                            kind: "k", title: row.content.title, fields: row.content.fields),
                        expansion: row.expansion, swipe: row.swipe)
                }
                let anew = TableFrames(
                    rows: rows, kinds: [kind.id: kind], faces: settings.faces, widthPoints: 320)
                try #require(frames == anew)
            }
        }
        #expect(open > 3_000 && longest == 4_096)
    }

    // MARK: The pull view

    /// By hand (F8): two buttons of 60 and a spacing of 8, and a gap of 12, rest at
    /// 2 × 68 + 12 = 148. Trailing, the gap is at the left: x = 12 and 80, each 68 wide. Leading,
    /// it is at the right: x = 0 and 68. Half open (74) everything is half: a gap of 6, buttons of
    /// 34 at 6 and 40. Wide open (288) the buttons share 288 − 12 = 276: 138 each, at 12 and 150.
    @Test func theGapIsBesideTheRow() {
        var group = ActionGroup(actions: [Action("a"), Action("b")])
        (group.look.style, group.look.width) = (.circular, .points(60))
        (group.look.spacingPoints, group.gapPoints) = (8, 12)
        group.background = "#eeeeee"
        func hits(_ edge: Edge, _ pull: Double?) -> [Double] {
            let geometry = SwipeGeometry(
                group, edge: edge, rowHeight: 80, pullWidth: pull, containerWidth: 320)
            #expect(geometry.restPoints == 148 && geometry.background == "#eeeeee")
            return [geometry.gapPoints] + geometry.buttons.flatMap { [$0.hit.x, $0.hit.width] }
        }
        #expect(hits(.trailing, nil) == [12, 80, 68, 12, 68])
        #expect(hits(.leading, nil) == [12, 0, 68, 68, 68])
        #expect(hits(.trailing, 74) == [6, 40, 34, 6, 34])
        #expect(hits(.leading, 74) == [6, 0, 34, 34, 34])
        #expect(hits(.trailing, 288) == [12, 150, 138, 12, 138])
        // No number makes it trap, and buttons stay in their pull view.
        for gap in [.nan, .infinity, -5, 1e300, 1e6, 0] {
            group.gapPoints = gap
            for pull in [nil, 0, 1, 1e6] {
                let geometry = SwipeGeometry(
                    group, edge: .trailing, rowHeight: 80, pullWidth: pull, containerWidth: 320)
                for button in geometry.buttons {
                    #expect(button.hit.x >= 0 && button.hit.maxX <= geometry.pullPoints + 1e-6)
                }
            }
        }
    }

    // MARK: Limits of a projection

    /// By hand (F5): a face of 148 × 60 is shown half as large, 74 × 30, and says so. One of 74 × 60
    /// fits. An icon is 20 × 20.
    @Test func contextualImagesHaveALargestSize() throws {
        func projection(_ style: Look.Style, width: Double) throws -> Projection {
            var action = Action("a")
            action.icon = "bell"
            (action.look.style, action.look.width) = (style, .points(width))
            let geometry = SwipeGeometry(
                ActionGroup(actions: [action]), edge: .trailing, rowHeight: 60, containerWidth: 320)
            return Projection(
                try #require(geometry.buttons.first), for: .contextualAction, metrics: .point)
        }
        let wide = try projection(.custom, width: 148)
        func size(_ projection: Projection) -> [Double?] {
            [projection.imageSize?.width, projection.imageSize?.height]
        }
        #expect(size(wide) == [74, 30] && wide.degraded.contains(.size))
        let fitting = try projection(.custom, width: 74)
        #expect(size(fitting) == [74, 60])
        #expect(!fitting.degraded.contains(.size))
        #expect(size(try projection(.standard, width: 200)) == [20, 20])
        let limits = try #require(Projection.limits(of: .contextualAction))
        #expect(limits.images == 1 && !limits.hasTextBeside && limits.isTemplate)
        #expect(limits.largestPoints == 74 && Projection.limits(of: .full) == nil)
    }
}

import SeededNumbers
import TableLayout
import TableModel
import Testing

/// Frames of a table's rows (C5, C7, C8).
struct TableFramesTests {
    private let kinds: [KindID: Kind] = {
        var ticket = VectorTests.reference
        ticket.id = "ticket"
        var bump = Action("bump")
        bump.title = "Bump"
        ticket.trailing = ActionGroup(actions: [bump])
        ticket.trailing?.look.style = .circular
        ticket.trailing?.look.width = .points(60)
        ticket.trailing?.look.spacingPoints = 8
        return ["ticket": ticket, .plainKind: Kind(.plainKind)]
    }()

    private func row(
        _ id: ID, kind: KindID = "ticket", title: String = "One soup",
        _ expansion: Expansion = .collapsed, swipe: Edge? = nil
    ) -> Row {
        Row(
            id: id, content: Row.Content(kind: kind, title: title), expansion: expansion,
            swipe: swipe)
    }

    @Test func rowsStandUnderOneAnother() {
        let rows = [
            row("a"), row("b", .expanded, swipe: .trailing), row("c", .named("one-line")),
            row("d", .height(75.5), swipe: .leading), row("e", kind: "no such kind"),
        ]
        let frames = TableFrames(rows: rows, kinds: kinds, widthPoints: 320)
        #expect(frames.rows.map(\.id) == ["a", "b", "c", "d", "e"])
        #expect(frames.rows.map(\.height) == [60, 80, 100, 75.5, 60])
        #expect(frames.rows.map(\.y) == [0, 60, 140, 240, 315.5])
        #expect(frames.contentHeightPoints == 375.5)
        #expect(frames.rows.map { $0.swipe == nil } == [true, false, true, false, true])
        let swipe = frames.rows[1].swipe
        #expect(swipe?.buttons.first?.face == Rect(x: 0, y: 10, width: 60, height: 60))
        #expect(swipe?.pullPoints == 68 && swipe?.isRevealed == false)
        // Nothing is behind that edge.
        #expect(frames.rows[3].swipe?.buttons == [] && frames.rows[3].swipe?.pullPoints == 0)

        let pulled = TableFrames(rows: rows, kinds: kinds, widthPoints: 320, pullPoints: 320)
        #expect(pulled.rows[1].swipe?.isRevealed == true)
        #expect(TableFrames(rows: [], kinds: [:], widthPoints: 1).contentHeightPoints == 0)
    }

    @Test func theTablesLookIsTheOutermost() {
        var look = Look()
        look.spacingPoints = 100
        look.insets = Insets(top: 1, left: 2, bottom: 3, right: 4)
        let rows = [row("a", swipe: .trailing)]
        let frames = TableFrames(rows: rows, kinds: kinds, tableLook: look, widthPoints: 320)
        let button = frames.rows[0].swipe?.buttons[0]
        #expect(button?.look.spacingPoints == 8)
        #expect(button?.look.insets == look.insets)
    }

    @Test func aTablesSectionsInOrder() {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        let frames = TableFrames(table, widthPoints: 320)
        #expect(frames.rows.isEmpty && frames.widthPoints == 320)
    }

    /// Rule C8: finite, above 0, at most 1,000,000.
    @Test func everyHeightIsOne() {
        var random = SplitMix64(seed: 7)
        let numbers: [Double] = [
            .nan, .infinity, -.infinity, 0, -0.0, -1, .leastNonzeroMagnitude, 1e-9, 60, 1e6, 1e7,
            1e300,
        ]
        let texts = [
            "", "a", String(repeating: "m", count: 4_096),
            String(repeating: "\u{301}", count: 2_048), String(repeating: "\n", count: 4_096),
            String(repeating: "寿", count: 1_365), String(repeating: " ", count: 4_096),
        ]
        for _ in 0..<3_000 {
            var kind = Kind("k")
            kind.heightPoints = random.pick(numbers)
            kind.layout = random.pick(Kind.Layout.allCases)
            kind.margins = .init(text: random.pick(numbers), bottom: random.pick(numbers))
            kind.states.append(.named("odd", heightPoints: random.pick(numbers)))
            let states: [Expansion] = [
                .collapsed, .expanded, .named("odd"), .named("none"), .height(random.pick(numbers)),
            ]
            let content = Row.Content(
                kind: "k", title: random.pick(texts), fields: [Row.Field("k", random.pick(texts))])
            let height = RowHeights.height(
                of: content, kind: kind, expansion: random.pick(states),
                widthPoints: random.pick(numbers), metrics: random.pick([.cell, .point]))
            #expect(height.isFinite && height > 0 && height <= 1e6)
        }
    }

    /// A row's text ends where its height says.
    @Test func textAndHeightAgree() {
        let kind = VectorTests.reference
        for title in ["", "One soup", String(repeating: "soup ", count: 100), "寿司寿司寿司寿司"] {
            let content = Row.Content(title: title, fields: [Row.Field("k", "v")])
            let text = RowText(
                RowFace(content, .expanded, kind: kind), kind: kind, isOpen: true,
                widthPoints: 100, metrics: .point)
            let height = RowHeights.height(
                of: content, kind: kind, expansion: .expanded, widthPoints: 100, metrics: .point)
            #expect(text.bottom + 40 == height)
            #expect(text.left == 20 && text.top == 20 && text.widthPoints == 60)
            #expect(text.fields.map(\.lines) == [["k: v"]])
        }
    }

    /// A wider row is never higher, and every line fits.
    @Test func linesFit() {
        var random = SplitMix64(seed: 8)
        let words = ["a", "soup", "寿司", "Donaudampfschiff", "  ", "\t", "👩‍👩‍👧", "e\u{301}", "-"]
        for _ in 0..<1_000 {
            var text = ""
            for _ in 0..<random.below(30) {
                text += random.pick(words) + (random.once(in: 2) ? " " : "")
            }
            for metrics in [Metrics.cell, .point] {
                let width = Double(random.below(300))
                let lines = TextWrap.lines(text, widthPoints: width, metrics: metrics)
                let wide = TextWrap.lines(text, widthPoints: width + 50, metrics: metrics)
                #expect(wide.count <= lines.count, "\(text)")
                for line in lines where line.count > 1 {
                    #expect(metrics.width(of: line) <= width, "\(text): \(line)")
                }
                // Blanks may go at a break; nothing else does.
                func visible(_ text: String) -> String { text.filter { $0 != " " && $0 != "\t" } }
                #expect(lines.map(visible).joined() == visible(text))
            }
        }
    }
}

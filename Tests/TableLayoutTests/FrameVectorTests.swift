import TableLayout
import TableModel
import Testing

/// Numbers of fonts (F3), filled faces (F7) and rows on their way (F1, F8). All are computed by hand.
struct FrameVectorTests {
    // MARK: Fonts

    /// In thousandths of the size. Helvetica: B 667, V 667, S 667, o, u, p, e, 4, a, b 556, m 833,
    /// i, l 222, d 556, t and the blank 278. Courier: 600 each. Of both: 1,000 a wide character or
    /// an emoji sequence, and a letter with its accents is one. Helvetica has no Hebrew: 556 each.
    /// Weight and slant play no part.
    ///
    /// | text | thousandths | size | width |
    /// |---|---|---|---|
    /// | Bump | 667 + 556 + 833 + 556 = 2,612 | 10, 15 | 26.12, 39.18 |
    /// | Void | 667 + 556 + 222 + 556 = 2,001 | 13 | 26.013 |
    /// | Void | Courier: 4 × 600 = 2,400 | 13 | 31.2 |
    /// | Soup 4 | Courier: 6 × 600 = 3,600 | 12 | 43.2 |
    /// | 寿司 4 | Courier: 2 × 1,000 + 2 × 600 = 3,200 | 10 | 32 |
    /// | 👨‍👩‍👧 | 1,000 | 20 | 20 |
    /// | é in two scalars | Helvetica 556, Courier 600 | 10 | 5.56, 6 |
    /// | שלום | 4 × 556 = 2,224 | 15 | 33.36 |
    private static let fonts: [(families: [String], text: String, size: Double, width: Double)] = [
        ([], "Bump", 10, 26.12), ([], "Bump", 15, 39.18), (["Arial"], "Void", 13, 26.013),
        (["Courier New"], "Void", 13, 31.2), (["monospace"], "Soup 4", 12, 43.2),
        (["Nimbus Mono"], "寿司 4", 10, 32), (["Courier"], "👨‍👩‍👧", 20, 20),
        (["Helvetica"], "e\u{301}", 10, 5.56), (["Liberation Mono"], "e\u{301}", 10, 6),
        (["sans-serif"], "שלום", 15, 33.36), ([], "", 15, 0),
    ]

    @Test(arguments: fonts)
    func widthsOfFonts(
        _ families: [String], _ text: String, _ size: Double, _ width: Double
    ) {
        for (weight, isItalic) in [(nil, nil), ("bold", false), ("thin", true)]
            as [(String?, Bool?)]
        {
            var face = Face(.text(text))
            (face.families, face.sizePoints) = (families, size)
            (face.weight, face.isItalic) = (weight, isItalic)
            let found = FaceLayout.size(of: face, metrics: .point)
            #expect(abs(found.width - width) < 1e-9, "\(found.width)")
            // A line is four thirds of its size high.
            #expect(abs(found.height - (text.isEmpty ? found.height : size * 4 / 3)) < 1e-9)
        }
    }

    // MARK: Filled faces

    /// A title of size 15 above `table {table}` of size 12, in 120 × 60. Lines of 20 and 16 and the
    /// spacing of 4 are 40, so 10 is above; the second line is at 10 + 20 + 4 = 34.
    ///
    /// "Soup" is 667 + 3 × 556 = 2,335: 35.025, at (120 − 35.025)/2 = 42.4875. "table 4" is
    /// 278 + 556 + 556 + 222 + 556 + 278 + 556 = 3,002: 36.024, at 41.988. "寿司" is 2,000: 30, at
    /// 45. Without the field, "table " is 2,446: 29.352, at 45.324. "👨‍👩‍👧 שלום" is
    /// 1,000 + 278 + 2,224 = 3,502: 52.53, at 33.735. A title of 20 wide characters is 300, of which
    /// 120 are seen, at 0.
    private static let faces: [(title: String, table: String?, x: [Double], widths: [Double])] = [
        ("Soup", "4", [42.4875, 41.988], [35.025, 36.024]),
        ("寿司", "4", [45, 41.988], [30, 36.024]),
        ("Soup", nil, [42.4875, 45.324], [35.025, 29.352]),
        ("👨‍👩‍👧 שלום", "4", [33.735, 41.988], [52.53, 36.024]),
        (String(repeating: "寿", count: 20), "4", [0, 41.988], [120, 36.024]),
    ]

    @Test(arguments: faces)
    func framesOfFilledFaces(
        _ title: String, _ table: String?, _ x: [Double], _ widths: [Double]
    ) throws {
        var (first, second) = (Face(.text("{title}")), Face(.text("table {table}")))
        (first.sizePoints, second.sizePoints) = (15, 12)
        var stack = Face(.vertical([first, second]))
        stack.spacingPoints = 4
        var action = Action("a")
        action.face = stack
        let fields = table.map { [Row.Field("table", $0)] } ?? []
        let row = Row(id: "r", content: .init(title: title, fields: fields))
        let shown = ActionGroup(actions: [action]).shown(on: row, faces: [:])
        let face = try #require(shown.actions[0].face)
        let parts = FaceLayout.parts(
            of: face, in: Rect(x: 0, y: 0, width: 120, height: 60), metrics: .point)
        #expect(parts.count == 2)
        for (index, y, height) in [(0, 10.0, 20.0), (1, 34, 16)] {
            let expected = Rect(x: x[index], y: y, width: widths[index], height: height)
            #expect(parts[index].frame.isNear(expected), "\(parts[index].frame)")
        }
        #expect(parts[0].isClipped == (widths[0] == 120))
    }

    // MARK: Rows on their way

    /// Two buttons of width 60 and spacing 8, a gap of 12, a row of 80: at rest 2 × 68 + 12 = 148.
    /// At a part p of the way everything is p times as wide. Trailing, the buttons are at 80p and
    /// 12p; leading, at 0 and 68p, and their faces 8p further in, at 8p and 76p.
    ///
    /// | p | pull | gap | button | trailing | leading faces | circle: d, y = 40 − d/2 |
    /// |---|---|---|---|---|---|---|
    /// | 0 | 0 | 0 | 0 | 0, 0 | 0, 0 | 0, 40 |
    /// | 1/4 | 37 | 3 | 17 | 20, 3 | 2, 19 | 15, 32.5 |
    /// | 1/2 | 74 | 6 | 34 | 40, 6 | 4, 38 | 30, 25 |
    /// | 3/4 | 111 | 9 | 51 | 60, 9 | 6, 57 | 45, 17.5 |
    /// | 1 | 148 | 12 | 68 | 80, 12 | 8, 76 | 60, 10 |
    ///
    /// `default` is as wide as the circle, 60p, and as high as the row. `custom` with insets
    /// (6, 4, 6, 2) is 4p further in and 54p wide, at y 6, 68 high, whatever p is.
    private static let frames:
        [(pull: Double, gap: Double, button: Double, trailing: [Double], leading: [Double])] = [
            (0, 0, 0, [0, 0], [0, 0]), (37, 3, 17, [20, 3], [2, 19]),
            (74, 6, 34, [40, 6], [4, 38]), (111, 9, 51, [60, 9], [6, 57]),
            (148, 12, 68, [80, 12], [8, 76]),
        ]
    private static let faceWidths = [0.0, 15, 30, 45, 60]
    private static let circleTops = [40, 32.5, 25, 17.5, 10]
    private static let customWidths = [0, 13.5, 27, 40.5, 54]
    private static let customLefts = [0.0, 1, 2, 3, 4]

    @Test(arguments: Look.Style.allCases, Edge.allCases)
    func framesOfARevealedRow(_ style: Look.Style, _ edge: Edge) {
        var group = ActionGroup(actions: [Action("a"), Action("b")])
        (group.look.style, group.look.width) = (style, .points(60))
        (group.look.spacingPoints, group.gapPoints) = (8, 12)
        group.look.insets = Insets(top: 6, left: 4, bottom: 6, right: 2)
        for (at, frame) in Self.frames.enumerated() {
            let found = SwipeGeometry(
                group, edge: edge, rowHeight: 80, pullWidth: frame.pull, containerWidth: 320)
            #expect(found.gapPoints == frame.gap && found.restPoints == 148 && !found.isRevealed)
            for (index, button) in found.buttons.enumerated() {
                let x = edge == .trailing ? frame.trailing[index] : frame.leading[index]
                let hit = edge == .trailing ? x : [0, frame.button][index]
                #expect(
                    button.hit.isNear(Rect(x: hit, y: 0, width: frame.button, height: 80)),
                    "\(frame.pull) \(index): \(button.hit)")
                let width = Self.faceWidths[at]
                let face: Rect
                switch style {
                case .standard: face = Rect(x: x, y: 0, width: width, height: 80)
                case .circular:
                    face = Rect(x: x, y: Self.circleTops[at], width: width, height: width)
                case .custom:
                    face = Rect(
                        x: x + Self.customLefts[at], y: 6, width: Self.customWidths[at], height: 68)
                }
                #expect(button.face.isNear(face), "\(frame.pull) \(index): \(button.face)")
            }
        }
    }
}

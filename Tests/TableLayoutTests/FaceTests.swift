import TableLayout
import TableModel
import Testing

/// Faces, and what viewers that can show less leave of them (A4, A5).
struct FaceTests {
    private func parts(
        _ face: Face, _ width: Double, _ height: Double, _ metrics: Metrics = .point
    ) -> [FacePart] {
        FaceLayout.parts(
            of: face, in: Rect(x: 100, y: 10, width: width, height: height), metrics: metrics)
    }

    @Test func iconAboveTitleCentred() {
        var action = Action("bump")
        action.title = "Bump"
        action.icon = "checkmark"
        let found = parts(FaceLayout.standardFace(of: action), 74, 60)
        // 20 + 4 + 20 of 60: 8 above; the title is 39.18 wide.
        #expect(found.map(\.kind) == [.icon, .text])
        #expect(found.map(\.content) == ["checkmark", "Bump"])
        #expect(found[0].frame == Rect(x: 127, y: 18, width: 20, height: 20))
        #expect(found[1].frame.isNear(Rect(x: 117.41, y: 42, width: 39.18, height: 20)))
        #expect(found.allSatisfy { !$0.isClipped })
        // In cells the icon is 2 wide, the title 4, nothing between them.
        let cells = parts(FaceLayout.standardFace(of: action), 74, 60, .cell)
        #expect(cells[0].frame == Rect(x: 127, y: 20, width: 20, height: 20))
        #expect(cells[1].frame == Rect(x: 117, y: 40, width: 40, height: 20))
        action.icon = nil
        action.title = ""
        #expect(parts(FaceLayout.standardFace(of: action), 74, 60).isEmpty)
    }

    @Test func stacksInsetsAlignmentAndSpacers() {
        var icon = Face(.icon("clock"))
        icon.sizePoints = 10
        icon.insets = Insets(top: 0, left: 5, bottom: 0, right: 5)
        var wide = Face(.icon("box"))
        wide.sizePoints = 40
        var column = Face(.vertical([icon, Face(.spacer(6)), wide]))
        column.spacingPoints = 2
        column.align = "leading"
        let found = parts(column, 60, 80)
        // 10 + 2 + 6 + 2 + 40 = 60 of 80: 10 above; 40 of 60 wide: 10 beside.
        #expect(found[0].frame == Rect(x: 115, y: 20, width: 10, height: 10))
        #expect(found[1].frame == Rect(x: 110, y: 40, width: 40, height: 40))
        column.align = "trailing"
        #expect(parts(column, 60, 80)[0].frame.x == 135)
        column.align = "center"
        #expect(parts(column, 60, 80)[0].frame.x == 125)
        column.align = "no such word"
        #expect(parts(column, 60, 80)[0].frame.x == 125)
        var row = Face(.horizontal([icon, wide]))
        row.align = "bottom"
        let beside = parts(row, 100, 60)
        // 20 + 4 + 40 = 64 of 100: 18 beside.
        #expect(beside[0].frame == Rect(x: 123, y: 50, width: 10, height: 10))
        #expect(beside[1].frame == Rect(x: 142, y: 20, width: 40, height: 40))
    }

    @Test func looksAreHandedDown() {
        var inner = Face(.text("b"))
        inner.color = "#00ff00"
        var stack = Face(.vertical([Face(.text("a")), Face(.horizontal([inner]))]))
        stack.sizePoints = 9
        stack.weight = "bold"
        let rect = Rect(x: 0, y: 0, width: 50, height: 50)
        let found = FaceLayout.parts(of: stack, in: rect, color: "#ffffff", metrics: .point)
        #expect(found.map(\.sizePoints) == [9, 9] && found.map(\.weight) == ["bold", "bold"])
        #expect(found.map(\.color) == ["#ffffff", "#00ff00"])
    }

    @Test func whatIsTooLargeIsClippedAndSaysSo() {
        let face = Face(.vertical([Face(.text("A long title")), Face(.icon("clock"))]))
        let found = parts(face, 30, 22)
        #expect(found[0].frame == Rect(x: 100, y: 10, width: 30, height: 20))
        #expect(found[0].isClipped && found[1].isClipped)
        #expect(found[1].frame.maxY == 32 && found[1].frame.height == 0)
    }

    @Test func depthIsBounded() {
        var face = Face(.text("deep"))
        for _ in 0..<200 { face = Face(.vertical([face])) }
        #expect(parts(face, 50, 50).isEmpty)
        face = Face(.text("deep"))
        for _ in 0..<31 { face = Face(.horizontal([face])) }
        #expect(parts(face, 50, 50).count == 1)
    }

    private func button(_ change: (inout Action) -> Void) throws -> SwipeGeometry.Button {
        var action = Action("bump")
        action.title = "Bump"
        change(&action)
        let geometry = SwipeGeometry(
            ActionGroup(actions: [action]), edge: .trailing, rowHeight: 60, containerWidth: 320)
        return try #require(geometry.buttons.first)
    }

    private func lost(_ button: SwipeGeometry.Button) -> [Capability: [Projection.Loss]] {
        Dictionary(
            uniqueKeysWithValues: Capability.allCases.map {
                ($0, Projection(button, for: $0, metrics: .point).degraded)
            })
    }

    @Test func plainActionLosesNothing() throws {
        let plain = try button { _ in }
        #expect(
            lost(plain) == [.text: [], .rowAction: [], .contextualAction: [], .full: []])
        for capability in Capability.allCases {
            let projection = Projection(plain, for: capability, metrics: .point)
            #expect(projection.title == "Bump" && projection.hairSpaceCount == nil)
            #expect(projection.image == nil && !projection.hasFaceBackground)
        }
    }

    @Test func iconBesideTitle() throws {
        let both = try button { $0.icon = "checkmark" }
        #expect(
            lost(both) == [
                .text: [.icon], .rowAction: [.icon], .contextualAction: [.title], .full: [],
            ])
        let contextual = Projection(both, for: .contextualAction, metrics: .point)
        #expect(contextual.image == .icon("checkmark") && contextual.title.isEmpty)
    }

    @Test func customFace() throws {
        let custom = try button {
            $0.icon = "checkmark"
            $0.background = "#d33333"
            $0.look.style = .custom
            $0.look.spacingPoints = 8
            $0.face = Face(.vertical([Face(.icon("checkmark")), Face(.text("Bump it"))]))
        }
        #expect(
            lost(custom) == [
                .text: [.icon, .face, .style, .spacing, .colours],
                .rowAction: [.title, .spacing], .contextualAction: [.title, .spacing], .full: [],
            ])
        let row = Projection(custom, for: .rowAction, metrics: .point)
        #expect(row.hairSpaceCount == 32 && row.hasFaceBackground)
        #expect(row.title == String(repeating: "\u{200A}", count: 32))
        #expect(row.parts == custom.parts)
        let contextual = Projection(custom, for: .contextualAction, metrics: .point)
        #expect(contextual.image == .face && contextual.title.isEmpty)
        let text = Projection(custom, for: .text, metrics: .point)
        #expect(text.title == "Bump" && text.parts.isEmpty)
    }

    @Test func someTitleIsAlwaysThere() throws {
        func title(_ change: (inout Action) -> Void) throws -> String {
            Projection(try button(change), for: .text, metrics: .point).title
        }
        let face = Face(.vertical([Face(.icon("x")), Face(.text("One")), Face(.text("two"))]))
        #expect(try title { ($0.title, $0.face) = ("", face) } == "One two")
        #expect(try title { ($0.title, $0.icon) = ("", "clock") } == "clock")
        #expect(try title { $0.title = "" } == "bump")
    }

    @Test func hairSpacesOfAnyNumber() {
        for width in [.nan, .infinity, -.infinity, -1, 1e300, 1e6, .ulpOfOne] {
            for hair in [.nan, 0, -1, .infinity, .leastNonzeroMagnitude, 1.5] {
                let count = Projection.hairSpaces(forWidth: width, hairWidth: hair)
                #expect(count >= 0 && count <= Projection.mostHairSpaces)
            }
        }
    }

    /// By hand (F4): a path on a grid of 48 × 24 is twice as wide as high. Without a size it is 20
    /// high, so 40 × 20; at size 12 it is 24 × 12. Centred in 74 × 60: x (74 − 40) / 2 = 17 and
    /// y (60 − 20) / 2 = 20; x (74 − 24) / 2 = 25 and y (60 − 12) / 2 = 24. In cells 20 × 20 like
    /// an icon. Tinted it has the stack's colour, else its own, else black.
    @Test func imagesHaveTheirAspect() {
        let grid = FaceImage.Grid(width: 48, height: 24)
        var face = Face(.image(FaceImage(.path("M0 0h48v24z"), grid: grid, isTemplate: true)))
        let rect = Rect(x: 0, y: 0, width: 74, height: 60)
        func part(_ metrics: Metrics) -> FacePart? {
            FaceLayout.parts(of: face, in: rect, color: "red", metrics: metrics).first
        }
        #expect(part(.point)?.frame == Rect(x: 17, y: 20, width: 40, height: 20))
        #expect(part(.cell)?.frame == Rect(x: 27, y: 20, width: 20, height: 20))
        #expect(part(.point)?.color == "red" && part(.point)?.kind == .image)
        face.sizePoints = 12
        #expect(part(.point)?.frame == Rect(x: 25, y: 24, width: 24, height: 12))
        face.content = .image(FaceImage(.path("M0 0h48v24z"), grid: grid))
        #expect(part(.point)?.color == "black")
        face.color = "#00f"
        #expect(part(.point)?.color == "#00f")
    }
}

import TableLayout
import TableModel
import Testing

/// The numbers of the articles and of docs/LAYOUT.md.
struct VectorTests {
    @Test func everySwipeVector() throws {
        let vectors = try Vectors.read("swipe.json", as: [Vectors.Swipe].self)
        #expect(vectors.count >= 30)
        for vector in vectors {
            let found = vector.geometry
            let name = "\(vector)"
            #expect(abs(found.pullPoints - vector.pull) < 1e-9, "\(name)")
            if let revealed = vector.revealed { #expect(found.isRevealed == revealed, "\(name)") }
            #expect(found.buttons.count == vector.hit.count, "\(name)")
            #expect(found.clamped == [], "\(name)")
            for (index, button) in found.buttons.enumerated() {
                let (hit, face) = (Rect(vector.hit[index]), Rect(vector.face[index]))
                #expect(button.hit.isNear(hit), "\(name): hit \(button.hit)")
                #expect(button.face.isNear(face), "\(name): face \(button.face)")
                #expect(button.radius == vector.radius?[index] ?? 0, "\(name)")
                let clamped = vector.clamped?[index] ?? []
                #expect(button.clamped.map(\.rawValue) == clamped, "\(name)")
            }
        }
    }

    @Test func everyTextVector() throws {
        let vectors = try Vectors.read("text.json", as: Vectors.Text.self)
        for vector in vectors.hairSpaces {
            let count = Projection.hairSpaces(forWidth: vector.width, hairWidth: vector.hair)
            #expect(count == vector.count, "rule A3: \(vector)")
        }
        for vector in vectors.widths {
            #expect(CharacterWidth.columns(of: vector.text) == vector.cells, "\(vector)")
            #expect(Metrics.cell.width(of: vector.text) == 10 * Double(vector.cells), "\(vector)")
            let points = Double(vector.thousandths) * 15 / 1_000
            #expect(Metrics.point.width(of: vector.text) == points, "\(vector)")
            let twice = Double(vector.thousandths) * 30 / 1_000
            #expect(Metrics.point.width(of: vector.text, sizePoints: 30) == twice, "\(vector)")
        }
        for vector in vectors.lines {
            for (metrics, lines) in [(Metrics.cell, vector.cell), (.point, vector.point)] {
                let found = TextWrap.lines(
                    vector.text, widthPoints: vector.width, metrics: metrics)
                #expect(found == lines, "\(vector)")
            }
        }
    }

    /// The reference kind of rule C5.
    static var reference: Kind {
        var kind = Kind("reference")
        kind.states = [
            .collapsed, .named("one-line", heightPoints: 100),
            .named("two-lines", heightPoints: 120), .named("three-lines", heightPoints: 140),
            .expanded,
        ]
        return kind
    }

    @Test func everyHeightVector() throws {
        for vector in try Vectors.read("text.json", as: Vectors.Text.self).heights {
            var kind = Self.reference
            kind.layout = vector.layout == "manual" ? .manual : .auto
            let fields = (0..<(vector.fields ?? 0)).map { Row.Field(ID("k\($0)"), "v") }
            let content = Row.Content(kind: kind.id, title: vector.title, fields: fields)
            for (metrics, height) in [(Metrics.cell, vector.cell), (.point, vector.point)] {
                let found = RowHeights.height(
                    of: content, kind: kind, expansion: Expansion(vector.state),
                    widthPoints: vector.width, metrics: metrics)
                #expect(found == height, "\(vector)")
            }
        }
    }

    /// Every argument that is not taken as given is named in `clamped`.
    @Test func whatIsReplacedIsNamed() throws {
        func geometry(
            _ change: (inout Action) -> Void, height: Double = 60, pull: Double? = nil,
            container: Double = 320
        ) -> SwipeGeometry {
            var action = Action("a")
            change(&action)
            return SwipeGeometry(
                ActionGroup(actions: [action]), edge: .leading, rowHeight: height,
                pullWidth: pull, containerWidth: container)
        }
        for width: Double in [.nan, -.infinity, -2e6] {
            let button = geometry { $0.look.width = .points(width) }.buttons[0]
            #expect(button.hit.width == 74 && button.clamped == [.width])
        }
        let wide = geometry { $0.look.width = .points(.infinity) }.buttons[0]
        #expect(wide.hit.width == 1e6 && wide.clamped == [.width])
        for spacing: Double in [.nan, -1, -.infinity] {
            let button = geometry { $0.look.spacingPoints = spacing }.buttons[0]
            #expect(button.hit.width == 74 && button.clamped == [.spacing])
        }
        let insets = Insets(top: .nan, left: 1, bottom: 2, right: 3)
        #expect(geometry { $0.look.insets = insets }.buttons[0].clamped == [.insets])
        for (given, used): (Double, Double) in [(.nan, 74), (-1, 0), (.infinity, 1e6), (2e6, 1e6)] {
            let found = geometry({ _ in }, pull: given)
            #expect(found.pullPoints == used && found.clamped == [.pull])
        }
        for (given, used): (Double, Double) in [(.nan, 0), (-1, 0), (.infinity, 1e6)] {
            let found = geometry({ _ in }, height: given)
            #expect(found.buttons[0].hit.height == used && found.clamped == [.rowHeight])
            #expect(geometry({ _ in }, container: given).clamped == [.container])
        }
        let standIn = geometry { $0.look.style = .custom }.buttons[0]
        #expect(standIn.look.style == .custom && standIn.clamped.isEmpty)
        let several = geometry {
            $0.look.spacingPoints = -1
            $0.look.style = .custom
            $0.look.insets = Insets(top: 40, left: 40, bottom: 40, right: 40)
        }
        #expect(several.buttons[0].clamped == [.width, .height, .spacing])
    }

    /// The sizes from which the tables of docs/LAYOUT.md follow.
    @Test func sizes() {
        #expect(Metrics.point.textSizePoints == 15 && Metrics.point.hairWidthPoints == 1.5)
        #expect(Metrics.point.width(of: "\u{200A}") == Metrics.point.hairWidthPoints)
        #expect(Metrics.point.lineHeightPoints() == 20 && Metrics.cell.lineHeightPoints() == 20)
        #expect(Metrics.point.lineHeightPoints(sizePoints: 30) == 40)
        #expect(Metrics.cell.lineHeightPoints(sizePoints: 30) == 20)
        #expect(SwipeGeometry.revealTolerancePoints == 0.5)
        #expect(ResolvedLook.standardWidthPoints == 74 && ResolvedLook.paddingPoints == 30)
        #expect(Projection.hairShiftFactor == 1.1)
    }
}

import SeededNumbers
import TableModel
import Testing

@testable import TableLayout

/// Where a strip's items are (D1, D4), as docs/LAYOUT.md says.
struct StripGeometryTests {
    private static let content = Row.Content(
        kind: "k",
        items: [Item("a"), Item("b", title: "Bump"), Item("c", title: "Soup of the day")])

    @Test func frames() {
        let strip = StripGeometry(Self.content)
        #expect(strip.items.map(\.id) == ["a", "b", "c"])
        // "Bump" is 2612 thousandths wide: 33.956 points at 13, and 24 around it.
        let last: Double = 64 + 57.956 + 8
        let places = [0, 64, last]
        #expect(strip.items.map(\.x) == places)
        #expect(strip.items[0].widthPoints == 56)
        #expect(abs(strip.items[1].widthPoints - 57.956) < 1e-9)
        #expect(strip.contentWidthPoints == last + strip.items[2].widthPoints)
        #expect(strip.offsetPoints == 0)
    }

    @Test func scrolled() {
        func offset(_ scroll: Scroll) -> Double {
            StripGeometry(Self.content, scroll: scroll).offsetPoints
        }
        #expect(offset(Scroll("a", fraction: 0.5)) == 32)
        #expect(offset(Scroll("b")) == 64)
        #expect(abs(offset(Scroll("a", fraction: 1)) - offset(Scroll("b"))) < 1e-9)
        #expect(offset(Scroll("gone", fraction: 0.5)) == 0)
        for fraction in [Double.nan, -.infinity, .infinity, -1, 7] {
            #expect(offset(Scroll("b", fraction: fraction)).isFinite)
        }
    }

    /// Inserts and removals elsewhere leave the item that the strip is scrolled to in its place on
    /// the screen.
    @Test func survivesOthers() {
        let scroll = Scroll("b", fraction: 0.25)
        func place(_ content: Row.Content) -> Double {
            let strip = StripGeometry(content, scroll: scroll)
            return (strip.items.first { $0.id == "b" }?.x ?? .nan) - strip.offsetPoints
        }
        var content = Self.content
        let before = place(content)
        content.items.insert(Item("new", title: "A long one in front"), at: 0)
        #expect(abs(place(content) - before) < 1e-9)
        content.items.remove(at: 1)
        #expect(abs(place(content) - before) < 1e-9)
    }

    @Test func cells() {
        let strip = StripGeometry(Self.content, metrics: .cell)
        #expect(strip.items.map(\.widthPoints) == [56, 64, 174])
    }

    @Test func hostile() {
        let text = String(repeating: "e\u{301}", count: 2_000)
        let content = Row.Content(items: (0..<1_000).map { Item(ID("\($0)"), title: text) })
        let strip = StripGeometry(content, scroll: Scroll("999", fraction: 1))
        #expect(strip.contentWidthPoints.isFinite && strip.offsetPoints.isFinite)
        #expect(StripGeometry(Row.Content()).contentWidthPoints == 0)
    }
}

/// The vectors of docs/LAYOUT.md for cells: sizes, badges, and where strips come to rest (F13).
struct StripVectorTests {
    private struct Vector: Decodable {
        struct GivenKind: Decodable {
            var width: Double?, height: Double?, layout: String?, fields: [String]?, badge: String?

            var itemKind: ItemKind {
                var kind = ItemKind()
                if let width { kind.width = .points(width) }
                kind.heightPoints = height
                kind.layout = layout.flatMap { Kind.Layout(rawValue: $0) } ?? .manual
                kind.fields = fields.map { $0.map { ID($0) } }
                kind.badge = badge.map { ID($0) }
                return kind
            }
        }
        struct GivenItem: Decodable {
            var id: String, title: String?, kind: String?, fields: [String: String]?

            var item: Item {
                Item(
                    ID(id), title: title ?? "", kind: kind.map { ID($0) },
                    fields: (fields ?? [:]).map { Row.Field(ID($0.key), $0.value) })
            }
        }
        var note: String
        var title: String?, height: Double, spacing: Double?, page: String?, visible: Double?
        var kinds: [String: GivenKind]?
        var items: [GivenItem]
        var frames: [[Double]], badges: [[Double]]?, clamped: [[String]]?
        var content: Double
        var rest: [[Double]]?, turned: [[Double]]?

        var geometry: StripGeometry {
            var kind = Kind("k")
            kind.isStrip = true
            kind.heightPoints = height
            kind.spacingPoints = spacing ?? 8
            kind.page = page.flatMap { Kind.Page(rawValue: $0) } ?? .none
            for (name, given) in kinds ?? [:] { kind.itemKinds[ID(name)] = given.itemKind }
            let content = Row.Content(kind: "k", title: title ?? "", items: items.map(\.item))
            return StripGeometry(content, kind: kind)
        }
    }

    @Test func everyVector() throws {
        let vectors = try Vectors.read("strip.json", as: [Vector].self)
        #expect(vectors.count >= 8)
        for vector in vectors {
            let strip = vector.geometry
            let name = Comment(rawValue: vector.note)
            #expect(strip.items.count == vector.frames.count, name)
            for (index, item) in strip.items.enumerated() {
                let frame = Rect(
                    x: item.x, y: item.y, width: item.widthPoints, height: item.heightPoints)
                #expect(frame.isNear(Rect(vector.frames[index])), "\(vector.note): \(frame)")
                #expect(item.clamped.map(\.rawValue) == vector.clamped?[index] ?? [], name)
                let badge = vector.badges.map { Rect($0[index]) }
                #expect((item.badge == nil) == (badge == nil), name)
                if let badge, let found = item.badge {
                    #expect(found.isNear(badge), "\(vector.note): \(found)")
                }
            }
            #expect(abs(strip.contentWidthPoints - vector.content) < 1e-9, name)
            let visible = vector.visible ?? 100
            for pair in vector.rest ?? [] {
                let rest = strip.restPoints(at: pair[0], visibleWidthPoints: visible)
                #expect(rest == pair[1], "\(vector.note): \(pair[0]) rests at \(rest)")
            }
            for three in vector.turned ?? [] {
                for (isForward, wanted) in [(true, three[1]), (false, three[2])] {
                    let found = strip.turnedPoints(
                        from: three[0], isForward: isForward, visibleWidthPoints: visible)
                    #expect(found == wanted, "\(vector.note): \(three[0]) turns to \(found)")
                }
            }
        }
    }

    /// A strip at rest stays there, a page turned forward is never behind, and every place has a
    /// scroll position that leads to it.
    @Test func restIsRest() {
        var random = SplitMix64(seed: 13)
        for _ in 0..<500 {
            var kind = Kind("k")
            kind.isStrip = true
            kind.page = random.pick(Kind.Page.allCases)
            kind.spacingPoints = random.pick([0, 8, 33.3])
            for name: ID in ["a", "b"] {
                kind.itemKinds[name] = ItemKind()
                kind.itemKinds[name]?.width = .points(random.pick([0.001, 7, 120, 1e6]))
            }
            let items = (0..<random.below(9)).map { index in
                Item(ID("\(index)"), title: "item", kind: random.pick([nil, "a", "b"]))
            }
            let content = Row.Content(kind: "k", items: items)
            let strip = StripGeometry(content, kind: kind)
            let visible = random.pick([0, 1, 250, 320.5, 1e6] as [Double])
            let offset = Double(random.below(1_200)) - 100
            let rest = strip.restPoints(at: offset, visibleWidthPoints: visible)
            #expect(rest.isFinite)
            #expect(strip.restPoints(at: rest, visibleWidthPoints: visible) == rest)
            let end = strip.endPoints(visibleWidthPoints: visible)
            if kind.page != Kind.Page.none { #expect(rest >= 0 && rest <= end) }
            let turned = strip.turnedPoints(
                from: max(0, rest), isForward: true, visibleWidthPoints: visible)
            #expect(turned >= min(max(0, rest), end) && turned <= end)
            guard let scroll = strip.scroll(at: turned) else {
                #expect(items.isEmpty)
                continue
            }
            let again = StripGeometry(content, kind: kind, scroll: scroll).offsetPoints
            #expect(abs(again - turned) < 1e-6)
        }
    }

    @Test func numbersFromOutside() {
        var kind = Kind("k")
        kind.isStrip = true
        kind.page = .width
        let content = Row.Content(kind: "k", items: [Item("a", kind: "x"), Item("b")])
        for number in [Double.nan, .infinity, -.infinity, -5, 0, 1e300] {
            kind.spacingPoints = number
            kind.itemKinds["x"] = ItemKind()
            kind.itemKinds["x"]?.width = .points(number)
            kind.itemKinds["x"]?.heightPoints = number
            let strip = StripGeometry(content, kind: kind, rowHeightPoints: number)
            #expect(strip.contentWidthPoints.isFinite)
            for item in strip.items {
                #expect(item.x.isFinite && item.y.isFinite && item.widthPoints >= 0)
                #expect(item.heightPoints >= 0)
            }
            for page in Kind.Page.allCases {
                kind.page = page
                let strip = StripGeometry(content, kind: kind)
                #expect(strip.restPoints(at: number, visibleWidthPoints: number).isFinite)
                for isForward in [true, false] {
                    let turned = strip.turnedPoints(
                        from: number, isForward: isForward, visibleWidthPoints: number)
                    #expect(turned.isFinite)
                }
                #expect(strip.scroll(at: number)?.fraction.isFinite == true)
            }
        }
    }
}

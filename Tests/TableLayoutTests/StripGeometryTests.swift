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
        #expect(strip.items.map(\.x) == [0, 64, 64 + 57.956 + 8])
        #expect(strip.items[0].widthPoints == 56)
        #expect(abs(strip.items[1].widthPoints - 57.956) < 1e-9)
        let last = strip.items[2]
        #expect(strip.contentWidthPoints == last.x + last.widthPoints)
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

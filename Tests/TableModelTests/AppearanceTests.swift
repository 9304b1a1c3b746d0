import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// Looks of rows in their states (F12).
struct AppearanceTests {
    private static let kind: Kind = {
        var kind = Kind("k")
        kind.states = [.collapsed, .named("half", heightPoints: 90), .expanded]
        kind.appearances = [
            .collapsed: .init(background: "silver"),
            .named("half"): .init(alpha: 0.25, tint: "navy"),
            .expanded: .init(background: "#fff8"),
        ]
        return kind
    }()

    /// By hand. What a state does not say is the viewer's own; alpha is 0 of a collapsed row and 1
    /// in every other state; a height of a row's own is as `expanded`; a state of a row's own, of which
    /// its kind says nothing, has nothing.
    private static let looks: [(Expansion, String?, Double, String?)] = [
        (.collapsed, "silver", 0, nil), (.named("half"), nil, 0.25, "navy"),
        (.expanded, "#fff8", 1, nil), (.height(77), "#fff8", 1, nil), (.named("own"), nil, 1, nil),
    ]

    @Test(arguments: looks)
    func resolved(_ state: Expansion, _ background: String?, _ alpha: Double, _ tint: String?) {
        let found = Self.kind.appearance(in: state)
        #expect(found.background == background && found.tint == tint)
        #expect(found.alpha(in: state) == alpha)
    }

    /// The digest of a kind with none is what it always was; one that says nothing is none.
    @Test func absentIsWhatItWas() throws {
        #expect(Kind(.plainKind).hash.lowerHex == "561a9447a7952773")
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        var kind = Kind("k")
        for appearances in [[:], [.expanded: .init()]] as [[Expansion: Kind.Appearance]] {
            kind.appearances = appearances
            let plan = try reduce(
                Command(.define(.init(kinds: [kind]))), on: table, limits: Limits(), nowMs: 1
            )
            .get()
            _ = table.apply(plan, cause: Cause(verb: "define"))
            #expect(table.kinds["k"]?.hash == Kind("k").hash && table.revision == 1)
        }
    }

    /// The canonical form: behind all the rest come the length 10 and `appearance`, 1, the length 8
    /// and `expanded`, 0 (no background), 1 and 0.5 as a double, 1 and the length 3 and `red`.
    @Test func canonicalForm() {
        var kind = Kind("k")
        let plain = kind.byteCount
        kind.appearances[.expanded] = .init(alpha: 0.5, tint: "red")
        #expect(kind.byteCount == plain + 18 + 8 + 16 + 8 + 16 + 19)
    }

    /// A definition that names only the appearances leaves the rest, and the other way round (F9).
    @Test func partOfADefinition() throws {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        var first = Self.kind
        first.heightPoints = 44
        var second = Kind("k")
        second.appearances = [.expanded: .init(tint: "red")]
        var third = Kind("k")
        third.heightPoints = 50
        for (kind, named) in [
            (first, nil), (second, Kind.Named(.appearance)), (third, Kind.Named(.height)),
        ] {
            var definitions = Command.Definitions(kinds: [kind])
            definitions.partial[kind.id] = named
            let plan = try reduce(
                Command(.define(definitions)), on: table, limits: Limits(), nowMs: 1
            ).get()
            _ = table.apply(plan, cause: Cause(verb: "define"))
        }
        let kind = try #require(table.kinds["k"])
        #expect(kind.appearances == [.expanded: .init(tint: "red")])
        #expect(kind.heightPoints == 50 && kind.states == Self.kind.states)
    }
}

import TableLayout
import TableDecisions
import TableModel
import Testing

/// Heights of rows with states of their own (F11).
struct OwnStatesTests {
    private static let kind: Kind = {
        var kind = Kind("card")
        kind.heightPoints = 60
        kind.states = [.collapsed, .named("low", heightPoints: 100), .expanded]
        return kind
    }()

    /// By hand: the row says 30 where its kind says 100; what it does not have is as high as a
    /// collapsed row, 60; a height of its own is that.
    @Test func theRowsOwnHeightCounts() {
        let content = Row.Content(
            kind: "card",
            states: [.named("low", heightPoints: 30), .named("top", heightPoints: 45.5)])
        for (state, height) in [
            (Expansion.named("low"), 30.0), (.named("top"), 45.5), (.named("none"), 60),
            (.collapsed, 60), (.height(77), 77),
        ] {
            let found = RowHeights.height(
                of: content, kind: Self.kind, expansion: state, widthPoints: 320, metrics: .point)
            #expect(found == height, "\(state)")
        }
        let plain = RowHeights.height(
            of: Row.Content(kind: "card"), kind: Self.kind, expansion: .named("low"),
            widthPoints: 320, metrics: .point)
        #expect(plain == 100)
    }

    /// An index that follows the diffs has the heights of one that is made anew.
    @Test func anIndexFollows() throws {
        let table = Table(name: "t", history: ID128(high: 0, low: 1))
        let index = LayoutIndex(table, widthPoints: 320, metrics: .point)
        let own: [Kind.State] = [.named("low", heightPoints: 30), .collapsed]
        let verbs: [Command.Verb] = [
            .define(.init(kinds: [Self.kind])),
            .add(.init(id: "a", .init(kind: "card"), startingIn: .named("low"))),
            .add(.init(id: "b", .init(kind: "card", states: own), startingIn: .named("low"))),
            .set("a", .init(states: own)), .set("b", .init(states: [])),
            .set("b", .init(states: [.named("low", heightPoints: 31)])), .expandAll(false),
            .set("a", .init(states: [.named("top", heightPoints: 45)])),
            .undo(revision: 1, mine: false),
        ]
        var heights: [Double] = []
        for verb in verbs {
            let plan = try? reduce(Command(verb), on: table, limits: Limits(), nowMs: 1).get()
            guard let plan, let diff = table.apply(plan, cause: Cause(verb: "test")) else {
                continue
            }
            index.apply(diff, table)
            let fresh = LayoutIndex(table, widthPoints: 320, metrics: .point)
            #expect(index.contentHeightPoints == fresh.contentHeightPoints)
            heights.append(index.contentHeightPoints)
        }
        // a 100; b 30; a 30; b 100; b 31; then a collapses to 60 and b, which cannot, stays.
        #expect(heights == [0, 100, 130, 60, 130, 61, 91, 76])
    }
}

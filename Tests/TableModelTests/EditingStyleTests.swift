import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// Controls in edit mode (F10).
struct EditingStyleTests {
    /// By hand: `canDelete: false` takes the minus and nothing else.
    private static let all: [(Kind.EditingStyle, canDelete: Bool, shown: Kind.EditingStyle)] = [
        (.delete, true, .delete), (.delete, false, .none), (.insert, true, .insert),
        (.insert, false, .insert), (.none, true, .none), (.none, false, .none),
    ]

    /// A grip is on what moves.
    @Test(arguments: all)
    func controls(
        _ style: Kind.EditingStyle, _ canDelete: Bool, _ control: Kind.EditingStyle
    ) {
        var kind = Kind("k")
        #expect(kind.editingStyle == .delete && kind.editControl == .delete && kind.hasGrip)
        (kind.editingStyle, kind.canDelete) = (style, canDelete)
        #expect(kind.editControl == control)
        for (canMove, isPinned) in [(true, true), (false, false), (false, true)] {
            (kind.canMove, kind.isPinned) = (canMove, isPinned)
            #expect(!kind.hasGrip)
        }
    }

    /// The canonical form: behind all the rest the length 14 as 8 bytes, and `editing insert`. With
    /// `delete` it is what it always was.
    @Test func canonicalForm() {
        var kind = Kind("k")
        let plain = kind.byteCount
        kind.editingStyle = .insert
        #expect(kind.byteCount == plain + 8 + 14)
        kind.editingStyle = .none
        #expect(kind.byteCount == plain + 8 + 12)
        kind.editingStyle = .delete
        #expect(kind == Kind("k") && kind.hash == Kind("k").hash)
    }

    /// A style is about controls: the verbs ask nobody for it.
    @Test(arguments: Kind.EditingStyle.allCases)
    func removalsAreFree(_ style: Kind.EditingStyle) throws {
        var kind = Kind("k")
        kind.editingStyle = style
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        for verb in [
            Command.Verb.define(.init(kinds: [kind])),
            .add(.init(id: "r", .init(kind: "k", title: "A row"))), .edit(true), .remove(["r"]),
            .add(.init(id: "s", .init(kind: "k", title: "Another"))),
        ] {
            let plan = try reduce(Command(verb), on: table, limits: Limits(), nowMs: 1).get()
            _ = table.apply(plan, cause: Cause(verb: "test"))
        }
        #expect(table.row("r") == nil && table.row("s") != nil)
        #expect(table.kinds["k"]?.editingStyle == style)
    }

    /// A definition that names only the style leaves the rest, and the other way round (F9).
    @Test func partOfADefinition() {
        var first = Kind("k")
        (first.editingStyle, first.heightPoints) = (.insert, 44)
        var second = Kind("k")
        (second.editingStyle, second.heightPoints) = (.none, 50)
        let style = first.taking(.init(.editingStyle), of: second)
        #expect(style.editingStyle == .none && style.heightPoints == 44)
        let height = first.taking(.init(.height), of: second)
        #expect(height.editingStyle == .insert && height.heightPoints == 50)
    }
}

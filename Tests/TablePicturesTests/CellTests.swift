import TableDecisions
import TableModel
import TablePictures
import Testing

/// Cells of a strip in pictures (F13).
struct CellTests {
    private static func svg(_ change: (inout ItemKind) -> Void) throws -> String {
        var strip = Kind("courses")
        strip.isStrip = true
        strip.heightPoints = 132
        var dish = ItemKind()
        change(&dish)
        strip.itemKinds["dish"] = dish
        let fields = [Row.Field("note", "no butter"), .init("qty", "12"), .init("zone", "east")]
        let items = [Item("sole", title: "Sole", kind: "dish", fields: fields), Item("tea")]
        let row = Row.Content(kind: "courses", title: "Table 7", items: items)
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        for verb in [Command.Verb.define(.init(kinds: [strip])), .add(.init(id: "a", row))] {
            let plan = try reduce(Command(verb), on: table, limits: Limits(), nowMs: 1).get()
            _ = table.apply(plan, cause: Cause(verb: "test"))
        }
        return TablePicture().svg(of: table)
    }

    @Test func whatACellShows() throws {
        let all = try Self.svg { $0.width = .points(300) }
        #expect(all.contains("Sole") && all.contains(">no butter · 12 · east<"))
        let some = try Self.svg {
            ($0.width, $0.fields, $0.badge) = (.points(150), ["note"], "qty")
        }
        #expect(some.contains(">no butter<") && some.contains(">12<") && !some.contains("east"))
        let none = try Self.svg { ($0.width, $0.fields) = (.points(150), []) }
        #expect(none.contains("Sole") && !none.contains("butter") && !none.contains(">12<"))
    }

    /// The room is 32 to 124 (132 - 8): 92 points. A lower cell stands in its middle.
    @Test func sizes() throws {
        let cell = { (y: Int, height: Int) in
            #"y="\#(y)" width="150" height="\#(height)""#
        }
        let low = try Self.svg { ($0.width, $0.heightPoints) = (.points(150), 40) }
        #expect(low.contains(cell(58, 40)), "\(low)")
        let high = try Self.svg { ($0.width, $0.heightPoints) = (.points(150), 400) }
        #expect(high.contains(cell(32, 92)), "\(high)")
        // The item without a kind is as high as the room.
        #expect(low.contains(#"y="32" width="56" height="92""#))
    }
}

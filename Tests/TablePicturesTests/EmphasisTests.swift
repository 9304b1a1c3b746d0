import Foundation
import TableFiles
import TableLayout
import TableModel
import TablePictures
import Testing

/// A picture has an emphasised text to its last letter, whatever the row's state and width.
struct EmphasisTests {
    private static let words = [
        "ALLERGY:", "dairy", "nuts", "寿司", "Donaudampfschiff", "é", "-", "gluten,", "WITHOUT",
        "soy\tcelery\tfish", "\u{200F}",
    ]

    private struct Random: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &*= 6_364_136_223_846_793_005
            state &+= 1_442_695_040_888_963_407
            return (state >> 33) ^ (state << 31)
        }
        mutating func pick<T>(_ all: [T]) -> T { all[Int.random(in: 0..<all.count, using: &self)] }
    }

    /// The texts of a picture that are drawn in this colour, one after the other, without blanks.
    private static func texts(_ svg: String, fill: String) -> String {
        svg.split(separator: "\n").filter { $0.contains("<text") && $0.contains(fill) }
            .map { line in
                let start =
                    line.firstIndex(of: ">").map { line.index(after: $0) } ?? line.startIndex
                return line[start...].prefix { $0 != "<" }
            }.joined().letters
    }

    @Test func everyLetterIsThere() throws {
        var random = Random(state: 7)
        for round in 0..<300 {
            let kinds = try Boards.kinds(
                """
                kinds:
                  ticket:
                    height: \(random.pick([20, 40, 76, 120]))
                    margins: {text: \(random.pick([0, 16, 40]))}
                    states: [collapsed, {name: summary, height: \(random.pick([20, 140]))}, expanded]
                    ages: {late: 60}
                    appearance: {collapsed: {alpha: 0}, summary: {alpha: 0.2, tint: "#cccccc"}}
                    leading: {actions: [{id: a, title: Recall}]}
                    trailing: {actions: [{id: b, title: Bump}, {id: c, title: Page the server}]}
                    show: {line: ["t {table}"], hide: [note], badge: "{table}", wrap: \(random.pick([1, 3]))}
                    emphasis:
                      - {when: 'field.note ~ "A"', field: note, background: "#b00020", color: "#fffffe", icon: warning}
                      - {when: 'field.rush == "yes"', row: true, background: "#fff3cd"}
                """)
            func text() -> String {
                (0...Int.random(in: 0..<7, using: &random)).map { _ in random.pick(Self.words) }
                    .joined(separator: " ")
            }
            let note = "A " + text()
            var fields = [Row.Field("note", note), Row.Field("table", "12")]
            let isRush = random.pick([true, false])
            if isRush { fields.append(Row.Field("rush", "yes")) }
            let row = Boards.row(
                "r", "T " + text(), fields: fields,
                expansion: random.pick([.collapsed, .named("summary"), .expanded, .height(30)]),
                swipe: random.pick([nil, nil, .leading, .trailing]),
                performed: random.pick([
                    [], [Performance("b", .pending(InvocationID(revision: 3, index: 0)))],
                ]))
            let table = try Boards.table(kinds, [("grill", "Grill", [row])])
            if random.pick([true, false, false]) {
                _ = table.apply(Plan([.edit(true)]), cause: Cause(verb: "test"))
            }
            let width = random.pick([100.0, 160, 320, 390, 900])
            let svg = TablePicture(widthPoints: width, nowMs: 1_000_000).svg(of: table)
            let found = Self.texts(svg, fill: "fill=\"#fffffe\"")
            #expect(found == note.shown.letters, "\(round): \(width) \(row.expansion)")
            if isRush {
                let title = row.content.title.shown.letters
                #expect(Self.texts(svg, fill: "fill=\"").contains(title), "\(round): \(width)")
                #expect(svg.contains("fill=\"#fff3cd\""))
            }
        }
    }

    /// The look of a row that sleeps is pale, but not what must be read.
    @Test func whatStandsOutIsNotPale() throws {
        let kinds = try Boards.kinds(
            """
            kinds:
              ticket:
                emphasis:
                  - {when: "field.note != none", field: note, background: "#b00020"}
                  - {when: 'field.rush == "yes"', row: true, background: "#fff3cd"}
            """)
        func svg(_ field: Row.Field) throws -> [Substring] {
            let row = Row(
                id: "r", content: Row.Content(kind: "ticket", title: "Soup", fields: [field]),
                sleep: Row.Sleep(untilMs: 2_000_000))
            let table = try Boards.table(kinds, [("grill", "Grill", [row])])
            return TablePicture(nowMs: 1_000_000).svg(of: table).split(separator: "\n")
        }
        /// How many pale groups are open where the text is drawn.
        func paleness(of text: String, _ lines: [Substring]) throws -> Int {
            let at = try #require(lines.firstIndex { $0.contains(">\(text)</text>") })
            var open: [Bool] = []
            for line in lines[..<at] {
                if line.hasPrefix("<g") { open.append(line.contains(" opacity=")) }
                if line == "</g>" { open.removeLast() }
            }
            return open.count { $0 }
        }
        let note = try svg(Row.Field("note", "NUTS"))
        #expect(try paleness(of: "Soup", note) == 1)
        #expect(try paleness(of: "NUTS", note) == 0)
        #expect(note.count { $0.contains("NUTS") } == 1)
        #expect(try paleness(of: "Soup", try svg(Row.Field("rush", "yes"))) == 0)
    }
}

extension String {
    /// Without blanks and tabs, which are in neither line where a text is wrapped.
    fileprivate var letters: String {
        replacingOccurrences(of: "\\t", with: "").filter { $0 != " " }
    }
}

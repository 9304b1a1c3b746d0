import Foundation
import TableLayout
import TableModel
import Testing

@testable import TablePictures

/// The pills of a row lie on no text that must be read.
struct PillTests {
    private static let words = [
        "1 x", "Risotto", "no", "mushrooms", "and", "extra", "parmesan", "fries",
    ]

    /// The value of an attribute of an SVG element.
    private static func number(_ name: String, _ line: Substring) -> Double? {
        guard let start = line.range(of: " \(name)=\"")?.upperBound else { return nil }
        return Double(line[start...].prefix { $0 != "\"" })
    }

    @Test(arguments: [true, false]) func coverNothing(isTitled: Bool) throws {
        let kinds = try Boards.kinds(
            """
            kinds:
              ticket:
                height: 60
                layout: \(isTitled ? "auto" : "manual")
                show: {line: []}
                trailing: {actions: [{id: page, title: Page the server of this table}]}
                emphasis:
                  - {when: 'field.rush == "yes"', row: true, background: "#b00020", color: "#fffffe", icon: warning}
                  - {when: "field.note != none", field: note, background: "#b00021", color: "#fffffd"}
            """)
        var pills = 0
        for count in 1...60 {
            let text = (0..<count % 8 + 1).map { Self.words[($0 * 5 + count * 3) % 8] }
                .joined(separator: " ")
            let fields = isTitled ? [Row.Field("rush", "yes")] : [Row.Field("note", text)]
            let row = Boards.row(
                "r", isTitled ? text : "", fields: fields,
                performed: [Performance("page", .failed(""))])
            let table = try Boards.table(kinds, [("grill", "Grill", [row])])
            let width = 240 + Double(count) * 5
            let svg = TablePicture(widthPoints: width, nowMs: 1_000_000).svg(of: table)
            let lines = svg.split(separator: "\n")
            let ink = isTitled ? "#fffffe" : "#fffffd"
            let title = try #require(
                lines.first { $0.hasPrefix("<text") && $0.contains("fill=\"\(ink)\"") })
            let (x, size) = (
                try #require(Self.number("x", title)),
                try #require(Self.number("font-size", title))
            )
            let shown = title.drop { $0 != ">" }.dropFirst().prefix { $0 != "<" }
            let words = try #require(Words(String(shown), .title, room: .greatestFiniteMagnitude))
            let end = x + words.width * size / words.type.sizePoints
            for pill in lines where pill.hasPrefix("<rect") && pill.contains("rx=\"10\"") {
                pills += 1
                #expect(try #require(Self.number("x", pill)) >= end, "\(width): \(shown)")
            }
        }
        #expect(pills >= 10)
    }
}

import Foundation
import TableLayout
import TableModel
import TablePictures
import Testing

/// Texts in a table must neither break a picture nor become part of its markup.
struct HostileTests {
    static let texts = [
        "]]>", "</svg><script>alert(1)</script>", "\" onload=\"alert(1)", "<!--", "-->",
        "<![CDATA[",
        "&amp;&#0;&bogus;", "a\u{0}b\u{1B}[31m", "\u{202E}gnp.exe\u{2066}",
        "\u{FFFE}\u{FFFF}\u{85}",
        String(repeating: "W", count: 4_096), String(repeating: " ", count: 4_096),
        "e" + String(repeating: "\u{301}", count: 2_000),
        String(repeating: "\u{200B}", count: 1_300),
        String(repeating: "👩‍👩‍👧‍👦", count: 160), "line\nline\r\nline\tend",
        "\u{1F1E6}\u{1F1E6}\u{1F1E6}",
        "", "مرحبا بالعالم", "\u{E0001}\u{E007F}", "'><img src=x onerror=alert(1)>",
    ]

    /// Text everywhere that text can stand.
    private func table(_ text: String, expansion: Expansion, style: Look.Style) throws -> Table {
        var group = ActionGroup(look: Look())
        group.look.style = style
        for number in 0..<16 {
            var action = Action(ID("\(text)\(number)"))
            action.title = text
            action.icon = number % 2 == 0 ? text : nil
            (action.background, action.foreground) = (text, text)
            var face = Face(.vertical([Face(.icon(text)), Face(.text(text))]))
            (face.color, face.weight, face.align) = (text, text, text)
            action.face = number % 3 == 0 ? face : nil
            group.actions.append(action)
        }
        var kind = Kind("ticket")
        (kind.leading, kind.trailing) = (group, group)
        let performed = [Performance(ID(text), .failed(text)), Performance("x", .done)]
        let fields = [Row.Field(ID(text), text), Row.Field("k", text)]
        let row = Boards.row(
            ID(text + "r"), text, fields: fields, expansion: expansion, swipe: .trailing,
            performed: performed)
        let other = Boards.row("", text, fields: fields, performed: performed)
        return try Boards.table([kind], [(ID(text), text, [row, other])])
    }

    @Test(arguments: texts)
    func staysText(_ text: String) throws {
        for style in Look.Style.allCases {
            for expansion in [Expansion.collapsed, .expanded, .height(1e6), .named("no")] {
                let table = try self.table(text, expansion: expansion, style: style)
                for width in style == .standard ? [1, 44.5, 100_000] : [390] {
                    check(TablePicture(widthPoints: width).svg(of: table))
                }
            }
        }
        check(TablePicture().html(of: try table(text, expansion: .collapsed, style: .circular)))
    }

    private func check(_ xml: String) {
        let document = Document(xml)
        #expect(document.elements["script"] == nil && document.elements["img"] == nil)
        #expect(!document.attributes.keys.contains { $0.contains(".on") })
        // Letters are as their font has them, of some size.
        #expect(document.attributes["text.textLength"] == nil)
        #expect(
            document.attributes["text.font-size"]?.contains { Double($0) ?? -1 <= 0 } != true)
        let dangerous = xml.unicodeScalars.contains {
            switch $0.value {
            case 0x0A: return false
            case ..<0x20, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069,
                0xFFFE...0xFFFF:
                return true
            default: return false
            }
        }
        #expect(!dangerous)
        #expect(xml.utf8.count < 2_000_000)
    }

    @Test func spelledOutAsEverywhere() throws {
        let table = try Boards.table([
            ("a", "", [Boards.row("t", "a\u{1B}[31m\u{202E}b\n]]>", kind: "row", fields: [])])
        ])
        let texts = Document(TablePicture().svg(of: table)).texts
        #expect(texts.contains("a\\u001b[31m\\u202eb\\n]]>"))
    }

    @Test func marksAreFew() throws {
        let zalgo = "e" + String(repeating: "\u{301}", count: 2_000)
        let table = try Boards.table([("a", "", [Boards.row("t", zalgo, kind: "row", fields: [])])])
        let found = Document(TablePicture().svg(of: table)).texts.first { $0.hasPrefix("e") }
        #expect(found == nil)
        let longest = Document(TablePicture().svg(of: table)).texts
            .map(\.unicodeScalars.count).max()
        #expect((longest ?? 0) < 40)
    }

    /// Numbers of every kind, which a definition from elsewhere may bring.
    @Test func anyGeometry() throws {
        let numbers = [0, -1, 1e-9, 0.5, 74, 1e6, 1e300, .infinity, -.infinity, .nan]
        for number in numbers {
            var group = ActionGroup(look: Look())
            group.look.width = .points(number)
            group.look.spacingPoints = number
            group.look.insets = Look.Insets(top: number, left: 1, bottom: number, right: number)
            for (index, style) in Look.Style.allCases.enumerated() {
                var action = Action(ID("a\(index)"))
                action.title = "Title of it"
                action.icon = "bell"
                action.look.style = style
                var face = Face(.vertical([Face(.icon("bell")), Face(.text("text"))]))
                (face.sizePoints, face.spacingPoints) = (number, number)
                action.face = face
                group.actions.append(action)
            }
            for isCompatible in [false, true] {
                group.isCompatible = isCompatible
                var kind = Kind("ticket")
                kind.heightPoints = number
                kind.margins = Kind.Margins(text: number, bottom: number)
                (kind.leading, kind.trailing) = (group, group)
                let rows =
                    [Edge.leading, .trailing].map {
                        Boards.row(ID($0.rawValue), "Title", expansion: .height(number), swipe: $0)
                    } + [Boards.row("e", "Title", expansion: .expanded), Boards.row("c", "Title")]
                let table = try Boards.table([kind], [("a", "", rows)])
                for width in [number, 320] {
                    let svg = TablePicture(widthPoints: width, mostRows: 10).svg(of: table)
                    _ = Document(svg)
                    #expect(!svg.contains("nan") && !svg.contains("inf"))
                }
            }
        }
    }

    @Test func aHundredOpenRowsWithGreatFaces() throws {
        let part = Face(.icon("flame"))
        var action = Action("a")
        action.face = Face(.vertical(Array(repeating: part, count: 5_000)))
        var kind = Kind("ticket")
        kind.trailing = ActionGroup(look: Look(), actions: [action])
        kind.trailing?.look.style = .custom
        let rows = (0..<100).map { Boards.row(ID("t\($0)"), "Row", swipe: .trailing) }
        let svg = TablePicture().svg(of: try Boards.table([kind], [("a", "", rows)]))
        #expect(svg.utf8.count < 4_000_000)
        _ = Document(svg)
    }

    @Test func aThousandRowsAtMost() throws {
        let rows = (0..<2_500).map { Boards.row(ID("t\($0)"), "Row", kind: "row") }
        let svg = TablePicture().svg(of: try Boards.table([("a", "", rows)]))
        #expect(Document(svg).texts.last == "… and 1500 more rows")
        #expect(svg.utf8.count < 1_000_000)
    }
}

import Foundation
import SeededNumbers
import TableLayout
import TableModel
import TableTerminal
import Testing

struct PainterTests {
    /// Takes out the painter's own sequences; the rest must have nothing that a terminal would act
    /// upon.
    private static func isHarmless(_ bytes: [UInt8]) -> Bool {
        var text = String.UnicodeScalarView()
        var at = 0
        while at < bytes.count {
            if bytes[at] == 0x1B {
                // Ours are `ESC [ ? digits ; letter`, and no others.
                guard at + 1 < bytes.count, bytes[at + 1] == UInt8(ascii: "[") else { return false }
                at += 2
                if at < bytes.count, bytes[at] == UInt8(ascii: "?") {
                    guard bytes[at...].starts(with: "?2026".utf8) else { return false }
                    at += 1
                }
                while at < bytes.count, 0x30...0x3B ~= bytes[at] { at += 1 }
                guard at < bytes.count, "HmJhl".utf8.contains(bytes[at]) else { return false }
                at += 1
                continue
            }
            let start = at
            while at < bytes.count, bytes[at] != 0x1B { at += 1 }
            let part = String(decoding: bytes[start..<at], as: UTF8.self)
            text.append(contentsOf: part.unicodeScalars)
        }
        return !text.contains { $0.isDangerous }
    }

    private static let nasty: [String] = [
        "\u{1B}", "\u{1B}[2J", "\u{1B}]0;x\u{7}", "\u{9B}31m", "\u{202E}", "\u{2066}", "\u{200F}",
        "\u{61C}", "\u{0}", "\r", "\n", "\t", "\u{8}", "\u{85}", "\u{FEFF}", "\u{200D}", "\u{301}",
        "\u{FE0F}", "❤️", "👨‍👩‍👧", "寿司", "e\u{301}", "a", " ", "…", "\u{E0041}", "\u{200B}",
        "\u{FFFF}", "🇩🇪", "한", "\u{1160}", "\u{34F}", "\u{2028}", "\u{7F}", "\u{90}q",
    ]

    private static func title(_ random: inout SplitMix64) -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            if Bool.random(using: &random) {
                text += nasty.randomElement(using: &random) ?? ""
            } else if let scalar = Unicode.Scalar(
                UInt32.random(in: 0...0x2FFFF, using: &random))
            {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// `TITLES=1000000` for the full size.
    @Test func hostileTitlesNeverReachTheTerminal() throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["TITLES"].flatMap { Int($0) } ?? 8_000
        var random = SplitMix64(seed: 7)
        var painter = Painter(depth: .all)
        let perBoard = 20
        var done = 0
        while done < count {
            let table = Table(
                restoring: "board", history: ID128(high: 1, low: 2), revision: 7,
                kinds: [Kind(.plainKind)], settings: Settings())
            try table.appendSection(ID("s\(Self.title(&random))"), title: Self.title(&random))
            let section = try #require(table.sections.first).id
            for number in 0..<perBoard {
                let content = Row.Content(
                    title: Self.title(&random),
                    fields: [Row.Field(ID(Self.title(&random)), Self.title(&random))])
                let isOpen = number % 3 == 0
                let performed =
                    number % 5 == 0
                    ? [Performance(ID(Self.title(&random)), .failed(Self.title(&random)))] : []
                try table.appendRow(
                    Row(
                        id: ID("\(number)|\(Self.title(&random))"), content: content,
                        expansion: isOpen ? .expanded : .collapsed, performed: performed),
                    to: section)
            }
            let stage = Stage(table, width: Int.random(in: 16...90, using: &random), height: 100)
            let screen = stage.board.draw()
            let bytes = painter.bytes(for: screen)
            guard Self.isHarmless(bytes) else {
                Issue.record("after \(done) titles: \(String(reflecting: screen.text))")
                return
            }
            for line in 0..<screen.height {
                let columns = screen[line].reduce(0) { $0 + Int($1.width) }
                #expect(columns == screen.width)
            }
            done += perBoard
        }
    }

    @Test func tenThousandMarksAreCut() throws {
        var screen = Screen(width: 10, height: 1)
        screen.put("e" + String(repeating: "\u{301}", count: 10_000) + "x", x: 0, y: 0)
        #expect(screen.text.unicodeScalars.count < 20)
        #expect(screen.text.hasSuffix("x\n"))
    }

    @Test func onlyWhatChanged() {
        var painter = Painter(depth: .all)
        var screen = Screen(width: 40, height: 10)
        screen.put("Hello 寿司", x: 2, y: 3)
        #expect(painter.bytes(for: screen).count > 100)
        #expect(painter.bytes(for: screen).isEmpty)
        screen.put("J", x: 2, y: 3)
        let bytes = painter.bytes(for: screen)
        #expect(String(decoding: bytes, as: UTF8.self).contains("\u{1B}[4;3H\u{1B}[0mJ"))
        #expect(bytes.count < 40)
        // Half of a wide character is none.
        screen.put("x", x: 9, y: 3)
        let text = String(decoding: painter.bytes(for: screen), as: UTF8.self)
        #expect(text.contains("x") && !text.contains("寿"))
        #expect(screen.text.contains("Jello  x司"))
    }

    @Test func colours() {
        func bytes(_ depth: ColorDepth) -> String {
            var painter = Painter(depth: depth)
            var screen = Screen(width: 1, height: 1)
            screen.put("x", x: 0, y: 0, Style(Color("#ff0000"), on: Color("#0000ee"), .block))
            return String(decoding: painter.bytes(for: screen), as: UTF8.self)
        }
        #expect(bytes(.all).contains("\u{1B}[0;38;2;255;0;0;48;2;0;0;238mx"))
        #expect(bytes(.many).contains("\u{1B}[0;38;5;196;48;5;21mx"))
        #expect(bytes(.sixteen).contains("\u{1B}[0;91;44mx"))
        #expect(bytes(.none).contains("\u{1B}[0;7mx"))
    }
}

struct InputTests {
    private func read(_ text: String) -> [Input] {
        var reader = InputReader()
        return reader.feed(Array(text.utf8)) + reader.flush()
    }

    @Test func keys() {
        #expect(
            read("j\r\t\u{7F}\u{3}é寿\u{1B}[A\u{1B}OB\u{1B}[5~\u{1B}[Z\u{1B}[1;2C\u{1B}[15~\u{1B}")
                == [
                    .character("j"), .enter, .tab, .backspace, .control("c"), .character("é"),
                    .character("寿"), .up, .down, .pageUp, .backTab, .right, .function(5), .escape,
                ].map { Input.key($0) })
    }

    @Test func mouse() {
        #expect(
            read(
                "\u{1B}[<0;10;20M\u{1B}[<32;11;20M\u{1B}[<0;300;20m\u{1B}[<64;1;1M"
                    + "\u{1B}[<0;0;1M")
                == [
                    .mouse(Mouse(.press, x: 9, y: 19)), .mouse(Mouse(.drag, x: 10, y: 19)),
                    .mouse(Mouse(.release, x: 299, y: 19)), .mouse(Mouse(.wheelUp, x: 0, y: 0)),
                ])
    }

    @Test func pasteIsNoKeys() {
        #expect(
            read("a\u{1B}[200~q\u{1B}[A\rz\u{1B}[201~b")
                == [
                    .key(.character("a")), .paste("q\u{1B}[A\rz"), .key(.character("b")),
                ])
    }

    /// Bytes one by one give the same as all at once, and nothing traps.
    @Test func anyBytes() {
        var random = SplitMix64(seed: 3)
        let parts = [
            "\u{1B}", "[", "<", "0;1;1M", "200~", "201~", "O", "A", "~", "é", "9999999999",
        ]
        for _ in 0..<20_000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                if Bool.random(using: &random) {
                    bytes += Array((parts.randomElement(using: &random) ?? "").utf8)
                } else {
                    bytes.append(UInt8.random(in: 0...255, using: &random))
                }
            }
            var (whole, single) = (InputReader(), InputReader())
            let all = whole.feed(bytes) + whole.flush()
            let each = bytes.flatMap { single.feed([$0]) } + single.flush()
            #expect(all == each, "\(bytes)")
        }
    }
}

struct KeymapTests {
    @Test func everyKeyHasOneMeaning() {
        var seen: [Key: TableTerminal.Operation] = [:]
        for operation in TableTerminal.Operation.allCases {
            #expect(!operation.defaultKeys.isEmpty)
            for key in operation.defaultKeys {
                #expect(seen[key] == nil, "\(key.name)")
                seen[key] = operation
                #expect(Key(key.name) == key)
            }
        }
    }

    @Test func rebinding() throws {
        let map = try Keymap([(.down, ["n", "ctrl-n"]), (.quit, ["x"])])
        #expect(map[.character("n")] == .down)
        #expect(map[.control("n")] == .down)
        #expect(map[.character("j")] == nil)
        #expect(map[.character("x")] == .quit)
        #expect(map.keys(of: .find).isEmpty, "its key was taken")
        #expect(throws: Keymap.Problem.noSuchKey("meta-x")) { try Keymap([(.down, ["meta-x"])]) }
        #expect(throws: Keymap.Problem.digit("1")) { try Keymap([(.down, ["1"])]) }
        #expect(throws: Keymap.Problem.taken("x", by: .up)) {
            try Keymap([(.up, ["x"]), (.down, ["x"])])
        }
        #expect(throws: Keymap.Problem.unreachable(.quit)) { try Keymap([(.quit, [])]) }
    }

    /// The manual's table is made from the code: `REWRITE=1` writes it.
    @Test func theManualHasTheKeys() throws {
        let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("docs/VIEW.md")
        let text = try String(contentsOf: url, encoding: .utf8)
        let parts = text.components(separatedBy: "<!-- keys -->\n")
        try #require(parts.count == 3)
        let table = Keymap.standard.markdown + "\n"
        if ProcessInfo.processInfo.environment["REWRITE"] == "1" {
            try [parts[0], table, parts[2]].joined(separator: "<!-- keys -->\n")
                .write(to: url, atomically: true, encoding: .utf8)
        } else {
            #expect(parts[1] == table)
        }
    }
}

extension Keymap {
    /// The map as Markdown, for the manual: a line for each operation.
    var markdown: String {
        let lines = Operation.allCases.map { operation in
            let names = keys(of: operation).map { "`\($0.name)`" }.joined(separator: ", ")
            return
                "| `\(operation.rawValue)` | \(names) | \(Wording.english("key.\(operation.rawValue)")) |"
        }
        return (["| operation | keys | does |", "|---|---|---|"] + lines).joined(separator: "\n")
    }
}

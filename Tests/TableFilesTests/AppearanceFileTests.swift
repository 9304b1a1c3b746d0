import StrictYAML
import TableFiles
import TableModel
import Testing

/// `appearance` in a kinds file (F12).
struct AppearanceFileTests {
    private static let file = """
        kinds:
          card:
            states: [collapsed, {name: half, height: 90}, expanded]
            appearance:
              expanded: {background: "#ffeecc", alpha: 0.5, tint: navy}
              half: {alpha: 0}
        """

    @Test func readsAndWrites() throws {
        let kind = try #require(try KindsFile.parse(Self.file, name: "k").kinds.first)
        #expect(
            kind.appearances == [
                .expanded: .init(background: "#ffeecc", alpha: 0.5, tint: "navy"),
                .named("half"): .init(alpha: 0),
            ])
        let text = KindsFile.write(kinds: [kind], settings: nil)
        #expect(try KindsFile.parse(text, name: "k").kinds == [kind])
        // A kind without any is written as it was.
        #expect(!KindsFile.write(kinds: [Kind("k")], settings: nil).contains("appearance"))
    }

    @Test(arguments: [
        ("{expanded: {colour: red}}", "k.yaml:1:37: kinds.k.appearance.expanded: unknown key"),
        ("{expanded: {alpha: much}}", "k.appearance.expanded.alpha: expected a number"),
        ("{80: {tint: red}, 80.0: {tint: red}}", "stands twice"),
    ])
    func refused(_ text: String, _ part: String) {
        do throws(Fault) {
            _ = try KindsFile.parse("kinds: {k: {appearance: \(text)}}", name: "k.yaml")
            Issue.record("\(text) is read")
        } catch { #expect("\(error)".contains(part), "\(error)") }
    }

    /// Effects with templates and increments (F14).
    @Test func effects() throws {
        let text = "[{fill: {seen: '{actor}', b: x}}, {increment: {n: -2, m: 10}}]"
        let wanted: [Effect] = [
            .fill([.init("b", "x"), .init("seen", "{actor}")]),
            .increment([.init("m", by: 10), .init("n", by: -2)]),
        ]
        #expect(try KindsFile.tap(text) == wanted)
        var kind = Kind("k")
        kind.tap = wanted
        for text in [
            KindsFile.write(kinds: [kind], settings: nil),
            KindsFile.json(kinds: [kind], settings: nil),
        ] {
            #expect(try KindsFile.parse(text, name: "k").kinds == [kind])
        }
        #expect(throws: Fault.self) { try KindsFile.tap("{increment: {n: 1.5}}") }
        #expect(throws: Fault.self) { try KindsFile.tap("{increment: {n: some}}") }
        // Braces in a `set` are text, as they always were.
        #expect(try KindsFile.tap("{set: {a: '{actor'}}") == [.set([.init("a", "{actor")])])
    }

    /// A key without a value takes all of them away (F9).
    @Test func namesNothing() throws {
        let definitions = try KindsFile.parse("kinds: {k: {appearance: }}", name: "k")
        #expect(definitions.partial["k"]?.own == .appearance)
        #expect(definitions.kinds[0].appearances.isEmpty)
    }
}

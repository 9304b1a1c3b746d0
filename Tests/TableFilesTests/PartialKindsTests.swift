import TableFiles
import TableDecisions
import TableModel
import Testing

/// A kinds file changes what it names and nothing else (design rules A10, F9).
@Suite struct PartialKindsTests {
    private let table = Table(name: "t", history: ID128(high: 0, low: 1))

    private func define(_ text: String, replacing: Bool = false) throws {
        let parsed = try KindsFile.parse(text, name: "k")
        let command = Command(.define(replacing ? parsed.whole : parsed))
        let plan = try reduce(command, on: table, limits: Limits(), nowMs: 0).get()
        _ = table.apply(plan, cause: Cause(verb: "define"))
    }

    private let first = """
        kinds:
          k:
            height: 80
            margins: {text: 10, bottom: 30}
            states: [collapsed, expanded]
            ages: {warn: 3, late: 9}
            tap: {set: {seen: "yes"}}
            leading: {width: 50, actions: [{id: a, width: 40}]}
            trailing: {style: circular, spacing: 8, fullSwipe: true, actions: [{id: b}]}
        table: {swipePolicy: multiple, expandPolicy: accordionTable, style: circular, width: 66}
        """

    @Test func settingsOneByOne() throws {
        try define(first)
        try define("table: {scrollScope: shared}")
        try define("table: {width: intrinsic}")
        #expect(table.settings.swipePolicy == .multiple)
        #expect(table.settings.expandPolicy == .accordionTable)
        #expect(table.settings.scrollScope == .shared)
        #expect(table.settings.look.style == .circular)
        #expect(table.settings.look.width == .intrinsic)
        try define("table: {style: , expandPolicy: ~}")
        #expect(table.settings.look.style == nil && table.settings.expandPolicy == .independent)
        #expect(table.settings.look.width == .intrinsic)
        let revision = table.revision
        try define("table: {}")
        #expect(table.revision == revision)
    }

    /// (F1) Each value by itself; without any value, all go back.
    @Test func motionOneByOne() throws {
        try define("table: {swipePolicy: multiple, motion: {lift: 0.2, hidesLifted: false}}")
        try define("table: {motion: {drop: 1}}")
        #expect(table.settings.motion[.lift] == 0.2 && table.settings.motion[.drop] == 1)
        #expect(table.settings.motion[.hidesLifted] == 0)
        try define("table: {motion: {lift: }}")
        #expect(table.settings.motion[.lift] == 0.3 && table.settings.motion[.drop] == 1)
        try define("table: {motion: }")
        #expect(table.settings.motion == Motion() && table.settings.swipePolicy == .multiple)
    }

    /// (F6) Each face by its name; one without a value goes; a file may have nothing else.
    @Test func facesOneByOne() throws {
        try define("faces: {big: {text: A}, small: {icon: bell}}\ntable: {swipePolicy: multiple}")
        try define("faces: {small: {icon: star}}")
        #expect(table.settings.swipePolicy == .multiple)
        #expect(
            table.settings.faces == ["big": Face(.text("A")), "small": Face(.icon("star"))])
        try define(
            "kinds: {k: {leading: {gap: 9, background: red, actions: [{id: a, face: big}, "
                + "{id: b, face: {vertical: [{face: small, size: 9}, {text: x, family: Arial}]}}]}}}"
        )
        #expect(table.kinds["k"]?.leading?.actions[0].face == Face(.shared("big")))
        try define("kinds: {k: {leading: {gap: }}}")
        #expect(table.kinds["k"]?.leading?.gapPoints == nil)
        #expect(table.kinds["k"]?.leading?.background == "red")
        #expect(throws: Rejection.self) { try define("faces: {small: }") }
        try define("kinds: {k: {leading: }}\nfaces: {small: ~}")
        #expect(table.settings.faces.keys.sorted() == ["big"])
        // What is printed gives the same again.
        let text = KindsFile.write(
            kinds: Array(table.kinds.values), settings: table.settings)
        let again = try KindsFile.parse(text, name: "k")
        #expect(again.settings == table.settings)
    }

    @Test func kindsOneByOne() throws {
        try define(first)
        let before = try #require(table.kinds["k"])
        try define("kinds: {k: {leading: {width: 60}}}")
        var expected = before
        expected.leading?.look.width = .points(60)
        #expect(table.kinds["k"] == expected)
        // A group's width leaves that of an action alone (A10).
        #expect(table.kinds["k"]?.leading?.actions.first?.look.width == .points(40))
        try define("kinds: {k: {margins: {text: 5}, ages: {late: 20}, trailing: {actions: []}}}")
        expected.margins.text = 5
        expected.ages?.lateSeconds = 20
        expected.trailing?.actions = []
        #expect(table.kinds["k"] == expected)
        try define("kinds: {k: {ages: {warn: }, tap: [], leading: ~, trailing: {spacing: }}}")
        expected.ages?.warnSeconds = nil
        expected.tap = []
        expected.leading = nil
        expected.trailing?.look.spacingPoints = nil
        #expect(table.kinds["k"] == expected)
        let revision = table.revision
        try define("kinds: {k: }")
        try define("kinds: {k: {}}")
        #expect(table.kinds["k"] == expected && table.revision == revision)
    }

    /// As it was before there was merging, and as `trestle define --replace` does.
    @Test func newOnesAndReplacing() throws {
        try define(first)
        let before = try #require(table.kinds["k"])
        let settings = table.settings
        try define("kinds: {k: {height: 44}}\ntable: {swipeScope: viewer}", replacing: true)
        var plain = Kind("k")
        plain.heightPoints = 44
        #expect(table.kinds["k"] == plain)
        #expect(table.settings.swipePolicy == .exclusive)
        try define(first, replacing: true)
        #expect(table.kinds["k"] == before && table.settings == settings)
    }

    /// Definitions in parts are bounded as those that come at once.
    @Test func partsDoNotAddUpForEver() throws {
        let title = String(repeating: "x", count: 4_000)
        let actions = (0..<12).map { "{id: a\($0), title: \(title)}" }.joined(separator: ",")
        try define("kinds: {k: {leading: {actions: [\(actions)]}}}")
        let parsed = try KindsFile.parse(
            "kinds: {k: {trailing: {actions: [\(actions)]}}}", name: "k")
        let result = reduce(Command(.define(parsed)), on: table, limits: Limits(), nowMs: 0)
        guard case .failure(let rejection) = result else {
            Issue.record("accepted")
            return
        }
        #expect(rejection.code == .tooLarge && rejection.field == "define.kinds.k")
    }
}

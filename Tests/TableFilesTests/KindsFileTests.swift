import StrictYAML
import TableFiles
import TableModel
import Testing

/// The kinds file of the command line's contract. Its `leading: {…}` is an ellipsis, not a value.
let contract = """
    kinds:
      ticket:
        height: 60                     # collapsed, points
        layout: auto                   # auto | manual
        margins: {text: 20, bottom: 40}
        states: [collapsed, {name: one-line, height: 100}, {name: two-lines, height: 120}, expanded]
        initial: collapsed
        strip: false
        canMove: true
        canDelete: true
        pinned: false
        ages: {warn: 300, late: 600}   # seconds since the row was created
        tap: {set: {seen: "yes"}}      # what select does
        leading: {…}
        trailing:
          style: circular              # default | circular | custom
          width: 60                    # points, or intrinsic
          spacing: 8
          insets: [6, 0, 6, 0]         # top, left, bottom, right
          compatible: false            # true: the articles' geometry, without fixes (A13, A14)
          fullSwipe: false
          actions:
            - id: bump
              title: Bump
              role: destructive        # normal | destructive
              icon: checkmark
              background: "#d33333"
              style: custom            # any group value may be set per action
              face: {vertical: [{icon: checkmark}, {text: Bump, size: 13}]}
              hidesWhenSelected: true
              confirm: false
              effect: {remove: true}
            - id: page
              title: Page
              effect: [{set: {paged: "yes"}}, {invoke: {deadline: 30s, attempts: 3, backoff: 1m30s, else: {remove: true}}}]
    table: {swipePolicy: exclusive, swipeScope: shared, expandPolicy: independent}
    """
let contractYAML = contract.replacing("{…}", with: "{}")

/// The definitions that it means.
func contractDefinitions() -> Command.Definitions {
    var kind = Kind("ticket")
    kind.states = [
        .collapsed, .named("one-line", heightPoints: 100), .named("two-lines", heightPoints: 120),
        .expanded,
    ]
    kind.ages = Kind.Ages(warnSeconds: 300, lateSeconds: 600)
    kind.tap = [.set([Row.Field("seen", "yes")])]
    kind.leading = ActionGroup()
    var bump = Action("bump")
    bump.title = "Bump"
    bump.role = .destructive
    bump.icon = "checkmark"
    bump.background = "#d33333"
    bump.look.style = .custom
    var text = Face(.text("Bump"))
    text.sizePoints = 13
    bump.face = Face(.vertical([Face(.icon("checkmark")), text]))
    bump.effects = [.remove]
    var page = Action("page")
    page.title = "Page"
    page.effects = [
        .set([Row.Field("paged", "yes")]),
        .invoke(
            deadlineSeconds: 30, then: [],
            retries: Retries(attempts: 3, backoffSeconds: 90, otherwise: [.remove])),
    ]
    var look = Look()
    look.style = .circular
    look.width = .points(60)
    look.spacingPoints = 8
    look.insets = Look.Insets(top: 6, left: 0, bottom: 6, right: 0)
    kind.trailing = ActionGroup(look: look, actions: [bump, page])
    return Command.Definitions(kinds: [kind], settings: Settings())
}

func fault(_ text: String) -> String {
    do {
        _ = try KindsFile.parse(text, name: "k.yaml")
        return "none"
    } catch {
        return error.description
    }
}

@Suite struct KindsFileTests {
    @Test func anUnknownKeyOfTheConfigurationNamesThoseThatThereAre() {
        #expect(
            configurationFault("checkpoint: {x: 1}")
                == "trestled.yaml:1:14: checkpoint: unknown key `x` (there are after_bytes)")
        #expect(
            configurationFault("limits: {frames: 9}")
                == "trestled.yaml:1:10: limits: unknown key `frames` (there are rows, tables, sessions, replies)"
        )
    }

    @Test func theContractsExample() throws {
        #expect(try KindsFile.parse(contractYAML, name: "k.yaml").whole == contractDefinitions())
        let said = "k.yaml:14:15: kinds.ticket.leading: unknown key `…` (there are "
        #expect(fault(contract).hasPrefix(said))
    }

    @Test func roundTripsOfTheContract() throws {
        let all = contractDefinitions()
        let yaml = KindsFile.write(kinds: all.kinds, settings: all.settings)
        let json = KindsFile.json(kinds: all.kinds, settings: all.settings)
        #expect(try KindsFile.parse(yaml, name: "k").whole == all)
        #expect(try KindsFile.parse(json, name: "k").whole == all)
    }

    @Test func onlyATable() throws {
        let found = try KindsFile.parse("table: {expandPolicy: accordionTable}", name: "k")
        var settings = Settings()
        settings.expandPolicy = .accordionTable
        #expect(
            found == Command.Definitions(settings: settings, partialSettings: .expandPolicy))
        #expect(
            try KindsFile.parse("kinds: {a: , b: {}}", name: "k").kinds.map(\.id) == ["a", "b"])
    }

    @Test func jsonWithSurrogates() throws {
        let text = #"{"kinds":{"\ud83c\udf7d":{"height":6e1,"tap":{"set":{"a":"\u00e9"}}}}}"#
        let kind = try #require(KindsFile.parse(text, name: "k.json").kinds.first)
        #expect(kind.id == "🍽")
        #expect(kind.heightPoints == 60)
        #expect(kind.tap == [.set([Row.Field("a", "é")])])
    }

    /// Each line with a key of a level gets a wrong neighbour.
    @Test func unknownKeysAtEachLevel() {
        let levels = [
            ("bogus: 1", 1, ""),
            ("kinds: {a: {bogus: 1}}", 1, "kinds.a"),
            ("kinds:\n  a:\n    margins:\n      bogus: 1", 4, "kinds.a.margins"),
            ("kinds:\n  a:\n    ages: {bogus: 1}", 3, "kinds.a.ages"),
            ("kinds:\n  a:\n    states: [{bogus: 1}]", 3, "kinds.a.states[0]"),
            ("kinds:\n  a:\n    leading: {bogus: 1}", 3, "kinds.a.leading"),
            ("kinds:\n  a:\n    trailing:\n      bogus: 1", 4, "kinds.a.trailing"),
            (
                "kinds:\n  a:\n    trailing:\n      actions:\n        - id: x\n          bogus: 1",
                6,
                "kinds.a.trailing.actions[0]"
            ),
            (
                "kinds:\n  a:\n    leading: {actions: [{id: x,\n face: {bogus: 1}}]}", 4,
                "kinds.a.leading.actions[0].face"
            ),
            ("kinds:\n  a:\n    tap:\n      - bogus: 1", 4, "kinds.a.tap[0]"),
            ("kinds:\n  a:\n    tap: {move: {bogus: 1}}", 3, "kinds.a.tap.move"),
            ("kinds:\n  a:\n    tap: {invoke: {bogus: 1}}", 3, "kinds.a.tap.invoke"),
            ("table:\n  bogus: 1", 2, "table"),
        ]
        for (text, line, path) in levels {
            let said = fault(text)
            #expect(said.hasPrefix("k.yaml:\(line):"), "\(text): \(said)")
            let names = (path.isEmpty ? "" : " \(path):") + " unknown key `bogus` (there are "
            #expect(said.contains(names))
        }
        #expect(fault("kinds: {a: {hieght: 1}}").hasSuffix("`hieght` (did you mean `height`?)"))
        let comment = "(a `#` behind a blank begins a comment: a colour stands in quotes)"
        #expect(
            fault("kinds: {a: {appearance: {collapsed: {background: #fff}}}}").contains(comment))
        #expect(fault("kinds:\n  a: {trailing: {background: #fff}}\n  b: {}").contains(comment))
        #expect(!fault("kinds: {a: {height: [}}").contains(comment))
        #expect(!fault("kinds: # of a bar\n  a: {height: [}}").contains(comment))
        #expect(fault("bogus: 1").hasSuffix("unknown key `bogus` (there are faces, kinds, table)"))
        #expect(
            fault("kinds: {a: {ages: {warn: 5m}}}").hasSuffix(
                "kinds.a.ages.warn: expected a whole number of seconds, found `5m`"))
        #expect(fault("tabel: {}").hasSuffix("(did you mean `table`?)"))
    }

    private static let second =
        "a second document begins here, and a file holds one: join them, or make two files"
    private static let tab =
        "a tab stands here, and YAML indents with blanks alone: put blanks in its place"

    @Test(arguments: [
        ("", "k.yaml:1:1: expected a mapping, found nothing"),
        ("# nothing\n", "k.yaml:1:1: expected a mapping, found nothing"),
        ("{}", "k.yaml:1:1: expected `kinds`, `table`, `faces` or several of them"),
        ("12", "k.yaml:1:1: expected a mapping, found `12`"),
        (
            "kinds: {a: {height: \"60\"}}",
            "k.yaml:1:21: kinds.a.height: expected a number, found the text `60`"
        ),
        (
            "kinds: {a: {height: .nan}}",
            "k.yaml:1:21: kinds.a.height: expected a number, found `.nan`"
        ),
        (
            "kinds: {a: {height: 1e999}}",
            "k.yaml:1:21: kinds.a.height: expected a number, found `1e999`"
        ),
        (
            "kinds: {a: {strip: yes}}",
            "k.yaml:1:20: kinds.a.strip: expected true or false, found `yes`"
        ),
        (
            "kinds: {a: {ages: {warn: -1}}}",
            "k.yaml:1:26: kinds.a.ages.warn: expected a whole number of seconds, found `-1`"
        ),
        (
            "kinds: {a: {layout: wide}}",
            "k.yaml:1:21: kinds.a.layout: expected auto or manual, found `wide`"
        ),
        (
            "kinds: {a: {states: [open]}}",
            "k.yaml:1:22: kinds.a.states[0]: expected collapsed, expanded or "
                + "{name: …, height: …}, found `open`"
        ),
        (
            "kinds: {a: {tap: {set: {x: }}}}",
            "k.yaml:1:28: kinds.a.tap.set.x: expected text, found nothing"
        ),
        (
            "kinds: {a: {tap: {move: {top: false}}}}",
            "k.yaml:1:31: kinds.a.tap.move.top: expected true, found `false`"
        ),
        (
            "kinds: {a: {tap: {invoke: {deadline: soon}}}}",
            "k.yaml:1:38: kinds.a.tap.invoke.deadline: expected a number of seconds, or a duration "
                + "such as 30s, found `soon`"
        ),
        (
            "kinds: {a: {tap: {invoke: {deadline: 1, attempts: 0}}}}",
            "k.yaml:1:51: kinds.a.tap.invoke.attempts: expected a whole number from 1 to 100, found `0`"
        ),
        (
            "kinds: {a: {tap: {remove: true, expand: toggle}}}",
            "k.yaml:1:18: kinds.a.tap: expected exactly one of `remove`, `move`, `set`, `unset`, "
                + "`fill`, `increment`, `kind`, `expand`, `invoke`, `group`, `removeItem`, `setItem`, `snooze`"
        ),
        ("kinds: {a: {}, \"a\": {}}", "k.yaml:1:16: key `a` stands twice"),
        ("kinds: {a: &x {}, b: *x}", "k.yaml:1:12: anchors and tags are not accepted"),
        ("kinds: {a: *x}", "k.yaml:1:12: aliases are not accepted"),
        ("kinds: {a: !!str \"x\"}", "k.yaml:1:12: anchors and tags are not accepted"),
        ("kinds: {a: &x {}}", "k.yaml:1:12: anchors and tags are not accepted"),
        ("kinds: {a: !!map {}}", "k.yaml:1:12: anchors and tags are not accepted"),
        ("kinds: {[a]: {}}", "k.yaml:1:9: a key is plain text"),
        ("kinds: {}\n---\ntable: {}", "k.yaml:2:1: \(second)"),
        ("kinds: {}\n---\n", "k.yaml:2:1: \(second)"),
        ("---\n---\nkinds: {}", "k.yaml:2:1: \(second)"),
        ("kinds: {}\n...\ntable: {}", "k.yaml:3:1: \(second)"),
        ("{\"kinds\":{}}\n{\"table\":{}}\n", "k.yaml:2:1: \(second)"),
        ("kinds:\n\ta: {}", "k.yaml:2:1: \(tab)"),
        ("kinds:\n  a:\n    height: 60\n\tb: {}", "k.yaml:4:1: \(tab)"),
        ("kinds:\n  a:\n    height: 60\n  \tb: {}", "k.yaml:4:3: \(tab)"),
        ("kinds:\n  é:\n    tap:\n    -\tremove: true", "k.yaml:4:6: \(tab)"),
        (
            "kinds: {a: {tap: {set: {x: \"\\0\"}}}}",
            "k.yaml:1:28: kinds.a.tap.set.x: text cannot hold a NUL"
        ),
    ])
    func faults(_ text: String, _ said: String) {
        #expect(fault(text) == said)
    }

    @Test func textAsWritten() throws {
        let text = "kinds: {a: {tap: {set: {a: yes, b: \"yes\", c: 012, d: true, e: \"\"}}}}"
        let kind = try #require(KindsFile.parse(text, name: "k").kinds.first)
        let values = [("a", "yes"), ("b", "yes"), ("c", "012"), ("d", "true"), ("e", "")]
        #expect(kind.tap == [.set(values.map { Row.Field(ID($0), $1) })])
    }

    @Test func tooMuch() {
        #expect(fault("#" + String(repeating: "x", count: 1 << 20)).hasSuffix("1048576 bytes"))
        for depth in [97, 990, 5_000, 500_000] {
            let open = String(repeating: "[", count: depth)
            #expect(fault("kinds: " + open).hasPrefix("k.yaml:"))
            #expect(fault(open + String(repeating: "]", count: depth)).hasPrefix("k.yaml:1:"))
            #expect(fault(String(repeating: "- ", count: depth) + "a").hasPrefix("k.yaml:1:"))
            #expect(fault(String(repeating: "? ", count: depth) + "a").hasPrefix("k.yaml:1:"))
        }
        // Aliases of aliases, as values and as keys.
        var bomb = "a0: &a0 [x]\n"
        for level in 1...40 {
            bomb += "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1)]\n"
        }
        #expect(fault(bomb + "? *a40\n: 1") == "k.yaml:1:5: anchors and tags are not accepted")
    }
}

import StrictYAML
import TableFiles
import TableDecisions
import TableModel
import Testing

@Suite struct MarkdownTests {
    @Test func whatPeopleWrite() throws {
        let text = """
            # Grill

            - [ ] Ribeye, *medium* {#t41 .ticket qty=2 note="no \\"salt\\""}
            * [x] Sole & chips
            + [X]

            ## The pass {#pass}
            <!-- nothing here yet -->
            - [ ] a {b} c\r
            """
        let read = try rows(text, .markdown)
        var expected = [
            ImportedRow(
                id: "t41", kind: "ticket", section: "Grill", title: "Ribeye, *medium*",
                fields: [Row.Field("note", "no \"salt\""), Row.Field("qty", "2")], line: 3),
            ImportedRow(
                section: "Grill", title: "Sole & chips", fields: [Row.Field("done", "yes")],
                line: 4),
            ImportedRow(
                section: "Grill", title: "", fields: [Row.Field("done", "yes")], line: 5),
            ImportedRow(section: "pass", title: "a {b} c", line: 9),
        ]
        for place in expected.indices { expected[place].isTask = true }
        expected[0].unset = ["done"]
        expected[3].unset = ["done"]
        #expect(read == expected)
        let sections = try ImportFile.sections(Array(text.utf8), format: .markdown, name: "f")
        #expect(sections.map(\.id) == ["Grill", "pass"])
        #expect(sections.map(\.title) == [nil, "The pass"])
        #expect(sections.map(\.line) == [1, 7])
    }

    private static let expected =
        "expected `# section`, `- [ ] title` or an empty line: begin a task with `- [ ] `, and keep "
        + "other text in a field or a comment"

    /// A row has no rows below it: at each indent, with each bullet, that is said and nothing flattened.
    @Test(arguments: [" ", "  ", "   ", "    ", "\t", "      ", " \t"]) func tasksInTasks(
        _ blanks: String
    ) {
        for bullet in ["- [ ]", "* [x]", "+ [X]", "1. [ ]", "2) [x]"] {
            let said =
                "f:3:\(blanks.count + 1): a task within a task, and a row has no rows below it: take "
                + "the blanks before it away, or write it into the title above"
            #expect(fault("## s\n- [ ] a\n\(blanks)\(bullet) b", .markdown) == said, "\(bullet)")
        }
    }

    /// A list may be indented as a whole, and numbered.
    @Test func otherLists() throws {
        let text = "  1. [ ] a\n  2) [X]\tb\n# s\n   -\t[x] c\n- [ ] d"
        let found = try rows(text, .markdown)
        #expect(found.map(\.title) == ["a", "b", "c", "d"])
        #expect(found.map(\.fields.count) == [0, 1, 1, 0])
    }

    @Test(arguments: [
        ("- Ribeye", "f:1:1: \(expected)"),
        ("\n-[ ] x", "f:2:1: \(expected)"),
        ("- [?] x", "f:1:1: \(expected)"),
        ("- [ ]x", "f:1:1: \(expected)"),
        ("- [ ] a\n  and more", "f:2:3: \(expected)"),
        ("12. a", "f:1:1: \(expected)"),
        ("    - [ ] x", "f:1:5: four blanks or a tab make this code: take them away"),
        ("\t- [ ] x", "f:1:2: four blanks or a tab make this code: take them away"),
        ("    # x", "f:1:5: four blanks or a tab make this code: take them away"),
        ("#x", "f:1:1: expected a blank after `#`"),
        ("####### x", "f:1:1: expected a blank after `#`"),
        ("#  ", "f:1:1: expected a blank after `#`"),
        ("# x {.kind}", "f:1:1: a section has an id, and nothing else in braces"),
        ("- [ ] x {#}", "f:1:1: nothing stands after `#`"),
        ("- [ ] x {a}", "f:1:1: braces hold #id, .kind and key=value"),
        ("- [ ] x {#a=b}", "f:1:1: expected a blank or `}`"),
        ("- [ ] {#a}\n- [x] {#a}", "f:2: the id `a` stands in line 1 already"),
    ])
    func faults(_ text: String, _ said: String) {
        #expect(fault(text, .markdown) == said)
    }

    @Test func strangeTextsComeBack() throws {
        let texts = [
            " x ", "\u{301}x", "a\nb", "\\{#x}", "&#10;", "&amp;", "\"\u{301}", "{", "}",
            "\u{2028}",
            "[ ] x", "# x", "x {#y}", "\t", "<!-- x -->", "\u{85}", "\\",
        ]
        let table = Table(name: "t", history: ID128(high: 0, low: 0))
        for (number, text) in texts.enumerated() {
            let content = Row.Content(
                title: text,
                fields: [Row.Field(".k", text), Row.Field("k", text), .init("done", "yes")])
            let add = Command(.add(.init(id: ID("\(number)"), content, section: "s {x}")))
            let plan = try reduce(add, on: table, limits: Limits(), nowMs: 0).get()
            _ = table.apply(plan, cause: Cause(verb: "test"))
        }
        let text = ExportFile.markdown(of: table)
        let back = try rows(text, .markdown)
        #expect(back.map { Array($0.title.utf8) } == texts.map { Array($0.utf8) }, "\(text)")
        #expect(back.map { $0.fields.last?.value } == texts, "\(text)")
        #expect(back.allSatisfy { $0.section == "s {x}" && $0.fields.count == 3 })
    }
}

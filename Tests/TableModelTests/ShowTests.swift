import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// The faces of rows in kinds: bounds, parts of definitions, ages.
struct ShowTests {
    private static func refusal(_ change: (inout Kind) -> Void) -> Rejection? {
        var kind = Kind("k")
        change(&kind)
        let table = Table(name: "t", history: ID128(high: 0, low: 0))
        let command = Command(.define(Command.Definitions(kinds: [kind])))
        guard case .failure(let rejection) = reduce(command, on: table, limits: Limits(), nowMs: 0)
        else { return nil }
        return rejection
    }

    @Test func whatCannotBeIsRefusedByItsField() {
        let cases: [(String, Rejection.Code, (inout Kind) -> Void)] = [
            ("show.title", .badValue, { $0.show.title = "{" }),
            ("show.line", .badValue, { $0.show.line = ["a", "b}"] }),
            ("show.title", .badValue, { $0.show.title = "{count(group)}" }),
            ("show.line", .badValue, { $0.show.line = ["{count(group where )}"] }),
            ("show.line", .badValue, { $0.show.line = ["{count(group where late)}"] }),
            ("show.badge", .badValue, { $0.show.badge = "{count(group where any(rows))}" }),
            ("show.badge", .badValue, { $0.show.badge = "{}" }),
            ("show.line", .tooLarge, { $0.show.line = Array(repeating: "", count: 63) }),
            ("show", .tooLarge, { $0.show.line = [String(repeating: "{a}", count: 65)] }),
            ("show.detail", .duplicate, { $0.show.detail = ["a", "a"] }),
            ("show.hide", .badID, { $0.show.hide = [""] }),
            ("show.color", .badID, { $0.show.color = "" }),
            ("form", .duplicate, { $0.form = ["a", "a"] }),
            ("form", .badID, { $0.form = [""] }),
            ("show.wrap", .badNumber, { $0.show.wrap = 0 }),
            ("show.wrap", .badNumber, { $0.show.wrap = 9 }),
            ("emphasis[0].when", .badValue, { $0.emphasis = [.init(when: RowCondition("1"))] }),
            (
                "emphasis[0].when", .badValue,
                { $0.emphasis = [.init(when: RowCondition("count(rows) > 0"))] }
            ),
            (
                "emphasis[0].background", .badValue,
                { $0.emphasis = [.init(when: RowCondition("true"), background: "pinkish")] }
            ),
            (
                "emphasis[0].icon", .badValue,
                { $0.emphasis = [.init(when: RowCondition("true"), icon: "unicorn")] }
            ),
            (
                "emphasis", .tooLarge,
                { $0.emphasis = Array(repeating: .init(when: RowCondition("true")), count: 17) }
            ),
            (
                "emphasis", .badValue,
                {
                    $0.isStrip = true
                    $0.emphasis = [.init(when: RowCondition("true"))]
                }
            ),
            (
                "ages.in", .duplicate,
                {
                    $0.ages = .init(warnSeconds: 1)
                    $0.ages?.sections = ["a", "a"]
                }
            ),
        ]
        for (field, code, change) in cases {
            let found = Self.refusal(change)
            #expect(
                found?.code == code && found?.field == "define.kinds.k.\(field)",
                "\(field): \(found as Any)")
        }
        #expect(
            Self.refusal {
                $0.show.title = "{field.qty} × {title} {{x}}"
                $0.emphasis = [
                    .init(when: RowCondition("field.a == 1"), field: "a", icon: "warning")
                ]
            } == nil)
    }

    /// A definition that names only `show` leaves the rest, and the other way round (F9).
    @Test func definitionsInPart() {
        var first = Kind("k")
        first.show.badge = "{a}"
        first.emphasis = [.init(when: RowCondition("true"))]
        first.ages = .init(warnSeconds: 1)
        first.ages?.sections = ["a"]
        var change = Kind("k")
        change.show.title = "{b}"
        change.ages = .init()
        change.ages?.since = .moved
        let found = first.taking(Kind.Named([.show, .agesSince]), of: change)
        #expect(found.show == change.show && found.emphasis == first.emphasis)
        #expect(found.ages?.sections == ["a"] && found.ages?.since == .moved)
        #expect(found.ages?.warnSeconds == 1)
        #expect(first.taking(Kind.Named(.emphasis), of: change).emphasis == [])
        change.form = ["a"]
        #expect(first.taking(Kind.Named(.form), of: change).form == ["a"])
        #expect(first.taking(Kind.Named(.show), of: change).form == [])
    }

    @Test func agesCountWhereAndSinceTheKindSays() {
        var kind = Kind("k")
        kind.ages = .init(lateSeconds: 60)
        kind.ages?.sections = ["grill"]
        let row = Row(
            id: "r", content: Row.Content(kind: "k"), createdMs: 1_000, movedMs: 100_000)
        func age(_ section: SectionID) -> Age? {
            Age(of: row, kind: kind, in: section, nowMs: 121_000)
        }
        #expect(age("grill")?.seconds == 120 && age("grill")?.stage == .late)
        #expect(age("pass") == nil)
        kind.ages?.since = .moved
        #expect(age("grill")?.seconds == 21 && age("grill")?.stage == .fresh)
        kind.ages?.sections = []
        #expect(age("pass")?.seconds == 21)
    }

    @Test func conditionsOfARowAlone() {
        let content = Row.Content(
            kind: "k", title: "Soup",
            fields: [Row.Field("note", "ALLERGY: dairy"), Row.Field("n", "3")])
        for text in [
            "field.note ~ \"ALLERGY\"", "title == 'Soup' and kind == 'k'", "field.n > 2",
            "items == 0 and state == \"expanded\"", "field.x == none", "not false",
        ] {
            #expect(RowCondition(text).holds(for: content, in: .expanded), "\(text)")
            #expect(RowCondition(text).fault == nil)
        }
        for text in [
            "section == \"a\"", "id == 'r'", "revision > 0", "any(rows)", "field.n", "swipe == 1",
        ] {
            #expect(!RowCondition(text).holds(for: content, in: .expanded), "\(text)")
            #expect(RowCondition(text).fault != nil)
        }
        #expect(RowCondition("index == 0").fault?.offset == 0)
        #expect(RowCondition("é") != RowCondition("e\u{301}"))
    }

    @Test func formsHaveNames() {
        for form in [
            ValueForm.clock, .date, .age, .duration, .decimals(0), .decimals(2), .decimals(9),
        ] {
            #expect(ValueForm(form.name) == form)
        }
        for name in ["", "0.", "00", "0.0000000000", "0.1", "Clock"] {
            #expect(ValueForm(name) == nil)
        }
    }
}

extension DigestTests {
    /// Kinds with one change of a face each.
    static var changedFaces: [Kind] {
        let shows: [(inout Kind.Show) -> Void] = [
            { $0.title = "a" }, { $0.line = [] }, { $0.line = ["a"] }, { $0.line = ["a", "b"] },
            { $0.badge = "a" }, { $0.detail = ["a"] }, { $0.hide = ["a"] }, { $0.group = "a" },
            { $0.color = "a" },
            { $0.forms["a"] = .clock }, { $0.forms["a"] = .decimals(2) }, { $0.wrap = 2 },
        ]
        let looks: [Kind.Emphasis] = [
            .init(when: RowCondition("true")), .init(when: RowCondition("false")),
            .init(when: RowCondition("true"), field: "a"),
            .init(when: RowCondition("true"), background: "red"),
            .init(when: RowCondition("true"), color: "red"),
            .init(when: RowCondition("true"), icon: "bell"),
        ]
        return shows.map { change in kind { change(&$0.show) } }
            + looks.map { look in kind { $0.emphasis = [look] } }
            + [
                kind { $0.emphasis = [looks[0], looks[1]] },
                kind { $0.emphasis = [looks[1], looks[0]] },
                kind { $0.form = ["a"] }, kind { $0.form = ["a", "b"] },
                kind { $0.form = ["b", "a"] },
                kind {
                    $0.ages = .init()
                    $0.ages?.sections = ["a"]
                },
                kind {
                    $0.ages = .init()
                    $0.ages?.since = .moved
                },
            ]
    }
}

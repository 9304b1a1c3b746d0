import StrictYAML
import TableFiles
import TableModel
import Testing

/// `show`, `emphasis`, `ages` and `like` in kinds files.
struct FaceFileTests {
    private static let file = """
        kinds:
          ticket:
            height: 76
            ages: {warn: 480, late: 900, in: [grill, fry], since: moved}
            trailing: {width: 64, actions: [{id: bump, title: Bump, effect: {remove: true}}]}
            show:
              title: "{qty} × {title}"
              line: ["table {table}", "{course}"]
              badge: "{qty}"
              detail: [course, table]
              hide: [state]
              as: {readyAt: clock, price: "0.00"}
              wrap: 2
              group: order
            emphasis:
              - {when: 'field.note ~ "ALLERGY"', field: note, background: "#b00020", icon: warning}
              - {when: 'field.rush == "yes"', row: true}
            form: [table, qty, note]
          drink:
            like: ticket
            height: 50
            trailing: {gap: 4}
            show: {badge: "{qty}"}
        """

    @Test func everyKey() throws {
        let kind = try #require(try KindsFile.parse(Self.file, name: "k").kinds.first)
        #expect(kind.ages?.sections == ["grill", "fry"] && kind.ages?.since == .moved)
        #expect(kind.show.title == "{qty} × {title}" && kind.show.wrap == 2)
        #expect(kind.show.line == ["table {table}", "{course}"] && kind.show.badge == "{qty}")
        #expect(kind.show.detail == ["course", "table"] && kind.show.hide == ["state"])
        #expect(kind.show.forms == ["readyAt": .clock, "price": .decimals(2)])
        #expect(kind.show.group == "order")
        #expect(kind.emphasis.map(\.field) == ["note", nil])
        #expect(kind.emphasis.map(\.icon) == ["warning", nil])
        #expect(kind.form == ["table", "qty", "note"])
    }

    /// A kind like another has what it does not say from that one, and names both.
    @Test func aKindLikeAnother() throws {
        let found = try KindsFile.parse(Self.file, name: "k")
        let (ticket, drink) = (found.kinds[0], found.kinds[1])
        #expect(drink.id == "drink" && drink.heightPoints == 50 && drink.ages == ticket.ages)
        #expect(drink.emphasis == ticket.emphasis && drink.show.badge == "{qty}")
        #expect(drink.form == ticket.form)
        // `show` is replaced as a whole, a group key by key.
        #expect(drink.show.title == nil)
        #expect(
            drink.trailing?.gapPoints == 4 && drink.trailing?.actions == ticket.trailing?.actions)
        #expect(drink.trailing?.look == ticket.trailing?.look)
        let named = try #require(found.partial["drink"])
        #expect(named.own.contains([.height, .warn, .late, .agesSections, .agesSince, .emphasis]))
        #expect(named.trailing == [.width, .actions, .gap])
    }

    @Test(arguments: [
        ("like: none", "no kind that stands above this one"),
        ("like: k", "no kind that stands above this one"),
        ("show: {lines: []}", "lines"),
        ("show: {as: {a: minutes}}", "one of clock, date, age, duration"),
        ("show: {wrap: 0}", "wrap"), ("show: {wrap: 9}", "wrap"),
        ("emphasis: [{field: a}]", "when"),
        ("emphasis: [{when: 'true'}]", "either a `field` stands out"),
        ("emphasis: [{when: 'true', field: a, row: true}]", "either a `field` stands out"),
        ("emphasis: [{when: 'section == \"a\"', row: true}]", "`section` is not of the row alone"),
        ("emphasis: [{when: 'field.a =', row: true}]", "written `==`"),
        ("ages: {since: now}", "made"),
    ]) func refused(_ text: String, _ why: String) {
        let fault = #expect(throws: Fault.self) {
            try KindsFile.parse("kinds: {k: {\(text)}}", name: "file")
        }
        let said = fault.map { "\($0)" } ?? ""
        #expect(said.contains(why), "\(said)")
    }

    /// Every key that a file may have stands in the list, and no other.
    @Test func keysAreListed() {
        let keys = KindsFile.keys.map(\.key)
        #expect(Set(keys).count == keys.count)
        for key in [
            "kinds.NAME.show.as", "kinds.NAME.like", "kinds.NAME.ages.since", "table.motion",
        ] {
            #expect(keys.contains(key))
        }
        #expect(KindsFile.keys.allSatisfy { !$0.values.isEmpty })
    }
}

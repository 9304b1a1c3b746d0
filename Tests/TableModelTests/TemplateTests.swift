import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// Texts that effects fill in (F14). The scenarios have what they become.
struct TemplateTests {
    private typealias Part = Template.Part

    @Test func parts() {
        #expect(Template("")?.parts == [])
        #expect(Template("plain")?.parts == [.text("plain")])
        #expect(Template("{a}")?.parts == [.name("a")])
        #expect(Template("{a}{b} c")?.parts == [.name("a"), .name("b"), .text(" c")])
        #expect(Template("{{a}}")?.parts == [.text("{a}")])
        #expect(Template("{{{a}}}")?.parts == [.text("{"), .name("a"), .text("}")])
        #expect(Template("{field:now}")?.parts == [.name("field:now")])
        #expect(Template("{é 🐘}")?.parts == [.name("é 🐘")])
    }

    @Test(arguments: ["{", "}", "{}", "a{b", "a}b", "{a{b}", "{{a}", "{a}}", "{{}"])
    func noTemplate(_ text: String) { #expect(Template(text) == nil) }

    @Test func filled() {
        let template = Template("<{a}{b}>")
        #expect(template?.filled(atMost: 6) { $0 == "a" ? "12" : "34" } == "<1234>")
        #expect(template?.filled(atMost: 5) { $0 == "a" ? "12" : "34" } == nil)
    }

    /// A template of some bytes that would become many more than a row may have is refused by name,
    /// at the press also where a handler comes between.
    @Test func boundedWhenItIsFilled() throws {
        let text = String(repeating: "{f}", count: 60)
        let fill = Effect.fill([.init("big", text)])
        for effects in [[fill], [.invoke(deadlineSeconds: 9, then: [fill])]] {
            let ledger = Ledger()
            var kind = Kind(.plainKind)
            kind.tap = effects
            let long = String(repeating: "x", count: 1_000)
            _ = try ledger.perform(.define(.init(kinds: [kind]))).get()
            _ = try ledger.perform(
                .add(.init(id: "a", .init(fields: [.init("f", long)])))
            ).get()
            let before = ledger.table.digest
            guard case .failure(let rejection) = ledger.perform(.select("a", item: nil)) else {
                Issue.record("It was not refused.")
                continue
            }
            #expect(rejection.code == .tooLarge && rejection.field == "select.effect.fill.big")
            #expect(ledger.table.digest == before)
        }
    }
}

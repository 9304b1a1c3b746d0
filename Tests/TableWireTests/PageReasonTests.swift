import TableModel
import Testing

/// The reasons of our own programs are the forms of docs/PROTOCOL.md, "Reasons", and are found again as data.
struct PageReasonTests {
    /// The lines of the page's table: the key, and the form with its value in braces.
    private static func forms() throws -> [String: String] {
        let part = try RepositoryPage.part(
            of: "docs/PROTOCOL.md", from: "### Reasons", to: "### Trying again")
        let lines = part.matches(of: /\| `(\w+)` \| `(.+?)` \|/)
        return Dictionary(uniqueKeysWithValues: lines.map { (String($0.1), String($0.2)) })
    }

    @Test func thePageHasEachForm() throws {
        let forms = try Self.forms()
        #expect(Set(forms.keys) == Set(OwnReason.allCases.map(\.rawValue)))
        for one in OwnReason.allCases {
            let name = one.form.name.map { "{\($0.text)}" } ?? ""
            #expect(forms[one.rawValue] == one.text(name))
        }
    }

    @Test func eachIsFoundAgain() {
        for one in OwnReason.allCases {
            let values = one.form.name.map { [Row.Field($0, "30")] } ?? []
            let reason = one.text(values.isEmpty ? "" : "30")
            #expect(OwnReason.saying(of: reason) == Saying(one.rawValue, values: values))
        }
        for other in [
            "", "no paper", "exit status ", "handler x was lost?", "handler was lost",
            "deadline: not finished",
            "exit status 2: paper jam in tray 1", "killed by signal 9 (out of memory)",
            "exit status 1234567890",
            "exit status -1", "exit status ٣", OwnReason.late.text("1."), OwnReason.late.text(".5"),
            OwnReason.late.text("1.2.3"), OwnReason.late.text("-5"), OwnReason.late.text("0x10"),
        ] {
            #expect(OwnReason.saying(of: other) == nil, "\(other)")
        }
        #expect(OwnReason.saying(of: OwnReason.late.text("0.25")) != nil)
    }
}

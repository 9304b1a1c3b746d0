import Foundation
import TableModel
import Testing

/// The reasons of our own programs are the forms of docs/PROTOCOL.md, "Reasons", and are found again as data.
struct PageReasonTests {
    /// The lines of the page's table: the key, and the form with its value in braces.
    private static func forms() throws -> [String: String] {
        let page = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "docs/PROTOCOL.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let start = try #require(text.range(of: "### Reasons"))
        let end = try #require(text.range(of: "### Trying again"))
        let lines = text[start.upperBound..<end.lowerBound].matches(of: /\| `(\w+)` \| `(.+?)` \|/)
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
            "", "no paper", "exit status ", "handler x was lost?", "deadline: not finished",
        ] {
            #expect(OwnReason.saying(of: other) == nil)
        }
    }
}

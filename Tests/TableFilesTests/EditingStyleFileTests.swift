import StrictYAML
import TableFiles
import TableModel
import Testing

/// `editingStyle` in a kinds file (F10).
struct EditingStyleFileTests {
    @Test(arguments: Kind.EditingStyle.allCases)
    func readsAndWrites(_ style: Kind.EditingStyle) throws {
        let file = "kinds: {card: {editingStyle: \(style.rawValue)}}"
        let definitions = try KindsFile.parse(file, name: "k")
        let kind = try #require(definitions.kinds.first)
        #expect(kind.editingStyle == style)
        #expect(definitions.partial["card"]?.own == .editingStyle)
        let text = KindsFile.write(kinds: [kind], settings: nil)
        #expect(try KindsFile.parse(text, name: "k").kinds == [kind])
        // A file of before has no such key, and its kinds are written as they were.
        #expect(text.contains("editingStyle") == (style != .delete))
    }

    @Test func refused() {
        do throws(Fault) {
            _ = try KindsFile.parse("kinds: {card: {editingStyle: swipe}}", name: "k.yaml")
            Issue.record("it is read")
        } catch {
            #expect(
                "\(error)" == "k.yaml:1:30: kinds.card.editingStyle: expected "
                    + "delete, insert or none, found `swipe`")
        }
    }

    /// A key without a value is as if it had never been said (F9).
    @Test func namesNothing() throws {
        let definitions = try KindsFile.parse("kinds: {k: {editingStyle: }}", name: "k")
        #expect(definitions.partial["k"]?.own == .editingStyle)
        #expect(definitions.kinds[0].editingStyle == .delete)
    }
}

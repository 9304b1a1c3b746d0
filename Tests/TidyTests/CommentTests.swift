import Foundation
import Testing

/// Documentation is sentences: they begin with the thing that they are about, and not with a word that points at
/// something which the reader has not met.
struct CommentTests {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The first words with which fragments begin. `Whether`, `How` and `Where` name a thing, and may stand there.
    private static var fragment: Regex<(Substring, Substring)> {
        /^ *\/\/\/ (Of|As of|The same|What|Who|Whoever|Else)\b/
    }

    /// The first lines of all comments of a text, with their numbers.
    static func beginnings(of text: String) -> [(number: Int, line: Substring)] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.indices.filter { index in
            let line = lines[index].drop { $0 == " " }
            let before = index == 0 ? "" : lines[index - 1].drop { $0 == " " }
            return line.hasPrefix("//") && !before.hasPrefix("//")
        }.map { ($0 + 1, lines[$0]) }
    }

    @Test(arguments: ["Sources", "gateway/Sources", "bench/Sources", "fuzz/Sources"])
    func noCommentIsAFragment(_ folder: String) throws {
        let base = Self.root.appending(path: folder)
        let files = FileManager.default.enumerator(atPath: base.path())?.allObjects ?? []
        var read = 0
        for case let path as String in files
        where path.hasSuffix(".swift") && !path.contains("Generated") {
            let text = try String(contentsOf: base.appending(path: path), encoding: .utf8)
            for (number, line) in Self.beginnings(of: text) {
                read += 1
                #expect(
                    line.firstMatch(of: Self.fragment) == nil,
                    "\(folder)/\(path):\(number): \(line)")
            }
        }
        #expect(read > 100)
    }

    @Test func aFragmentIsSeen() {
        let text = "/// Of a row.\nvar a = 1\n    // Rows come.\n    // Of these\n/// The same.\n"
        let found = Self.beginnings(of: text).filter {
            $0.line.firstMatch(of: Self.fragment) != nil
        }
        #expect(found.map(\.number) == [1])
        #expect(Self.beginnings(of: "let a = 1\n/// Who acts.\n").count == 1)
    }
}

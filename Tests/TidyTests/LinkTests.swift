import Foundation
import Testing

/// Links between the pages lead to files and sections that are there, and so do the sections of
/// PROTOCOL.md that comments and tests name.
struct LinkTests {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    private static func files(below folder: String) -> [String] {
        let all = FileManager.default.enumerator(atPath: root.appending(path: folder).path())
        return (all?.allObjects ?? []).compactMap { $0 as? String }
            .filter { !$0.contains(".build/") }.map { "\(folder)/\($0)" }
    }

    private static func pages() -> [String] {
        let inFolders = ["docs", "examples"].flatMap { files(below: $0) }
        return ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
            + inFolders.filter { $0.hasSuffix(".md") }.sorted()
    }

    /// The headings outside of blocks, without their marks.
    private static func headings(_ page: String) -> [String] {
        page.split(separator: "\n").filter { $0.hasPrefix("#") }.compactMap { line in
            let text = line.drop { $0 == "#" }
            return text.hasPrefix(" ") ? String(text.dropFirst()) : nil
        }
    }

    /// As GitHub makes it of a heading.
    private static func anchor(_ heading: String) -> String {
        String(
            heading.lowercased().compactMap { letter -> Character? in
                if letter == " " { return "-" }
                return letter.isLetter || letter.isNumber || "-_".contains(letter) ? letter : nil
            })
    }

    /// The targets of links in a page of HTML.
    private static func ids(_ page: String) -> Set<String> {
        Set(page.matches(of: /\bid="([^"]+)"/).map { String($0.1) })
    }

    private static func faults(_ page: String, of path: String) throws -> [String] {
        var faults: [String] = []
        var anchors: [URL: Set<String>] = [:]
        for match in page.matches(of: /\]\(([^)\s]+)\)/) {
            let link = String(match.1)
            if link.contains("://") { continue }
            let parts = link.split(separator: "#", omittingEmptySubsequences: false)
            let folder = root.appending(path: path).deletingLastPathComponent()
            let file =
                parts[0].isEmpty
                ? root.appending(path: path) : folder.appending(path: String(parts[0]))
            guard FileManager.default.fileExists(atPath: file.path()) else {
                faults.append("\(path): \(link) leads to no file")
                continue
            }
            guard parts.count > 1 else { continue }
            if anchors[file] == nil {
                let isThis = parts[0].isEmpty
                let there = isThis ? page : try String(contentsOf: file, encoding: .utf8)
                anchors[file] =
                    file.pathExtension == "html" ? ids(there) : Set(headings(there).map(anchor))
            }
            if anchors[file]?.contains(String(parts[1])) != true {
                faults.append("\(path): \(link) leads to no section")
            }
        }
        return faults
    }

    @Test func everyLinkResolves() throws {
        var links = 0
        for path in Self.pages() {
            let page = try Self.text(path)
            links += page.matches(of: /\]\(([^)\s]+)\)/).count
            for fault in try Self.faults(page, of: path) { Issue.record("\(fault)") }
        }
        #expect(links > 100)
    }

    @Test func aLinkToNothingIsFound() throws {
        let page = "# A page\n\n## 2. One: and two\n"
        func faults(_ link: String) throws -> Int {
            try Self.faults("\(page)[x](\(link))", of: "docs/PROTOCOL.md").count
        }
        #expect(try faults("#2-one-and-two") == 0)
        #expect(try faults("#one-and-two") == 1)
        #expect(try faults("NOBODY.md") == 1)
        #expect(try faults("../README.md") == 0)
        #expect(try faults("RULES.md#nobody") == 1)
        #expect(try faults("https://example.org/#nobody") == 0)
    }

    /// `docs/PROTOCOL.md, "Digest"` in a comment, and `§7` in the tests that were written from it.
    @Test func everySectionThatIsNamedIsThere() throws {
        let page = try Self.text("docs/PROTOCOL.md")
        let headings = Self.headings(page)
        let names = headings.map { $0.replacing(#/^\d+\. /#, with: "") }
        let numbers = headings.compactMap { $0.firstMatch(of: #/^(\d+)\. /#).map { String($0.1) } }
        #expect(numbers == (1...numbers.count).map(String.init), "sections are counted from 1")
        var seen = 0
        for path in ["Sources", "Tests", "bench"].flatMap({ Self.files(below: $0) }) {
            guard path.hasSuffix(".swift") || path.hasSuffix(".py") else { continue }
            let text = try Self.text(path)
            for match in text.matches(of: /PROTOCOL\.md, "([^"]+)"/) {
                seen += 1
                #expect(names.contains(String(match.1)), "\(path) names \(match.1)")
            }
            guard path.hasPrefix("Tests/IPCTests/") else { continue }
            for match in text.matches(of: /§(\d+)/) {
                seen += 1
                #expect(numbers.contains(String(match.1)), "\(path) names §\(match.1)")
            }
        }
        #expect(seen > 20)
    }
}

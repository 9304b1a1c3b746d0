import Foundation
import Testing

/// docs/RULES.md holds every rule and law that anything refers to, and every test that it names is
/// there.
struct RuleTests {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    private static func lines(_ text: String) -> [Substring] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    private static func cells(_ line: Substring) -> [String] {
        line.dropFirst().split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// One line of the page's tables.
    private struct Entry {
        var code: String
        var last: String
        /// Where it is seen, or why nowhere; nil: its table has no such column.
        var picture: String?
        var isBuilt: Bool
    }

    private static func entries() throws -> [Entry] {
        var entries: [Entry] = []
        var isBuilt = true
        for line in lines(try text("docs/RULES.md")) {
            if line.hasPrefix("## ") { isBuilt = line != "## Not built yet" }
            guard line.hasPrefix("| "), let found = RuleReferences.all(in: line).first,
                line.hasPrefix("| \(found.code) |"), let last = cells(line).last
            else { continue }
            let cells = cells(line)
            let picture = cells.count == 4 ? cells[2] : nil
            entries.append(
                Entry(code: found.code, last: last, picture: picture, isBuilt: isBuilt))
        }
        return entries
    }

    @Test func everyRuleStandsOnce() throws {
        let codes = try Self.entries().map(\.code)
        #expect(Set(codes).count == codes.count)
        let counts: [Character: Int] = ["A": 18, "B": 10, "C": 9, "D": 5, "E": 6, "F": 16, "L": 23]
        for (letter, count) in counts {
            let found = codes.filter { $0.first == letter }
            let missing = Set((1...count).map { "\(letter)\($0)" }).subtracting(found)
            #expect(missing.isEmpty, "docs/RULES.md has no \(missing.sorted())")
        }
    }

    // MARK: References

    /// The faulty references of one file. Bare codes are looked for only where people
    /// write: in comments and pages.
    private static func faults(in text: String, of path: String, known: Set<String>) -> [String] {
        var faults: [String] = []
        let isPage = path.hasSuffix(".md")
        for (number, line) in lines(text).enumerated() {
            let place = "\(path):\(number + 1)"
            if line.contains("aw"), line.contains(/\b[Ll]aws? [0-9]/) {
                faults.append("\(place) names a law without its letter")
            }
            let found = RuleReferences.all(in: line)
            // Most lines have none.
            if found.isEmpty { continue }
            for one in found where one.isReference && !known.contains(one.code) {
                faults.append("\(place) refers to \(one.code), which is not in docs/RULES.md")
            }
            let comment = isPage ? line : comment(of: line, path)
            for one in RuleReferences.all(in: comment) where !one.isReference {
                faults.append("\(place): write rule \(one.code), or (\(one.code))")
            }
        }
        return faults
    }

    private static func comment(of line: Substring, _ path: String) -> Substring {
        let start = line.firstIndex { $0 != " " } ?? line.startIndex
        if path.contains("/Scenarios/") { return line.hasPrefix("#") ? line : "" }
        guard path.hasSuffix(".swift") || path.hasSuffix(".proto") else { return "" }
        if line[start...].hasPrefix("//") { return line }
        return line.range(of: " // ").map { line[$0.lowerBound...] } ?? ""
    }

    /// Not what is generated, the wrong references of this file, nor the benchmarks' names of cases
    /// (`C64 V10`: 64 clients, 10 viewers).
    private static func isLookedAt(_ path: String) -> Bool {
        let suffixes = [".swift", ".md", ".py", ".c", ".h", ".proto", ".yaml"]
        let isVectors = path.hasSuffix(".json") && path.contains("/Vectors/")
        let isScenario = path.hasSuffix(".txt") && path.contains("/Scenarios/")
        return (suffixes.contains { path.hasSuffix($0) } || isVectors || isScenario)
            && !path.contains("/Generated/") && !path.contains(".build/")
            && path != "docs/BENCHMARKS.md" && path != "Tests/TidyTests/RuleTests.swift"
    }

    private static func paths() -> [String] {
        var paths = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
        for folder in ["Sources", "Tests", "docs", "config", "fuzz/Sources/Fuzz", "examples"] {
            let all = FileManager.default.enumerator(atPath: root.appending(path: folder).path())
            paths += (all?.allObjects ?? []).compactMap { $0 as? String }.map { "\(folder)/\($0)" }
        }
        return paths.filter(isLookedAt).sorted()
    }

    @Test func everyReferenceResolves() throws {
        let known = Set(try Self.entries().map(\.code))
        let paths = Self.paths()
        #expect(paths.count > 300)
        var references = 0
        for path in paths {
            let text = try Self.text(path)
            references += Self.lines(text).reduce(0) { sum, line in
                sum + RuleReferences.all(in: line).count { $0.isReference }
            }
            for fault in Self.faults(in: text, of: path, known: known) { Issue.record("\(fault)") }
        }
        #expect(references > 200)
    }

    /// A test that finds nothing is worth nothing.
    @Test func aReferenceToNothingIsFound() {
        let known: Set = ["A7", "A8", "A9", "L2"]
        func faults(_ line: String, _ path: String = "Sources/X/Y.swift") -> Int {
            Self.faults(in: line, of: path, known: known).count
        }
        let wrong = [
            "/// The row closes (A17).", "/// By rule A17.", "// rules A7, A8 and B9", "// law L3",
            "/// As A7 has it.", "/// By law 2.", "let a = 1 // see A7", "// rules A7–A17",
        ]
        for line in wrong { #expect(faults(line) == 1, "\(line)") }
        #expect(faults("# Once (A17).", "Tests/T/Scenarios/act.txt") == 1)
        #expect(faults("See A7.", "docs/LAYOUT.md") == 1)
        #expect(faults("  {\"rule\": \"A17\"}", "Tests/T/Vectors/a.json") == 1)
        let right = [
            "/// The row closes (A7).", "/// By rules A7, A8 and A9 (design rule A7).",
            "// Law L2: (A7–A9)", "let grey = \"#C1C1C1\" // #C1, U+200A, E2E, 0xA1, A4.5",
            "\"A4.5 4.5 0 0 1 8 3.5z\"", "    case a4, A40 = \"D3\"", "| A7 | a cell | A8: too |",
        ]
        for line in right { #expect(faults(line) == 0, "\(line)") }
    }

    // MARK: What the page names

    @Test func everyRuleThatIsBuiltIsHeldByATest() throws {
        for entry in try Self.entries() where entry.isBuilt {
            let tests = entry.last.split(separator: "`").filter { $0.contains(".") }
            #expect(!tests.isEmpty, "\(entry.code) has no test")
            for test in tests {
                let fault = Self.fault(ofTest: String(test))
                #expect(fault == nil, "\(entry.code): \(test) \(fault ?? "")")
            }
        }
        #expect(Self.fault(ofTest: "TidyTests/RuleTests.swift::nobody") != nil)
        #expect(Self.fault(ofTest: "TidyTests/RuleTests.swift::entries") != nil)
    }

    /// Each visible rule of the articles is in a picture that is there.
    @Test func everyRuleHasItsPicture() throws {
        var seen = 0
        for entry in try Self.entries()
        where entry.isBuilt && "ABCDF".contains(entry.code.prefix(1)) {
            let fault = Self.fault(ofPicture: entry.picture)
            #expect(fault == nil, "\(entry.code): \(fault ?? "")")
            seen += entry.picture?.contains("](") == true ? 1 : 0
        }
        #expect(seen > 30)
        for wrong in [
            nil, "", "none:", "styles", "[styles](pictures/gallery.html)",
            "[styles](pictures/gallery.html#nobody)", "[a board](pictures/nobody.svg)",
            "[x](pictures/board-open.txt)", "[x](LAYOUT.md#motion-f1)",
        ] {
            #expect(Self.fault(ofPicture: wrong) != nil, "\(wrong ?? "")")
        }
        #expect(Self.fault(ofPicture: "[a board](pictures/board-mixed.svg)") == nil)
    }

    private static let gallery = (try? text("docs/pictures/gallery.html")) ?? ""

    /// Links to pictures or to places in the gallery, or `none:` and why.
    private static func fault(ofPicture cell: String?) -> String? {
        guard let cell else { return "has no column for a picture" }
        if cell.hasPrefix("none: ") { return nil }
        let links = cell.matches(of: /\]\(([^)]*)\)/).map { String($0.1) }
        if links.isEmpty { return "names no picture and no reason" }
        for link in links {
            let parts = link.split(separator: "#", omittingEmptySubsequences: false)
            if parts[0] == "pictures/gallery.html" {
                guard parts.count == 2, gallery.contains(" id=\"\(parts[1])\"") else {
                    return "\(link) is not in the gallery"
                }
            } else if !link.hasPrefix("pictures/") || !link.hasSuffix(".svg")
                || !FileManager.default.fileExists(
                    atPath: root.appending(path: "docs/\(link)").path())
            {
                return "\(link) is no picture"
            }
        }
        return nil
    }

    /// A file of scenarios, or a file and a test in it.
    private static func fault(ofTest name: String) -> String? {
        let parts = name.split(separator: ":", omittingEmptySubsequences: true).map(String.init)
        guard let path = parts.first, let text = try? text("Tests/\(path)") else {
            return "is not there"
        }
        if parts.count == 1 { return path.contains("/Scenarios/") ? nil : "names no test" }
        let lines = lines(text)
        if path.hasSuffix(".py") {
            return lines.contains { $0.hasPrefix("def \(parts[1])(") } ? nil : "has no such test"
        }
        let index = lines.firstIndex { $0.contains("func \(parts[1])(") }
        // The attribute stands on the line, or, with arguments, on one before.
        let isTest = index.map { lines[max(0, $0 - 3)...$0].contains { $0.contains("@Test") } }
        return isTest == true ? nil : "has no such test"
    }

    @Test func theSimulationsLawsAreThose() throws {
        let page = try Self.text("docs/RULES.md")
        let start = try #require(page.range(of: "## The laws of the simulation"))
        var named: [String] = []
        for line in Self.lines(String(page[start.upperBound...])) where line.hasPrefix("| `") {
            let first = Self.cells(line).first ?? ""
            named += first.split(separator: "`").map(String.init).filter { $0 != ", " }
        }
        let source = try Self.text("Tests/Simulation/Laws.swift")
        let cases = Self.lines(source).filter { $0.hasPrefix("    case ") }
            .map { String($0.dropFirst("    case ".count)) }
        #expect(cases.count > 20)
        let differing = Set(named).symmetricDifference(cases).sorted()
        #expect(differing.isEmpty && named.count == cases.count, "\(differing)")
    }

    /// The walks of CONTRIBUTING name files by what they are called, in whatever folder they stand.
    @Test func everyFileOfTheWalksIsThere() throws {
        let page = try Self.text("CONTRIBUTING.md")
        var files: Set<String> = []
        for folder in ["Sources", "Tests", "config", "docs", "fuzz"] {
            let all = FileManager.default.enumerator(
                atPath: Self.root.appending(path: folder).path())
            for case let path as String in all?.allObjects ?? [] {
                files.insert(URL(filePath: path).lastPathComponent)
            }
        }
        var seen = 0
        for match in page.matches(of: /`(?:[A-Za-z]+\/)*([A-Za-z_]+\.(?:swift|py|proto|yaml))`/) {
            seen += 1
            let isThere = files.contains(String(match.1))
            #expect(isThere, "CONTRIBUTING.md names \(match.1)")
        }
        #expect(seen > 60)
    }

    /// An index may be said in an answer and count parts; nothing is asked for by one.
    @Test func noIndexNamesAnything() throws {
        let field = /^ *(?:optional |repeated )?(\w+) (\w+) = \d+;/
        let names: Set = ["table", "section", "row", "item", "action", "kind", "a", "b"]
        let numbers: Set = ["uint32", "uint64", "int32", "int64", "sint32", "sint64"]
        var messages: [Substring] = []
        var seen = 0
        for line in Self.lines(try Self.text("Sources/TableWire/Schema/trestle.proto")) {
            if let opened = line.firstMatch(of: /^ *(?:message|oneof|enum) (\w+) \{/) {
                if !line.hasSuffix("}") { messages.append(opened.1) }
            } else if line.contains(/^ *\}/) {
                _ = messages.popLast()
            }
            guard let match = line.firstMatch(of: field), numbers.contains(String(match.1)) else {
                continue
            }
            seen += 1
            let mayCount = ["Landing", "Row", "Parts", "Staged"].contains(messages.last)
            #expect(match.2 != "index" || mayCount, "\(messages).\(match.2)")
            let isName = names.contains(String(match.2))
            #expect(!isName, "\(messages).\(match.2) is a number")
        }
        #expect(seen > 50)
    }
}

import Foundation
import Testing

/// A new op, command or request is asked for by the compiler wherever each of them has work of its own, and
/// nowhere else: what is only true of it stands in its line of a table. A `default` would answer for it,
/// unseen, so no switch over them has one; and there are few such switches.
struct SwitchTests {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func lines(_ path: String) throws -> [Substring] {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// All but generated code, and the wrong switches of this file.
    private static func paths(_ folders: String...) -> [String] {
        folders.flatMap { folder -> [String] in
            let all = FileManager.default.enumerator(atPath: root.appending(path: folder).path())
            return (all?.allObjects ?? []).compactMap { $0 as? String }.map { "\(folder)/\($0)" }
        }.filter { path in
            path.hasSuffix(".swift") && !path.contains("/Generated/")
                && !path.hasSuffix("/SwitchTests.swift")
        }.sorted()
    }

    // MARK: The names of ops and verbs

    /// The enumerations, with the files that declare them.
    private static let enums = [
        ("op", "Op", "Diff.swift"), ("command", "Verb", "Command.swift"),
        ("request", "Verb", "Messages.swift"), ("step of a drag", "Drag", "Drag.swift"),
        ("command", "Name", "VerbDescription.swift"),
        ("request", "Name", "RequestDescription.swift"),
    ]

    private struct Vocabulary {
        let subject: String
        let names: Set<String>
    }

    /// Of each enumeration of ops or verbs its cases, and those of the schema's. A switch belongs to
    /// one if all that it names are cases of it.
    private static func vocabularies() throws -> [Vocabulary] {
        var found: [Vocabulary] = []
        for path in paths("Sources") {
            for (subject, name, file) in enums where path.hasSuffix("/\(file)") {
                found += cases(of: [name], in: try lines(path)).map {
                    Vocabulary(subject: subject, names: $0)
                }
            }
        }
        let schema = try lines("Sources/TableWire/Schema/trestle.proto")
        for (message, subject) in [("Op", "op"), ("Command", "command"), ("Request", "request")] {
            let names = choices(of: message, in: schema)
            found.append(Vocabulary(subject: subject, names: names))
        }
        return found
    }

    private static func cases(of names: [String], in lines: [Substring]) -> [Set<String>] {
        lines.indices.compactMap { start in
            let head = lines[start].prefixMatch(of: /( *)(?:public )?(?:indirect )?enum (\w+)\b/)
            guard let head, names.contains(String(head.2)) else { return nil }
            var cases: Set<String> = []
            for line in lines[(start + 1)...] where !line.isEmpty {
                if line.hasPrefix("\(head.1)}") { break }
                let form = /( *)(?:indirect )?case (.+)/
                guard let match = line.prefixMatch(of: form), match.1.count == head.1.count + 4
                else { continue }
                let parts = Label.split(match.2).parts
                cases.formUnion(parts.map { String($0.prefix { $0.isLetter || $0.isNumber }) })
            }
            return cases
        }
    }

    /// The fields of the first `oneof` of a message, as Swift writes them.
    private static func choices(of message: String, in lines: [Substring]) -> Set<String> {
        let start = lines.firstIndex { $0 == "message \(message) {" } ?? lines.endIndex
        let body = lines[start...].drop { !$0.hasPrefix("  oneof ") }.prefix { $0 != "  }" }
        return Set(
            body.compactMap { line in
                guard let field = line.firstMatch(of: /(\w+) = \d+;/)?.1 else { return nil }
                let words = field.split(separator: "_")
                return words.dropFirst().reduce(String(words[0])) { $0 + $1.capitalized }
            })
    }

    @Test func theNamesAreFound() throws {
        let found = try Self.vocabularies()
        for some: Set<String> in [
            ["insert", "restore", "invocation", "perform"], ["unclaim", "undo", "expandAll"],
            ["hello", "rewind", "explain"], ["lift", "hover"], ["insertItem", "setInvocation"],
        ] {
            #expect(
                found.contains { some.isSubset(of: $0.names) && $0.names.count < 40 }, "\(some)")
        }
    }

    // MARK: Switches

    /// The labels of a switch: the names that their patterns begin with, and whether one of them
    /// takes whatever is left.
    private struct Label {
        var names: [String] = []
        var takesTheRest = false

        /// What stands between the commas of a text, up to a colon, outside all brackets.
        static func split(_ text: some StringProtocol) -> (parts: [String], isWhole: Bool) {
            var (parts, depth) = ([""], 0)
            for letter in text {
                if "([{".contains(letter) { depth += 1 }
                if ")]}".contains(letter) { depth -= 1 }
                if depth == 0, letter == ":" { return (parts, true) }
                if depth == 0, letter == "," {
                    parts.append("")
                } else {
                    parts[parts.count - 1].append(letter)
                }
            }
            return (parts.map { $0.trimmingCharacters(in: .whitespaces) }, false)
        }

        mutating func add(_ patterns: [String]) {
            for pattern in patterns.map({ $0.trimmingCharacters(in: .whitespaces) }) {
                if let match = pattern.prefixMatch(of: /(?:let |var )?\w*\.(\w+)/) {
                    names.append(String(match.1))
                } else if pattern.wholeMatch(of: /_|(?:let|var) \w+/) != nil {
                    takesTheRest = true
                }
            }
        }
    }

    /// By the indentation, which `make lint` sees to: labels stand below their `switch`.
    private static func labels(below start: Int, of lines: [Substring], _ indent: String) -> Label {
        var label = Label()
        var pending: String?
        for line in lines[(start + 1)...] {
            if let text = pending.map({ $0 + line }) {
                let (parts, isWhole) = Label.split(text)
                pending = isWhole ? nil : text
                if isWhole { label.add(parts) }
            } else if line.hasPrefix("\(indent)}") {
                break
            } else if line.hasPrefix("\(indent)default") || line.hasPrefix("\(indent)@unknown") {
                label.takesTheRest = true
            } else if line.hasPrefix("\(indent)case ") {
                let text = String(line.dropFirst(indent.count + 5))
                let (parts, isWhole) = Label.split(text)
                pending = isWhole ? nil : text
                if isWhole { label.add(parts) }
            }
        }
        return label
    }

    /// The switches of a file: where they begin, with their labels.
    private static func switches(in lines: [Substring]) -> [(line: Int, label: Label)] {
        lines.indices.compactMap { start in
            let line = lines[start]
            guard line.contains("switch "), !line.contains("//"),
                let head = line.prefixMatch(of: /( *)(?:.*\W)?switch \S/)
            else { return nil }
            return (start + 1, labels(below: start, of: lines, String(head.1)))
        }
    }

    /// The lines of switches that answer for an op or a verb which does not exist yet.
    private static func faults(in lines: [Substring], _ known: [Vocabulary]) -> [Int] {
        switches(in: lines).filter { _, label in
            label.takesTheRest && !label.names.isEmpty
                && known.contains { $0.names.isSuperset(of: label.names) }
        }.map(\.line)
    }

    /// The lines of patterns that one after the other look at the same thing, where a switch should
    /// be: what is none of them falls through, unseen.
    private static func chains(in lines: [Substring], _ known: [Vocabulary]) -> [Int] {
        var before: [(indent: Int, subject: Substring, name: String)] = []
        var found: [Int] = []
        let form = /\b(?:if|guard|while) case (?:let )?\.(\w+).*? = ([\w.?\[\]]+)/
        for (number, line) in lines.enumerated() where !line.isEmpty {
            let indent = line.prefix { $0 == " " }.count
            before.removeAll { $0.indent > indent }
            guard line.contains(" case "), let match = line.firstMatch(of: form) else { continue }
            let name = String(match.1)
            let other = before.first { $0.indent == indent && $0.subject == match.2 }
            before.removeAll { $0.indent == indent && $0.subject == match.2 }
            before.append((indent, match.2, name))
            guard let other, other.name != name else { continue }
            if known.contains(where: { $0.names.isSuperset(of: [name, other.name]) }) {
                found.append(number + 1)
            }
        }
        return found
    }

    @Test func noSwitchOverOpsOrVerbsHasADefault() throws {
        let known = try Self.vocabularies()
        let paths = Self.paths("Sources", "Tests", "fuzz/Sources/Fuzz", "examples")
        #expect(paths.count > 300)
        for path in paths {
            for line in Self.faults(in: try Self.lines(path), known) {
                Issue.record("\(path):\(line): name the ops or verbs that are left")
            }
        }
    }

    @Test func noChainOfPatternsStandsForASwitch() throws {
        let known = try Self.vocabularies()
        for path in Self.paths("Sources", "Tests", "fuzz/Sources/Fuzz", "examples") {
            for line in Self.chains(in: try Self.lines(path), known) {
                Issue.record("\(path):\(line): write a switch that names every op or verb")
            }
        }
    }

    // MARK: Where something new is asked for

    /// By subject, the files with how many of their switches name every case.
    private static func places(in paths: [String]) throws -> [String: [String: Int]] {
        let known = try vocabularies()
        var found: [String: [String: Int]] = [:]
        for path in paths {
            let file = String(path.split(separator: "/").last ?? "")
            for (_, label) in switches(in: try lines(path)) {
                let whole = known.first { $0.names == Set(label.names) }
                if let whole { found[whole.subject, default: [:]][file, default: 0] += 1 }
            }
        }
        return found
    }

    /// A fact about an op or a verb belongs into its line of a table (`OpDescription.swift`,
    /// `VerbDescription.swift`, `RequestDescription.swift`), not into a switch more.
    @Test func fewSwitchesNameEveryCase() throws {
        let places = try Self.places(in: Self.paths("Sources"))
        let count = ["op", "command", "request"].reduce(0) { count, subject in
            count + (places[subject] ?? [:]).values.reduce(0, +)
        }
        #expect(count <= 26, "\(count) switches: \(places)")
    }

    /// The lines of a walk of CONTRIBUTING.md that say *asked*: the files with how often.
    private static func asked(inWalk heading: String) throws -> [String: Int] {
        let page = try lines("CONTRIBUTING.md").drop { $0 != "### \(heading)" }.dropFirst()
        var found: [String: Int] = [:]
        for line in page.prefix(while: { !$0.hasPrefix("#") }) where line.hasPrefix("| `") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard let last = cells.last, last.hasPrefix("asked") else { continue }
            let files = cells[0].split(separator: "`").map(String.init).filter { $0.contains(".") }
            for file in files {
                found[String(file.split(separator: "/").last ?? "")] =
                    Int(last.filter(\.isNumber)) ?? 1
            }
        }
        return found
    }

    @Test(arguments: [
        ("op", "A new op"), ("command", "A new verb"), ("request", "A new request"),
    ]) func theWalksSayWhatIsAsked(subject: String, heading: String) throws {
        let places = try Self.places(in: Self.paths("Sources", "Tests"))[subject] ?? [:]
        let asked = places.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        print("A new \(subject) is asked for in:\n\(asked.joined(separator: "\n"))")
        let said = try Self.asked(inWalk: heading)
        for file in Set(places.keys).union(said.keys).sorted() where places[file] != said[file] {
            Issue.record(
                "\(file) asks \(places[file] ?? 0) times, \"\(heading)\" says \(said[file] ?? 0)")
        }
    }

    // MARK: A test that finds nothing is worth nothing

    private static let wrong = [
        "switch op {\ncase .insert: a()\ndefault: break\n}",
        "let a = switch self {\ncase .move(let ids, _), .swap(ids[0], let b): 1\ndefault: 3\n}",
        "    return switch verb {\n    case .add(let add) where add.id == nil: 1\n    case _: 2\n    }",
        "switch step.op {\ncase Op.set(let id, let changes),\n    .restore(id, _):\n    b()\n"
            + "case let other: c(other)\n}",
        "switch request.verb {\ncase .drag(.drop(let lease, section: nil)): 1\n@unknown default: 2\n}",
        "switch wire.op {\ncase .insertItem(let wire)?: 1\ndefault: 2\n}",
    ]

    private static let right = [
        "switch op {\ncase .insert: a()\ncase .remove: break\n}",
        // Not an op, nor a verb.
        "switch reply.answer {\ncase .hello: a()\ncase .refused: b()\ndefault: break\n}",
        "switch word {\ncase \"insert\": a()\ndefault: break\n}",
        // The inner one has the default.
        "switch op {\ncase .insert:\n    switch word {\n    case \"a\": b()\n    default: break\n    }\n}",
        "switch op {\ncase .expand(_, let state) where state == .expanded: a()\ncase .remove: b()\n}",
    ]

    @Test func aDefaultIsFound() throws {
        let known = try Self.vocabularies()
        func lines(_ text: String) -> [Substring] {
            text.split(separator: "\n", omittingEmptySubsequences: false)
        }
        for text in Self.wrong { #expect(Self.faults(in: lines(text), known) == [1], "\(text)") }
        for text in Self.right { #expect(Self.faults(in: lines(text), known).isEmpty, "\(text)") }
        let chain = "if case .insert(let row, _) = op { a() }\nb()\nif case .remove = op { c() }"
        #expect(Self.chains(in: lines(chain), known) == [3])
        let other = "if case .insert = op { a() }\n}\nif case .remove = other { c() }"
        #expect(Self.chains(in: lines(other), known).isEmpty)
        let blocks = "{\n    if case .insert = op { a() }\n}\n{\n    if case .remove = op { c() }"
        #expect(Self.chains(in: lines(blocks), known).isEmpty)
    }
}

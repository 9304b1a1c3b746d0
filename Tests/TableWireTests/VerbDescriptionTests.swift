import Foundation
import TableModel
import TableSync
import TableWire
import Testing

/// The tables of verbs (VerbDescription.swift, RequestDescription.swift) against the schema, the pages and
/// what the daemon does.
@Suite struct VerbDescriptionTests {
    // MARK: docs/VERBS.md

    /// The words of the page for the traits.
    private static let words: [(VerbTraits, String)] = [
        (.table, "table"), (.allTables, "all tables"), (.process, "this daemon"),
        (.leader, "leader"), (.reads, "reads"), (.costly, "costly"), (.once, "once"),
        (.explained, "explained"), (.audited, "audited"), (.makesLess, "makes less"),
        (.batch, "batch"), (.conditions, "conditions"), (.manyRows, "many rows"),
        (.everyRow, "every row"), (.pinned, "pinned"), (.open, "open"), (.past, "past"),
    ]

    /// The page as the tables give it.
    private static var page: [String] {
        func line(_ verb: VerbDescription, without known: VerbTraits, _ more: String = "") -> String
        {
            let traits = words.filter { verb.traits.subtracting(known).contains($0.0) }.map(\.1)
            let role = verb.rights.isEmpty ? "" : Role.least(for: verb.rights).rawValue
            let cells = [
                "`\(verb.name)`", verb.group.rawValue, role, traits.joined(separator: ", "),
            ]
            return cells.map { $0.isEmpty ? "| " : "| \($0) " }.joined() + more + "|"
        }
        let requests: [VerbDescription] =
            Request.Name.allCases.filter { $0 != .drag && $0 != .command }.map(\.description)
            + Drag.Name.allCases.map(\.description)
        let commands = Command.Name.allCases.map(\.description)
        return ["| verb | group | role | what is true of it |", "|---|---|---|---|"]
            + requests.map { line($0, without: []) }
            + ["| verb | group | role | what is true of it | keys |", "|---|---|---|---|---|"]
            + commands.map { verb in
                line(
                    verb, without: [.table, .leader, .once, .explained],
                    "| " + verb.keys.map { "`\($0)`" }.joined(separator: ", ") + " ")
            }
    }

    /// Each line of a table is that of the name in its place.
    @Test func theTablesAreInTheOrderOfTheNames() {
        #expect(
            Command.Name.allCases.map(\.description.name) == Command.Name.allCases.map(\.rawValue))
        #expect(
            Request.Name.allCases.map(\.description.name) == Request.Name.allCases.map(\.rawValue))
    }

    /// Writes the tables of the page anew if `TRESTLE_WRITE` is set.
    private static func write(_ wanted: [String]) throws {
        let url = RepositoryPage.root.appending(path: "docs/VERBS.md")
        let lines = try RepositoryPage.text("docs/VERBS.md").components(separatedBy: "\n")
        let starts = lines.indices.filter { lines[$0].hasPrefix("| verb") }
        let second = try #require(wanted.lastIndex { $0.hasPrefix("| verb") })
        var page: [String] = []
        for (index, line) in lines.enumerated() {
            if index == starts.first { page += wanted[..<second] }
            if index == starts.last { page += wanted[second...] }
            if !line.hasPrefix("|") { page.append(line) }
        }
        try page.joined(separator: "\n").write(to: url, atomically: true, encoding: .utf8)
    }

    @Test func thePageHasTheTables() throws {
        if ProcessInfo.processInfo.environment["TRESTLE_WRITE"] != nil { try Self.write(Self.page) }
        let lines = try RepositoryPage.text("docs/VERBS.md").split(separator: "\n").map(String.init)
        let found = lines.filter { $0.hasPrefix("|") }
        let wanted = Self.page
        for line in wanted where !found.contains(line) {
            Issue.record("not in docs/VERBS.md: \(line)")
        }
        for line in found where !wanted.contains(line) { Issue.record("too much: \(line)") }
        #expect(found == wanted)
    }

    /// Each command and each request stands in a table of the protocol's page.
    @Test func theProtocolHasEveryVerb() throws {
        let page = try RepositoryPage.text("docs/PROTOCOL.md")
        let first = page.split(separator: "\n").filter { $0.hasPrefix("| `") }.compactMap {
            $0.dropFirst(2).split(separator: "|").first
        }
        let named = Set(first.flatMap { $0.split(separator: "`").map(String.init) })
        for name in Command.Name.allCases.map(\.rawValue) + Request.Name.allCases.map(\.rawValue) {
            #expect(named.contains(name), "docs/PROTOCOL.md has no line for \(name)")
        }
    }

    // MARK: The schema

    @Test func theKeysAreThoseOfTheSchema() throws {
        let schema = try SchemaText()
        func names(_ message: String) -> [String] {
            schema.messages[message, default: []].map(\.jsonName)
        }
        let conditions: Set = ["if", "ifRevision", "ifVersion", "ifClaimed"]
        let commands = schema.messages["Command", default: []].filter {
            !conditions.contains($0.jsonName)
        }
        #expect(commands.map(\.jsonName) == Command.Name.allCases.map(\.rawValue))
        for command in commands {
            let name = try #require(Command.Name(rawValue: command.jsonName))
            #expect(names(command.message ?? "") == name.description.keys, "\(name)")
        }
        let others: Set = ["client", "number", "opened", "table", "name", "atMs", "zoneSeconds"]
        #expect(
            Set(names("Request")).subtracting(others) == Set(Request.Name.allCases.map(\.rawValue)))
        let explained = Request.Name.allCases.filter { $0.has(.explained) }.map(\.rawValue)
        #expect(Set(names("Request.Explain")) == Set(explained))
    }

    // MARK: Every verb

    /// One of each name.
    static func sample(_ name: Request.Name) -> Request.Verb {
        let history = ID128(high: 1, low: 2)
        switch name {
        case .hello: return .hello
        case .tables: return .tables
        case .kinds: return .kinds
        case .snapshot: return .snapshot(id: nil, chunk: 0)
        case .replay: return .replay(history: history, since: 0)
        case .offer: return .offer(history: history, revision: 0, digest: 0)
        case .health: return .health
        case .stats: return .stats
        case .check: return .check
        case .renew: return .renew
        case .drag: return .drag(.lift(["a"], ttlSeconds: 9))
        case .attend: return .attend(revision: 0, isLeaving: false)
        case .who: return .who
        case .history: return .history(HistoryFilter())
        case .rewind: return .rewind(history: history, since: 0, to: 0)
        case .backup: return .backup(id: nil, chunk: 0)
        case .restore: return .restore(.finish(parts: 0, replaces: false))
        case .create: return .create
        case .drop: return .drop
        case .forget: return .forget(["a"])
        case .command: return .command(Command(.edit(true)))
        case .batch: return .batch([Command(.edit(true))], ifRevision: nil)
        case .explain: return .explain(.drop)
        case .query: return .query(Query())
        case .audit: return .audit(most: 9)
        case .stepDown: return .stepDown
        case .connections: return .connections
        case .endConnection: return .endConnection("7-9")
        case .replicate: return .replicate(Replicate(id: "a1"))
        case .promote: return .promote
        }
    }

    /// What a request needs a table for is refused without one; the rest is read.
    @Test(arguments: Request.Name.allCases) func whoNeedsATable(_ name: Request.Name) {
        let verb = Self.sample(name)
        #expect(verb.request == name)
        for form in [Form.json, .binary] {
            let bytes = Encode.request(Request(verb), form: form)
            let decoded = bytes.withUnsafeBytes { Decode.request($0, form: form) }
            switch decoded.result {
            case .success(let request):
                #expect(!name.description.needsTable && request.verb == verb)
            case .failure(let rejection):
                #expect(name.description.needsTable && rejection.code == .badName)
            }
        }
        #expect((Request.Change(verb) != nil) == name.has(.explained))
    }

    @Test func stepsOfADragAndCommandsHaveLinesOfTheirOwn() {
        let drop = Request.Verb.drag(.drop(lease: "l", section: nil, .top, .strict))
        #expect(drop.description.isRemembered && drop.name == "drop")
        #expect(!Self.sample(.drag).description.isRemembered && Self.sample(.drag).name == "lift")
        let undo = Request.Verb.command(Command(.undo(revision: nil, mine: false)))
        #expect(undo.name == "undo" && undo.description.group == .past)
        #expect(!undo.description.traits.contains(.batch) && undo.description.isRemembered)
    }
}

import TableModel
import TableSync
import Testing

/// Who may do what, against a table that is written out apart from the code.
struct AccessTests {
    /// By role, as docs/ACCESS.md has it: r read, c change rows, h handle, d define, a administer.
    private static let roles: [Role: String] = [
        .viewer: "r", .operator: "rc", .handler: "rh", .editor: "rcd", .admin: "rchda",
    ]

    /// What each request takes.
    private static let verbs: [(String, Request.Verb)] = {
        let history = ID128(high: 1, low: 2)
        func command(_ verb: Command.Verb) -> Request.Verb { .command(Command(verb)) }
        return [
            ("r", .kinds), ("r", .snapshot(id: nil, chunk: 0)), ("r", .who),
            ("r", .replay(history: history, since: 0)),
            ("r", .offer(history: history, revision: 0, digest: 0)),
            ("r", .history(HistoryFilter())), ("r", .rewind(history: history, since: 1, to: 0)),
            ("r", .attend(revision: 0, isLeaving: false)), ("r", .explain(.drop)),
            ("r", .query(Query())), ("c", .drag(.lift(["a"], ttlSeconds: 9))), ("h", .renew),
            ("a", .create), ("a", .drop),
            ("c", command(.remove(["a"]))), ("c", command(.edit(true))),
            ("c", command(.undo(revision: nil, mine: false))),
            ("c", command(.claim(["a"], note: "", ttlSeconds: nil))),
            ("d", command(.section("s", title: nil))), ("d", command(.removeSection("s"))),
            ("h", command(.take(action: nil, atMost: 1))),
            ("c", .batch([Command(.edit(true))], ifRevision: nil)),
            ("cd", .batch([Command(.edit(true)), Command(.removeSection("s"))], ifRevision: nil)),
        ]
    }()

    private static let principals: [Principal] = [
        .user(1, name: "ada"), .user(2, name: "bo", groups: ["kitchen"]),
        .user(3, groups: ["kitchen", "bar"]), .key("phone"), .key("ada"), .local,
    ]
    private static let tables: [TableID] = ["a", "ab", "b", "kitchen/x", ""]
    private static let patterns = ["*", "a", "a*", "*b", "a*b", "k*/x", "**"]

    /// Matching written in another way: by all ways in which the stars can be filled.
    private static func matches(_ name: Substring, _ pattern: Substring) -> Bool {
        guard let first = pattern.first else { return name.isEmpty }
        if first == "*" {
            return matches(name, pattern.dropFirst())
                || (!name.isEmpty && matches(name.dropFirst(), pattern))
        }
        return name.first == first && matches(name.dropFirst(), pattern.dropFirst())
    }

    @Test func randomTriples() {
        var random = SystemRandomNumberGenerator()
        func some<Thing>(_ all: [Thing]) -> Set<Thing> where Thing: Hashable {
            Set(all.filter { _ in Int.random(in: 0..<4, using: &random) == 0 })
        }
        for _ in 0..<2_500 {
            let lines = (0..<Int.random(in: 0..<4, using: &random)).map { number in
                var line = GuestList.Line(
                    roles: some(Role.allCases).union([.viewer]), line: number + 1)
                line.users = some(["ada", "1", "2", "3", "*"])
                line.groups = some(["kitchen", "bar"])
                line.keys = some(["phone", "ada", "*"])
                line.isAnybody = Int.random(in: 0..<8, using: &random) == 0
                line.tables = some(Self.patterns).union(["a"]).compactMap(NamePattern.init)
                return line
            }
            let exchange = Exchange()
            exchange.server.admission.guests = GuestList(lines)
            for _ in 0..<4 { check(lines, exchange.server, &random) }
            // It makes the ids of the tables.
            withExtendedLifetime(exchange) {}
        }
    }

    private func check(
        _ lines: [GuestList.Line], _ server: Server, _ random: inout SystemRandomNumberGenerator
    ) {
        guard let principal = Self.principals.randomElement(using: &random),
            let table = Self.tables.randomElement(using: &random),
            let (needed, verb) = Self.verbs.randomElement(using: &random)
        else { return }
        var letters: Set<Character> = []
        for line in lines {
            let isAbout: Bool
            switch principal.identity.text {
            case "uid:1": isAbout = !line.users.isDisjoint(with: ["ada", "1", "*"])
            case "uid:2":
                isAbout =
                    !line.users.isDisjoint(with: ["2", "*"]) || line.groups.contains("kitchen")
            case "uid:3":
                isAbout = !line.users.isDisjoint(with: ["3", "*"]) || !line.groups.isEmpty
            case "key:phone": isAbout = !line.keys.isDisjoint(with: ["phone", "*"])
            case "key:ada": isAbout = !line.keys.isDisjoint(with: ["ada", "*"])
            default: isAbout = false
            }
            guard isAbout || line.isAnybody,
                line.tables.contains(where: { Self.matches(table.text[...], $0.text[...]) })
            else { continue }
            for role in line.roles { letters.formUnion(Self.roles[role] ?? "") }
        }
        server.begin(nowMs: 1)
        var request = Request(table: table, verb)
        request.sender = principal
        server.receive(request, requestHash: 0, from: 0)
        let isAllowed = letters.isSuperset(of: needed)
        guard case .reply(let reply) = server.finish().replies.last?.body,
            case .refused(let rejection) = reply.answer
        else { return #expect(isAllowed, "\(principal.identity) \(verb.name) \(lines)") }
        let isRefused = rejection.code == .notAllowed && rejection.field == Rejection.userField
        #expect(isRefused == !isAllowed, "\(principal.identity) \(verb.name) \(lines)")
        if !letters.contains("r") { #expect(reply.history == nil && reply.revision == nil) }
        // What the administrator is told is the same.
        let answer = GuestList(lines).answer(for: principal, verb.rights, on: table)
        #expect(answer.isAllowed == isAllowed)
    }

    /// A server whose guests are the kitchen.
    private static func ofTheKitchen() -> Exchange {
        let exchange = Exchange()
        var line = GuestList.Line(roles: [.operator])
        line.groups = ["kitchen"]
        exchange.server.admission.guests = GuestList([line])
        return exchange
    }

    /// The machine could not say who it is, and can: the same principal, with groups now.
    @Test func whoHasANameNowHasItsRights() {
        let exchange = Self.ofTheKitchen()
        let server = exchange.server
        let (before, now) = (Principal.user(2), Principal.user(2, name: "bo", groups: ["kitchen"]))
        #expect(
            server.admission.rights(of: before, on: "t").isEmpty
                && server.admission.isStranger(before))
        server.admission.forgetRights()
        #expect(
            server.admission.rights(of: now, on: "t").contains(.changeRows)
                && !server.admission.isStranger(now))
    }

    /// A request that waited has its sender as known before: what is found for it is not the sender's of now.
    @Test func whoHasLostAGroupDoesNotGetItsRightsBack() {
        let exchange = Self.ofTheKitchen()
        let server = exchange.server
        let (before, now) = (
            Principal.user(2, name: "bo", groups: ["kitchen"]), Principal.user(2, name: "bo")
        )
        for table in ["t", nil] as [TableID?] {
            for _ in 0..<2 {
                #expect(!server.admission.rights(of: before, on: table).isEmpty)
                #expect(server.admission.rights(of: now, on: table).isEmpty)
                #expect(!server.admission.isStranger(before) && server.admission.isStranger(now))
            }
        }
    }

    @Test func verbsAboutAllTablesTakeAllTables() {
        let exchange = Exchange()
        let server = exchange.server
        var line = GuestList.Line(roles: [.admin])
        line.isAnybody = true
        for (tables, isAllowed) in [(["*"], true), (["a*", "b"], false)] {
            line.tables = tables.compactMap(NamePattern.init)
            server.admission.guests = GuestList([line])
            for verb in [
                Request.Verb.backup(id: nil, chunk: 0), .check,
                .restore(.finish(parts: 1, replaces: false)),
            ] {
                server.begin(nowMs: 1)
                server.receive(Request(client: "c", number: 1, verb), requestHash: 0, from: 0)
                var code: Rejection.Code?
                if case .reply(let reply) = server.finish().replies.last?.body,
                    case .refused(let rejection) = reply.answer
                {
                    code = rejection.code
                }
                #expect((code != .notAllowed) == isAllowed, "\(verb.name)")
            }
        }
    }

    @Test func proofs() {
        #expect(Principal.proof(userID: "1001") == .user(uid: 1_001))
        #expect(Principal.proof(userID: "key:a:b") == .key(name: "a:b"))
        #expect(Principal.proof(userID: nil) == .local && Principal.proof(userID: "") == .local)
        for bad in ["key:", "ada", "-1", "4294967296", "1 "] {
            #expect(Principal.proof(userID: bad) == nil, "\(bad)")
        }
    }
}

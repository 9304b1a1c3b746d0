import TableModel
import Testing

@testable import TableSync

/// Children of a principal: what they may do, what is theirs, and that it outlives a restart.
@Suite struct BehalfTests {
    private static let parent = Principal.user(7, name: "gate")

    private func child(
        _ name: String, _ role: String = "", _ tables: [String]? = nil,
        of parent: Principal = BehalfTests.parent
    ) throws -> Principal {
        parent.child(try Behalf(name: name, role: role, tables: tables))
    }

    // MARK: What may stand in the frame

    @Test func whatIsRefusedIsRefusedByName() throws {
        let long = String(repeating: "n", count: Behalf.mostNameBytes)
        _ = try Behalf(name: long, role: "viewer", tables: ["a*"])
        let cases: [(String, String, [String]?, Rejection.Code, String)] = [
            ("", "", nil, .badID, "behalf.name"), ("a\u{0}", "", nil, .badID, "behalf.name"),
            ("a\nb", "", nil, .badID, "behalf.name"), ("\u{9b}1m", "", nil, .badID, "behalf.name"),
            (long + "n", "", nil, .tooLarge, "behalf.name"),
            ("a", "root", nil, .badValue, "behalf.role"),
            ("a", "Admin", nil, .badValue, "behalf.role"),
            ("a", "", [], .badValue, "behalf.tables"), ("a", "", [""], .badValue, "behalf.tables"),
            ("a", "", ["b\u{1}"], .badValue, "behalf.tables"),
            (
                "a", "", [String(repeating: "t", count: NamePattern.mostBytes + 1)], .badValue,
                "behalf.tables"
            ),
            (
                "a", "", Array(repeating: "t", count: Behalf.mostTables + 1), .tooLarge,
                "behalf.tables"
            ),
            (
                "a", "", Array(repeating: String(repeating: "t", count: 200), count: 40), .tooLarge,
                "behalf.tables"
            ),
        ]
        for (name, role, tables, code, field) in cases {
            do throws(Rejection) {
                _ = try Behalf(name: name, role: role, tables: tables)
                Issue.record("\(name) \(role) is taken")
            } catch {
                #expect(error.code == code && error.field == field, "\(error)")
            }
        }
    }

    /// By all ways in which the stars can be filled.
    private func matches(_ name: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
        guard let first = pattern.first else { return name.isEmpty }
        if first == UInt8(ascii: "*") {
            return matches(name, pattern.dropFirst())
                || (!name.isEmpty && matches(name.dropFirst(), pattern))
        }
        return name.first == first && matches(name.dropFirst(), pattern.dropFirst())
    }

    @Test func patterns() {
        var random = SystemRandomNumberGenerator()
        func text(_ letters: String, _ most: Int) -> String {
            String(
                (0..<Int.random(in: 1...most, using: &random)).map { _ in
                    letters.randomElement(using: &random) ?? "a"
                })
        }
        for _ in 0..<20_000 {
            let (name, pattern) = (text("ab", 9), text("ab**", 7))
            #expect(
                NamePattern(pattern)?.matches(name)
                    == matches(Array(name.utf8)[...], Array(pattern.utf8)[...]),
                "\(pattern) \(name)")
        }
        #expect(NamePattern("**")?.isAll == true && NamePattern("*a")?.isAll == false)
        // Two names that look alike are two.
        #expect(NamePattern("caf\u{E9}")?.matches("cafe\u{301}") == false)
    }

    // MARK: Rights

    /// 10,000 random (list, parent, role, tables, table): a child may do what both may, and no more.
    @Test func aChildOnlyEverMayLess() throws {
        var random = SystemRandomNumberGenerator()
        let roles = Role.allCases
        let exchange = Exchange()
        for _ in 0..<10_000 {
            exchange.server.admission.guests = nil
            var line = GuestList.Line(roles: [try #require(roles.randomElement(using: &random))])
            line.users = [["gate", "7", "*", "other"].randomElement(using: &random) ?? "*"]
            let pattern = ["*", "a", "a*", "b"].randomElement(using: &random) ?? "*"
            line.tables = [try #require(NamePattern(pattern))]
            if Bool.random(using: &random) { exchange.server.admission.guests = GuestList([line]) }
            let role = Bool.random(using: &random) ? roles.randomElement(using: &random) : nil
            let choices: [[String]?] = [nil, ["*"], ["a"], ["b*"]]
            let tables = choices[Int.random(in: choices.indices, using: &random)]
            let table: TableID? = [nil, "a", "ab", "b"].randomElement(using: &random) ?? nil
            let own = try child("x", role?.rawValue ?? "", tables)
            let all = exchange.server.admission.rights(of: Self.parent, on: table)
            let isAbout =
                tables == nil || tables == ["*"]
                || (tables == ["a"] && table == "a") || (tables == ["b*"] && table == "b")
            let said = isAbout ? role?.rights ?? Role.admin.rights : []
            let rights = exchange.server.admission.rights(of: own, on: table)
            #expect(
                rights == all.intersection(said),
                "\(line) \(tables ?? ["all"]) \(table?.text ?? "all")")
            // A child's word about itself counts for nothing in the guest list.
            #expect(exchange.server.admission.rights(of: try child("other"), on: table) == all)
        }
    }

    @Test func whoIsTheSame() throws {
        #expect(try child("a", "viewer") == child("a", "admin"))
        #expect(try child("a") != child("b") && child("a") != Self.parent)
        #expect(try child("a") != child("a", of: .user(8, name: "gate")))
        #expect(try child("a").name == "gate/a" && child("a").identity == "uid:7/a")
        #expect(try child("a", of: .local).name == "/a")
        // By bytes, as ids are: both look alike.
        let (one, other) = ("caf\u{E9}", "cafe\u{301}")
        #expect(try child(one) != child(other))
        #expect(try child(one).identity != child(other).identity)
        #expect(Set([try child(one), try child(other)]).count == 2)
        // A mark that would join the slash is no part of it.
        #expect(Principal.parent(of: try child("\u{301}x").identity) == "uid:7")
        #expect(Principal.parent(of: try child("a/b").identity) == "uid:7")
        #expect(Principal.parent(of: Self.parent.identity) == nil)
        // A user's name with a slash, as from a directory, is no child's.
        #expect(Principal.user(9, name: "gate/a").name == "9")
        var line = GuestList.Line(roles: [.viewer])
        line.users = ["gate/a"]
        #expect(line.isAbout(.user(9, name: "gate/a")))
        #expect(!line.isAbout(try child("a")))
    }

    // MARK: What is whose

    private func command(_ verb: Command.Verb) -> Request.Verb { .command(Command(verb)) }

    @Test func anOperatorUndoesNoDefinition() throws {
        let talk = try Talk()
        let (cook, chief) = (try child("cook", "operator"), try child("chief", "editor"))
        #expect(try talk.code(cook, command(.section("s", title: nil))) == .notAllowed)
        #expect(try talk.code(chief, command(.section("s", title: nil))) == nil)
        let revision = talk.exchange.table?.revision
        #expect(try talk.code(cook, command(.undo(revision: revision, mine: false))) == .notAllowed)
        let undo = Command(.undo(revision: revision, mine: false))
        #expect(try talk.code(cook, .explain(.command(undo))) == .notAllowed)
        #expect(try talk.code(cook, .drop) == .notAllowed)
        #expect(try talk.code(chief, command(.undo(revision: revision, mine: false))) == nil)
    }

    @Test func claimsAndLeasesAreTheirOwnAlsoAfterRecovery() throws {
        let talk = try Talk()
        let (grill, bar) = (try child("grill", "operator"), try child("bar", "operator"))
        #expect(try talk.code(grill, command(.claim(["a"], note: "", ttlSeconds: nil))) == nil)
        let lifted = try talk.say(grill, .drag(.lift(["b"], ttlSeconds: 60)))
        guard case .lease(let lease) = lifted.answer else {
            Issue.record("\(lifted)")
            return
        }
        #expect(lease.user == "gate/grill")
        func attack(_ who: Principal) throws {
            for _ in 0..<50 {
                #expect(
                    try talk.code(who, command(.unclaim(["a"], holder: "grill"))) == .claimed)
                #expect(
                    try talk.code(who, command(.claim(["a"], note: "", ttlSeconds: nil)))
                        == .claimed)
            }
        }
        #expect(try talk.code(bar, .drag(.cancel(lease: lease.id))) == .notHeld)
        // Who says her name with its own connection is not her either.
        try attack(bar)
        try attack(try child("grill", "operator", of: .user(8, name: "other")))
        #expect(try talk.code(grill, .drag(.cancel(lease: lease.id))) == nil)
        try talk.recover()
        try attack(bar)
        #expect(try talk.code(grill, command(.unclaim(["a"], holder: nil))) == nil)
    }

    @Test func anAnswerIsTheChildsOwnAlsoAfterRecovery() throws {
        let talk = try Talk()
        let (grill, bar) = (try child("grill"), try child("bar"))
        let verb = command(.set("a", Command.Changes(title: "hers")))
        let first = try talk.say(grill, verb, client: "pos", number: 1)
        let other = try talk.say(bar, verb, client: "pos", number: 1)
        #expect(first.revision != nil && other.number == 1)
        for round in 0..<2 {
            #expect(try talk.say(grill, verb, client: "pos", number: 1) == first, "\(round)")
            #expect(try talk.say(bar, verb, client: "pos", number: 1) == other, "\(round)")
            try talk.recover()
        }
    }

    /// A gateway that names its devices for the first time: what their pages send again was answered to
    /// the gateway's user.
    @Test func whatWasAnsweredToTheParentIsNotRunAgain() throws {
        let talk = try Talk()
        let grill = try child("grill", "operator")
        let verb = command(.move(["a"], section: nil, .bottom, .strict))
        let before = try talk.say(Self.parent, verb, client: "pos", number: 1)
        let revision = talk.exchange.table?.revision
        #expect(try talk.say(grill, verb, client: "pos", number: 1) == before)
        #expect(talk.exchange.table?.revision == revision)
        _ = try talk.say(
            grill, command(.set("b", Command.Changes(title: "2"))), client: "pos", number: 2)
        #expect(try talk.say(grill, verb, client: "pos", number: 1) == before)
    }
}

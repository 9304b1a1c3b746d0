import TableModel
import Testing

@testable import TableSync

/// A claim that an undo brings back is its old holder's, whoever undoes under whatever name.
struct ReturnedClaimTests {
    private let talk: Talk
    private let ada: Principal
    private let ben: Principal

    init() throws {
        talk = try Talk()
        let parent = Principal.user(7, name: "gate")
        ada = parent.child(try Behalf(name: "ada", role: "operator", tables: nil))
        ben = parent.child(try Behalf(name: "ben", role: "operator", tables: nil))
    }

    private func command(_ verb: Command.Verb, ifClaimed: Bool = false) -> Request.Verb {
        .command(Command(verb, ifClaimed: ifClaimed))
    }

    private func claim(_ row: RowID = "a") -> Request.Verb {
        command(.claim([row], note: "", ttlSeconds: nil))
    }

    private func undo(_ revision: UInt64? = nil) -> Request.Verb {
        command(.undo(revision: revision, mine: false))
    }

    private var live: Server.LiveTable? { talk.exchange.server.tables[Exchange.table] }
    private var revision: UInt64? { live?.table.revision }

    /// That the claim is hers, whatever others say.
    private func expectItIsAdas() throws {
        #expect(live?.table.row("a")?.claim?.holder == "ada")
        let changes = Command.Changes(title: "taken")
        let set = command(.set("a", changes), ifClaimed: true)
        #expect(try talk.code(ben, set, as: "ada") == .notClaimed)
        #expect(try talk.code(ben, claim(), as: "ada") == .claimed)
        #expect(try talk.code(ben, command(.unclaim(["a"], holder: nil)), as: "ada") == .claimed)
        #expect(try talk.code(ada, command(.unclaim(["a"], holder: nil))) == nil)
    }

    @Test(arguments: ["ada", "ben"] as [ID], [true, false])
    func ofARemovedRow(name: ID, isRecovered: Bool) throws {
        #expect(try talk.code(ada, claim()) == nil)
        #expect(try talk.code(ben, command(.remove(["a"]))) == nil)
        if isRecovered { try talk.recover() }
        #expect(try talk.code(ben, undo(), as: name) == nil)
        if isRecovered { try talk.recover() }
        try expectItIsAdas()
    }

    @Test(arguments: ["ada", "ben"] as [ID])
    func thatWasEnded(name: ID) throws {
        #expect(try talk.code(ada, claim()) == nil)
        #expect(try talk.code(ada, command(.unclaim(["a"], holder: nil))) == nil)
        #expect(try talk.code(ben, undo(), as: name) == nil)
        try expectItIsAdas()
    }

    /// And by the redo of an undo.
    @Test func thatAnUndoHadTakenAway() throws {
        #expect(try talk.code(ada, claim()) == nil)
        #expect(try talk.code(ada, undo()) == nil)
        #expect(try talk.code(ben, command(.redo(mine: false)), as: "ada") == nil)
        try expectItIsAdas()
    }

    /// Somebody had claimed it under the same name since. It is told by when it was made.
    @Test func anotherOfTheSameNameIsAnother() throws {
        #expect(try talk.code(ada, claim()) == nil)
        #expect(try talk.code(ada, command(.unclaim(["a"], holder: nil))) == nil)
        let ended = revision
        talk.exchange.nowMs += 1
        #expect(try talk.code(ben, claim(), as: "ada") == nil)
        #expect(try talk.code(ben, undo(), as: "ada") == nil)
        #expect(try talk.code(ben, undo(ended), as: "ada") == nil)
        try expectItIsAdas()
    }

    /// A recall brings the row back without it.
    @Test func aRecallBringsNone() throws {
        #expect(try talk.code(ada, claim()) == nil)
        #expect(try talk.code(ben, command(.remove(["a"]))) == nil)
        #expect(try talk.code(ben, command(.recall(["a"])), as: "ada") == nil)
        #expect(live?.table.row("a") != nil && live?.table.claimedRows == [])
    }

    /// A checkpoint has the owners of claims that have ended. From one of before they are not known: then the
    /// claim is nobody's, and never the undoer's.
    @Test(arguments: [true, false]) func throughACheckpoint(isOld: Bool) throws {
        #expect(try talk.code(ada, claim()) == nil)
        #expect(try talk.code(ada, claim("b")) == nil)
        #expect(try talk.code(ben, command(.remove(["a"]))) == nil)
        var owners = Owners()
        for piece in try #require(live).owners.captured() {
            guard case .owners(let some) = piece.part else { continue }
            owners.add(
                Owners(
                    claims: some.claims.mapValues(\.user), invocations: some.invocations,
                    ended: isOld ? [] : some.endedClaims))
        }
        #expect(owners.endedClaims.count == (isOld ? 0 : 1))
        talk.exchange.server.restore(owners, of: Exchange.table)
        #expect(try talk.code(ben, undo(), as: "ada") == nil)
        #expect(live?.owners.owner(of: "a") == (isOld ? nil : ada.provenName))
        if !isOld { try expectItIsAdas() }
        // Which claim it is of those that are still there is in the table.
        #expect(try talk.code(ben, command(.remove(["b"]))) == nil)
        #expect(try talk.code(ben, undo(), as: "ada") == nil)
        #expect(live?.owners.owner(of: "b") == ada.provenName)
    }

    @Test func onlySoManyAreRemembered() {
        var owners = Owners()
        func note(_ op: Op, _ cause: Cause) { owners.note([op], of: cause) }
        let user = ProvenID("ada")
        let hers = Cause(client: "c", verb: "claim", name: "ada", user: user)
        for number in 0..<10_010 {
            let row = ID("r\(number)")
            note(.claim(row, Claim(holder: "ada", sinceMs: 1)), hers)
            note(.remove(row), hers)
        }
        #expect(owners.claims.isEmpty && owners.endedClaims.count == 10_000)
        #expect(owners.endedClaims.first?.row == "r10" && owners.endedClaims.last?.row == "r10009")
        let his = Cause(
            client: "d", verb: "undo", name: "ada", undoes: 1, user: ProvenID("ben"))
        for (row, owner) in [("r9", nil), ("r10", user)] as [(RowID, ProvenID?)] {
            note(.claim(row, Claim(holder: "ada", sinceMs: 1)), his)
            #expect(owners.owner(of: row) == owner)
        }
    }

    /// It is then the latest, also after a start from a checkpoint.
    @Test func oneThatEndsAgainIsRememberedFromThen() {
        var owners = Owners()
        let user = ProvenID("ada")
        let hers = Cause(client: "c", verb: "claim", name: "ada", user: user)
        let undo = Cause(client: "c", verb: "undo", name: "ada", undoes: 1, user: user)
        func end(_ row: RowID, _ cause: Cause) {
            owners.note([.claim(row, Claim(holder: "ada", sinceMs: 1)), .remove(row)], of: cause)
        }
        end("a", hers)
        for number in 0..<5_000 { end(ID("r\(number)"), hers) }
        end("a", undo)
        for number in 5_000..<14_990 { end(ID("r\(number)"), hers) }
        var started = Owners(claims: [:], invocations: [:], ended: owners.endedClaims)
        #expect(started == owners && owners.endedClaims.count == 10_000)
        for some in [owners, started] {
            started = some
            started.note([.claim("a", Claim(holder: "ada", sinceMs: 1))], of: undo)
            #expect(started.owner(of: "a") == user)
        }
        // Until its turn comes.
        for number in 14_990..<15_010 { end(ID("r\(number)"), hers) }
        owners.note([.claim("a", Claim(holder: "ada", sinceMs: 1))], of: undo)
        #expect(owners.owner(of: "a") == nil)
    }
}

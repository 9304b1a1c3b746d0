import TableModel
import Testing

@testable import TableSync

/// Edit mode for everybody has a holder, and ends with it, by a clock that the tests set.
struct EditModeTests {
    private let talk: Talk
    private let ada: Principal
    private let ben: Principal
    private static let quarterMs: UInt64 = 900_000

    init() throws {
        talk = try Talk()
        let parent = Principal.user(7, name: "gate")
        ada = parent.child(try Behalf(name: "ada", role: "operator", tables: nil))
        ben = parent.child(try Behalf(name: "ben", role: "operator", tables: nil))
    }

    private var live: Server.LiveTable? { talk.exchange.server.tables[Exchange.table] }
    private var revision: UInt64? { live?.table.revision }
    private var isEditing: Bool? { live?.table.isEditing }

    /// By a script, whose client is no viewer, or from the screen with this client id.
    private func edit(
        _ isOn: Bool, by who: Principal, as name: ID? = nil, from client: ID = "script"
    ) throws -> Rejection.Code? {
        try talk.code(who, .command(Command(.edit(isOn))), as: name, client: client)
    }

    private func attend(
        _ client: ID, _ who: Principal, as name: ID? = nil, isLeaving: Bool = false
    ) throws {
        let attend = Request.Verb.attend(revision: 1, isLeaving: isLeaving)
        #expect(try talk.code(who, attend, as: name, client: client) == nil)
    }

    /// The daemon looks what is over, so much later. What it does is in the journal too.
    private func watch(after ms: UInt64, judges: Bool = true) {
        let server = talk.exchange.server
        talk.exchange.nowMs += ms
        server.begin(nowMs: talk.exchange.nowMs)
        server.watchEphemeral(judges: judges)
        let ready = server.finish()
        talk.journal += talk.exchange.codec.records(of: ready.entry).map { ($0, ready.position) }
    }

    @Test func itEndsWithItsScreen() throws {
        try attend("v1", ada)
        try attend("v2", ben)
        #expect(try edit(true, by: ada, from: "v1") == nil)
        let begun = try #require(revision)
        try attend("v2", ben, isLeaving: true)
        #expect(isEditing == true)
        try attend("v1", ada, isLeaving: true)
        #expect(isEditing == false && revision == begun + 1)
        // It has ended by an op: whoever replays the journal ends it as well.
        try talk.recover()
        #expect(isEditing == false && revision == begun + 1 && live?.owners.editor == nil)
    }

    /// However they come and go, it is the last of them that ends it, once the screen itself has gone.
    @Test(arguments: [true, false]) func anotherScreenOfItsHolderKeepsIt(isFirst: Bool) throws {
        if isFirst { try attend("v2", ada) }
        try attend("v1", ada)
        #expect(try edit(true, by: ada, from: "v1") == nil)
        if !isFirst { try attend("v2", ada) }
        try attend("v3", ada)
        try attend("v3", ada, isLeaving: true)
        #expect(isEditing == true, "its screen is there")
        try attend("v1", ada, isLeaving: true)
        #expect(isEditing == true, "there is another screen of hers")
        try attend("v1", ada)
        try attend("v2", ada, isLeaving: true)
        #expect(isEditing == true, "its screen is back")
        try attend("v1", ada, isLeaving: true)
        #expect(isEditing == false)
    }

    /// A screen that stands in for the one that has gone does not prolong it.
    @Test func anotherScreenOfItsHolderDoesNotRenewIt() throws {
        try attend("v1", ada)
        #expect(try edit(true, by: ada, from: "v1") == nil)
        try attend("v2", ada)
        try attend("v1", ada, isLeaving: true)
        for _ in 0..<225 {
            try attend("v2", ada)
            watch(after: 4_000)
            #expect(isEditing == true)
        }
        try attend("v2", ada)
        watch(after: 1)
        #expect(isEditing == false)
    }

    @Test func itEndsWhenItsScreenIsNotHeardOf() throws {
        try attend("v1", ada)
        #expect(try edit(true, by: ada, from: "v1") == nil)
        watch(after: 5_000)
        #expect(isEditing == true)
        watch(after: 1)
        #expect(isEditing == false)
    }

    @Test func itEndsWhenItsScreenIsAnothers() throws {
        try attend("v1", ada, as: "ada")
        #expect(try edit(true, by: ada, as: "ada", from: "v1") == nil)
        try attend("v1", ada, as: "eve")
        #expect(isEditing == false)
    }

    /// A script has no screen. A viewer of its name, as `trestle watch`, neither ends nor prolongs what it has begun.
    @Test func viewersThatComeAndGoAreNothingToAScript() throws {
        try attend("v1", ada)
        #expect(try edit(true, by: ada) == nil)
        try attend("v2", ada)
        try attend("v1", ada, isLeaving: true)
        try attend("v2", ada, isLeaving: true)
        #expect(isEditing == true)
        for _ in 0..<225 {
            try attend("v3", ada)
            watch(after: 4_000)
            #expect(isEditing == true)
        }
        try attend("v3", ada)
        watch(after: 1)
        #expect(isEditing == false)
    }

    /// A viewer under the client id of its screen is another screen where the principal is another.
    @Test func aNamesakeOfAnotherPrincipalIsNotItsHolder() throws {
        try attend("v1", ben, as: "ada")
        #expect(try edit(true, by: ada, from: "v1") == nil)
        try attend("v1", ben, as: "ada", isLeaving: true)
        #expect(isEditing == true)
        #expect(try edit(true, by: ben, as: "ada") == .editing)
    }

    /// Its client id is the name of a viewer, which is no screen of its: it neither ends nor prolongs what it has begun.
    @Test func aViewerWithTheClientsIDForItsNameIsNotItsScreen() throws {
        try attend("v1", ada, as: "pos")
        #expect(try edit(true, by: ada, as: "pos", from: "pos") == nil)
        try attend("v2", ada, as: "pos")
        try attend("v2", ada, as: "pos", isLeaving: true)
        try attend("v1", ada, as: "pos", isLeaving: true)
        #expect(isEditing == true)
        for _ in 0..<225 {
            try attend("v3", ada, as: "pos")
            watch(after: 4_000)
            #expect(isEditing == true)
        }
        try attend("v3", ada, as: "pos")
        watch(after: 1)
        #expect(isEditing == false)
    }

    @Test func withoutAScreenItEndsByTime() throws {
        #expect(try edit(true, by: ada) == nil)
        watch(after: Self.quarterMs)
        #expect(isEditing == true)
        watch(after: 1)
        #expect(isEditing == false)
        // Nothing is left that could end.
        #expect(live.map { $0.ephemeral.isEmpty($0.table) } == true)
    }

    @Test func itsHolderRenewsIt() throws {
        #expect(try edit(true, by: ada) == nil)
        let begun = revision
        watch(after: Self.quarterMs - 1)
        #expect(try edit(true, by: ada) == nil)
        #expect(revision == begun)
        watch(after: Self.quarterMs)
        #expect(isEditing == true)
        let batch = Request.Verb.batch([Command(.edit(true))], ifRevision: nil)
        #expect(try talk.code(ada, batch) == nil)
        #expect(revision == begun)
        watch(after: Self.quarterMs)
        #expect(isEditing == true)
        watch(after: 1)
        #expect(isEditing == false)
    }

    @Test func whileItsScreenIsThereItStays() throws {
        #expect(try edit(true, by: ada, from: "v1") == nil)
        for _ in 0..<500 {
            try attend("v1", ada)
            watch(after: 4_000)
            #expect(isEditing == true)
        }
        try attend("v1", ada, isLeaving: true)
        #expect(isEditing == false)
    }

    @Test func nobodyElseTurnsItOnAgain() throws {
        #expect(try edit(true, by: ada, from: "v1") == nil)
        #expect(try edit(true, by: ben) == .editing)
        let batch = Request.Verb.batch([Command(.edit(true))], ifRevision: nil)
        #expect(try talk.code(ben, batch) == .editing)
        // Anybody who may change rows may end it, and then another person can hold it.
        #expect(try edit(false, by: ben) == nil)
        #expect(try edit(true, by: ben) == nil)
        #expect(live?.owners.editor?.actor == "ben")
        // Her edit mode is over, and her screen has no part in his.
        try attend("v1", ada)
        try attend("v1", ada, isLeaving: true)
        #expect(isEditing == true)
    }

    /// A person who may not turn it on again does not prolong it either.
    @Test func aRefusalDoesNotRenewIt() throws {
        #expect(try edit(true, by: ada) == nil)
        watch(after: Self.quarterMs)
        let batch = Request.Verb.batch([Command(.edit(true))], ifRevision: nil)
        #expect(try edit(true, by: ben) == .editing)
        #expect(try talk.code(ben, batch) == .editing)
        #expect(isEditing == true)
        watch(after: 1)
        #expect(isEditing == false)
    }

    /// In a batch it is the sender's once the batch itself has turned it on.
    @Test func aBatchThatTurnsItOnMayTurnItOnAgain() throws {
        #expect(try edit(true, by: ada) == nil)
        let twice = [false, true, true].map { Command(.edit($0)) }
        #expect(try talk.code(ben, .batch(twice, ifRevision: nil)) == nil)
        #expect(isEditing == true && live?.owners.editor?.actor == "ben")
        // The other commands of a batch leave it with its holder.
        let others = [Command(.remove(["b"])), Command(.edit(true))]
        #expect(try talk.code(ada, .batch(others, ifRevision: nil)) == .editing)
        #expect(live?.table.row("b") != nil)
    }

    /// Screens name the one who undid that as who turned it on.
    @Test func whoTurnsItOnByAnUndoHoldsIt() throws {
        #expect(try edit(true, by: ada) == nil)
        #expect(try edit(false, by: ada) == nil)
        try attend("v1", ben)
        let undo = Request.Verb.command(Command(.undo(revision: nil, mine: false)))
        #expect(try talk.code(ben, undo, client: "v1") == nil)
        #expect(isEditing == true && live?.owners.editor?.actor == "ben")
        try attend("v1", ben, isLeaving: true)
        #expect(isEditing == false)
    }

    /// That it has ended by itself is in nobody's way: what the same command did besides is taken back.
    @Test func whatTurnedItOnIsUndoneAfterItsEnd() throws {
        let begun = try turnOnOverAnOpenRow()
        watch(after: Self.quarterMs + 1)
        #expect(isEditing == false)
        let undo = Request.Verb.command(Command(.undo(revision: begun, mine: false)))
        #expect(try talk.code(ada, undo) == nil)
        #expect(isEditing == false && live?.table.row("a")?.swipe == .trailing)
    }

    /// Row `a` is open, and ada's edit mode closes it; gives the revision of that.
    private func turnOnOverAnOpenRow() throws -> UInt64 {
        let kind = try #require(live?.table.kinds.values.first)
        var swiped = kind
        swiped.trailing = ActionGroup(actions: [Action("go")])
        #expect(
            try talk.code(.user(1), .command(Command(.define(.init(kinds: [swiped]))))) == nil)
        #expect(try talk.code(ada, .command(Command(.swipe("a", .trailing)))) == nil)
        #expect(try edit(true, by: ada) == nil)
        #expect(live?.table.row("a")?.swipe == nil)
        return try #require(revision)
    }

    /// While it is another one's, no row is open: then there is nothing to take back.
    @Test func whatItClosedStaysClosedWhileItIsAnothers() throws {
        let begun = try turnOnOverAnOpenRow()
        watch(after: Self.quarterMs + 1)
        #expect(try edit(true, by: ben) == nil)
        let before = revision
        let undo = Request.Verb.command(Command(.undo(revision: begun, mine: false)))
        #expect(try talk.code(ada, undo) == .conflict)
        #expect(revision == before && live?.table.row("a")?.swipe == nil)
        // It can be taken back once that is over.
        #expect(try edit(false, by: ben) == nil)
        #expect(try talk.code(ada, undo) == nil)
        #expect(live?.table.row("a")?.swipe == .trailing)
    }

    /// If there is nothing else to take back, that is said, and an undo of whatever stands passes it over.
    @Test func whatTurnedItOnHasNothingLeftAfterItsEnd() throws {
        #expect(try edit(true, by: ada) == nil)
        let begun = try #require(revision)
        watch(after: Self.quarterMs + 1)
        let named = Request.Verb.command(Command(.undo(revision: begun, mine: false)))
        #expect(try talk.code(ada, named) == .conflict)
        let latest = Request.Verb.command(Command(.undo(revision: nil, mine: false)))
        #expect(try talk.code(ada, latest) == nil)
        #expect(live?.table.row("b") == nil, "the last row that was added")
    }

    /// As from an older daemon, or where neither a name nor a client was said: its time alone ends it.
    @Test func whereNobodyIsKnownToHoldItsTimeEndsIt() throws {
        try attend("v1", ada)
        #expect(try edit(true, by: ada, from: "v1") == nil)
        talk.exchange.restart(epoch: 2)
        watch(after: 0, judges: false)
        #expect(isEditing == true && live?.owners.editor == nil)
        try attend("v1", ada)
        try attend("v1", ada, isLeaving: true)
        watch(after: Self.quarterMs - 1)
        #expect(isEditing == true)
        // Anybody renews it, and holds it no more than before.
        #expect(try edit(true, by: ben, from: "v2") == nil)
        watch(after: Self.quarterMs)
        #expect(isEditing == true && live?.owners.editor == nil)
        watch(after: 1)
        #expect(isEditing == false)
    }

    /// After a restart it has its holder, by the journal or by a checkpoint, and its time begins with the first look.
    @Test(arguments: [true, false]) func throughARestart(fromJournal: Bool) throws {
        #expect(try edit(true, by: ada, from: "v1") == nil)
        watch(after: Self.quarterMs - 1)
        if fromJournal {
            try talk.recover()
        } else {
            let pieces = try #require(live).owners.captured()
            talk.exchange.restart(epoch: 2)
            var owners = Owners()
            for piece in pieces {
                if case .owners(let some) = piece.part { owners.add(some) }
            }
            talk.exchange.server.restore(owners, of: Exchange.table)
        }
        talk.exchange.nowMs += 4 * Self.quarterMs
        watch(after: 0, judges: false)
        watch(after: Self.quarterMs)
        #expect(isEditing == true)
        #expect(try edit(true, by: ben) == .editing)
        try attend("v1", ada)
        try attend("v1", ada, isLeaving: true)
        #expect(isEditing == false)
    }

    /// While the disk is full nothing is changed. It ends once there is room.
    @Test func onAFullDiskItEndsLater() throws {
        #expect(try edit(true, by: ada) == nil)
        talk.exchange.server.room.isReadOnly = true
        watch(after: Self.quarterMs + 1)
        #expect(isEditing == true)
        talk.exchange.server.room.isReadOnly = false
        watch(after: 100)
        #expect(isEditing == false)
    }
}

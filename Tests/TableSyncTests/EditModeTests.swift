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

    private func edit(_ isOn: Bool, by who: Principal, as name: ID? = nil) throws -> Rejection.Code?
    {
        try talk.code(who, .command(Command(.edit(isOn))), as: name)
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

    @Test func itEndsWithTheLastViewerOfItsHolder() throws {
        try attend("v1", ada)
        try attend("v2", ada)
        try attend("v3", ben)
        #expect(try edit(true, by: ada) == nil)
        let begun = try #require(revision)
        try attend("v1", ada, isLeaving: true)
        try attend("v3", ben, isLeaving: true)
        #expect(isEditing == true, "there is another viewer of hers")
        try attend("v2", ada, isLeaving: true)
        #expect(isEditing == false && revision == begun + 1)
        // It has ended by an op: whoever replays the journal ends it as well.
        try talk.recover()
        #expect(isEditing == false && revision == begun + 1 && live?.owners.editor == nil)
    }

    @Test func itEndsWhenItsHolderIsNotHeardOf() throws {
        try attend("v1", ada)
        #expect(try edit(true, by: ada) == nil)
        watch(after: 5_000)
        #expect(isEditing == true)
        watch(after: 1)
        #expect(isEditing == false)
    }

    /// By the name that the viewer says, or by its client id; and only where the principal is the same.
    @Test func aNamesakeOfAnotherPrincipalIsNotItsHolder() throws {
        try attend("v1", ben, as: "ada")
        #expect(try edit(true, by: ada) == nil)
        try attend("v1", ben, as: "ada", isLeaving: true)
        #expect(isEditing == true)
        #expect(try edit(true, by: ben, as: "ada") == .editing)
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

    @Test func whileItsHolderLooksItStays() throws {
        #expect(try edit(true, by: ada) == nil)
        for _ in 0..<500 {
            try attend("v1", ada)
            watch(after: 4_000)
            #expect(isEditing == true)
        }
        try attend("v1", ada, isLeaving: true)
        #expect(isEditing == false)
    }

    @Test func nobodyElseTurnsItOnAgain() throws {
        #expect(try edit(true, by: ada) == nil)
        #expect(try edit(true, by: ben) == .editing)
        let batch = Request.Verb.batch([Command(.edit(true))], ifRevision: nil)
        #expect(try talk.code(ben, batch) == .editing)
        // Whoever may change rows may end it, and then it can be another one's.
        #expect(try edit(false, by: ben) == nil)
        #expect(try edit(true, by: ben) == nil)
        #expect(live?.owners.editor?.actor == "ben")
        try attend("v1", ada)
        try attend("v1", ada, isLeaving: true)
        #expect(isEditing == true)
    }

    /// Screens name the one who undid that as who turned it on.
    @Test func whoTurnsItOnByAnUndoHoldsIt() throws {
        #expect(try edit(true, by: ada) == nil)
        #expect(try edit(false, by: ada) == nil)
        let undo = Request.Verb.command(Command(.undo(revision: nil, mine: false)))
        #expect(try talk.code(ben, undo) == nil)
        #expect(isEditing == true && live?.owners.editor?.actor == "ben")
    }

    /// After a restart it has its holder, by the journal or by a checkpoint, and its time begins with the first look.
    @Test(arguments: [true, false]) func throughARestart(fromJournal: Bool) throws {
        #expect(try edit(true, by: ada) == nil)
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

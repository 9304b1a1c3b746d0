import TableModel
import TableSync
import Testing

@testable import TableTurn

/// `explain` of large changes: between turns, one at a time, seldom, and a few of each user.
@Suite struct ExplanationsTests {
    private func rig() throws -> Rig {
        let rig = try Rig(isPrompt: true)
        try rig.makeTable()
        for row in 0..<40 { rig.add(ID("r\(row)")) }
        try rig.run()
        rig.network.forgetSaid()
        return rig
    }

    private func change(_ rows: Int) -> Request.Verb {
        let commands = (0..<rows).map { Command(.set(ID("r\($0)"), .init(title: "\(rows)"))) }
        return .explain(.batch(commands, ifRevision: nil))
    }

    private func ask(_ rig: Rig, _ rows: Int, by user: UInt32, client: ID?) {
        var request = Request(client: client, table: "t", change(rows))
        request.sender = .user(user)
        rig.network.arrived.append(request)
    }

    @Test func aSmallOneIsExplainedInItsTurn() throws {
        let rig = try rig()
        rig.send(change(32), isNumbered: false)
        try rig.run()
        #expect(rig.network.replies.count == 1)
    }

    @Test func largeOnesAreOneATime() throws {
        let rig = try rig()
        for client in ["a", "b", "c"] { ask(rig, 33, by: 1, client: ID(client)) }
        rig.add("new")
        try rig.run()
        // Who changes something does not wait for them.
        #expect(rig.network.replies.count == 2)
        try rig.run()
        try rig.run()
        #expect(rig.network.replies.count == 4)
        for case .explained(let explanation) in rig.network.replies.map(\.answer) {
            #expect(explanation.ops.count == 33)
        }
        #expect(!rig.turn.questions.explanations.isBusy)
    }

    @Test func theSameAskedAgainIsAnsweredOnce() throws {
        let rig = try rig()
        for _ in 0..<10 { ask(rig, 33, by: 1, client: "a") }
        for _ in 0..<20 { try rig.run() }
        #expect(rig.network.replies.count == 1 && rig.network.forgotten.count == 9)
    }

    @Test func oneUserLeavesRoomForOthersAndDoesNotComeFirst() throws {
        let rig = try rig()
        for number in 0..<6 { ask(rig, 33, by: 1, client: ID("c\(number)")) }
        ask(rig, 34, by: 2, client: "other")
        try rig.run()
        let refused = rig.network.replies.filter { reply in
            guard case .refused(let rejection) = reply.answer else { return false }
            return rejection.code == .tooLarge
        }
        #expect(refused.count == 2)
        try rig.run()
        #expect(rig.network.replies.map(\.client).contains("other"))
    }

    @Test func itIsOfTheTablesAheadOfTheJournalAndWaitsForIt() throws {
        let rig = try rig()
        rig.journal.isPrompt = false
        rig.add("late")
        ask(rig, 33, by: 1, client: "a")
        try rig.run()
        try rig.run()
        #expect(rig.network.replies.isEmpty)
        rig.journal.settle()
        try rig.run()
        #expect(rig.network.replies.count == 2)
    }

    /// The guest list became another one while they waited.
    @Test func whoIsRefusedAfterWaitingIsInTheAuditOnce() throws {
        let rig = try rig()
        for client in ["a", "b", "c"] { ask(rig, 33, by: 1, client: ID(client)) }
        try rig.run()
        #expect(rig.network.replies.count == 1)
        rig.network.audited = []
        rig.turn.server.admission.guests = GuestList([])
        try rig.run()
        try rig.run()
        try rig.run()
        #expect(rig.network.replies.count == 3)
        #expect(rig.network.audited.map(\.verb) == ["explain", "explain"])
        #expect(rig.network.audited.map(\.code) == ["notAllowed", "notAllowed"])
        let routes = rig.network.said.dropFirst().compactMap { said -> String? in
            if case .reply(let route, _) = said { "route:\(route)" } else { nil }
        }
        #expect(rig.network.audited.map(\.from) == routes)
    }

    /// A reload looked up the groups of the sender while they waited: what counts is who it is now.
    @Test(arguments: [true, false]) func whoTheSenderIsNowIsAsked(isGuestNow: Bool) throws {
        let rig = try rig()
        var line = GuestList.Line(roles: [.operator])
        line.groups = ["kitchen"]
        rig.turn.server.admission.guests = GuestList([line])
        let (cook, nobody) = (Principal.user(1, groups: ["kitchen"]), Principal.user(1))
        for client in ["a", "b"] as [ID] {
            var request = Request(client: client, table: "t", change(33))
            request.sender = cook
            rig.network.arrived.append(request)
        }
        try rig.run()
        #expect(rig.network.replies.count == 1)
        rig.network.signer = isGuestNow ? cook : nobody
        try rig.run()
        try rig.run()
        #expect(rig.network.replies.count == 2)
        guard case .explained = try #require(rig.network.replies.last).answer else {
            #expect(!isGuestNow)
            return
        }
        #expect(isGuestNow)
    }

    /// It is of the state that is ahead, and is told with its answer.
    @Test func suchARefusalWaitsForTheJournalWithItsAnswer() throws {
        let rig = try rig()
        for client in ["a", "b"] { ask(rig, 33, by: 1, client: ID(client)) }
        try rig.run()
        rig.network.forgetSaid()
        rig.network.audited = []
        rig.journal.isPrompt = false
        rig.add("late")
        // What was decided before it is explained after.
        rig.network.whileReceiving = { rig.turn.server.admission.guests = GuestList([]) }
        try rig.run()
        #expect(rig.network.replies.isEmpty && rig.network.audited.isEmpty)
        rig.journal.settle()
        try rig.run()
        #expect(rig.network.replies.count == 2)
        #expect(rig.network.audited.map(\.verb) == ["explain"])
    }

    /// The same of a check, which says how large each table is.
    @Test func whoMayNotCheckAnyMoreIsNotTold() throws {
        for isTaken in [false, true] {
            let rig = try rig()
            rig.network.audited = []
            var request = Request(client: "a", table: nil, .check)
            request.sender = .user(1)
            rig.network.arrived.append(request)
            if isTaken {
                rig.network.whileReceiving = { rig.turn.server.admission.guests = GuestList([]) }
            }
            for _ in 0..<20 { try rig.run(afterMs: 10) }
            #expect(rig.network.replies.count == 1)
            guard case .refused(let rejection) = rig.network.replies.first?.answer else {
                #expect(!isTaken)
                continue
            }
            #expect(isTaken && rejection.isForWantOfRights)
            #expect(rig.network.audited.map(\.verb) == ["check"])
        }
    }

    @Test func whoWaitsAtTheEndIsTold() throws {
        let rig = try rig()
        for client in ["a", "b", "c"] { ask(rig, 33, by: 1, client: ID(client)) }
        try rig.run()
        rig.network.forgetSaid()
        try rig.turn.interruptWaiting(rig.network)
        let codes = rig.network.replies.map(\.answer).map { answer -> Rejection.Code? in
            guard case .refused(let rejection) = answer else { return nil }
            return rejection.code
        }
        #expect(codes == [.interrupted, .interrupted])
    }
}

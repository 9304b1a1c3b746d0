import TableModel
import TableSync
import Testing

@testable import TableTurn

/// `query`: in slices between turns, of one revision, one at a time.
@Suite struct QueriesTests {
    private func rig() throws -> Rig {
        let rig = try Rig(isPrompt: true)
        try rig.makeTable()
        for row in 0..<100 { rig.add(ID("r\(row)")) }
        try rig.run()
        rig.network.forgetSaid()
        // A slice ends after a few looks at the clock.
        rig.clock.lookNs = 2_000_000
        return rig
    }

    private static let all: Query = {
        var query = Query()
        (query.condition, query.most) = ("title == \"T\"", 1_000)
        return query
    }()

    private func ask(_ rig: Rig, _ query: Query = all, by user: UInt32 = 1, client: ID? = nil) {
        var request = Request(client: client, table: "t", .query(query))
        request.sender = .user(user)
        rig.network.arrived.append(request)
    }

    private func run(_ rig: Rig, turns: Int = 40) throws {
        for _ in 0..<turns where rig.turn.questions.queries.isBusy { try rig.run() }
        #expect(!rig.turn.questions.queries.isBusy)
    }

    private func found(_ reply: Reply?) -> Found? {
        if case .found(let found)? = reply?.answer { found } else { nil }
    }

    @Test func othersAreServedMeanwhileAndItIsOfOneRevision() throws {
        let rig = try rig()
        ask(rig)
        try rig.run()
        #expect(rig.network.replies.isEmpty && rig.turn.questions.queries.isBusy)
        #expect(rig.turn.untilNext(rig.clock.nowMs) == 0)
        rig.add("new")
        rig.send(.command(Command(.remove(["r99"]))))
        try rig.run()
        #expect(rig.network.replies.count == 2)
        #expect(rig.turn.questions.queries.isBusy)
        try run(rig)
        let reply = rig.network.replies.last
        #expect(found(reply)?.rows.map(\.row.id) == (0..<100).map { ID("r\($0)") })
        #expect(found(reply)?.count == 100)
        // The revision is that at which it began, not that of the two changes after it.
        #expect(reply?.revision == 100)
    }

    @Test func whoHasGoneIsNotWaitedFor() throws {
        let rig = try rig()
        for _ in 0..<2 { ask(rig) }
        try rig.run()
        let routes = Set(0..<1_000)
        rig.network.gone = routes
        try rig.run()
        #expect(!rig.turn.questions.queries.isBusy)
        #expect(rig.network.replies.isEmpty && rig.network.forgotten.count == 2)
    }

    @Test func aTableThatIsDroppedOrAnother() throws {
        let rig = try rig()
        ask(rig)
        try rig.run()
        rig.send(.drop)
        try run(rig)
        guard case .refused(let rejection)? = rig.network.replies.last?.answer else {
            Issue.record("a table that is gone is told of")
            return
        }
        #expect(rejection.code == .noSuchTable)
        try rig.makeTable()
        rig.add("one")
        try rig.run()
        rig.network.forgetSaid()
        ask(rig)
        try run(rig, turns: 1)
        try rig.run()
        #expect(found(rig.network.replies.last)?.count == 1)
    }

    @Test func theSameAskedAgainIsAnsweredOnce() throws {
        let rig = try rig()
        for _ in 0..<5 { ask(rig, client: "a") }
        try rig.run()
        ask(rig, client: "a")
        try rig.run()
        try run(rig)
        #expect(rig.network.replies.count == 1 && rig.network.forgotten.count == 5)
    }

    @Test func oneUserLeavesRoomForOthersAndDoesNotComeFirst() throws {
        let rig = try rig()
        // All of it is done in one slice.
        rig.clock.lookNs = 0
        var queries = Queries()
        func isTaken(by user: UInt32) -> Bool {
            var request = Request(table: "t", .query(Self.all))
            request.sender = .user(user)
            let place = queries.ask(.init(route: Route(user), request: request))
            return if case .taken = place { true } else { false }
        }
        for _ in 0..<Queries.mostOfOne { #expect(isTaken(by: 1)) }
        #expect(!isTaken(by: 1))
        #expect(isTaken(by: 2))
        var order: [Route] = []
        try queries.work(
            server: rig.turn.server, clock: rig.clock, isThere: { _ in true }, forget: { _ in }
        ) { asker, answer, _ in
            guard case .found = answer else { return }
            order.append(asker.route)
        }
        #expect(order.count == Queries.mostOfOne + 1 && order.prefix(3) == [1, 2, 1])
    }

    @Test func itWaitsForTheJournalAndBeginsAnewWithTheTables() throws {
        let rig = try rig()
        rig.journal.isPrompt = false
        rig.add("late")
        try rig.run()
        ask(rig)
        try rig.run()
        // The state that it began with is thrown away, and the query begins again.
        rig.journal.submitted = []
        rig.journal.next = .refused
        try rig.run()
        try run(rig)
        #expect(found(rig.network.replies.last)?.count == 100)
    }

    @Test func whatIsTooMuchIsRefused() throws {
        let rig = try rig()
        var query = Query()
        (query.by, query.condition) = ("id", "title ~~ 1")
        ask(rig, query)
        query.condition = nil
        query.sections = ["nowhere"]
        ask(rig, query)
        try rig.run()
        try run(rig)
        let refused = rig.network.replies.compactMap { reply in
            if case .refused(let rejection) = reply.answer { rejection } else { nil }
        }
        #expect(refused.map(\.code) == [.badValue, .noSuchSection])
        #expect(refused.map(\.field) == ["query.where", "query.sections"])
    }

    @Test func whoWaitsAtTheEndIsTold() throws {
        let rig = try rig()
        for _ in 0..<2 { ask(rig) }
        try rig.run()
        try rig.turn.interruptWaiting(rig.network)
        #expect(rig.network.replies.count == 2 && !rig.turn.questions.queries.isBusy)
    }
}

import Simulation
import TableModel
import TableSync
import Testing

/// Remembered answers.
struct SessionsTests {
    func limits(sessions: Int = 100, perSession: Int = 4, replies: Int = 1_000) -> Limits {
        var limits = Limits()
        limits.sessions = sessions
        limits.repliesPerSession = perSession
        limits.replies = replies
        return limits
    }

    private func answer(_ number: UInt64) -> Sessions.Answered {
        .init(number: number, requestHash: number * 7, reply: [UInt8(number % 256)])
    }

    func verdict(
        _ sessions: Sessions, _ client: ID, _ number: UInt64, opened: UInt64 = 0
    ) -> Sessions.Verdict {
        sessions.verdict(
            client: client, number: number, opened: opened, requestHash: number * 7)
    }

    func isUnknown(_ verdict: Sessions.Verdict) -> Bool {
        if case .refused(let rejection) = verdict { return rejection.code == .unknown }
        return false
    }

    @Test func sameBytesAreAnsweredAndOthersRefused() {
        let limits = limits()
        var sessions = Sessions()
        #expect(verdict(sessions, "a", 1) == .fresh)
        sessions.remember(
            answer(1), client: "a", opened: nil, position: 1, within: limits)
        #expect(verdict(sessions, "a", 1) == .answered([1]))
        #expect(verdict(sessions, "a", 2) == .fresh && verdict(sessions, "b", 1) == .fresh)
        let other = sessions.verdict(client: "a", number: 1, opened: 0, requestHash: 8)
        guard case .refused(let rejection) = other else {
            Issue.record("not refused")
            return
        }
        #expect(rejection.code == .numberReused && rejection.field == "number")
    }

    @Test func numbersMayComeInAnyOrder() {
        let limits = limits(perSession: 8)
        var sessions = Sessions()
        for number in [5, 2, 9, 1] as [UInt64] {
            #expect(verdict(sessions, "a", number) == .fresh)
            sessions.remember(
                answer(number), client: "a", opened: nil, position: number, within: limits)
        }
        #expect(sessions.byClient["a"]?.answers.map(\.number) == [1, 2, 5, 9])
        #expect(sessions.byClient["a"]?.floor == 0)
        for number in [1, 2, 5, 9] as [UInt64] {
            #expect(verdict(sessions, "a", number) == .answered([UInt8(number)]))
        }
        for number in [0, 3, 4, 6, 7, 8, .max] as [UInt64] where number > 0 && number < 100 {
            #expect(verdict(sessions, "a", number) == .fresh)
        }
        // Zero is not above the floor: numbers begin at one.
        #expect(isUnknown(verdict(sessions, "a", 0)))
    }

    @Test func beyondTheFloorNothingRunsAgain() {
        let limits = limits(perSession: 3)
        var sessions = Sessions()
        for number in 1...6 as ClosedRange<UInt64> {
            sessions.remember(
                answer(number), client: "a", opened: nil, position: number, within: limits)
        }
        #expect(sessions.byClient["a"]?.answers.map(\.number) == [4, 5, 6])
        for number in 1...3 as ClosedRange<UInt64> {
            #expect(isUnknown(verdict(sessions, "a", number)))
        }
        #expect(verdict(sessions, "a", 4) == .answered([4]) && verdict(sessions, "a", 7) == .fresh)
        // One that is late beyond the floor is never kept in the place of a newer one.
        sessions.remember(
            answer(2), client: "a", opened: nil, position: 9, within: limits)
        #expect(sessions.byClient["a"]?.answers.map(\.number) == [4, 5, 6])
        #expect(isUnknown(verdict(sessions, "a", 2)))
        #expect(sessions.byClient["a"]?.floor == 3)
    }

    /// Numbers in any order, compared with a list that is sorted and cut.
    @Test(arguments: 0..<50)
    func keepsTheHighest(seed: UInt64) {
        let dice = Dice(seed)
        let limits = limits(perSession: 5)
        var sessions = Sessions()
        var kept: [UInt64] = []
        var floor: UInt64 = 0
        for position in 1...200 as ClosedRange<UInt64> {
            let number = position + dice.next() % 8
            guard verdict(sessions, "a", number) == .fresh else {
                #expect(kept.contains(number) || number <= floor)
                continue
            }
            #expect(!kept.contains(number) && number > floor)
            sessions.remember(
                answer(number), client: "a", opened: nil, position: position, within: limits)
            kept = (kept + [number]).sorted()
            if kept.count > 5 { floor = kept.removeFirst() }
            let session = sessions.byClient["a"]
            #expect(session?.answers.map(\.number) == kept)
            let same = Sessions.Session(answers: kept.map(answer), floor: floor, usedAt: position)
            #expect(session == same)
        }
    }

    @Test func theClientThatWasQuietTheLongestGoes() {
        let limits = limits(sessions: 2)
        var sessions = Sessions()
        sessions.remember(
            answer(1), client: "a", opened: nil, position: 10, within: limits)
        sessions.remember(
            answer(1), client: "b", opened: nil, position: 11, within: limits)
        sessions.remember(
            answer(2), client: "a", opened: nil, position: 12, within: limits)
        sessions.remember(
            answer(1), client: "c", opened: nil, position: 13, within: limits)
        #expect(Set(sessions.byClient.keys) == ["a", "c"] && sessions.evictedTo == 11)
        // What was let go is not run again; who is new since then is let in.
        #expect(isUnknown(verdict(sessions, "b", 1, opened: 5)))
        #expect(isUnknown(verdict(sessions, "b", 2, opened: 10)))
        #expect(verdict(sessions, "d", 1, opened: 11) == .fresh)
        #expect(verdict(sessions, "a", 2, opened: 0) == .answered([2]))
    }

    @Test func repliesAreBoundedInAll() {
        let limits = limits(perSession: 4, replies: 10)
        var sessions = Sessions()
        for position in 1...500 as ClosedRange<UInt64> {
            let client = ID("c\(position % 7)")
            sessions.remember(
                answer(position), client: client, opened: nil, position: position, within: limits)
            let count = sessions.byClient.values.reduce(0) { $0 + $1.answers.count }
            #expect(count <= 10)
            #expect(sessions.byClient.values.allSatisfy { $0.answers.count <= 4 })
            #expect(verdict(sessions, client, position) == .answered([UInt8(position % 256)]))
        }
    }

    @Test func manyClientsStayBounded() {
        let limits = limits(sessions: 50)
        var sessions = Sessions()
        for position in 1...20_000 as ClosedRange<UInt64> {
            sessions.remember(
                answer(1), client: ID("c\(position)"), opened: nil, position: position,
                within: limits)
        }
        #expect(sessions.byClient.count == 50 && sessions.evictedTo == 19_950)
        #expect(verdict(sessions, "new", 1, opened: 20_000) == .fresh)
        #expect(isUnknown(verdict(sessions, "c3", 1, opened: 2)))
    }

    /// After a restore from a checkpoint it decides as before, and drops in the same order.
    @Test(arguments: 1...5)
    func restoredIsEqual(seed: Int) {
        let dice = Dice(UInt64(seed))
        var limits = limits(sessions: 6, perSession: 3, replies: 14)
        limits.replies = 14
        var one = Sessions()
        var other = Sessions()
        for position in 1...400 as ClosedRange<UInt64> {
            let client = ID("c\(dice.below(12))")
            let number = UInt64(1 + dice.below(30))
            one.remember(
                answer(number), client: client, opened: nil, position: position, within: limits)
            other.remember(
                answer(number), client: client, opened: nil, position: position, within: limits)
            if dice.chance(50) {
                var restored = Sessions()
                for (client, session) in other.byClient {
                    restored.restore(session, client: client)
                }
                restored.restored(evictedTo: other.evictedTo)
                other = restored
            }
            #expect(one.byClient == other.byClient && one.evictedTo == other.evictedTo)
        }
    }

    @Test func aWriterKeepsToItsWindow() {
        let writer = Writer(client: "w", retryMs: 100)
        writer.opened(at: 3)
        writer.opened(at: 9)
        var sent: [Request] = []
        while writer.hasRoom() { sent.append(writer.request(.create, table: "t", nowMs: 0)) }
        #expect(sent.count == Limits().repliesPerSession && writer.waitingCount == sent.count)
        #expect(sent.allSatisfy { $0.opened == 3 && $0.client == "w" })
        #expect(sent.map(\.number) == (1...64).map { UInt64($0) })
        func reply(_ number: UInt64?, _ client: ID? = "w") -> Reply {
            Reply(
                client: client, number: number, epoch: ID128(high: 0, low: 0),
                .done(rows: [], unchanged: false))
        }
        #expect(!writer.answered(reply(1, "x")) && !writer.answered(reply(nil)))
        #expect(!writer.answered(reply(65)))
        #expect(writer.answered(reply(2)) && !writer.answered(reply(2)))
        #expect(!writer.hasRoom(), "the oldest is still under way")
        #expect(writer.answered(reply(1)) && writer.hasRoom())
        #expect(writer.due(nowMs: 99).isEmpty)
        #expect(writer.due(nowMs: 100) == Array(sent[2...]))
        #expect(writer.due(nowMs: 150).isEmpty)
    }

    /// A command gets its number at once, so that its sender knows it by the number.
    @Test func whatHasNoRoomIsSentLater() {
        let writer = Writer(client: "w", retryMs: 100)
        let all = (1...66).map { _ in writer.request(.create, table: "t", nowMs: 50) }
        #expect(writer.hasRoom(for: 64) && !writer.hasRoom(for: 65))
        #expect(writer.due(nowMs: 60).isEmpty)
        let reply = Reply(
            client: "w", number: 1, epoch: ID128(high: 0, low: 0),
            .done(rows: [], unchanged: false))
        #expect(writer.answered(reply))
        #expect(writer.due(nowMs: 60) == [all[64]])
        #expect(writer.due(nowMs: 150) == Array(all[1...63]))
    }

    // MARK: Limits that change

    /// Smaller limits take nothing from those who are at work; who comes takes the place of two.
    @Test func smallerLimitsAreReachedStepByStep() {
        let many = limits(sessions: 100, perSession: 8, replies: 1_000)
        var few = limits(sessions: 3, perSession: 2, replies: 6)
        var sessions = Sessions()
        for position in 1...80 as ClosedRange<UInt64> {
            sessions.remember(
                answer(position), client: ID("c\(position % 10)"), opened: 0, position: position,
                within: many)
        }
        sessions.promised(many, until: 80)
        // Their rings are full: an answer of theirs is no more than before.
        for position in 81...90 as ClosedRange<UInt64> {
            sessions.remember(
                answer(position), client: ID("c\(position % 10)"), opened: 80, position: position,
                within: few)
        }
        #expect(sessions.byClient.count == 10 && sessions.evictedTo == 0)
        #expect(sessions.byClient.values.allSatisfy { $0.answers.count == 8 })
        for number in 0..<20 {
            let position = UInt64(91 + number)
            sessions.remember(
                answer(1), client: ID("new \(number)"), opened: 90, position: position,
                within: few)
            #expect(sessions.byClient[ID("new \(number)")] != nil)
            #expect(sessions.byClient.count == max(3, 10 - number - 1))
        }
        // One alone is never let go for its own sake, however small the limits are.
        few.replies = 1
        for number in 2...9 as ClosedRange<UInt64> {
            sessions.remember(
                answer(number), client: "new 19", opened: 90, position: 110 + number, within: few)
            #expect(verdict(sessions, "new 19", number) == .answered([UInt8(number)]))
        }
        for (client, left) in [("x", 2), ("y", 1), ("z", 1)] as [(ID, Int)] {
            sessions.remember(
                answer(1), client: client, opened: 120, position: 120, within: few)
            #expect(sessions.byClient.count == left && sessions.byClient[client] != nil)
        }
    }

    /// Who heard of more answers than are remembered now still finds as many.
    @Test func aPromiseHoldsForThoseWhoHeardIt() {
        var sessions = Sessions()
        sessions.promised(limits(perSession: 16), until: 10)
        sessions.promised(limits(perSession: 4), until: 20)
        sessions.promised(limits(perSession: 8), until: 30)
        let now = limits(perSession: 2)
        func kept(_ client: ID, opened: UInt64?) -> Int {
            for number in 1...40 as ClosedRange<UInt64> {
                sessions.remember(
                    answer(number), client: client, opened: opened, position: 40 + number,
                    within: now)
            }
            return sessions.byClient[client]?.answers.count ?? 0
        }
        #expect(kept("a", opened: 0) == 16 && kept("b", opened: 10) == 16)
        #expect(kept("c", opened: 11) == 8 && kept("d", opened: 30) == 8)
        #expect(kept("e", opened: 31) == 2 && kept("f", opened: .max) == 2)
        #expect(kept("g", opened: nil) == 2)
    }

    @Test func aWindowFollowsTheLimits() {
        let writer = Writer(client: "w", retryMs: 100)
        #expect(writer.window == 64)
        var limits = limits(perSession: 4)
        writer.keep(to: limits)
        while writer.hasRoom() { _ = writer.request(.create, table: "t", nowMs: 0) }
        #expect(writer.waitingCount == 4)
        limits.repliesPerSession = 6
        writer.keep(to: limits)
        while writer.hasRoom() { _ = writer.request(.create, table: "t", nowMs: 0) }
        #expect(writer.waitingCount == 6)
        // What is under way beyond a smaller window waits for its turn to be sent again.
        limits.replies = 2
        writer.keep(to: limits)
        #expect(!writer.hasRoom() && writer.due(nowMs: 100).map(\.number) == [1, 2])
        let reply = Reply(
            client: "w", number: 1, epoch: ID128(high: 0, low: 0),
            .done(rows: [], unchanged: false))
        #expect(writer.answered(reply) && writer.due(nowMs: 100).map(\.number) == [3])
        limits.replies = 0
        writer.keep(to: limits)
        #expect(writer.window == 1)
    }
}

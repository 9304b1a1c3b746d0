import TableModel
import Testing

@testable import TableSync

/// Workers that wait for a row (rule B11).
struct WaitingWorkersTests {
    private let exchange: Exchange
    private var server: Server { exchange.server }

    init() throws {
        exchange = Exchange()
        exchange.commit(.create)
        exchange.commit(.command(Command(.add(.init(id: "a", .init(title: "x"))))))
    }

    private func next(wait: Double = 10, section: SectionID? = nil) -> Command.Next {
        var next = Command.Next(section: section)
        next.waitSeconds = wait
        return next
    }

    private func request(
        _ next: Command.Next, of client: ID, from sender: Principal = .local, number: UInt64 = 1
    ) -> Request {
        var request = Request(
            client: client, number: number, table: Exchange.table, name: client,
            .command(Command(.next(next))))
        request.sender = sender
        return request
    }

    /// One turn. Returns who got an answer, by route, and the routes that nobody answers.
    private func turn(
        _ requests: [(Route, Request)] = [], gone: Set<Route> = []
    ) throws -> (answers: [Route: Reply], unanswered: [Route]) {
        server.begin(nowMs: exchange.nowMs)
        for (route, request) in requests {
            server.receive(request, requestHash: request.number ?? 0, from: route)
        }
        server.serveWaiting(until: { false }, isThere: { !gone.contains($0) }, sign: { _, _ in })
        let ready = server.finish()
        var answers: [Route: Reply] = [:]
        for reply in ready.replies { answers[reply.route] = exchange.codec.reply(reply, of: ready) }
        return (answers, ready.unanswered)
    }

    private func command(_ verb: Command.Verb, route: Route = 99) -> (Route, Request) {
        var request = Request(table: Exchange.table, name: "boss", .command(Command(verb)))
        request.sender = .local
        return (route, request)
    }

    private func add(_ id: RowID, to section: SectionID? = nil) -> (Route, Request) {
        command(.add(.init(id: id, .init(title: "x"), section: section)))
    }

    private func rows(_ reply: Reply?) -> [RowID]? {
        guard case .done(let rows, _, _)? = reply?.answer else { return nil }
        return rows.map(\.row)
    }

    @Test func eachGetsTheNextRowInTheOrderInWhichTheyCame() throws {
        #expect(try rows(turn([(1, request(next(), of: "c1"))]).answers[1]) == ["a"])
        for route in 2...5 {
            #expect(try turn([(route, request(next(), of: ID("c\(route)")))]).answers.isEmpty)
        }
        #expect(server.waitingWorkers == 4)
        // A command that does not wait comes after them, in the same turn too.
        let late = request(next(wait: 0), of: "late")
        let answers = try turn([(9, late), add("b"), add("c")]).answers
        #expect(rows(answers[2]) == ["b"] && rows(answers[3]) == ["c"] && rows(answers[9]) == [])
        #expect(server.waitingWorkers == 2)
    }

    @Test func aCopyTakesThePlaceOfItsCommand() throws {
        _ = try turn([(1, request(next(), of: "c1"))])
        _ = try turn([(2, request(next(), of: "c2"))])
        _ = try turn([(3, request(next(), of: "c3"))])
        let again = try turn([(4, request(next(), of: "c2"))])
        #expect(again.answers.isEmpty && again.unanswered == [2] && server.waitingWorkers == 2)
        let answers = try turn([add("b")]).answers
        #expect(rows(answers[4]) == ["b"])
        // Its answer is remembered, as any other.
        #expect(rows(try turn([(5, request(next(), of: "c2"))]).answers[5]) == ["b"])
    }

    @Test func oneThatIsGoneGetsNothing() throws {
        _ = try turn([(1, request(next(), of: "c1"))])
        for route in 2...4 { _ = try turn([(route, request(next(), of: ID("c\(route)")))]) }
        let (answers, unanswered) = try turn([add("b")], gone: [2])
        #expect(rows(answers[3]) == ["b"] && unanswered == [2])
        // One that does not send its command again is gone too.
        exchange.nowMs += UInt64(server.limits.holderTimeoutMs) + 2_000
        #expect(try turn().unanswered == [4])
        #expect(server.waitingWorkers == 0)
    }

    @Test func itEndsWhenItSaidThatItWould() throws {
        _ = try turn([(1, request(next(), of: "c1"))])
        _ = try turn([(2, request(next(wait: 2), of: "c2"))])
        #expect(server.untilWorkers == 1_000)
        exchange.nowMs += 1_999
        #expect(try turn().answers.isEmpty)
        exchange.nowMs += 1
        #expect(rows(try turn().answers[2]) == [])
    }

    /// A handler that wants no more row says so under the number of its waiting request.
    @Test func anotherCommandUnderItsNumberEndsTheWaiting() throws {
        _ = try turn([(1, request(next(), of: "c1"))])
        for route in 2...4 { _ = try turn([(route, request(next(), of: ID("c\(route)")))]) }
        func take(of client: ID) -> Request {
            var request = request(next(), of: client)
            request.verb = .command(Command(.take(action: client, atMost: 1)))
            return request
        }
        // The hash is of other bytes.
        server.begin(nowMs: exchange.nowMs)
        server.receive(take(of: "c2"), requestHash: 77, from: 20)
        server.receive(take(of: "nobody"), requestHash: 78, from: 21)
        server.receive(request(next(wait: 0), of: "c3"), requestHash: 79, from: 30)
        server.serveWaiting(until: { false }, isThere: { _ in true }, sign: { _, _ in })
        let ready = server.finish()
        #expect(ready.unanswered == [2, 3] && server.waitingWorkers == 1)
        #expect(Set(ready.replies.map(\.route)) == [20, 21, 30])
        // The next row is for the one behind them.
        #expect(rows(try turn([add("b")]).answers[4]) == ["b"])
        // A row that was given just before is given.
        #expect(rows(try turn([(5, request(next(), of: "c4"))]).answers[5]) == ["b"])
    }

    @Test func aSectionThatIsNotThereIsRefused() throws {
        let answers = try turn([(1, request(next(section: "nowhere"), of: "c1"))]).answers
        guard case .refused(let rejection)? = answers[1]?.answer else {
            Issue.record("it waits")
            return
        }
        #expect(rejection.code == .noSuchSection && server.waitingWorkers == 0)
    }

    @Test func onlyRowsThatFitAreGivenOut() throws {
        _ = try turn([command(.section("grill", title: nil))])
        _ = try turn([(1, request(next(section: "grill"), of: "c1"))])
        #expect(try turn([add("b", to: "fry")]).answers[1] == nil)
        #expect(rows(try turn([add("c", to: "grill")]).answers[1]) == ["c"])
        // A row becomes free in many ways.
        _ = try turn([(2, request(next(section: "grill"), of: "c2"))])
        #expect(
            rows(try turn([command(.unclaim(["c"], holder: "c1"))]).answers[2]) == ["c"])
        _ = try turn([(3, request(next(section: "grill"), of: "c3"))])
        let move = Command.Verb.move(.one("b"), section: "grill", .bottom, .rebase)
        #expect(rows(try turn([command(move)]).answers[3]) == ["b"])
    }

    // MARK: Rows that time alone frees

    /// A kind with an action, perhaps with a guard.
    private func define(_ when: String?) -> (Route, Request) {
        var run = Action("run")
        run.effects = [.set([.init("ran", "yes")])]
        run.guarded = when.map { Action.Guard(when: $0) }
        var job = Kind("job")
        job.trailing = ActionGroup(actions: [run])
        return command(.define(.init(kinds: [job])))
    }

    private func job(_ id: RowID) -> (Route, Request) {
        command(.add(.init(id: id, .init(kind: "job", title: "x"))))
    }

    /// As the action and the condition are; it waits for 10 s.
    private func run(_ client: ID, where condition: String? = nil) -> Request {
        var next = next()
        (next.action, next.condition) = ("run", condition.map { RowCondition($0) })
        return request(next, of: client)
    }

    /// The guard comes to hold: the first worker gets the row at that moment, and the next one the next row.
    @Test func aGuardComesToHold() throws {
        _ = try turn([define("since > 2s"), job("b")])
        exchange.nowMs += 500
        _ = try turn([job("c")])
        for route in 1...3 { _ = try turn([(route, run(ID("c\(route)")))]) }
        let other = run("c4", where: "title == 'y'")
        _ = try turn([(4, other)])
        exchange.nowMs += 2_499
        #expect(try turn().answers.isEmpty && server.untilWorkers == 1)
        exchange.nowMs += 1
        #expect(rows(try turn().answers[1]) == ["b"])
        // A row that has changed is looked at once more.
        #expect(try server.untilWorkers == 0 && turn().answers.isEmpty)
        #expect(server.untilWorkers == 500)
        exchange.nowMs += 499
        #expect(try turn().answers.isEmpty && server.untilWorkers == 1)
        exchange.nowMs += 1
        #expect(rows(try turn().answers[2]) == ["c"])
        #expect(try turn().answers.isEmpty && server.untilWorkers == 1_000)
        #expect(server.waitingWorkers == 2)
    }

    /// The first of those that wait for a moment goes: the one behind it waits for that moment then.
    @Test func theMomentIsPassedOn() throws {
        _ = try turn([define("since > 2s"), job("b")])
        for route in 1...2 { _ = try turn([(route, run(ID("c\(route)")))]) }
        exchange.nowMs += 1_000
        #expect(try turn(gone: [1]).answers.isEmpty)
        exchange.nowMs += 2_000
        let (answers, unanswered) = try turn(gone: [1])
        #expect(rows(answers[2]) == ["b"] && unanswered == [1])
    }

    /// A row that is free again is given out as soon as its action may be performed again.
    @Test func aSecondHasPassedSinceThePress() throws {
        _ = try turn([define(nil), job("b")])
        _ = try turn([command(.act(.init("run", on: "b")))])
        let move = Command.Verb.move(.one("b"), section: "again", .bottom, .rebase)
        exchange.nowMs += 300
        #expect(try turn([command(move), (1, run("c1"))]).answers[1] == nil)
        #expect(server.untilWorkers == 700)
        exchange.nowMs += 700
        #expect(rows(try turn().answers[1]) == ["b"])
    }

    /// A guard that may change each millisecond is no reason to look each millisecond.
    @Test func aClockThatTicksIsLookedAtNowAndThen() throws {
        _ = try turn([define("now ~ 77777"), job("b")])
        for route in 1...3 { _ = try turn([(route, run(ID("c\(route)")))]) }
        for _ in 0..<3 {
            #expect(server.untilWorkers == 50)
            exchange.nowMs += 50
            #expect(try turn().answers.isEmpty)
        }
    }

    @Test func aTableThatGoesIsRefused() throws {
        _ = try turn([(1, request(next(), of: "c1"))])
        _ = try turn([(2, request(next(), of: "c2"))])
        var drop = Request(table: Exchange.table, .drop)
        drop.sender = .local
        let answers = try turn([(3, drop)]).answers
        guard case .refused(let rejection)? = answers[2]?.answer else {
            Issue.record("it still waits")
            return
        }
        #expect(rejection.code == .noSuchTable)
    }

    @Test func nobodyIsAnsweredByADaemonThatDoesNotWrite() throws {
        _ = try turn([(1, request(next(), of: "c1"))])
        _ = try turn([(2, request(next(), of: "c2"))])
        server.changeRole()
        #expect(try turn([add("b")]).unanswered == [2])
    }

    @Test(arguments: [-1, 86_401, 1e300, -.infinity, .nan])
    func aTimeOutOfRangeIsRefusedAlsoWhereOthersWait(seconds: Double) throws {
        _ = try turn([(1, request(next(), of: "c1"))])
        _ = try turn([(2, request(next(), of: "c2"))])
        let answers = try turn([(3, request(next(wait: seconds), of: "c3"))]).answers
        guard case .refused(let rejection)? = answers[3]?.answer else {
            Issue.record("\(seconds) s is not refused")
            return
        }
        #expect(rejection.code == .badNumber)
        #expect(server.waitingWorkers == 1)
    }

    @Test func aConditionThatIsTooLongIsRefusedAlsoWhereOthersWait() throws {
        _ = try turn([(1, request(next(), of: "c1"))])
        _ = try turn([(2, request(next(), of: "c2"))])
        var long = next()
        long.condition = RowCondition("title == '" + String(repeating: "x", count: 4_096) + "'")
        guard
            case .refused(let rejection)? = try turn([(3, request(long, of: "c3"))]).answers[3]?
                .answer
        else {
            Issue.record("it is not refused")
            return
        }
        #expect(rejection.code == .tooLarge)
    }

    @Test func tooManyAreAnsweredAtOnce() throws {
        _ = try turn([(1, request(next(), of: "c1"))])
        for route in 0..<Server.mostWaitingWorkers {
            #expect(try turn([(10 + route, request(next(), of: ID("w\(route)")))]).answers.isEmpty)
        }
        #expect(rows(try turn([(2, request(next(), of: "c2"))]).answers[2]) == [])
        #expect(server.waitingWorkers == Server.mostWaitingWorkers)
    }
}

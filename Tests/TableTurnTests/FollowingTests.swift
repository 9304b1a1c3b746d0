import TableModel
import TableSync
import TableTurn
import TableWire
import Testing

/// A turn whose process may not write, over a journal that hands over what another one writes.
@Suite struct FollowingTests {
    /// A follower of what the rig has written.
    private func follower(of writer: Rig) throws -> Rig {
        let rig = try Rig()
        rig.journal.isFollowed = true
        rig.journal.term = nil
        rig.journal.leaders = ["tcp://a:1"]
        rig.journal.stored = writer.journal.stored
        rig.journal.durable = writer.journal.durable
        // It was a writer until now, and reads what another has written.
        try rig.run()
        rig.network.forgetSaid()
        rig.network.recoveries = 0
        return rig
    }

    /// What it published, in the bytes of viewers: stamps of rows are made by whoever applies a diff.
    private func encoded(_ rig: Rig) -> [[UInt8]] {
        rig.network.diffs.map { Encode.diff($0, form: .json) }
    }

    @Test func itPublishesWhatTheWriterPublished() throws {
        let writer = try Rig(isPrompt: true)
        let follower = try follower(of: writer)
        try follower.run()
        writer.send(.create)
        writer.add("a")
        try writer.run()
        writer.add("b")
        try writer.run()
        follower.journal.stored = writer.journal.stored
        follower.journal.durable = writer.journal.durable
        try follower.run()
        #expect(encoded(follower) == encoded(writer))
        #expect(follower.network.diffs.count == 2)
        #expect(follower.turn.server.tables.summaries == writer.turn.server.tables.summaries)
        // Nothing twice.
        follower.network.forgetSaid()
        try follower.run()
        #expect(follower.network.diffs.isEmpty)
    }

    @Test func itAnswersWhatReadsAndRefusesWhatChanges() throws {
        let writer = try Rig(isPrompt: true)
        writer.send(.create)
        try writer.run()
        let follower = try follower(of: writer)
        follower.send(.tables, isNumbered: false)
        follower.add("a")
        follower.send(.who, isNumbered: false)
        try follower.run()
        let answers = follower.network.replies.map(\.answer)
        #expect(answers.count == 3)
        guard case .tables(let tables) = answers[0] else {
            Issue.record("the tables are there")
            return
        }
        #expect(tables.map(\.table) == ["t"])
        for answer in answers[1...] {
            guard case .refused(let rejection) = answer else {
                Issue.record("it may not answer that")
                continue
            }
            #expect(rejection.code == .notLeader && rejection.endpoints == ["tcp://a:1"])
        }
        #expect(follower.journal.submitted.isEmpty)
    }

    @Test func whatMayBeOutOfDateIsNotTold() throws {
        let writer = try Rig(isPrompt: true)
        writer.send(.create)
        try writer.run()
        let follower = try follower(of: writer)
        try follower.run()
        follower.network.forgetSaid()
        follower.journal.isCurrent = false
        follower.send(.tables, isNumbered: false)
        follower.send(.health, isNumbered: false)
        follower.add("a")
        try follower.run(afterMs: 1_500)
        // A heartbeat was due. Only what is about the process is answered.
        #expect(follower.network.publications.isEmpty)
        #expect(follower.network.replies.count == 1 && follower.network.forgotten.count == 2)
    }

    /// It was in touch when the turn began.
    @Test func whatWasStoppedWithinATurnTellsNothing() throws {
        let rig = try Rig(isPrompt: true)
        try rig.makeTable()
        for row in 0..<40 { rig.add(ID("r\(row)")) }
        try rig.run()
        rig.journal.isFollowed = true
        for isStopped in [true, false] {
            // Its first slice looks at the journal.
            rig.send(.check, isNumbered: false)
            try rig.run(afterMs: 10)
            rig.network.forgetSaid()
            rig.network.forgotten = []
            let commands = (0..<40).map { Command(.set(ID("r\($0)"), .init(title: "new"))) }
            rig.send(.explain(.batch(commands, ifRevision: nil)), isNumbered: false)
            rig.network.subscribed = [Newcomer(table: "t", form: .json, isPresence: false)]
            rig.network.whileWelcoming = { rig.journal.isCurrent = !isStopped }
            try rig.run(afterMs: 6_000)
            #expect(rig.network.replies.count == (isStopped ? 0 : 2))
            #expect(rig.network.forgotten.count == (isStopped ? 2 : 0))
            // The welcome and the heartbeat.
            #expect(rig.network.publications.count == (isStopped ? 0 : 2))
            rig.network.whileWelcoming = {}
            rig.journal.isCurrent = true
        }
    }

    /// What was refused is thrown away at once. Until the journal can be read, nothing is said of tables.
    @Test func aJournalThatCannotBeReadDoesNotEndTheProcess() throws {
        let rig = try Rig()
        try rig.makeTable()
        rig.journal.isFollowed = true
        rig.add("a")
        try rig.run()
        rig.journal.submitted = []
        (rig.journal.term, rig.journal.next, rig.journal.silences) = (nil, .refused, 2)
        try rig.run()
        #expect(rig.network.forgotten.count == 1 && rig.network.recoveries == 0)
        // Nor of the row that was refused, nor of its entry.
        #expect(rig.turn.server.tables.summaries.isEmpty && rig.turn.server.position == 1)
        rig.network.forgetSaid()
        for _ in 0..<3 {
            rig.send(.tables, isNumbered: false)
            rig.add("b")
            rig.send(.health, isNumbered: false)
            try rig.run(afterMs: 400)
        }
        // Only what is about the process, and no heartbeat.
        #expect(rig.network.replies.count == 3 && rig.network.publications.isEmpty)
        #expect(rig.network.recoveries == 0 && rig.journal.silences == 0)
        try rig.run(afterMs: 600)
        #expect(rig.network.recoveries == 1)
        // Without the row that was refused.
        rig.journal.term = 3
        try rig.run()
        #expect(rig.turn.server.tables.summaries.map(\.rows) == [0])
        rig.add("c")
        try rig.run()
        rig.journal.settle()
        try rig.run()
        #expect(rig.network.diffs.map(\.revision) == [1])
    }

    /// Whoever looks why nothing goes on is told, and of nothing that may never be.
    @Test func healthDoesNotWaitForAJournalThatIsSilent() throws {
        let rig = try Rig()
        try rig.makeTable()
        rig.journal.isFollowed = true
        try rig.run()
        rig.add("a")
        try rig.run()
        rig.network.forgetSaid()
        rig.network.tables = 1
        rig.send(.health, isNumbered: false)
        try rig.run()
        #expect(rig.network.replies.isEmpty, "in touch, it waits like all others")
        rig.journal.isCurrent = false
        rig.send(.health, isNumbered: false)
        try rig.run()
        #expect(rig.network.replies.first?.revision == nil)
        guard case .health(let health) = rig.network.replies.first?.answer else {
            Issue.record("it is not answered")
            return
        }
        #expect(rig.network.replies.count == 1)
        #expect(health.position == 1 && health.rows == 0 && health.tables == 1)
    }

    /// Rows are counted seldom; but what was not counted is, when there is time, though nothing changes any more.
    @Test func healthKnowsTheRowsOfCommitsThatWereClose() throws {
        let rig = try Rig()
        try rig.makeTable()
        rig.journal.isFollowed = true
        try rig.run(afterMs: 200)
        for row in ["a", "b"] as [RowID] {
            rig.add(row)
            try rig.run(afterMs: 1)
            rig.journal.settle()
            try rig.run(afterMs: 1)
        }
        try rig.run(afterMs: 200)
        rig.add("c")
        try rig.run(afterMs: 1)
        rig.network.tables = 1
        rig.network.forgetSaid()
        rig.journal.isCurrent = false
        rig.send(.health, isNumbered: false)
        try rig.run(afterMs: 1)
        guard case .health(let health) = rig.network.replies.first?.answer else {
            Issue.record("it is not answered")
            return
        }
        #expect(health.rows == 2)
    }

    /// Nor do those that tell of the process.
    @Test func helloAndStatsDoNotWaitForIt() throws {
        let rig = try Rig()
        try rig.makeTable()
        rig.journal.isFollowed = true
        try rig.run()
        rig.add("a")
        try rig.run()
        rig.network.tables = 1
        rig.network.forgetSaid()
        rig.journal.isCurrent = false
        for verb in [Request.Verb.hello, .stats, .tables] { rig.send(verb, isNumbered: false) }
        try rig.run()
        let answers = rig.network.replies.map(\.answer)
        #expect(answers.count == 2, "the tables are not told")
        guard case .hello(let hello) = answers.first, case .stats(let stats) = answers.last else {
            Issue.record("they are not answered: \(answers)")
            return
        }
        #expect(hello.opened == 1)
        #expect(stats.gauges == ["tables": 1, "rows": 0])
    }

    @Test func aJournalThatIsShortenedWhileItIsReadIsReadAnew() throws {
        let rig = try Rig()
        try rig.makeTable()
        rig.journal.shortenings = 3
        (rig.journal.term, rig.journal.next) = (2, .refused)
        try rig.run()
        #expect(rig.network.recoveries == 1 && rig.journal.shortenings == 0)
        #expect(rig.turn.server.tables.summaries.map(\.table) == ["t"])
    }

    /// Whoever has everything writes on: no recovery, the same epoch, and the next revision.
    @Test func itTakesOverWithWhatItHas() throws {
        let writer = try Rig(isPrompt: true)
        writer.send(.create)
        writer.add("a")
        try writer.run()
        let follower = try follower(of: writer)
        try follower.run()
        follower.network.forgetSaid()
        follower.journal.term = 2
        follower.journal.isPrompt = true
        // Numbers of its own, behind those of the writer's client.
        for _ in 0..<2 { follower.send(.tables) }
        follower.network.arrived = []
        follower.add("b")
        try follower.run()
        #expect(follower.network.recoveries == 0)
        #expect(follower.network.diffs.map(\.revision) == [2])
        #expect(follower.journal.stored.count == 2)
        // And back, when another writes again.
        follower.journal.term = nil
        follower.network.forgetSaid()
        follower.add("c")
        try follower.run()
        #expect(follower.network.recoveries == 0 && follower.network.diffs.isEmpty)
    }

    /// Everybody was turned away meanwhile, and goes on in the same term.
    @Test func nobodyIsLateAfterATimeOutOfTouch() throws {
        let rig = try Rig(isPrompt: true)
        try rig.makeTable()
        rig.journal.isFollowed = true
        rig.add("a")
        try rig.run()
        rig.send(.drag(.lift(["a"], ttlSeconds: 1)), isNumbered: false)
        rig.send(.attend(revision: 1, isLeaving: false), isNumbered: false)
        try rig.run()
        func isHere() -> Bool {
            let presence = rig.turn.server.presence(of: "t")
            return presence?.leases?.count == 1 && presence?.viewers?.count == 1
        }
        #expect(isHere())
        rig.journal.isCurrent = false
        for _ in 0..<300 { try rig.run(afterMs: 100) }
        rig.journal.isCurrent = true
        for _ in 0..<10 { try rig.run(afterMs: 100) }
        #expect(isHere())
        // Then time goes on.
        for _ in 0..<600 { try rig.run(afterMs: 100) }
        let presence = rig.turn.server.presence(of: "t")
        #expect(presence?.leases?.isEmpty == true && presence?.viewers?.isEmpty == true)
    }

    /// Turns in ten seconds in which nothing arrives, each as late as it asks for.
    private func turnsOfTenSeconds(_ rig: Rig) throws -> Int {
        let end = rig.clock.nowMs + 10_000
        var turns = 0
        while rig.clock.nowMs < end, turns < 10_000 {
            try rig.run(afterMs: UInt64(rig.turn.untilNext(rig.clock.nowMs)))
            turns += 1
        }
        return turns
    }

    /// What it would end or write as a writer calls for no turns.
    @Test func whoDoesNotWriteRests() throws {
        let rig = try Rig(isPrompt: true)
        try rig.makeTable()
        for row in 0..<40 { rig.add(ID("r\(row)")) }
        rig.journal.isFollowed = true
        try rig.run()
        rig.send(.command(Command(.claim(["r0"], note: "", ttlSeconds: nil))))
        rig.send(.attend(revision: 0, isLeaving: false), isNumbered: false)
        try rig.run(afterMs: 500)
        #expect(try turnsOfTenSeconds(rig) > 50, "a writer looks who is late")
        // A presence waits for its time, and an explanation for the one before it.
        for row in ["r1", "r2"] as [RowID] {
            rig.send(.drag(.lift([row], ttlSeconds: 60)), isNumbered: false)
            try rig.run()
        }
        let commands = (0..<40).map { Command(.set(ID("r\($0)"), .init(title: "new"))) }
        for client in ["a", "b"] as [ID] {
            let verb = Request.Verb.explain(.batch(commands, ifRevision: nil))
            rig.network.arrived.append(Request(client: client, table: "t", verb))
        }
        rig.send(.check, isNumbered: false)
        try rig.run()
        rig.journal.isCurrent = false
        try rig.run()
        #expect(try turnsOfTenSeconds(rig) <= 12)
        (rig.journal.isCurrent, rig.journal.term) = (true, nil)
        for _ in 0..<20 { try rig.run(afterMs: 1_000) }
        #expect(try turnsOfTenSeconds(rig) <= 12)
    }

    /// What a writer gives up no other goes on with, nor does it itself when it follows.
    @Test func aRestoreThatIsGivenUpIsSoForAll() throws {
        let writer = try Rig(isPrompt: true)
        writer.send(.create)
        try writer.run()
        let parts = try #require(writer.turn.server.tables["t"]).table.captured().map {
            WireCodec().encode($0.part)
        }
        let follower = try follower(of: writer)
        func hand(over from: Rig, to: Rig) throws {
            to.journal.stored = from.journal.stored
            to.journal.durable = from.journal.durable
            try to.run()
        }
        writer.send(.restore(.parts(parts, index: 0)))
        try writer.run()
        try hand(over: writer, to: follower)
        #expect(writer.turn.server.copies.isRestoring && follower.turn.server.copies.isRestoring)
        for _ in 0..<32 { try writer.run(afterMs: 1_000) }
        #expect(!writer.turn.server.copies.isRestoring)
        try hand(over: writer, to: follower)
        #expect(!follower.turn.server.copies.isRestoring)
        // The other one writes.
        writer.journal.isFollowed = true
        writer.journal.term = nil
        try writer.run()
        follower.journal.term = 2
        follower.journal.isPrompt = true
        follower.network.forgetSaid()
        for _ in 0..<2 { follower.send(.tables) }
        follower.network.arrived = []
        follower.send(.restore(.parts(parts, index: parts.count)))
        try follower.run()
        guard case .refused(let rejection) = follower.network.replies.first?.answer else {
            Issue.record("it goes on with what was given up")
            return
        }
        #expect(rejection.code == .noSuchRestore)
        try hand(over: follower, to: writer)
        #expect(writer.turn.server.position == follower.turn.server.position)
    }
}

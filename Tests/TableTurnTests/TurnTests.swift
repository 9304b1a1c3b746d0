import JournalPort
import TableModel
import TableSync
import TableTurn
import TableWire
import Testing

/// The order of a turn, over a journal that answers when the test says so.
@Suite struct TurnTests {
    @Test func whatIsDurableAtOnceIsSaidInTheSameTurn() throws {
        let rig = try Rig(isPrompt: true)
        rig.send(.create)
        rig.add("a")
        try rig.run()
        let kinds = rig.network.said.map {
            switch $0 {
            case .publication: "publication"
            case .presence: "presence"
            case .reply: "reply"
            }
        }
        // The table and its row, then who asked.
        #expect(kinds == ["publication", "publication", "reply", "reply"])
        #expect(rig.journal.stored.count == 1 && rig.turn.entriesAhead == 0)
    }

    @Test func nothingIsSaidBeforeItIsDurable() throws {
        let rig = try Rig()
        try rig.makeTable()
        rig.add("a")
        try rig.run()
        rig.add("b")
        try rig.run()
        #expect(rig.network.said.isEmpty && rig.turn.entriesAhead == 2)
        rig.journal.settle()
        try rig.run()
        #expect(rig.network.diffs.map(\.revision) == [1, 2] && rig.network.replies.count == 2)
        #expect(rig.turn.entriesAhead == 0)
    }

    /// Answers that are written after the intake take time too: others do not wait for all of them.
    @Test func largeAnswersAreSharedOutOverTurns() throws {
        let rig = try Rig(isPrompt: true)
        for number in 0..<200 { rig.send(.create, table: "t\(number)") }
        try rig.run()
        rig.network.forgetSaid()
        for _ in 0..<20 { rig.send(.tables, isNumbered: false) }
        var turns = 0
        while !rig.network.arrived.isEmpty {
            rig.network.forgetSaid()
            try rig.run()
            #expect((1...4).contains(rig.network.replies.count))
            turns += 1
        }
        #expect(turns >= 6)
    }

    /// What a turn decides is one entry, and a journal does not take any: the process would end.
    @Test func anEntryIsSubmittedBeforeItIsTooLarge() throws {
        let rig = try Rig(isPrompt: true)
        try rig.makeTable()
        let field = Row.Field("k", String(repeating: "x", count: 16_000))
        for row in 0..<1_100 {
            rig.send(.command(Command(.add(.init(id: ID("r\(row)"), .init(fields: [field]))))))
        }
        try rig.run()
        #expect((1...100).contains(rig.network.arrived.count))
        try rig.run()
        #expect(rig.network.arrived.isEmpty)
        #expect(rig.journal.stored.allSatisfy { $0.count < 17 << 20 })
    }

    /// Else a quick request that arrives during a costly one would wait for the next of those too.
    @Test func aCostlyRequestHasATurnToItself() throws {
        let rig = try Rig(isPrompt: true)
        try rig.makeTable()
        rig.network.postpones = ["history"]
        let history = Request.Verb.history(HistoryFilter())
        rig.send(history, isNumbered: false)
        rig.send(history, isNumbered: false)
        rig.add("a")
        try rig.run()
        #expect(rig.network.replies.count == 1 && rig.network.diffs.map(\.revision) == [1])
        rig.network.forgetSaid()
        try rig.run()
        #expect(rig.network.replies.count >= 1 && rig.network.diffs.isEmpty)
        // One that arrives after them is answered with them.
        try rig.run()
        #expect(!rig.network.hasPostponed)
    }

    /// However many others come.
    @Test func aCostlyRequestIsDecidedInTheFifthTurnAtLast() throws {
        let rig = try Rig(isPrompt: true)
        try rig.makeTable()
        rig.network.postpones = ["history"]
        rig.send(.history(HistoryFilter()), isNumbered: false)
        rig.send(.history(HistoryFilter()), isNumbered: false)
        var answered: [Int] = []
        for turn in 1...10 {
            rig.network.forgetSaid()
            rig.add(RowID("row\(turn)"))
            try rig.run()
            if rig.network.replies.count > 1 { answered.append(turn) }
        }
        #expect(answered == [5, 10] && !rig.network.hasPostponed)
    }

    @Test func onlyWhatIsDurableIsSaid() throws {
        let rig = try Rig()
        try rig.makeTable()
        for row: RowID in ["a", "b", "c"] {
            rig.add(row)
            try rig.run()
        }
        let all = rig.journal.submitted
        rig.journal.submitted = Array(all[..<2])
        rig.journal.settle()
        try rig.run()
        #expect(rig.network.diffs.map(\.revision) == [1, 2] && rig.network.replies.count == 2)
        rig.journal.submitted = Array(all[2...])
        rig.journal.settle()
        try rig.run()
        #expect(rig.network.diffs.map(\.revision) == [1, 2, 3])
    }

    @Test func whatIsReadAheadOfTheJournalWaits() throws {
        let rig = try Rig()
        try rig.makeTable()
        rig.add("a")
        try rig.run()
        rig.send(.snapshot(id: nil, chunk: 0), isNumbered: false)
        rig.send(.tables, isNumbered: false)
        rig.send(.hello, isNumbered: false)
        rig.send(.attend(revision: 1, isLeaving: false), isNumbered: false)
        try rig.run()
        try rig.run(afterMs: 600)
        #expect(rig.network.said.isEmpty)
        rig.journal.settle()
        try rig.run()
        #expect(rig.network.replies.count == 5 && rig.network.presences.count == 1)
        // The change comes before what was read after it.
        if case .publication = rig.network.said[0] {} else { Issue.record("no publication first") }
    }

    @Test func heartbeatsAndWelcomesSayWhatIsDurable() throws {
        let rig = try Rig()
        try rig.makeTable()
        rig.add("a")
        try rig.run()
        rig.network.subscribed = [Newcomer(table: "t", form: .binary, isPresence: false)]
        try rig.run(afterMs: 1_500)
        let welcome = rig.network.publications.first { $0.isWelcome }
        #expect(welcome?.welcome?.revision == 0)
        #expect(rig.network.heartbeats.map { $0.heartbeat?.revision } == [0])
        // Who is there waits, as it is of the newest state.
        #expect(rig.network.presences.isEmpty)
        rig.journal.settle()
        try rig.run(afterMs: 1_000)
        #expect(rig.network.heartbeats.last?.heartbeat?.revision == 1)
        #expect(!rig.network.presences.isEmpty)
    }

    @Test func aTableThatIsNotDurableIsNotThere() throws {
        let rig = try Rig()
        rig.send(.create)
        rig.network.subscribed = [Newcomer(table: "t", form: .binary, isPresence: false)]
        try rig.run(afterMs: 1_500)
        #expect(rig.network.publications.map(\.history) == [nil])
        rig.journal.settle()
        try rig.run()
        #expect(rig.network.publications.last?.welcome?.revision == 0)
    }

    @Test func leasesAreNotLateWhileTheJournalIsSilent() throws {
        var bounds = Turn.Bounds()
        bounds.entries = 1
        let rig = try Rig(bounds: bounds)
        try rig.makeTable()
        rig.add("a")
        try rig.run()
        rig.journal.settle()
        try rig.run()
        rig.send(.drag(.lift(["a"], ttlSeconds: 1)), isNumbered: false)
        try rig.run()
        #expect(rig.turn.server.presence(of: "t")?.leases?.count == 1)
        // The journal takes an entry, and nothing more: nobody can be heard.
        rig.add("b")
        try rig.run()
        for _ in 0..<100 { try rig.run(afterMs: 100) }
        rig.journal.settle()
        for _ in 0..<5 { try rig.run(afterMs: 100) }
        #expect(rig.turn.server.presence(of: "t")?.leases?.count == 1)
        // Then time goes on.
        for _ in 0..<60 { try rig.run(afterMs: 100) }
        #expect(rig.turn.server.presence(of: "t")?.leases?.isEmpty == true)
    }

    @Test func whoeverHasSpokenIsNotLate() throws {
        let rig = try Rig(isPrompt: true)
        try rig.makeTable()
        rig.add("a")
        try rig.run()
        rig.send(.drag(.lift(["a"], ttlSeconds: 1)), isNumbered: false)
        try rig.run()
        let lease = try #require(rig.turn.server.presence(of: "t")?.leases?.first?.id)
        // What renews it has arrived when its time is over.
        for _ in 0..<20 {
            for _ in 0..<9 { try rig.run(afterMs: 100) }
            rig.send(.drag(.renew(lease: lease)), isNumbered: false)
            try rig.run(afterMs: 200)
        }
        #expect(rig.turn.server.presence(of: "t")?.leases?.first?.id == lease)
    }

    @Test func aCheckpointWaitsForTheJournal() throws {
        let rig = try Rig(checkpointAfter: 1)
        try rig.makeTable()
        for _ in 0..<20 { try rig.run(afterMs: 60) }
        let before = rig.journal.checkpoints
        rig.add("a")
        try rig.run(afterMs: 60)
        for _ in 0..<5 { try rig.run(afterMs: 60) }
        #expect(rig.journal.checkpoints == before)
        rig.journal.settle()
        for _ in 0..<20 { try rig.run(afterMs: 60) }
        #expect(rig.journal.checkpoints == before + 1)
    }

    /// However many write: it begins before the next entry is submitted.
    @Test func aCheckpointBeginsUnderConstantWrites() throws {
        let rig = try Rig(checkpointAfter: 1)
        try rig.makeTable()
        for _ in 0..<20 { try rig.run(afterMs: 60) }
        let before = rig.journal.checkpoints
        for index in 0..<60 {
            rig.add(ID("r\(index)"))
            try rig.run(afterMs: 10)
            rig.journal.settle()
        }
        #expect(rig.journal.checkpoints > before)
    }
}

/// Journals that answer badly, or not.
@Suite struct BadJournalTests {
    @Test func oneThatNeverAnswersMakesTheDaemonWaitNotGrow() throws {
        var bounds = Turn.Bounds()
        bounds.entries = 3
        let rig = try Rig(bounds: bounds)
        try rig.makeTable()
        for index in 0..<50 {
            rig.add(ID("r\(index)"))
            try rig.run()
        }
        #expect(rig.turn.entriesAhead == 3 && !rig.turn.isOpen)
        #expect(rig.network.arrived.count == 47 && rig.network.said.isEmpty)
        // It lives, and tells the truth.
        for _ in 0..<20 { try rig.run(afterMs: 500) }
        #expect(rig.network.heartbeats.count >= 9)
        #expect(rig.network.heartbeats.allSatisfy { $0.heartbeat?.revision == 0 })
        #expect(rig.network.replies.isEmpty && rig.network.diffs.isEmpty)
    }

    @Test func answersThatWaitAreBounded() throws {
        var bounds = Turn.Bounds()
        bounds.replies = 10
        let byNumber = try Self.afterFiftyReads(bounds)
        #expect(!byNumber.turn.isOpen && byNumber.network.arrived.count == 41)
        bounds = Turn.Bounds()
        bounds.bytes = 4_000
        let byBytes = try Self.afterFiftyReads(bounds)
        #expect(!byBytes.turn.isOpen && (38...42).contains(byBytes.network.arrived.count))
    }

    /// One entry waits for the journal, and fifty reads came behind it.
    private static func afterFiftyReads(_ bounds: Turn.Bounds) throws -> Rig {
        let rig = try Rig(bounds: bounds)
        try rig.makeTable()
        rig.add("a")
        try rig.run()
        for _ in 0..<50 {
            rig.send(.tables, isNumbered: false)
            try rig.run()
        }
        return rig
    }

    @Test func aLoopDoesNotSpinOnAJournalThatIsSilent() throws {
        var bounds = Turn.Bounds()
        bounds.entries = 1
        let rig = try Rig(bounds: bounds)
        try rig.makeTable()
        rig.add("a")
        rig.send(.attend(revision: 0, isLeaving: false), isNumbered: false)
        try rig.run(afterMs: 100)
        #expect(!rig.turn.isOpen)
        // A journal without a descriptor is asked again; nothing else is due before the heartbeat.
        #expect(rig.turn.untilNext(rig.clock.nowMs) == 1)
    }

    @Test func whatIsRefusedIsThrownAwayUnseen() throws {
        let rig = try Rig()
        try rig.makeTable()
        let epoch = rig.turn.server.epoch
        rig.add("a")
        try rig.run()
        rig.send(.tables, isNumbered: false)
        try rig.run()
        rig.journal.submitted = []
        rig.journal.term = 2
        rig.journal.next = .refused
        try rig.run()
        #expect(rig.network.said.isEmpty && rig.network.forgotten.count == 2)
        #expect(rig.network.recoveries == 1 && rig.turn.server.epoch != epoch)
        #expect(rig.turn.server.tables["t"]?.table.count == 0)
        // Their senders ask again.
        rig.add("b")
        try rig.run()
        #expect(rig.journal.submitted.map(\.position) == [2])
        #expect(rig.journal.submitted.map(\.term) == [2])
        rig.journal.settle()
        try rig.run()
        #expect(rig.network.diffs.map(\.revision) == [1])
    }

    @Test func withoutATermNothingIsTakenIn() throws {
        let rig = try Rig()
        try rig.makeTable()
        rig.journal.term = nil
        try rig.run()
        rig.add("a")
        try rig.run()
        #expect(!rig.turn.isOpen && rig.network.arrived.count == 1)
        rig.journal.term = 3
        try rig.run()
        #expect(rig.turn.isOpen && rig.network.arrived.isEmpty)
        #expect(rig.journal.submitted.map(\.term) == [3])
    }

    @Test func whatTurnsOutToBeThereIsNotSubmittedAgain() throws {
        let rig = try Rig()
        try rig.makeTable()
        rig.add("a")
        try rig.run()
        rig.add("b")
        try rig.run()
        let all = rig.journal.submitted
        // Both were lost on the way, as far as anybody knows; the first is there.
        rig.journal.stored.append(all[0].entry)
        rig.journal.submitted = []
        rig.journal.next = .unknown
        try rig.run()
        #expect(rig.network.diffs.map(\.revision) == [1] && rig.network.replies.count == 1)
        // The other one is submitted again: the same bytes for the same position.
        #expect(rig.journal.submitted.map(\.entry) == [all[1].entry])
        #expect(rig.journal.submitted.map(\.position) == [all[1].position])
        rig.journal.settle()
        try rig.run()
        #expect(rig.network.diffs.map(\.revision) == [1, 2] && rig.network.replies.count == 2)
    }

    @Test func anothersEntryInTheSamePlaceIsARefusal() throws {
        let rig = try Rig()
        try rig.makeTable()
        rig.add("a")
        try rig.run()
        let strange = Encode.entry(JournalEntry(timeMs: 1, records: [.dropped("t")]))
        rig.journal.stored.append(strange)
        rig.journal.submitted = []
        rig.journal.next = .unknown
        try rig.run()
        #expect(rig.network.recoveries == 1 && rig.network.said.isEmpty)
        #expect(rig.turn.server.tables.count == 0 && rig.turn.server.position == 2)
    }
}

import TableModel
import TableSync
import TableTurn
import Testing

/// When the audit is told: as late as whoever asked, and never of what was thrown away.
@Suite struct AuditTurnTests {
    private static func told(_ rig: Rig) -> [String] { rig.network.audited.map(\.verb) }

    @Test func whatIsDurableAtOnceIsToldInTheSameTurn() throws {
        let rig = try Rig(isPrompt: true)
        rig.send(.create)
        rig.add("a")
        try rig.run()
        #expect(Self.told(rig) == ["create"])
        // Also where nothing is written.
        rig.send(.backup(id: nil, chunk: 0), isNumbered: false)
        try rig.run()
        #expect(Self.told(rig) == ["create", "backup"])
    }

    @Test func itWaitsForTheJournal() throws {
        let rig = try Rig()
        rig.send(.create)
        try rig.run()
        rig.send(.backup(id: nil, chunk: 0), isNumbered: false)
        try rig.run()
        #expect(rig.network.audited.isEmpty && rig.network.replies.isEmpty)
        rig.journal.settle()
        try rig.run()
        #expect(Self.told(rig) == ["create", "backup"])
    }

    /// Who was refused was refused, whatever becomes of the journal.
    @Test func refusalsAreToldAlsoWhenTheirReplyIsForgotten() throws {
        let rig = try Rig()
        try rig.makeTable()
        rig.send(.drop)
        rig.send(.drop, table: "none")
        try rig.run()
        rig.journal.submitted = []
        rig.journal.term = 2
        rig.journal.next = .refused
        try rig.run()
        #expect(rig.network.audited.map(\.outcome) == [.allowed, .refused])
        #expect(rig.network.forgotten.count == 2)
        // Read only, in a turn behind which the process has lost touch.
        rig.journal.isFollowed = true
        try rig.run()
        rig.send(.backup(id: nil, chunk: 0), isNumbered: false)
        rig.network.whileReceiving = { rig.journal.isCurrent = false }
        try rig.run()
        #expect(Self.told(rig) == ["create", "drop", "backup"])
        #expect(rig.network.forgotten.count == 3)
    }

    @Test func whatWasThrownAwayWasNotDone() throws {
        let rig = try Rig()
        try rig.makeTable()
        rig.turn.server.admission.origin = { "pid:9" }
        rig.send(.drop)
        try rig.run()
        rig.journal.submitted = []
        rig.journal.term = 2
        rig.journal.next = .refused
        try rig.run()
        #expect(Self.told(rig) == ["create"] && rig.network.recoveries == 1)
        // The server that took over is asked as the one before.
        rig.send(.drop)
        try rig.run()
        rig.journal.settle()
        try rig.run()
        #expect(Self.told(rig) == ["create", "drop"])
        #expect(rig.network.audited.last?.from == "pid:9")
    }
}

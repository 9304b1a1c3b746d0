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

    @Test func whatWasThrownAwayWasNotDone() throws {
        let rig = try Rig()
        try rig.makeTable()
        rig.turn.server.origin = { "pid:9" }
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

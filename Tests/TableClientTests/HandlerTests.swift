import TableModel
import TableSync
import Testing

@testable import TableClient

/// A handler keeps on, whatever becomes of the table, the disk and its client id.
@Suite struct HandlerTests {
    /// A handler, and the daemon that it works for.
    final class Work {
        let daemon: SmallDaemon
        let client: Client
        let follower: Follower
        let handler: Handler

        init(limits: Limits = Limits(), rows: Int, feed: Command.Next? = nil) throws {
            let daemon = try SmallDaemon(limits: limits)
            try daemon.makeTable(rows: rows)
            self.daemon = daemon
            client = try daemon.client()
            follower = try Follower(SmallDaemon.table, client: try daemon.client())
            handler = Handler(
                SmallDaemon.table, action: "page", feed: feed, client: client, follower: follower)
            let end = Deadline(inMilliseconds: 30_000)
            handler.givesUp = { daemon.isStuck(end) }
        }

        /// What it takes next.
        func take(room: Int = 1) throws -> Invocation {
            var taken: [Invocation] = []
            try daemon.until {
                taken = try handler.next(room: room, withinMilliseconds: 1)
                return !taken.isEmpty
            }
            return taken[0]
        }

        /// Lets it look around.
        func look(until what: () throws -> Bool) throws {
            try daemon.until {
                _ = try handler.next(room: 0, withinMilliseconds: 1)
                return try what()
            }
        }
    }

    /// How many clients a daemon remembers.
    private func remembering(_ clients: Int) -> Limits {
        var limits = Limits()
        limits.sessions = clients
        return limits
    }

    private func add(_ row: RowID) -> Request.Verb {
        .command(Command(.add(.init(id: row, .init(kind: "k")))))
    }

    /// The revisions of another history may be lower.
    @Test func itTakesInAnotherHistory() throws {
        let work = try Work(rows: 40)
        try work.daemon.press("r0")
        #expect(try work.handler.finish(work.take().id, .done) == .accepted)
        work.daemon.startAnew()
        try work.daemon.makeTable(rows: 2)
        try work.daemon.press("r1")
        let taken = try work.take()
        #expect(taken.row == "r1")
        #expect(try work.handler.finish(taken.id, .done) == .accepted)
    }

    @Test func whatAnotherHistoryHasNotIsLost() throws {
        let work = try Work(rows: 40)
        try work.daemon.press("r0")
        let taken = try work.take()
        work.daemon.startAnew()
        try work.daemon.makeTable(rows: 2)
        var lost: [Invocation] = []
        try work.look {
            lost = work.handler.lost()
            return !lost.isEmpty
        }
        #expect(lost.map(\.id) == [taken.id] && work.handler.held.isEmpty)
    }

    @Test func aFullDiskIsWaitedFor() throws {
        let work = try Work(rows: 2)
        let daemon = work.daemon
        try daemon.press("r0")
        try work.look { work.follower.replica.table?.invocations.count == 1 }
        daemon.server.room.isReadOnly = true
        #expect(try work.handler.next(room: 1, withinMilliseconds: 1).isEmpty)
        daemon.server.room.isReadOnly = false
        let taken = try work.take()
        daemon.server.room.isReadOnly = true
        let before = daemon.decided.count
        let end = Deadline(inMilliseconds: 30_000)
        var wasHeld = true
        work.handler.givesUp = {
            wasHeld = wasHeld && work.handler.held[taken.id] != nil
            return daemon.isStuck(end) {
                daemon.server.room.isReadOnly = daemon.decided.count == before
            }
        }
        #expect(try work.handler.finish(taken.id, .done) == .accepted)
        #expect(wasHeld && work.handler.held.isEmpty && daemon.decided.count == before + 2)
    }

    /// What the old id holds the new one cannot finish.
    @Test func whoWasForgottenTakesUnderAnotherID() throws {
        let work = try Work(limits: remembering(1), rows: 3)
        try work.daemon.press("r0")
        let (first, before) = (try work.take(), work.client.id)
        try work.daemon.change(add("x"), as: "somebody else")
        try work.daemon.press("r1")
        let second = try work.take()
        #expect(second.row == "r1" && work.client.id != before)
        var lost: [Invocation] = []
        try work.look {
            lost += work.handler.lost()
            return !lost.isEmpty
        }
        #expect(lost.map(\.id) == [first.id])
        #expect(try work.handler.finish(first.id, .done) == .tooLate)
        #expect(try work.handler.finish(second.id, .done) == .accepted)
    }

    // MARK: In line

    @Test func itWaitsInLineAndLeavesIt() throws {
        let work = try Work(rows: 1, feed: .init(action: "page"))
        let first = try work.take(room: 2)
        #expect(first.row == "r0")
        func waits(_ count: Int, room: Int) throws {
            try work.daemon.until {
                let taken = try work.handler.next(room: room, withinMilliseconds: 1)
                #expect(taken.isEmpty)
                return work.daemon.server.waitingWorkers == count
                    && work.handler.isAsking == (count > 0)
            }
        }
        try waits(1, room: 1)
        // A message that comes while it says something else is not lost.
        try work.daemon.change(add("x"))
        #expect(try work.handler.finish(first.id, .done) == .accepted)
        #expect(try work.take(room: 1).row == "x")
        try waits(1, room: 1)
        try waits(0, room: 0)
        try work.daemon.change(add("y"))
        #expect(try work.handler.next(room: 0, withinMilliseconds: 1).isEmpty)
        #expect(try work.take().row == "y")
    }

    /// The daemon remembers few answers: one that waits must not keep back all that come after it.
    @Test func itSaysHowMoreEndedThanMayBeUnderWay() throws {
        var limits = Limits()
        limits.repliesPerSession = 2
        let work = try Work(limits: limits, rows: 0, feed: .init(action: "page"))
        for row in 0..<4 {
            try work.daemon.change(add(ID("x\(row)")))
            let taken = try work.take(room: 2)
            _ = try work.handler.next(room: 1, withinMilliseconds: 1)
            #expect(work.handler.isAsking)
            #expect(try work.handler.finish(taken.id, .done) == .accepted)
        }
    }

    @Test func aSectionThatIsNotThereIsRefused() throws {
        let work = try Work(rows: 1, feed: .init(action: "page", section: "nowhere"))
        #expect(throws: ClientError.self) { _ = try work.take() }
    }

    /// However many others command while its program runs.
    @Test func whoHoldsSomethingIsNotForgotten() throws {
        let work = try Work(limits: remembering(2), rows: 1)
        work.handler.commandsAgainAfterMs = 0
        try work.daemon.press("r0")
        let (taken, before) = (try work.take(), work.client.id)
        for other in 0..<4 {
            try work.daemon.change(add(ID("x\(other)")), as: ID("other \(other)"))
            _ = try work.handler.next(room: 0, withinMilliseconds: 1)
        }
        #expect(work.client.id == before)
        #expect(try work.handler.finish(taken.id, .done) == .accepted)
    }

    /// Such as of a command that was given up, and arrives all the same: nobody would run it.
    @Test func whatItDoesNotKnowThatItHoldsIsGivenBack() throws {
        let work = try Work(rows: 2)
        let (daemon, end) = (work.daemon, Deadline(inMilliseconds: 30_000))
        try daemon.press("r0")
        let taken = try work.take()
        try daemon.press("r1")
        let giveUp = work.handler.givesUp
        work.handler.givesUp = {
            let before = daemon.decided.count
            return daemon.isStuck(end) || daemon.decided.count > before
        }
        func holders() -> [ID?] {
            work.follower.replica.table?.invocations.all.map(\.holder) ?? []
        }
        try daemon.until {
            do {
                _ = try work.handler.next(room: 1, withinMilliseconds: 1)
            } catch is ClientError {}
            return holders() == [work.client.id, work.client.id]
        }
        #expect(work.handler.held.keys.map { $0 } == [taken.id])
        work.handler.givesUp = giveUp
        try work.look { holders() == [work.client.id, nil] }
        #expect(work.handler.held.keys.map { $0 } == [taken.id])
    }
}

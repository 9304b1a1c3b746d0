import Glibc
import TableModel
import TableSync
import Testing

@testable import TableClient

/// What a client does when the daemon has forgotten it, has no room, or would not take a request
/// (docs/PROTOCOL.md, "Sending again").
@Suite struct SendingAgainTests {
    private func add(_ row: RowID, title: String = "") -> Request.Verb {
        .command(Command(.add(.init(id: row, .init(title: title)))))
    }

    private func perform(
        _ verb: Request.Verb, _ client: Client, _ daemon: SmallDaemon, withinMs: UInt64 = 10_000,
        _ more: () throws -> Void = {}
    ) throws -> Reply.Answer {
        let end = Deadline(inMilliseconds: withinMs)
        return try client.perform(verb, on: SmallDaemon.table, by: Deadline(inMilliseconds: nil)) {
            daemon.isStuck(end, more)
        }.answer
    }

    private static func code(_ answer: Reply.Answer) -> Rejection.Code? {
        if case .refused(let rejection) = answer { return rejection.code }
        return nil
    }

    /// A daemon that remembers one client.
    private func forgetful() throws -> SmallDaemon {
        var limits = Limits()
        limits.sessions = 1
        let daemon = try SmallDaemon(limits: limits)
        try daemon.change(.create)
        return daemon
    }

    private func rows(_ daemon: SmallDaemon) -> [RowID] {
        daemon.server.tables[SmallDaemon.table]?.table.rows.map(\.id) ?? []
    }

    @Test func whoWasForgottenGoesOnUnderAnotherID() throws {
        let daemon = try forgetful()
        let client = try daemon.client()
        let before = client.id
        #expect(Self.code(try perform(add("a"), client, daemon)) == nil && client.id == before)
        try daemon.change(add("b"), as: "somebody else")
        #expect(Self.code(try perform(add("c"), client, daemon)) == nil && client.id != before)
        #expect(Self.code(try perform(add("d"), client, daemon)) == nil)
        #expect(rows(daemon) == ["a", "b", "c", "d"])
        #expect(daemon.decided.map(\.number) == [1, 2, 2, 3])
    }

    /// Those that wait go with it, in their order.
    @Test func aSenderGoesOnUnderAnotherID() throws {
        let daemon = try forgetful()
        let client = try daemon.client()
        let sender = Sender(client)
        #expect(Self.code(try perform(add("a"), client, daemon)) == nil)
        try daemon.change(add("b"), as: "somebody else")
        let sent = try ["c", "d", "e"].map { try sender.send(add(ID($0)), on: SmallDaemon.table) }
        var answers: [UInt64: Rejection.Code?] = [:]
        try daemon.until {
            for (number, reply) in try sender.answers() {
                answers[number] = .some(Self.code(reply.answer))
            }
            return sender.waitingCount == 0
        }
        #expect(answers == [sent[0]: nil, sent[1]: nil, sent[2]: nil])
        #expect(rows(daemon) == ["a", "b", "c", "d", "e"])
    }

    @Test func theEndOfWhatWasSentBeforeIsOpen() throws {
        let daemon = try forgetful()
        let client = try daemon.client()
        #expect(Self.code(try perform(add("a"), client, daemon)) == nil)
        try daemon.change(add("b"), as: "somebody else")
        daemon.isDeaf = true
        let answer = try perform(add("c"), client, daemon) { daemon.isDeaf = daemon.lost == 0 }
        #expect(Self.code(answer) == .unknown && rows(daemon) == ["a", "b"])
        #expect(Self.code(try perform(add("d"), client, daemon)) == nil)
        #expect(rows(daemon) == ["a", "b", "d"])
    }

    /// A copy may still be carried out when there is room: only another answer is the end.
    @Test func aFullDiskIsNoEndOfWhatWasSentAgain() throws {
        let daemon = try SmallDaemon()
        try daemon.change(.create)
        let client = try daemon.client()
        daemon.server.room.isReadOnly = true
        #expect(Self.code(try perform(add("a"), client, daemon)) == .diskFull)
        daemon.isDeaf = true
        var refused = daemon.decided.count
        let answer = try perform(add("b"), client, daemon) {
            daemon.isDeaf = daemon.lost == 0
            daemon.server.room.isReadOnly = daemon.decided.count == refused
        }
        #expect(Self.code(answer) == nil && rows(daemon) == ["b"])
        refused = daemon.decided.count
        // Else it says that the outcome is open, and why.
        daemon.server.room.isReadOnly = true
        daemon.isDeaf = true
        let lost = daemon.lost
        do {
            _ = try perform(add("c"), client, daemon, withinMs: 2_500) {
                daemon.isDeaf = daemon.lost == lost
            }
            Issue.record("it has ended")
        } catch ClientError.timeout(_, let reason) {
            #expect(reason?.contains("may still be carried out") == true)
        }
        #expect(daemon.decided.count > refused)
    }

    /// The daemon would refuse it without saying what it refuses.
    @Test func whatIsTooLargeIsNotSent() throws {
        var limits = Limits()
        limits.requestBytes = 4_096
        let daemon = try SmallDaemon(limits: limits)
        try daemon.change(.create)
        let client = try daemon.client()
        let long = String(repeating: "x", count: 4_000)
        func isRefused(_ body: () throws -> Void) -> Bool {
            do {
                try body()
            } catch ClientError.refused(let rejection) {
                return rejection.code == .tooLarge
            } catch {}
            return false
        }
        #expect(isRefused { _ = try perform(add("a", title: long + long), client, daemon) })
        #expect(isRefused { _ = try Sender(client).send(add("a", title: long + long), on: "t") })
        let large = Command(.add(.init(.init(title: long + long))))
        let question = Request.Verb.explain(.batch([large], ifRevision: nil))
        #expect(isRefused { _ = try client.ask(question, about: "t") })
        try daemon.step()
        #expect(daemon.decided.isEmpty && client.writer.waitingCount == 0)
        #expect(Self.code(try perform(add("a", title: long), client, daemon)) == nil)
    }

    /// The daemon was started anew, and publishes elsewhere: nobody says so where it was.
    @Test func aFollowerFindsWhereItIsPublishedNow() throws {
        let daemon = try SmallDaemon()
        try daemon.makeTable(rows: 1)
        daemon.heartbeatMs = 400
        let follower = try Follower(SmallDaemon.table, client: try daemon.client())
        func follow(until isSo: () -> Bool) throws {
            try daemon.until {
                _ = try follower.next(withinMilliseconds: 0)
                return isSo()
            }
        }
        try follow { follower.replica.table != nil }
        #expect(follower.replica.heartbeatMs == 400)
        try daemon.publishElsewhere()
        daemon.startAnew()
        daemon.heartbeatMs = 300
        try daemon.makeTable(rows: 2)
        try follow { follower.replica.table?.count == 2 && follower.freshness == .live }
        #expect(follower.replica.heartbeatMs == 300)
    }

    /// An answer that was lost is not looked for in a tight loop for ever.
    @Test func aFollowerRestsAfterALostAnswer() throws {
        let daemon = try SmallDaemon()
        try daemon.makeTable(rows: 1)
        let follower = try Follower(SmallDaemon.table, client: try daemon.client())
        daemon.isDeaf = true
        try daemon.until {
            _ = try follower.next(withinMilliseconds: 0)
            return daemon.lost > 0
        }
        #expect(follower.pauseMs == 2)
        daemon.isDeaf = false
        try daemon.until {
            _ = try follower.next(withinMilliseconds: 0)
            return follower.replica.table != nil
        }
        usleep(1_100_000)
        #expect(follower.pauseMs == 100)
    }
}

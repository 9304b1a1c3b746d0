import Glibc
import TableModel
import TableSync
import TableWire
import Testing

@testable import TableClient

/// A client of several daemons that are one service: which of them it asks, and how often
/// (docs/PROTOCOL.md, "Several daemons").
@Suite struct SeveralDaemonsTests {
    private let first: SmallDaemon
    private let second: SmallDaemon
    private let client: Client
    private let sender: Sender

    /// A sender that the first daemon has greeted.
    init() throws {
        let (first, second) = (try SmallDaemon(), try SmallDaemon())
        for daemon in [first, second] { try daemon.change(.create) }
        let client = try Client("\(first.endpoint),\(second.endpoint)")
        let sender = Sender(client)
        try first.until { try sender.isReady() }
        (self.first, self.second, self.client, self.sender) = (first, second, client, sender)
    }

    private func add(_ row: RowID) -> Request.Verb {
        .command(Command(.add(.init(id: row, .init()))))
    }

    /// Lets all go on until something holds, or so long.
    private func go(
        forMs: UInt64 = 10_000, until isOver: () throws -> Bool
    ) throws -> [(number: UInt64, reply: Reply)] {
        var found: [(number: UInt64, reply: Reply)] = []
        let end = Deadline(inMilliseconds: forMs)
        while try !isOver(), !end.hasPassed {
            for daemon in [first, second] { try daemon.step() }
            found += try sender.answers()
            usleep(1_000)
        }
        return found
    }

    /// A command goes to the writer before its `hello`: the answer is that to the command, also if it is a
    /// refusal.
    @Test func aRefusalByTheWriterIsNoAnswerToHello() throws {
        first.server.duty = .standby(leader: [second.endpoint])
        let number = try sender.send(.command(Command(.remove(["none"]))), on: SmallDaemon.table)
        let found = try go { sender.waitingCount == 0 }
        #expect(found.map(\.number) == [number] && client.endpoint == second.endpoint)
        guard case .refused(let rejection) = found.first?.reply.answer else {
            Issue.record("it was not refused")
            return
        }
        #expect(rejection.code == .noSuchRow)
        _ = try go { client.known != nil }
        #expect(client.known != nil, "the writer has been asked as well")
    }

    /// The writer has ended, and is named until its lease is over.
    @Test func whoIsSentToNobodyRests() throws {
        let gone = try Client("\(first.endpoint),ipc:///tmp/trestle-nobody-\(client.id.text)")
        first.server.duty = .standby(leader: [gone.endpoints[1]])
        try isPaced(gone)
    }

    @Test func whoIsSentToSomebodyUnknownRests() throws {
        first.server.duty = .standby(leader: ["ipc:///nobody"])
        second.server.duty = .standby(leader: ["ipc:///nobody"])
        try isPaced(client)
    }

    @Test func whoIsSentBackAndForthRests() throws {
        first.server.duty = .standby(leader: [second.endpoint])
        second.server.duty = .standby(leader: [first.endpoint])
        try isPaced(client)
    }

    /// It asks often enough, and not in a loop. What nobody has done says why.
    private func isPaced(_ client: Client) throws {
        let sender = Sender(client)
        let began = monotonicMs()
        try first.until {
            try second.step()
            return try sender.isReady()
        }
        _ = try sender.send(add("a"), on: SmallDaemon.table)
        let end = Deadline(inMilliseconds: 1_500)
        while !end.hasPassed {
            for daemon in [first, second] { try daemon.step() }
            #expect(try sender.answers().isEmpty)
            usleep(1_000)
        }
        let (asked, elapsed) = (first.decided.count + second.decided.count, monotonicMs() - began)
        #expect(asked > 1 && asked < 6 + elapsed / 50, "\(asked) in \(elapsed) ms")
        guard case .timeout(_, let reason) = client.silence else {
            Issue.record("\(client.silence)")
            return
        }
        #expect(reason?.hasPrefix("Another daemon of the service writes") == true)
        // It is carried out as soon as somebody does.
        first.server.duty = .leader
        second.server.duty = .leader
        try first.until {
            try second.step()
            return try !sender.answers().isEmpty
        }
        #expect(client.silence == .timeout(endpoint: client.endpoint))
    }

    /// What takes long is no silence, as long as the daemon answers anything.
    @Test func aDaemonThatIsBusyIsNotLeft() throws {
        first.isBusy = true
        _ = try sender.send(add("a"), on: SmallDaemon.table)
        #expect(try go(forMs: 2_500) { client.endpoint != first.endpoint }.isEmpty)
        #expect(client.endpoint == first.endpoint && first.healths > 0)
        first.isBusy = false
        #expect(try go { sender.waitingCount == 0 }.count == 1)
        #expect(second.decided.isEmpty)
    }

    @Test func aDaemonThatIsOutOfTouchIsLeft() throws {
        (first.isBusy, first.isOutOfTouch) = (true, true)
        _ = try sender.send(add("a"), on: SmallDaemon.table)
        #expect(try go { sender.waitingCount == 0 }.count == 1)
        #expect(client.endpoint == second.endpoint && !second.decided.isEmpty)
    }

    /// Whoever exchanges bytes takes the first answer for theirs.
    @Test func whatIsExchangedIsAskedAlone() throws {
        first.isBusy = true
        let body = Encode.request(Request(client: "c", number: 1, .tables), form: .binary)
        #expect(throws: ClientError.self) {
            try client.exchange(body, form: .binary, by: Deadline(inMilliseconds: 1_500))
        }
        try first.step()
        #expect(first.healths == 0 && client.endpoint == first.endpoint)
    }

    /// A standby was promoted, and the one that it followed has not heard of it: it would take commands.
    @Test func aDaemonOfAnOlderTermGetsNothing() throws {
        (first.term, second.term) = (1, 2)
        first.server.duty = .standby(leader: [second.endpoint])
        _ = try sender.send(add("a"), on: SmallDaemon.table)
        _ = try go { sender.waitingCount == 0 && client.known != nil }
        #expect(client.endpoint == second.endpoint)
        // The promoted one falls silent, and the other one writes.
        first.server.duty = .leader
        second.isMute = true
        let before = (first.decided.count, first.greeted)
        _ = try sender.send(add("b"), on: SmallDaemon.table)
        #expect(try go(forMs: 3_500) { false }.isEmpty)
        #expect(first.greeted > before.1, "it is asked for its term")
        #expect(first.greeted < before.1 + 20)
        #expect(first.decided.count == before.0, "and for nothing else")
        guard case .timeout(_, let reason) = client.silence else {
            Issue.record("\(client.silence)")
            return
        }
        #expect(reason?.contains("promoted to term 2: nothing is asked of it") == true)
        #expect(throws: ClientError.self) {
            try client.ask(.tables, by: Deadline(inMilliseconds: 0))
        }
        // It comes back, or the older one has the newer term by now.
        second.isMute = false
        #expect(try go { sender.waitingCount == 0 }.count == 1)
        #expect(client.endpoint == second.endpoint && first.decided.count == before.0)
    }
}

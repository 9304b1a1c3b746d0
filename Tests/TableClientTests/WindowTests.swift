import Glibc
import TableClient
import TableModel
import TableSync
import TableTransport
import TableWire
import Testing

/// A client takes its window from `hello`. The daemon is one that says what the test wants.
@Suite struct WindowTests {
    /// A ROUTER that answers by hand.
    final class FakeDaemon {
        let endpoint: String
        private let path: String
        var epoch = ID128(high: 1, low: 1)
        var limits = Limits()
        /// Commands that were not answered yet, and how often each came.
        var waiting: [UInt64: Request] = [:]
        var hellos = 0
        private let router: Socket
        private var peer: [UInt8] = []

        init() throws {
            let context = try Context()
            router = try Socket(.router, in: context)
            path = "/tmp/trestle-window-\(UInt64.random(in: 0 ... .max)).sock"
            endpoint = "ipc://\(path)"
            try router.bind(endpoint)
        }

        deinit { unlink(path) }

        /// Takes what has arrived; `hello` is answered at once.
        func step() throws {
            var frames = Frames(limit: 4)
            while try router.receive(into: &frames) {
                peer = frames.bytes(at: 0)
                let last = frames.count - 1
                let decoded = frames.withBytes(at: last) { Decode.request($0, form: .binary) }
                let request = try decoded.result.get()
                guard case .hello = request.verb else {
                    if let number = request.number { waiting[number] = request }
                    continue
                }
                hellos += 1
                var hello = Hello()
                hello.limits = limits
                try send(Reply(client: nil, number: request.number, epoch: epoch, .hello(hello)))
            }
        }

        func answer(_ number: UInt64) throws {
            guard let request = waiting.removeValue(forKey: number) else { return }
            try send(
                Reply(
                    client: request.client, number: number, epoch: epoch,
                    .done(rows: [], unchanged: false)))
        }

        private func send(_ reply: Reply) throws {
            _ = try router.send([
                peer, Array(Form.binary.header.utf8), Encode.reply(reply, form: .binary),
            ])
        }
    }

    /// Lets both sides go on until something holds.
    private func until(
        _ daemon: FakeDaemon, _ sender: Sender, _ what: () throws -> Bool
    ) throws {
        for _ in 0..<2_000 {
            try daemon.step()
            _ = try sender.answers()
            if try what() { return }
            usleep(1_000)
        }
        Issue.record("not within two seconds")
    }

    @Test func itIsTheDaemonsAndFollowsIt() throws {
        let daemon = try FakeDaemon()
        daemon.limits.repliesPerSession = 4
        let client = try Client(daemon.endpoint)
        let sender = Sender(client)
        try until(daemon, sender) { try sender.isReady() }
        for _ in 0..<12 { _ = try sender.send(.create, on: "t") }
        try until(daemon, sender) { daemon.waiting.count == 4 }
        #expect(daemon.waiting.keys.sorted() == [1, 2, 3, 4])
        try daemon.answer(1)
        try until(daemon, sender) { daemon.waiting[5] != nil }
        #expect(daemon.waiting.keys.sorted() == [2, 3, 4, 5] && daemon.hellos == 1)

        // Started anew with room for fewer: it is asked, and no more than two are sent.
        daemon.epoch = ID128(high: 1, low: 2)
        daemon.limits.repliesPerSession = 2
        try daemon.answer(2)
        try until(daemon, sender) { client.limits.repliesPerSession == 2 }
        #expect(daemon.hellos == 2)
        for number in [3, 4, 5] as [UInt64] { try daemon.answer(number) }
        try until(daemon, sender) { daemon.waiting[7] != nil }
        #expect(daemon.waiting.keys.max() == 7)
        while sender.waitingCount > 0 {
            let before = sender.waitingCount
            for number in daemon.waiting.keys.sorted() { try daemon.answer(number) }
            try until(daemon, sender) {
                sender.waitingCount < before
                    && (daemon.waiting.count == min(2, sender.waitingCount))
            }
            #expect(daemon.waiting.count <= 2)
        }
        #expect(daemon.hellos == 2)
    }
}

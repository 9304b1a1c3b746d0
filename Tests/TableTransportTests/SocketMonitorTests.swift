import CZeroMQ
import Glibc
import TableTransport
import Testing

@Suite struct SocketMonitorTests {
    @Test func itTellsAConnectionsLife() throws {
        let directory = Directory()
        var options = SocketOptions()
        options.reconnectMilliseconds = 10
        let dealer = try Socket(.dealer, in: sharedContext.get(), options: options)
        var monitor = try SocketMonitor(dealer)
        try dealer.connect(directory.endpoint())

        // Nobody listens yet.
        let retrying = try wait(&monitor) { if case .retrying = $0 { true } else { false } }
        #expect(retrying?.endpoint == directory.endpoint())

        do {
            let router = try Socket(.router, in: sharedContext.get())
            try router.bind(directory.endpoint())
            let connected = try wait(&monitor) { $0 == .connected }
            let ready = try wait(&monitor) { $0 == .ready }
            #expect(connected != nil)
            #expect(ready != nil)
        }
        let lost = try wait(&monitor) { $0 == .disconnected }
        #expect(lost != nil)
    }

    @Test func theSocketOutlivesItsMonitorAndViceVersa() throws {
        let couple = try Couple()
        for _ in 0..<3 { _ = try SocketMonitor(couple.dealer) }
        _ = try couple.dealer.send("still here")
        let received = try couple.router.next()
        #expect(received?.last == Array("still here".utf8))

        var orphan: SocketMonitor
        do {
            let short = try Socket(.dealer, in: sharedContext.get())
            orphan = try SocketMonitor(short)
        }
        let event = try orphan.next()
        #expect(event == nil)
    }

    @Test func aStrangerIsRefused() throws {
        guard zmq_has("curve") == 1 else { return }
        let server = try CurveKey.makePair()
        let client = try CurveKey.makePair()
        let directory = Directory()
        var options = SocketOptions()
        // With an enforced domain and no handler for it, everybody is a stranger.
        options.domain = "tables"
        let router = try Socket(.router, in: sharedContext.get(), options: options)
        try router.secure(with: server.secret)
        try router.bind(directory.endpoint())

        options.domain = nil
        options.curve = .init(
            server: server.publicKey, publicKey: client.publicKey, secret: client.secret)
        let dealer = try Socket(.dealer, in: sharedContext.get(), options: options)
        var monitor = try SocketMonitor(dealer)
        try dealer.connect(directory.endpoint())
        _ = try dealer.send("let me in")
        let outcome = try wait(&monitor) {
            switch $0 {
            case .handshakeFailed, .disconnected: true
            default: false
            }
        }
        #expect(outcome != nil)
        let received = try router.next(within: 100)
        #expect(received == nil)
    }

    /// The first event of a kind, skipping others; `nil` when none comes in time.
    private func wait(
        _ monitor: inout SocketMonitor, for wanted: (ConnectionEvent.Kind) -> Bool
    ) throws -> ConnectionEvent? {
        var poller = Poller(capacity: 1)
        _ = poller.add(monitor)
        while try poller.wait(milliseconds: patience) > 0 {
            while let event = try monitor.next() {
                if wanted(event.kind) { return event }
            }
        }
        return nil
    }
}

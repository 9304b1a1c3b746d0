import CEvents
import Glibc
import Synchronization
import TableTransport

/// A message from the daemon.
enum Heard: Sendable {
    case reply([UInt8])
    case publication(topic: [UInt8], body: [UInt8])
    /// The connection to this endpoint stands, or has ended, or could not be made.
    case connected(String), failed(String)
    /// The daemon does not let us in, for this reason.
    case refused(String)
    /// The process is to end.
    case stop
    /// The files of the page, and the certificate, are to be read again.
    case reload
}

/// An order for the thread that speaks with the daemon.
enum Order: Sendable {
    /// Perhaps on behalf of a device, as the frame before it says.
    case request([UInt8], behalf: [UInt8]? = nil)
    case subscribe(String), unsubscribe(String), probe(String)
    /// Speak to this daemon from now on, and to no other.
    case connect(String)
    /// Follow what is published there.
    case publications(at: String)
    case stop
}

/// The two ends of libzmq, in the main thread. It hands plain bytes over, both ways in bounded
/// queues. Wakes for orders by an eventfd, and hands over what it heard by `deliver`.
final class Upstream: Sendable {
    private struct State {
        var orders: [Order] = []
        var orderBytes = 0
        /// Bytes that were handed over and not yet looked at.
        var handedOver = 0
        /// When the other thread last gave a sign.
        var signAtMs = 0
    }

    /// The endpoints to which the sockets are connected.
    private struct Places {
        var request: String
        var published: String?
    }

    /// Orders that may wait: beyond it requests are as good as lost, and asked again.
    private static let mostOrderBytes = 32 << 20
    /// Bytes that may wait for the other thread: beyond it nothing more is read from the daemon.
    private static let mostHandedOver = 16 << 20
    private static let header = Array("trestle/1 json".utf8)
    private static let behalfHeader = Array("trestle/1 json behalf".utf8)

    private let state = Mutex(State())
    private let wake: Int32
    private let endpoint: String
    /// The keys for endpoints that are served with CURVE.
    private let keys: [String: SocketOptions.Curve]
    /// A daemon that has refused us is asked again after so long. libzmq does not by itself.
    private static let refusedMs = 1_000

    init(endpoint: String, keys: [String: SocketOptions.Curve]) throws(TransportError) {
        (self.endpoint, self.keys) = (endpoint, keys)
        wake = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
        guard wake >= 0 else { throw TransportError(code: errno, action: "open an eventfd") }
    }

    // MARK: From the other thread

    /// Where the queue is full, a request is dropped.
    func order(_ order: Order) {
        var size = 64
        var isRequest = false
        if case .request(let bytes, let behalf) = order {
            size += bytes.count + (behalf?.count ?? 0)
            isRequest = true
        }
        state.withLock { state in
            guard !isRequest || state.orderBytes + size <= Self.mostOrderBytes else { return }
            state.orders.append(order)
            state.orderBytes += size
        }
        signal()
    }

    /// So many bytes were looked at.
    func looked(_ bytes: Int, nowMs: Int) {
        let wasFull = state.withLock { state in
            let wasFull = state.handedOver >= Self.mostHandedOver
            state.handedOver -= bytes
            state.signAtMs = nowMs
            return wasFull
        }
        if wasFull { signal() }
    }

    /// The other thread runs.
    func sign(nowMs: Int) { state.withLock { $0.signAtMs = nowMs } }

    private func signal() {
        var one: UInt64 = 1
        _ = write(wake, &one, 8)
    }

    // MARK: The main thread

    /// Runs until it is told to stop.
    func run(
        signals: borrowing SignalDescriptor, notify: Notify, deliver: ([Heard], Int) -> Void
    ) throws(TransportError) {
        let context = try Context(maximumSockets: 16)
        var subscriberOptions = SocketOptions()
        subscriberOptions.receiveHighWaterMark = 4_096
        subscriberOptions.maximumFrameBytes = 256 << 20
        subscriberOptions.heartbeat = SocketOptions.Heartbeat()
        subscriberOptions.reconnectMaximumMilliseconds = 500
        subscriberOptions.allowsIPv6 = true
        var dealerOptions = subscriberOptions
        dealerOptions.sendsOnlyWhenConnected = true
        dealerOptions.sendHighWaterMark = 4_096
        let dealer = try Socket(.dealer, in: context, options: dealerOptions)
        var monitor = try SocketMonitor(dealer)
        try dealer.seal(with: keys[endpoint])
        try dealer.connect(endpoint)
        var places = Places(request: endpoint)
        var (again, said): (Int?, String?)
        let subscriber = try Socket(.subscribe, in: context, options: subscriberOptions)
        // Its subscriptions come and go only to be answered by a welcome.
        let prober = try Socket(.subscribe, in: context, options: subscriberOptions)

        var poller = Poller(capacity: 8)
        let replies = poller.add(dealer)
        let publications = poller.add(subscriber)
        let probes = poller.add(prober)
        let orders = poller.add(descriptor: wake)
        _ = poller.add(descriptor: signals.fileDescriptor)
        _ = poller.add(monitor)
        var frames = Frames(limit: 4)
        while true {
            let isFull = state.withLock { $0.handedOver >= Self.mostHandedOver }
            poller.watch(replies, !isFull)
            poller.watch(publications, !isFull)
            _ = try poller.wait(milliseconds: 1_000)
            beat(notify)
            var batch: [Heard] = []
            var bytes = 0
            while let signal = try signals.next() {
                batch.append(signal == SIGHUP ? .reload : .stop)
            }
            while let event = try monitor.next() {
                let isSealed = keys[places.request] != nil
                guard let heard = Self.heard(event, isSealed: isSealed) else { continue }
                batch.append(heard)
                if case .connected = heard {
                    (said, again) = (nil, nil)
                    // The sockets that follow publications may have been refused meanwhile, and would try no more.
                    if isSealed { leave(&places.published, subscriber, prober) }
                }
                guard case .refused(let word) = heard else { continue }
                if again == nil { again = Clock.monotonicMs + Self.refusedMs }
                if said != word { Log.say(Self.sentence(word, event.endpoint)) }
                said = word
            }
            if let due = again, Clock.monotonicMs >= due {
                again = nil
                try connect(dealer, to: places.request, from: places.request)
                leave(&places.published, subscriber, prober)
            }
            if poller.isReady(orders) || hasOrders {
                if try carryOut(dealer, subscriber, prober, &places, &frames) { return }
            }
            if poller.isReady(probes) {
                while try prober.receive(into: &frames) {}
            }
            if !isFull {
                try take(dealer, &frames, &batch, &bytes) { frames in
                    guard frames.count >= 2 else { return nil }
                    return .reply(frames.bytes(at: frames.count - 1))
                }
                try take(subscriber, &frames, &batch, &bytes) { frames in
                    guard frames.count == 2, frames.byteCount(at: 0) <= 300 else { return nil }
                    return .publication(topic: frames.bytes(at: 0), body: frames.bytes(at: 1))
                }
            }
            if !batch.isEmpty {
                let size = bytes
                state.withLock { $0.handedOver += size }
                deliver(batch, size)
            }
        }
    }

    private var hasOrders: Bool { state.withLock { !$0.orders.isEmpty } }

    /// Takes what has come, up to a bound, so that orders do not wait behind it.
    private func take(
        _ socket: borrowing Socket, _ frames: inout Frames, _ batch: inout [Heard],
        _ bytes: inout Int, _ read: (borrowing Frames) -> Heard?
    ) throws(TransportError) {
        var count = 0
        let end = bytes + (1 << 20)
        while count < 256, bytes < end, try socket.receive(into: &frames) {
            count += 1
            for index in 0..<frames.count { bytes += frames.byteCount(at: index) }
            if let heard = read(frames) { batch.append(heard) }
        }
    }

    /// True: it is to stop.
    private func carryOut(
        _ dealer: borrowing Socket, _ subscriber: borrowing Socket, _ prober: borrowing Socket,
        _ places: inout Places, _ frames: inout Frames
    ) throws(TransportError) -> Bool {
        var count: UInt64 = 0
        _ = read(wake, &count, 8)
        let orders = state.withLock { state in
            let orders = state.orders
            state.orders = []
            state.orderBytes = 0
            return orders
        }
        for order in orders {
            switch order {
            case .request(let body, let behalf):
                frames.removeAll()
                frames.append(behalf == nil ? Self.header : Self.behalfHeader)
                if let behalf { frames.append(behalf) }
                frames.append(body)
                // Without a connection it is as good as lost: whoever asked asks again.
                _ = try dealer.send(&frames)
            case .subscribe(let topic): try subscriber.subscribe(to: Array(topic.utf8))
            case .unsubscribe(let topic): try subscriber.unsubscribe(from: Array(topic.utf8))
            case .probe(let topic):
                try prober.subscribe(to: Array(topic.utf8))
                try prober.unsubscribe(from: Array(topic.utf8))
            case .publications(let endpoint):
                guard endpoint != places.published else { continue }
                leave(&places.published, subscriber, prober)
                try connect(subscriber, to: endpoint, as: places.request)
                try connect(prober, to: endpoint, as: places.request)
                places.published = endpoint
            case .connect(let endpoint):
                guard endpoint != places.request else { continue }
                try connect(dealer, to: endpoint, from: places.request)
                places.request = endpoint
                // What another daemon publishes is of another epoch.
                leave(&places.published, subscriber, prober)
            case .stop: return true
            }
        }
        return false
    }

    private func leave(
        _ published: inout String?, _ subscriber: borrowing Socket, _ prober: borrowing Socket
    ) {
        guard let old = published else { return }
        try? subscriber.disconnect(old)
        try? prober.disconnect(old)
        published = nil
    }

    /// With the keys for the endpoint at which the daemon takes requests.
    private func connect(
        _ socket: borrowing Socket, to endpoint: String, as request: String? = nil,
        from old: String? = nil
    ) throws(TransportError) {
        // A connection that was refused may be gone already.
        if let old { try? socket.disconnect(old) }
        try socket.seal(with: keys[request ?? endpoint])
        try socket.connect(endpoint)
    }

    private static func heard(_ event: ConnectionEvent, isSealed: Bool) -> Heard? {
        switch event.kind {
        case .handshakeFailed(let isRefused) where isSealed:
            .refused(isRefused ? "keyNotKnown" : "otherKey")
        case .handshakeFailed: .refused("handshakeRefused")
        case .ready: .connected(event.endpoint)
        case .disconnected, .retrying: .failed(event.endpoint)
        case .connected: nil
        }
    }

    private static func sentence(_ word: String, _ endpoint: String) -> String {
        switch word {
        case "keyNotKnown":
            "\(endpoint) does not know this key (who runs it adds it: trestled keys add)"
        case "otherKey":
            "the key of \(endpoint) is not the one that is trusted, or it serves without keys there"
        default: "\(endpoint) lets no such connection in"
        }
    }

    /// The service manager hears of us as long as both threads run.
    private func beat(_ notify: Notify) {
        guard notify.watchdogIntervalMicroseconds != nil else { return }
        let signAtMs = state.withLock { $0.signAtMs }
        if Clock.monotonicMs - signAtMs < 5_000 { notify.watchdog() }
    }
}

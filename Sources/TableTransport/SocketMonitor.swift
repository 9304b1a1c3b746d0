import CZeroMQ
import Synchronization

/// An event of one of a socket's connections.
public struct ConnectionEvent: Equatable, Sendable {
    /// The kind of event.
    public let kind: Kind

    /// The peer, as libzmq writes it.
    public let endpoint: String

    /// The kinds of events. A connection is usable from `ready` to `disconnected`.
    public enum Kind: Equatable, Sendable {
        /// The stream is open, and the handshake begins.
        case connected
        /// The handshake is done.
        case ready
        /// The stream is closed. libzmq tries again by itself.
        case disconnected
        /// Nobody answers. The next try follows.
        case retrying
        /// The other end violates the protocol, or its authenticator refuses us.
        case handshakeFailed(isRefused: Bool)
    }
}

/// Reports the events of a socket's connections, on the thread that owns the socket.
///
/// Read all events each time. Unread ones are kept without bound: otherwise libzmq's I/O thread
/// would stop at a full queue.
public struct SocketMonitor: ~Copyable {
    let pair: Socket
    private let monitored: SocketHandle
    private var frames = Frames(limit: 2)

    /// The number of monitors in this process so far: each needs an inproc name of its own.
    private static let number = Atomic<UInt64>(0)

    /// Watches a socket from now on. Make it before the first `connect`, to miss nothing. A socket
    /// has one monitor. A second one silences the first.
    public init(_ socket: borrowing Socket) throws(TransportError) {
        let number = Self.number.wrappingAdd(1, ordering: .relaxed).newValue
        let endpoint = "inproc://socket-monitor-\(number)"
        var options = SocketOptions()
        // Unbounded on purpose, see above. The reconnect interval bounds the few kinds of events.
        options.receiveHighWaterMark = 0
        let pair = try Socket(.pair, in: socket.handle.context, options: options)
        let monitored = socket.handle
        guard zmq_socket_monitor(monitored.raw, endpoint, Self.watched) == 0 else {
            throw .last("monitor a socket")
        }
        do throws(TransportError) {
            try pair.connect(endpoint)
        } catch {
            _ = zmq_socket_monitor(monitored.raw, nil, 0)
            throw error
        }
        self.pair = pair
        self.monitored = monitored
    }

    deinit {
        // libzmq's end first: its I/O thread would otherwise wait for ever for this reader.
        if monitored.isOpen { _ = zmq_socket_monitor(monitored.raw, nil, 0) }
    }

    /// The next event; `nil` if nothing happened since.
    public mutating func next() throws(TransportError) -> ConnectionEvent? {
        while try pair.receive(into: &frames) {
            if let event = decode() { return event }
        }
        return nil
    }

    private static let watched =
        ZMQ_EVENT_CONNECTED | ZMQ_EVENT_CONNECT_RETRIED | ZMQ_EVENT_DISCONNECTED
        | ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL
        | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH

    /// The first frame is a 16-bit event and a 32-bit value. The second is the endpoint.
    private func decode() -> ConnectionEvent? {
        guard frames.count == 2, frames.byteCount(at: 0) == 6 else { return nil }
        let event = frames.withBytes(at: 0) { $0.loadUnaligned(as: UInt16.self) }
        let kind: ConnectionEvent.Kind
        switch Int32(event) {
        case ZMQ_EVENT_CONNECTED: kind = .connected
        case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: kind = .ready
        case ZMQ_EVENT_DISCONNECTED: kind = .disconnected
        case ZMQ_EVENT_CONNECT_RETRIED: kind = .retrying
        case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL, ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
            kind = .handshakeFailed(isRefused: false)
        case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: kind = .handshakeFailed(isRefused: true)
        default: return nil
        }
        return ConnectionEvent(
            kind: kind, endpoint: String(decoding: frames.bytes(at: 1), as: UTF8.self))
    }
}

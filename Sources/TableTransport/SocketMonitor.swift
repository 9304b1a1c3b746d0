import CZeroMQ
import Synchronization

/// What happened to one of a socket's connections.
public struct ConnectionEvent: Equatable, Sendable {
    /// What happened.
    public let kind: Kind

    /// With whom, as libzmq writes it.
    public let endpoint: String

    /// What may happen. A connection is usable from `ready` to `disconnected`.
    public enum Kind: Equatable, Sendable {
        /// The stream is open; the handshake begins.
        case connected
        /// The handshake is done.
        case ready
        /// The stream is closed; libzmq will try again by itself.
        case disconnected
        /// Nobody there: the next try follows after so many milliseconds.
        case retrying(afterMilliseconds: UInt32)
        /// The other end does not speak as it should, or refuses us.
        case handshakeFailed(HandshakeFailure)
    }

    /// Why a handshake failed.
    public enum HandshakeFailure: Equatable, Sendable {
        /// An `errno`.
        case system(code: UInt32)
        /// A violation of the protocol, or another security mechanism (`ZMQ_PROTOCOL_ERROR_…`).
        case violation(code: UInt32)
        /// Refused by the other end's authenticator, with its status (300, 400, 500).
        case refused(status: UInt32)
    }
}

/// Tells what happens to a socket's connections, on the thread that owns the socket.
///
/// Read it to the end each time: what is not read is kept without bound, since libzmq's I/O
/// thread would otherwise stand still once the queue is full.
public struct SocketMonitor: ~Copyable {
    let pair: Socket
    private let monitored: SocketHandle
    private var frames = Frames(limit: 2)

    /// Counts the monitors of this process: each needs an inproc name of its own.
    private static let number = Atomic<UInt64>(0)

    /// Watches a socket from now on: before its first `connect`, to miss nothing. A socket has one
    /// monitor; a second one silences the first.
    public init(_ socket: borrowing Socket) throws(TransportError) {
        let number = Self.number.wrappingAdd(1, ordering: .relaxed).newValue
        let endpoint = "inproc://socket-monitor-\(number)"
        var options = SocketOptions()
        // Unbounded on purpose, see above. The few kinds of events are bounded by the reconnect
        // interval.
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
        // libzmq's end first: its I/O thread would wait for ever for the reader that we were.
        if monitored.isOpen { _ = zmq_socket_monitor(monitored.raw, nil, 0) }
    }

    /// The next event, or `nil` when nothing happened since.
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

    /// The first frame is a 16-bit event and a 32-bit value, the second the endpoint.
    private func decode() -> ConnectionEvent? {
        guard frames.count == 2, frames.byteCount(at: 0) == 6 else { return nil }
        let (event, value) = frames.withBytes(at: 0) {
            (
                $0.loadUnaligned(fromByteOffset: 0, as: UInt16.self),
                $0.loadUnaligned(fromByteOffset: 2, as: UInt32.self)
            )
        }
        let kind: ConnectionEvent.Kind
        switch Int32(event) {
        case ZMQ_EVENT_CONNECTED: kind = .connected
        case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: kind = .ready
        case ZMQ_EVENT_DISCONNECTED: kind = .disconnected
        case ZMQ_EVENT_CONNECT_RETRIED: kind = .retrying(afterMilliseconds: value)
        case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL: kind = .handshakeFailed(.system(code: value))
        case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL: kind = .handshakeFailed(.violation(code: value))
        case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: kind = .handshakeFailed(.refused(status: value))
        default: return nil
        }
        return ConnectionEvent(
            kind: kind, endpoint: String(decoding: frames.bytes(at: 1), as: UTF8.self))
    }
}

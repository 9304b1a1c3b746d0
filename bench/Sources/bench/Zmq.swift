import CZeroMQ
import Glibc

/// A libzmq socket, as thin as can be: bytes are read where libzmq has them.
final class Zmq {
    let raw: UnsafeMutableRawPointer
    private let message: UnsafeMutablePointer<zmq_msg_t>

    init(_ kind: Int32, in context: UnsafeMutableRawPointer?) throws(Failure) {
        guard let raw = zmq_socket(context, kind) else { throw Failure("zmq_socket") }
        self.raw = raw
        message = .allocate(capacity: 1)
        zmq_msg_init(message)
        try set(ZMQ_LINGER, 0)
        try set(ZMQ_RECONNECT_IVL, 1)
    }

    func close() {
        zmq_msg_close(message)
        zmq_close(raw)
    }

    func set(_ option: Int32, _ value: Int32) throws(Failure) {
        var value = value
        guard zmq_setsockopt(raw, option, &value, MemoryLayout<Int32>.size) == 0 else {
            throw Failure("zmq_setsockopt")
        }
    }

    func subscribe(_ topic: [UInt8]) throws(Failure) {
        guard zmq_setsockopt(raw, ZMQ_SUBSCRIBE, topic, topic.count) == 0 else {
            throw Failure("subscribe")
        }
    }

    func connect(_ endpoint: String) throws(Failure) {
        guard zmq_connect(raw, endpoint) == 0 else { throw Failure("connect to \(endpoint)") }
    }

    func bind(_ endpoint: String) throws(Failure) {
        guard zmq_bind(raw, endpoint) == 0 else { throw Failure("bind to \(endpoint)") }
    }

    /// Readable when something may have happened: then receive until there is nothing more.
    func descriptor() throws(Failure) -> Int32 {
        var value: Int32 = 0
        var size = MemoryLayout<Int32>.size
        guard zmq_getsockopt(raw, ZMQ_FD, &value, &size) == 0 else { throw Failure("ZMQ_FD") }
        return value
    }

    /// Sends one frame. False: nobody can take it.
    @discardableResult
    func send(_ bytes: [UInt8], more: Bool) -> Bool {
        zmq_send(raw, bytes, bytes.count, ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0)) >= 0
    }

    /// The frames of a request to trestled.
    func sendRequest(_ body: [UInt8]) throws(Failure) {
        guard send([], more: true) else { throw Failure("send a request") }
        send(TrestleWords.header, more: true)
        send(body, more: false)
    }

    /// Reads one message and lends its last frame; nil when there is none.
    func receive<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
        guard zmq_msg_recv(message, raw, ZMQ_DONTWAIT) >= 0 else { return nil }
        while zmq_msg_more(message) != 0 {
            guard zmq_msg_recv(message, raw, ZMQ_DONTWAIT) >= 0 else { return nil }
        }
        return body(
            UnsafeRawBufferPointer(start: zmq_msg_data(message), count: zmq_msg_size(message)))
    }

    /// Waits until something can be received.
    func wait(milliseconds: Int) -> Bool {
        var item = zmq_pollitem_t(socket: raw, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0)
        return zmq_poll(&item, 1, milliseconds) > 0
    }

    /// Asks, and waits for the answer.
    func ask<Result>(
        _ request: [UInt8], milliseconds: Int = 30_000,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) throws(Failure) -> Result {
        try sendRequest(request)
        guard wait(milliseconds: milliseconds), let result = receive(body) else {
            throw Failure("no answer")
        }
        return result
    }
}

/// Why the benchmark cannot go on.
struct Failure: Error, CustomStringConvertible {
    let description: String

    /// What could not be done; the system's reason is added if there is one.
    init(_ what: String) {
        description = errno == 0 ? what : "\(what): \(String(cString: zmq_strerror(errno)))"
    }
}

import CZeroMQ
import Glibc

/// A socket of the floor, as thin as can be: bytes are read where libzmq has them.
final class Zmq {
    let raw: UnsafeMutableRawPointer
    private let message: UnsafeMutablePointer<zmq_msg_t>

    init(_ kind: Int32, in context: UnsafeMutableRawPointer?) throws(Failure) {
        guard let raw = zmq_socket(context, kind) else { throw Failure("zmq_socket") }
        self.raw = raw
        message = .allocate(capacity: 1)
        zmq_msg_init(message)
        try set(ZMQ_LINGER, 0)
    }

    func set(_ option: Int32, _ value: Int32) throws(Failure) {
        var value = value
        guard zmq_setsockopt(raw, option, &value, MemoryLayout<Int32>.size) == 0 else {
            throw Failure("zmq_setsockopt")
        }
    }

    func bind(_ endpoint: String) throws(Failure) {
        guard zmq_bind(raw, endpoint) == 0 else { throw Failure("bind to \(endpoint)") }
    }

    /// Sends one frame. False: nobody can take it.
    @discardableResult
    func send(_ bytes: [UInt8], more: Bool) -> Bool {
        zmq_send(raw, bytes, bytes.count, ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0)) >= 0
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
}

/// Why the benchmark cannot go on.
struct Failure: Error, CustomStringConvertible {
    let description: String

    /// An error about a failed action; the system's reason is added if there is one.
    init(_ what: String) {
        description = errno == 0 ? what : "\(what): \(String(cString: zmq_strerror(errno)))"
    }
}

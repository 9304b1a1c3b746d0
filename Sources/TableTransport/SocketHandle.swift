import CZeroMQ

/// A libzmq socket, and whether it is still open. A `Socket` owns it. Pollers and monitors hold it
/// too: libzmq cannot tell the pointer of a closed socket from a good one, but this can.
final class SocketHandle {
    private let pointer: UnsafeMutableRawPointer
    let context: Context
    private(set) var isOpen = true
    /// Whether libzmq may know of something of which the socket's descriptor does not tell: a call may have taken
    /// the signal. False: it had nothing when it looked last.
    var mayKnowMore = true

    /// The socket for a call of libzmq, which may look at its signals.
    var raw: UnsafeMutableRawPointer {
        mayKnowMore = true
        return pointer
    }

    init(kind: Int32, context: Context) throws(TransportError) {
        guard let raw = zmq_socket(context.raw, kind) else { throw .last("open a socket") }
        pointer = raw
        self.context = context
    }

    deinit { close() }

    func close() {
        guard isOpen else { return }
        isOpen = false
        _ = zmq_close(pointer)
    }

    func set(_ option: Int32, _ value: Int32, _ name: StaticString) throws(TransportError) {
        var value = value
        guard zmq_setsockopt(pointer, option, &value, MemoryLayout<Int32>.size) == 0 else {
            throw .last("set \(name) to \(value)")
        }
    }

    func set(_ option: Int32, _ value: Bool, _ name: StaticString) throws(TransportError) {
        let number: Int32 = value ? 1 : 0
        try set(option, number, name)
    }

    func set(_ option: Int32, _ value: Int64, _ name: StaticString) throws(TransportError) {
        var value = value
        guard zmq_setsockopt(pointer, option, &value, MemoryLayout<Int64>.size) == 0 else {
            throw .last("set \(name) to \(value)")
        }
    }

    /// The error omits the value: it may be a secret key.
    func set(_ option: Int32, bytes: [UInt8], _ name: StaticString) throws(TransportError) {
        guard zmq_setsockopt(pointer, option, bytes, bytes.count) == 0 else {
            throw .last("set \(name)")
        }
    }

    func int32(_ option: Int32, _ name: StaticString) throws(TransportError) -> Int32 {
        var value: Int32 = 0
        var size = MemoryLayout<Int32>.size
        guard zmq_getsockopt(pointer, option, &value, &size) == 0 else {
            throw .last("read \(name)")
        }
        return value
    }
}

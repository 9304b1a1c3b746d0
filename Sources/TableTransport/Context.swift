import CZeroMQ
import Glibc

/// libzmq's I/O threads and the sockets that hang on them. One per process: several contexts
/// with CURVE can crash when they end.
///
/// Each socket keeps its context alive, so that the context ends after the last of them, and
/// then waits at most for the longest linger.
public final class Context: @unchecked Sendable {
    // Unchecked because it holds a raw pointer; libzmq documents that a context may be used by
    // all threads, and the pointer itself never changes.
    let raw: UnsafeMutableRawPointer

    /// Starts a context; its I/O threads start with the first socket.
    ///
    /// - Parameters:
    ///   - ioThreads: about one per gigabit a second of traffic.
    ///   - maximumSockets: how many sockets may be open in this process; peers do not count.
    public init(ioThreads: Int32 = 1, maximumSockets: Int32 = 64) throws(TransportError) {
        guard let raw = zmq_ctx_new() else { throw .last("create a ZeroMQ context") }
        self.raw = raw
        try set(ZMQ_IO_THREADS, ioThreads, "set IO_THREADS")
        try set(ZMQ_MAX_SOCKETS, maximumSockets, "set MAX_SOCKETS")
    }

    deinit {
        // EINTR is the only failure after which there is still something to end.
        while zmq_ctx_term(raw) != 0 && zmq_errno() == EINTR {}
    }

    private func set(
        _ option: Int32, _ value: Int32, _ action: String
    ) throws(TransportError) {
        guard zmq_ctx_set(raw, option, value) == 0 else { throw .last("\(action) to \(value)") }
    }
}

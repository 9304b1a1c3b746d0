import CZeroMQ
import Glibc

/// libzmq's I/O threads and the sockets that belong to them. One per process: several contexts with
/// CURVE can crash when they end.
///
/// Each socket keeps its context alive, so the context ends after its last socket. It then waits
/// for the longest linger at most.
public final class Context: @unchecked Sendable {
    // Unchecked because it holds a raw pointer. libzmq documents that all threads may use a
    // context, and the pointer never changes.
    let raw: UnsafeMutableRawPointer

    /// Starts a context; its I/O threads start with the first socket.
    ///
    /// - Parameters:
    ///   - maximumSockets: how many sockets may be open in this process. Peers do not count.
    ///   - copiesReceived: whether a message that waits has memory of its own. Else it may keep all of
    ///     the 18 KiB that its connection read it into, however short it is.
    public init(maximumSockets: Int32 = 64, copiesReceived: Bool = false) throws(TransportError) {
        guard let raw = zmq_ctx_new() else { throw .last("create a ZeroMQ context") }
        self.raw = raw
        try set(ZMQ_MAX_SOCKETS, maximumSockets, "set MAX_SOCKETS")
        if copiesReceived { try set(Self.zeroCopyReceive, 0, "set ZERO_COPY_RECV") }
    }

    /// `ZMQ_ZERO_COPY_RECV`: libzmq 4.3.4 obeys it, though its header calls it a draft.
    private static let zeroCopyReceive: Int32 = 10

    deinit {
        // EINTR is the only failure after which the context still has to be ended.
        while zmq_ctx_term(raw) != 0 && zmq_errno() == EINTR {}
    }

    /// Has the first context start sooner in a program that runs for milliseconds: a tenth of the time of
    /// `trestle tables`. Call it before anything else. Not for libraries: it is about the whole process.
    ///
    /// libzmq starts libpgm, which asks for the number of a protocol that we never use. As Debian is
    /// set up, libc then looks for a library that is not there, at 44 places.
    public static func prepareShortLife() {
        _ = __nss_configure_lookup("protocols", "files")
        // No memory of its own for each of libzmq's threads.
        mallopt(M_ARENA_MAX, 1)
    }

    private func set(_ option: Int32, _ value: Int32, _ action: String) throws(TransportError) {
        guard zmq_ctx_set(raw, option, value) == 0 else { throw .last("\(action) to \(value)") }
    }
}

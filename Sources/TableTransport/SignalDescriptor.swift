import CZeroMQ
import Glibc

/// Signals to poll and read, instead of handlers that run at any point.
///
/// Make it first in `main`: threads inherit the blocked signals. A signal that some thread does not
/// block ends the process as before.
public struct SignalDescriptor: ~Copyable {
    /// Readable if a signal has come. For `Poller`.
    public let fileDescriptor: Int32

    /// Blocks these signals in the calling thread, and collects them.
    public init(_ signals: [Int32]) throws(TransportError) {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals {
            guard sigaddset(&set, signal) == 0 else { throw .last("block signal \(signal)") }
        }
        let code = pthread_sigmask(SIG_BLOCK, &set, nil)
        guard code == 0 else { throw TransportError(code: code, action: "block signals") }
        let descriptor = signalfd(-1, &set, Int32(SFD_NONBLOCK) | Int32(SFD_CLOEXEC))
        guard descriptor >= 0 else { throw .last("open a signal descriptor") }
        fileDescriptor = descriptor
    }

    deinit { close(fileDescriptor) }

    /// A signal, and who sent it.
    public struct Received: Equatable, Sendable {
        /// The signal's number.
        public let number: Int32
        /// The user who sent it, as this process's namespace knows them.
        public let uid: UInt32
        /// The process that sent it.
        public let pid: UInt32
    }

    /// The number of the next signal, or `nil`.
    public func next() throws(TransportError) -> Int32? { try receive()?.number }

    /// The next signal, or `nil`. Equal signals that wait together count once.
    public func receive() throws(TransportError) -> Received? {
        var information = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        while read(fileDescriptor, &information, size) != size {
            let code = errno
            if code == EAGAIN { return nil }
            guard code == EINTR else { throw TransportError(code: code, action: "read a signal") }
        }
        return Received(
            number: Int32(bitPattern: information.ssi_signo), uid: information.ssi_uid,
            pid: information.ssi_pid)
    }
}

import CZeroMQ
public import Glibc

/// Signals to poll and read, instead of handlers that run at any point.
///
/// Make it first in `main`: threads inherit the blocked signals. A signal that some thread does not
/// block ends the process as before.
public struct SignalDescriptor: ~Copyable {
    /// Readable if a signal has come. For `Poller`.
    public let fileDescriptor: Int32

    /// Blocks these signals in the calling thread, and collects them.
    public init(_ signals: [Int32] = [SIGTERM, SIGINT, SIGHUP]) throws(TransportError) {
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

    deinit {
        close(fileDescriptor)
    }

    /// The next signal, or `nil`. Equal signals that wait together count once.
    public func next() throws(TransportError) -> Int32? {
        var information = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        while read(fileDescriptor, &information, size) != size {
            let code = errno
            if code == EAGAIN { return nil }
            guard code == EINTR else { throw TransportError(code: code, action: "read a signal") }
        }
        return Int32(bitPattern: information.ssi_signo)
    }
}

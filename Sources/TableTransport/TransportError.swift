import CZeroMQ
import Glibc

/// A refusal of libzmq or the kernel, in a form on which an administrator can act.
public struct TransportError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The `errno`, or one of libzmq's own numbers.
    public let code: Int32

    /// The action that failed, as a verb phrase: "bind to", "set SNDHWM".
    public let action: String

    /// The endpoint, if there is one.
    public let endpoint: String?

    /// An error that happened elsewhere; mostly for tests.
    public init(code: Int32, action: String, endpoint: String? = nil) {
        self.code = code
        self.action = action
        self.endpoint = endpoint
    }

    /// One sentence: what failed, on what, and why.
    public var description: String {
        let subject = endpoint.map { "\(action) \($0)" } ?? action
        return "cannot \(subject): \(cause)"
    }

    private var cause: String {
        switch code {
        case EADDRINUSE: "the address is in use by another socket"
        case EADDRNOTAVAIL: "this machine has no such address"
        case EACCES, EPERM: "permission denied"
        case ENAMETOOLONG: "the path is too long (at most 107 bytes for a unix socket)"
        case ENOENT: "no such directory, or no such endpoint"
        case ENODEV: "no such network interface"
        case EINVAL: "libzmq finds the value malformed or out of range"
        case EPROTONOSUPPORT: "libzmq does not know this transport (ipc://, tcp://, inproc://)"
        case EMFILE: "too many sockets or open files in this process"
        case ETERM: "the context was shut down"
        default: String(cString: zmq_strerror(code))
        }
    }

    /// The error that libzmq left in `errno`. Call it before anything else.
    static func last(_ action: String, endpoint: String? = nil) -> TransportError {
        TransportError(code: zmq_errno(), action: action, endpoint: endpoint)
    }
}

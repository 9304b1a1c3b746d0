public import TableModel

/// Why something could not be done, other than that the daemon refused it.
public enum ClientError: Error, Equatable, Sendable, CustomStringConvertible {
    /// No connection to the daemon came about; why, where that is known.
    case unreachable(endpoint: String, because: String? = nil)
    /// The system does not let this process connect; what it may not use, and who may.
    case notPermitted(endpoint: String, because: String)
    /// Connected, but no answer came in time. A command may have been carried out.
    case timeout(endpoint: String)
    /// The daemon speaks another version, or not this protocol.
    case protocolMismatch(String)
    /// The daemon refused: nothing was changed.
    case refused(Rejection)

    /// A sentence, without a full stop.
    public var description: String {
        switch self {
        case .unreachable(let endpoint, let reason):
            return "no daemon answers at \(endpoint)\(reason.map { ": \($0)" } ?? "")"
        case .notPermitted(let endpoint, let reason):
            return "not permitted to connect to \(endpoint): \(reason)"
        case .timeout(let endpoint): return "no answer from \(endpoint) in time"
        case .protocolMismatch(let what): return "the daemon speaks another protocol: \(what)"
        case .refused(let rejection): return rejection.message
        }
    }
}

public import TableModel
public import TableSync

/// Why a request failed.
public enum ClientError: Error, Equatable, Sendable, CustomStringConvertible {
    /// There was no connection to the daemon. `because`: the reason, if it is known.
    case unreachable(endpoint: String, because: String? = nil)
    /// The system does not let this process connect. `because`: what it may not use, and who may.
    case notPermitted(endpoint: String, because: String)
    /// Connected, but no answer came in time. A command may have been carried out, or may still be.
    /// `because`: what the daemon said meanwhile.
    case timeout(endpoint: String, because: String? = nil)
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
        case .timeout(let endpoint, let reason):
            return reason.map { "no final answer from \(endpoint) in time: \($0)" }
                ?? "no answer from \(endpoint) in time"
        case .protocolMismatch(let what): return "the daemon speaks another protocol: \(what)"
        case .refused(let rejection): return rejection.message
        }
    }
}

extension Reply {
    /// The reply, if the daemon has done what was asked; else its refusal is thrown, as `ClientError.refused`. So
    /// `try client.perform(…).accepted` has one way for all that goes wrong.
    public var accepted: Reply {
        get throws(ClientError) {
            if case .refused(let rejection) = answer { throw .refused(rejection) }
            return self
        }
    }

    /// To ask this again is of no use: the principal may not, or what is named can be no table.
    var hopeless: ClientError? {
        guard case .refused(let rejection) = answer else { return nil }
        let isNoName = [.badName, .tooLarge].contains(rejection.code) && rejection.field == "table"
        return isNoName || rejection.isForWantOfRights ? .refused(rejection) : nil
    }
}

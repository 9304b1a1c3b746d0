import EtcdJournal
import TableJournal
import TableSync
import TableTransport

/// Why the daemon cannot start or go on: a sentence for its administrator, and an exit code.
public struct DaemonError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Exit codes of sysexits.h, as the command line's contract lists them.
    public enum Code: Int32, Sendable {
        case usage = 64
        case badData = 65
        case noInput = 66
        case unavailable = 69
        case cannotCreate = 73
        case io = 74
        case notPermitted = 77
        case badConfiguration = 78
    }

    /// The exit code of the process.
    public let code: Code
    /// A sentence for standard error.
    public let description: String
    /// All that is wrong, a sentence each; `description` has the first.
    public let all: [String]

    /// The exit code for any error that ends the process.
    public static func exitCode(of error: any Error) -> Int32 { code(of: error).rawValue }

    private static func code(of error: any Error) -> Code {
        switch error {
        case let error as DaemonError: return error.code
        case let error as JournalError:
            switch error {
            case .locked: return .cannotCreate
            case .openToOthers: return .notPermitted
            case .system, .poisoned, .closed, .payloadTooLarge, .entryOutOfTurn,
                .checkpointOutOfTurn:
                return .io
            default: return .badData
            }
        case let error as EtcdJournalError:
            switch error {
            case .unreachable, .missing: return .unavailable
            case .damaged: return .badData
            case .fault: return .io
            }
        case is RecoveryError: return .badData
        case is TransportError: return .cannotCreate
        case is MalformedEnvironment: return .badConfiguration
        default: return .io
        }
    }

    /// From a code and a sentence without a full stop.
    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
        all = [description]
    }

    /// From a code and one sentence or more.
    init(_ code: Code, all: [String]) {
        self.code = code
        self.all = all
        let more = all.count > 1 ? " (and \(all.count - 1) more: see trestled check-config)" : ""
        description = (all.first ?? "") + more
    }
}

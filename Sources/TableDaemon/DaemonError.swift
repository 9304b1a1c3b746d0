/// Why the daemon cannot start or go on: a sentence for its administrator, and an exit code.
public struct DaemonError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Exit codes of sysexits.h, as the command line's contract lists them.
    public enum Code: Int32, Sendable {
        case badData = 65
        case cannotCreate = 73
        case io = 74
        case badConfiguration = 78
    }

    /// What the process exits with.
    public let code: Code
    public let description: String

    /// From a code and a sentence without a full stop.
    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
